//! Every way a call can be refused, and the exact text the model reads. One table.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use sekisho_policy::{Reason, Verdict, say};
use serde::{Deserialize, Serialize};

use crate::answer::Actor;
use crate::approval::{AbortReason, Approval, ApprovalState};

/// The prefix of every refusal, for protocols without a form of their own for it.
pub const PREFIX: &str = "Permission denied: ";

/// A call that may not run, and why.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The kind of refusal.
    pub code: RefusalCode,
    /// The reason, without the prefix.
    pub reason: String,
    /// Details of this refusal, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether the run should stop as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
}

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// A human denied the call.
    Denied,
    /// A rule denied the call.
    DeniedByRule,
    /// Nobody answered in time.
    Expired,
    /// The approval was cancelled.
    Aborted,
    /// Nobody is available to answer.
    NobodyCanAnswer,
    /// The decision could not be recorded.
    NotRecorded,
    /// A config file does not load.
    ConfigBroken,
    /// The input is ambiguous.
    InputNotExact,
    /// The same call id was used before with a different input.
    OtherInput,
    /// The answer was taken already.
    AlreadyTaken,
    /// A durable call has no id to find it by again.
    NoCallId,
    /// The caller has reached its limit of open approvals.
    NoRoom,
    /// The gate is closing.
    Closing,
}

impl RefusalCode {
    /// The default reason.
    pub fn sentence(self) -> Cow<'static, str> {
        say(match self {
            RefusalCode::Denied => "User denied tool execution",
            RefusalCode::DeniedByRule => "a rule denies this call",
            RefusalCode::Expired => {
                "nobody answered in time; the call was not denied: try again, or continue without it"
            }
            RefusalCode::Aborted => "the approval was cancelled before anyone answered",
            RefusalCode::NobodyCanAnswer => "this call needs approval, and nobody is available to answer",
            RefusalCode::NotRecorded => {
                "the decision could not be recorded, and no call runs without a record; try again later"
            }
            RefusalCode::ConfigBroken => "a config file does not load; nothing is allowed until it is fixed",
            RefusalCode::InputNotExact => "the input is ambiguous: it can be parsed in more than one way",
            RefusalCode::OtherInput => {
                "this call id was used before with a different input; send a changed call under a new id"
            }
            RefusalCode::AlreadyTaken => {
                "the answer to this call was already used; submit the call again under a new id"
            }
            RefusalCode::NoCallId => "a durable call needs an id and its run or conversation; send both",
            RefusalCode::NoRoom => "too many approvals are open; wait until some are answered",
            RefusalCode::Closing => "the gate is shutting down; try again when it is back",
        })
    }
}

impl Refusal {
    /// A refusal with the default reason.
    pub fn new(code: RefusalCode) -> Refusal {
        Refusal { code, reason: code.sentence().into(), detail: None, interrupt: false }
    }

    /// A refusal with the default reason and details.
    pub fn with_detail(code: RefusalCode, detail: impl fmt::Display) -> Refusal {
        let detail = detail.to_string();
        let reason = format!("{} ({detail})", code.sentence());
        Refusal { code, reason, detail: Some(detail), interrupt: false }
    }

    /// A refusal because the ledger failed.
    pub(crate) fn not_recorded(error: impl fmt::Display) -> Refusal {
        Refusal::with_detail(RefusalCode::NotRecorded, error)
    }

    /// A refusal from a verdict of deny.
    pub fn from_verdict(verdict: &Verdict) -> Refusal {
        let code = match verdict.reasons.first() {
            Some(Reason::NobodyCanConfirm) => RefusalCode::NobodyCanAnswer,
            Some(Reason::ConfigBroken { .. }) => RefusalCode::ConfigBroken,
            _ => RefusalCode::DeniedByRule,
        };
        let reason = match code {
            RefusalCode::NobodyCanAnswer => code.sentence().into(),
            _ => reason_of(verdict),
        };
        Refusal { code, reason, detail: None, interrupt: false }
    }

    /// The refusal from an approval that has ended. None while it is open or if it was approved.
    pub fn from_approval(approval: &Approval) -> Option<Refusal> {
        match &approval.fate.state {
            ApprovalState::Pending | ApprovalState::Approved(_) => None,
            ApprovalState::Expired { .. } => Some(Refusal::new(RefusalCode::Expired)),
            ApprovalState::Aborted { why, .. } => {
                let detail = match why {
                    AbortReason::CallerLeft => None,
                    AbortReason::CalledOff(words) => Some(words.clone()),
                };
                Some(Refusal { detail, ..Refusal::new(RefusalCode::Aborted) })
            }
            ApprovalState::Denied(answered) => {
                let edited = answered.edited.as_ref().map(|edited| &edited.verdict);
                let code = match answered.by {
                    Actor::Person(_) => RefusalCode::Denied,
                    Actor::Rule(_) => RefusalCode::DeniedByRule,
                };
                let by_rule = || edited.filter(|_| code == RefusalCode::DeniedByRule).map(reason_of);
                let from_person =
                    || answered.answer.reason.clone().filter(|reason| !reason.trim().is_empty());
                let reason = by_rule().or_else(from_person).unwrap_or_else(|| code.sentence().into());
                Some(Refusal { code, reason, detail: None, interrupt: answered.answer.interrupt })
            }
        }
    }

    /// The text of a tool result, with the prefix.
    pub fn message(&self) -> String {
        format!("{PREFIX}{}", self.reason)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// Why a verdict denies: the rule's note, if it has one.
pub(crate) fn reason_of(verdict: &Verdict) -> String {
    let note = verdict.rules.first().and_then(sekisho_policy::RuleRef::rule).and_then(|rule| rule.note);
    note.filter(|note| !note.trim().is_empty()).unwrap_or_else(|| verdict.sentence())
}
