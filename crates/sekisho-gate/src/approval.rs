//! A question put to humans about one call, and what became of it.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_policy::{Call, Verdict};
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Behavior, By};
use crate::asker::{Around, Asker, Key, Session};
use crate::display::Shown;
use crate::ids::{ApprovalId, CallId, ExecutionId};
use crate::proposals::Proposal;
use crate::weight::{structure, weight};
use sekisho_policy::Digest;

/// A question and its fate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// What was asked; never changes.
    pub asked: Arc<Asked>,
    /// What became of it.
    pub fate: Fate,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Where the call's raw input is kept.
    pub call_id: CallId,
    /// The call.
    pub call: Call,
    /// Its digest: what an answer binds to.
    pub digest: Digest,
    /// Who asked.
    pub asker: Asker,
    /// What was around.
    pub around: Around,
    /// The verdict that made it a question; of its parts no more than [`MOST_PARTS`](crate::display::MOST_PARTS), the gravest.
    pub verdict: Verdict,
    /// What a person sees.
    pub shown: Shown,
    /// The rules that remembering would write.
    pub proposals: Vec<Proposal>,
    /// The version of the tool's input schema, by which an edited input is checked. The ledger keeps the schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Digest>,
    /// When it was asked.
    pub at: Timestamp,
}

impl Asked {
    /// What makes this asking the same as another.
    pub fn key(&self) -> Option<Key> {
        Key::of(&self.asker, &self.call)
    }

    /// The key under which its call runs at most once, if it has one.
    pub fn once(&self) -> Option<Key> {
        Key::once(&self.asker, &self.call)
    }

    /// The session it belongs to.
    pub fn session(&self) -> Option<Session> {
        Session::of(&self.asker, &self.call)
    }

    /// How many bytes of memory it takes when it is read, near enough.
    pub fn weight(&self) -> usize {
        let told = (&self.call.input, &self.shown, &self.verdict, &self.proposals);
        weight(&told, usize::MAX - 1).saturating_add(structure(&self.call.input))
    }
}

/// What became of a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fate {
    /// Where it stands.
    pub state: State,
    /// When it expires; parked ones do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// That the asker took the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Claimed>,
}

impl Fate {
    /// Open until a moment, or without an end.
    pub fn open(deadline: Option<Timestamp>) -> Fate {
        Fate { state: State::Pending, deadline, claimed: None }
    }
}

/// Where a question stands. From `Pending` it goes to exactly one of the others, once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// Nobody has answered.
    Pending,
    /// Yes.
    Approved(Answered),
    /// No.
    Denied(Answered),
    /// Nobody answered in time.
    Expired {
        /// When.
        at: Timestamp,
    },
    /// The asker went away.
    Aborted {
        /// When.
        at: Timestamp,
        /// Why.
        why: Why,
    },
}

/// Why a question was aborted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// Nobody waited for the answer any more.
    CallerLeft,
    /// It was called off, with the words of whoever did.
    CalledOff(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::CallerLeft => "the caller went away",
            Why::CalledOff(why) => why,
        })
    }
}

impl State {
    /// Its name in the store and on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            State::Pending => "pending",
            State::Approved(_) => "approved",
            State::Denied(_) => "denied",
            State::Expired { .. } => "expired",
            State::Aborted { .. } => "aborted",
        }
    }

    /// The answer, where there is one.
    pub fn answered(&self) -> Option<&Answered> {
        match self {
            State::Approved(answered) | State::Denied(answered) => Some(answered),
            State::Pending | State::Expired { .. } | State::Aborted { .. } => None,
        }
    }
}

/// An answer that was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// What was said.
    pub answer: Answer,
    /// By whom, or by which rule.
    pub by: By,
    /// When.
    pub at: Timestamp,
    /// The edited call, where the input was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Box<Edited>>,
}

/// An edited call, judged anew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edited {
    /// Where its raw input is kept.
    pub call_id: CallId,
    /// Its digest.
    pub digest: Digest,
    /// Its own verdict.
    pub verdict: Verdict,
}

/// That an answer was taken by its asker. It is taken once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimed {
    /// When.
    pub at: Timestamp,
    /// The execution it was spent on. None: a refusal was told, or the answer no longer held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<ExecutionId>,
    /// Why an approved call was turned back all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
}

impl Approval {
    /// Whether nobody has answered yet.
    pub fn is_pending(&self) -> bool {
        self.fate.state == State::Pending
    }

    /// Whether it stays when its asker goes away: parked, or part of a durable run.
    pub fn outlives_asker(&self) -> bool {
        self.asked.asker.durable || self.fate.deadline.is_none()
    }

    /// The call as it may run: with the edited input, where the answer has one.
    pub fn call_to_run(&self) -> Call {
        let mut call = self.asked.call.clone();
        let edited =
            self.fate.state.answered().filter(|answered| answered.answer.behavior == Behavior::Allow);
        if let Some(input) = edited.and_then(|answered| answered.answer.updated_input.clone()) {
            call.input = input;
        }
        call
    }

    /// The digest of that call: what the answer is to.
    pub(crate) fn digest_to_run(&self) -> Digest {
        let edited = self.fate.state.answered().and_then(|answered| answered.edited.as_ref());
        edited.map_or(self.asked.digest, |edited| edited.digest)
    }

    /// Where the input of that call is kept.
    pub fn call_id_to_run(&self) -> CallId {
        let edited = self.fate.state.answered().and_then(|answered| answered.edited.as_ref());
        edited.map_or(self.asked.call_id, |edited| edited.call_id)
    }

    /// Whether nothing more comes of the call. One that is let through ends with its execution.
    pub fn is_over(&self) -> bool {
        match self.fate.state {
            State::Pending => false,
            State::Approved(_) => {
                self.fate.claimed.as_ref().is_some_and(|claimed| claimed.execution.is_none())
            }
            State::Denied(_) | State::Expired { .. } | State::Aborted { .. } => true,
        }
    }
}
