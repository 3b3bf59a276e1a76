//! One event, serialized for a stream.

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
use crate::memory_budget::BudgetReservation;
use crate::wire::approval::{ApprovalByRole, ApprovalStatus, outcome};
use crate::wire::event::{ApprovalResolved, EmptyData, ExecutionCompleted, ExecutionStarted, LiveEvent};

/// Frames up to this size are not charged.
const FREE: usize = 64 << 10;

/// An event as text: `{"type": …, "data": …, "seq": …}`.
pub(crate) struct Frame {
    seq: u64,
    name: Cow<'static, str>,
    text: Bytes,
    data: Range<usize>,
    /// The memory it uses of the credential it is for.
    taken: OnceLock<BudgetReservation>,
    /// Too many outdated snapshots are in flight: stop sending this one.
    cancelled: AtomicBool,
}

impl Frame {
    /// An event as text, with the approval it is about, as a role sees it; `None` for events that nobody
    /// sees.
    pub(crate) fn of(changed: &FeedEvent, approval: Option<&Approval>, role: Role) -> Option<Frame> {
        let seq = changed.event.seq;
        if let EventPayload::Part { kind, data, .. } = &changed.event.change {
            // A `RegisteredEvent`, with its fields in the order of a
            // frame.
            let text = format!("{}{data}}}", Frame::head(kind.name()));
            return Some(Frame::from_text(seq, kind.name().to_owned(), text));
        }
        let event = event(changed, approval, role)?;
        match serde_json::to_string(&event) {
            Ok(text) => Some(Frame::from_text(seq, event.name(), text)),
            Err(error) => {
                tracing::error!(%error, seq, "cannot write an event");
                None
            }
        }
    }

    /// From a text `{"type": name, "data": …}`.
    pub(crate) fn from_text(seq: u64, name: impl Into<Cow<'static, str>>, mut text: String) -> Frame {
        let name = name.into();
        let start = Frame::head(&name).len();
        // The closing brace follows the number.
        text.pop();
        let data = start..text.len();
        text.push_str(&format!(r#","seq":{seq}}}"#));
        Frame {
            seq,
            name,
            text: text.into(),
            data,
            taken: OnceLock::new(),
            cancelled: AtomicBool::new(false),
        }
    }

    /// The beginning of that text.
    pub(crate) fn head(name: &str) -> String {
        format!(r#"{{"type":"{name}","data":"#)
    }

    /// Whether it is too large to be kept longer than it is being sent.
    pub(crate) fn is_large(&self) -> bool {
        self.text.len() > FREE
    }

    /// The text as it is sent over a WebSocket.
    pub(crate) fn text(&self) -> &Bytes {
        &self.text
    }

    /// The same as a server-sent event, in parts: the large part is the text itself. JSON text has no line
    /// breaks, so the data is one line.
    pub(crate) fn sse_parts(&self) -> [Bytes; 3] {
        let head = format!("id: {}\nevent: {}\ndata: ", self.seq, self.name);
        [head.into(), self.text.slice(self.data.clone()), Bytes::from_static(b"\n\n")]
    }

    /// Stops sending it. Subscribers that were receiving it reconnect and get a newer version.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether it is still to be sent.
    pub(crate) fn is_active(&self) -> bool {
        !self.cancelled.load(Ordering::Relaxed)
    }

    /// Charges it to the budget once, for as long as anybody holds it. Returns `false` if there is no memory
    /// left.
    pub(crate) fn reserve(&self, of: impl FnOnce() -> BudgetReservation) -> bool {
        if self.text.len() <= FREE || self.taken.get().is_some() {
            return true;
        }
        let mut taken = of();
        // If another subscriber was first, this reservation is released.
        taken.try_grow(self.text.len()) && (self.taken.set(taken).is_ok() || self.taken.get().is_some())
    }
}

/// Whether a subscriber may see an event. An agent sees its own approvals and executions, and no execution
/// whose owner is unknown.
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
        EventPayload::Started { execution, tool, approval, run, .. } => {
            LiveEvent::ToolExecutionStarted(ExecutionStarted {
                execution_id: *execution,
                run_id: run.clone(),
                tool_name: tool.clone(),
                approval_id: *approval,
            })
        }
        EventPayload::Finished { execution, is_error, tool, approval, duration_ms, run, .. } => {
            LiveEvent::ToolExecutionCompleted(ExecutionCompleted {
                execution_id: *execution,
                run_id: run.clone(),
                tool_name: tool.clone(),
                approval_id: *approval,
                duration_ms: *duration_ms,
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
