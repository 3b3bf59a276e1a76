//! Every way a call is turned back, and the exact words the model reads. One table.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use sekisho_policy::{Reason, Verdict, say};
use serde::{Deserialize, Serialize};

use crate::answer::Actor;
use crate::approval::{Approval, ApprovalState, AbortReason};

/// What every refusal begins with, on wires that have no form of their own for it.
pub const PREFIX: &str = "Permission denied: ";

/// A call that may not run, and why.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// Which kind.
    pub code: RefusalCode,
    /// The reason, without the prefix.
    pub reason: String,
    /// What is special about this one, where something is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The run should stop as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
}

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// A human said no.
    Denied,
    /// A rule said no.
    DeniedByRule,
    /// Nobody answered in time.
    Expired,
    /// The question was called off.
    Aborted,
    /// Nobody is there who could answer.
    NobodyCanAnswer,
    /// The record could not be written.
    NotRecorded,
    /// A config does not load.
    ConfigBroken,
    /// The input cannot be read in one way only.
    InputNotExact,
    /// The same call id was asked with another input.
    OtherInput,
    /// The answer was taken before.
    AlreadyTaken,
    /// A durable call has no id that it could be found by again.
    NoCallId,
    /// The asker has as many questions open as it may.
    NoRoom,
    /// The gate is closing.
    Closing,
}

impl RefusalCode {
    /// What is said where nobody gave a reason.
    pub fn sentence(self) -> Cow<'static, str> {
        say(match self {
            RefusalCode::Denied => "User denied tool execution",
            RefusalCode::DeniedByRule => "a rule denies this call",
            RefusalCode::Expired => {
                "nobody answered in time; this is not a no: ask again, or go on without it"
            }
            RefusalCode::Aborted => "the question was called off before anyone answered",
            RefusalCode::NobodyCanAnswer => "this call needs an answer and nobody is there to give one",
            RefusalCode::NotRecorded => {
                "the decision could not be recorded, and nothing runs unrecorded; try again later"
            }
            RefusalCode::ConfigBroken => {
                "a config file does not load, so nothing is allowed until it is mended"
            }
            RefusalCode::InputNotExact => "the input can be read in more than one way",
            RefusalCode::OtherInput => {
                "this call id was asked before with another input; a changed call needs an id of its own"
            }
            RefusalCode::AlreadyTaken => "the answer to this call was used before; ask again under a new id",
            RefusalCode::NoCallId => {
                "a durable call needs an id, and the run or conversation it belongs to; give both"
            }
            RefusalCode::NoRoom => "too many questions are open; wait until some are answered",
            RefusalCode::Closing => "the gate is closing; ask again when it is back",
        })
    }
}

impl Refusal {
    /// A refusal in the words of the table.
    pub fn new(code: RefusalCode) -> Refusal {
        Refusal { code, reason: code.sentence().into(), detail: None, interrupt: false }
    }

    /// The words of the table and what is special about this one.
    pub fn with_detail(code: RefusalCode, detail: impl fmt::Display) -> Refusal {
        let detail = detail.to_string();
        let reason = format!("{} ({detail})", code.sentence());
        Refusal { code, reason, detail: Some(detail), interrupt: false }
    }

    /// Because the ledger could not keep it.
    pub(crate) fn not_recorded(error: impl fmt::Display) -> Refusal {
        Refusal::with_detail(RefusalCode::NotRecorded, error)
    }

    /// By a verdict of deny.
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

    /// By the end a question came to; none while it is open or approved.
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
                let given = || answered.answer.reason.clone().filter(|reason| !reason.trim().is_empty());
                let reason = by_rule().or_else(given).unwrap_or_else(|| code.sentence().into());
                Some(Refusal { code, reason, detail: None, interrupt: answered.answer.interrupt })
            }
        }
    }

    /// As a tool result: with the prefix.
    pub fn message(&self) -> String {
        format!("{PREFIX}{}", self.reason)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// Why a verdict denies, in the rule's own words where it has a note.
pub(crate) fn reason_of(verdict: &Verdict) -> String {
    let note = verdict.rules.first().and_then(sekisho_policy::RuleRef::rule).and_then(|rule| rule.note);
    note.filter(|note| !note.trim().is_empty()).unwrap_or_else(|| verdict.sentence())
}
