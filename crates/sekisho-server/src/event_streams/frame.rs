//! One thing to tell, as text.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use sekisho_gate::answer::Role;
use sekisho_gate::approval::Approval;
use sekisho_gate::feed::FeedEvent;
use sekisho_gate::record::EventPayload;

use crate::auth::Identity;
use crate::middleware::BudgetReservation;
use crate::wire::approval::{ApprovalByRole, ApprovalStatus, outcome};
use crate::wire::event::{ApprovalResolved, EmptyData, ExecutionCompleted, ExecutionStarted, LiveEvent};

/// What is no larger takes no room.
const FREE: usize = 64 << 10;

/// Something to tell: `{"type": …, "data": …, "seq": …}`.
pub(crate) struct Frame {
    seq: u64,
    name: Cow<'static, str>,
    text: Bytes,
    data: Range<usize>,
    /// What it takes of the room of the credential it is for.
    taken: OnceLock<BudgetReservation>,
    /// Too much is being sent that has newer versions: this is sent no further.
    given_up: AtomicBool,
}

impl Frame {
    /// A change as text, with the question it is about, as a role sees it; none for changes that nobody is told.
    pub(crate) fn of(changed: &FeedEvent, approval: Option<&Approval>, role: Role) -> Option<Frame> {
        let seq = changed.event.seq;
        if let EventPayload::Part { kind, data, .. } = &changed.event.change {
            // `PartEvent`, with its fields in the order that a frame has them.
            let text = format!("{}{data}}}", Frame::head(kind.name()));
            return Some(Frame::from_text(seq, kind.name().to_owned(), text));
        }
        let event = event(changed, approval, role)?;
        match serde_json::to_string(&event) {
            Ok(text) => Some(Frame::from_text(seq, event.name(), text)),
            Err(error) => {
                tracing::error!(%error, seq, "a change cannot be told");
                None
            }
        }
    }

    /// From a text `{"type": name, "data": …}`.
    pub(crate) fn from_text(seq: u64, name: impl Into<Cow<'static, str>>, mut text: String) -> Frame {
        let name = name.into();
        let start = Frame::head(&name).len();
        // The brace at the end comes after the number.
        text.pop();
        let data = start..text.len();
        text.push_str(&format!(r#","seq":{seq}}}"#));
        Frame { seq, name, text: text.into(), data, taken: OnceLock::new(), given_up: AtomicBool::new(false) }
    }

    /// What such a text begins with.
    pub(crate) fn head(name: &str) -> String {
        format!(r#"{{"type":"{name}","data":"#)
    }

    /// Whether it is so large that it is kept no longer than it is sent.
    pub(crate) fn is_large(&self) -> bool {
        self.text.len() > FREE
    }

    /// The text.
    pub(crate) fn text(&self) -> &Bytes {
        &self.text
    }

    /// The same as a server-sent event, in parts: the large one is the text itself. JSON has no line breaks of its own, so
    /// the data is one line.
    pub(crate) fn sse_parts(&self) -> [Bytes; 3] {
        let head = format!("id: {}\nevent: {}\ndata: ", self.seq, self.name);
        [head.into(), self.text.slice(self.data.clone()), Bytes::from_static(b"\n\n")]
    }

    /// Has those who are being sent it sent no further: they come back for a newer version.
    pub(crate) fn cancel(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Whether it is still to be sent.
    pub(crate) fn is_active(&self) -> bool {
        !self.given_up.load(Ordering::Relaxed)
    }

    /// Has it take room as long as anybody holds it, however many do; `false`: there is none left.
    pub(crate) fn reserve(&self, of: impl FnOnce() -> BudgetReservation) -> bool {
        if self.text.len() <= FREE || self.taken.get().is_some() {
            return true;
        }
        let mut taken = of();
        // Where somebody else was first, this one is given back.
        taken.try_grow(self.text.len()) && (self.taken.set(taken).is_ok() || self.taken.get().is_some())
    }
}

/// Whether somebody is told of a change. An agent is told of its own questions and runs; of a run that nobody knows the
/// owner of it is not told.
pub(crate) fn may_see_change(who: &Identity, changed: &FeedEvent) -> bool {
    let owner = match &changed.event.change {
        EventPayload::RulesChanged => return true,
        EventPayload::Refused { .. } | EventPayload::TokensChanged | EventPayload::Unknown => return false,
        EventPayload::Opened { .. } | EventPayload::Resolved { .. } => {
            changed.summary.as_ref().map(|about| &about.credential)
        }
        EventPayload::Started { credential, .. }
        | EventPayload::Finished { credential, .. }
        | EventPayload::Part { credential, .. } => credential.as_ref(),
    };
    match owner {
        Some(owner) => who.may_hear_of(owner),
        None => who.role > Role::Agent,
    }
}

fn event(changed: &FeedEvent, approval: Option<&Approval>, role: Role) -> Option<LiveEvent> {
    Some(match &changed.event.change {
        EventPayload::Opened { .. } => {
            LiveEvent::ToolApprovalRequest(ApprovalByRole::for_role(role, approval?))
        }
        EventPayload::Resolved { id, state } => LiveEvent::ToolApprovalResolved(ApprovalResolved {
            id: *id,
            state: named(state)?,
            tool_name: approval.map(|approval| approval.asked.call.tool.clone()),
            outcome: approval.and_then(outcome),
        }),
        EventPayload::Started { execution, tool, approval, .. } => {
            LiveEvent::ToolExecutionStarted(ExecutionStarted {
                execution_id: *execution,
                tool_name: tool.clone(),
                approval_id: *approval,
            })
        }
        EventPayload::Finished { execution, is_error, tool, approval, .. } => {
            LiveEvent::ToolExecutionCompleted(ExecutionCompleted {
                execution_id: *execution,
                tool_name: tool.clone(),
                approval_id: *approval,
                is_error: *is_error,
            })
        }
        EventPayload::RulesChanged => LiveEvent::RulesChanged(EmptyData {}),
        EventPayload::Refused { .. }
        | EventPayload::TokensChanged
        | EventPayload::Part { .. }
        | EventPayload::Unknown => {
            return None;
        }
    })
}

fn named(state: &str) -> Option<ApprovalStatus> {
    let all = [
        ApprovalStatus::Pending,
        ApprovalStatus::Approved,
        ApprovalStatus::Denied,
        ApprovalStatus::Expired,
        ApprovalStatus::Aborted,
    ];
    all.into_iter().find(|one| one.name() == state)
}
