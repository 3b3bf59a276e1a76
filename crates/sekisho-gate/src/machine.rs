//! The approval machine: one question, one thing that happens to it, what becomes of it.
//!
//! Pure. Every store runs it inside the transaction that writes the result, so the rules of answering are written once
//! and the compare-and-set is the store's own.

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Decision, Verdict};

use crate::answer::{Answer, Approver, Behavior, By};
use crate::approval::{Answered, Approval, Claimed, Edited, State, Why};
use crate::asker::Reach;
use crate::ids::ExecutionId;

/// For how long a remote caller may read its answer again.
pub const REREAD: SignedDuration = SignedDuration::from_secs(60);

/// Something that happens to a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// A human answers.
    Answered {
        /// What they say.
        answer: Answer,
        /// Who they are.
        by: Approver,
        /// The edited call, judged, where the answer has another input.
        edited: Option<Box<Edited>>,
    },
    /// The rules changed and the call was judged again.
    Rejudged(Verdict),
    /// Time passed.
    TimePassed,
    /// The last of its waiters left.
    Left,
    /// It was called off: the run was aborted.
    CalledOff {
        /// Why, in a few words.
        why: String,
    },
    /// Its asker takes the answer.
    Claimed(Claim),
    /// The execution it was taken for is not permitted: the answer lets nothing run.
    Retracted {
        /// The execution.
        execution: ExecutionId,
        /// Why, in a few words.
        why: String,
    },
}

/// How an answer is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// To run the call.
    Run(ExecutionId),
    /// To be told no.
    Refusal,
    /// An approval that no longer holds: a rule has come to deny the call, or a file that was shown has changed.
    Void(String),
}

/// What a happening came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It changed the question.
    Done,
    /// It said again what was already so.
    Same,
    /// Somebody else had answered otherwise.
    Conflict,
    /// The question had ended without an answer.
    Gone,
    /// There is no answer to take yet.
    NotYet,
    /// The answer was taken before.
    Taken,
    /// Nothing to do.
    Nothing,
}

/// A step of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The question afterwards.
    pub approval: Approval,
    /// Whether it is different from before. If not there is nothing to write.
    pub changed: bool,
    /// What to tell whoever made it happen.
    pub said: Said,
}

impl Claimed {
    /// Whether a remote caller may still read the answer again. A clock that was set back makes nothing fresh again.
    pub(crate) fn is_fresh(&self, at: Timestamp) -> bool {
        at.duration_since(self.at).abs() <= REREAD
    }
}

impl Approval {
    /// What becomes of the question when something happens at a moment.
    #[must_use]
    pub fn step(&self, happening: &Happening, at: Timestamp) -> Step {
        if self.is_pending() { self.while_pending(happening, at) } else { self.afterwards(happening, at) }
    }

    fn while_pending(&self, happening: &Happening, at: Timestamp) -> Step {
        // Whatever comes too late finds the question ended, even if nobody has looked at the clock in between.
        if self.fate.deadline.is_some_and(|deadline| deadline <= at) {
            let late = !matches!(happening, Happening::TimePassed);
            return self.ends(State::Expired { at }, if late { Said::Gone } else { Said::Done });
        }
        match happening {
            Happening::Answered { answer, by, edited } => {
                self.ends(settled(answer, by, edited, at), Said::Done)
            }
            Happening::Rejudged(verdict) => match by_rule(verdict, at) {
                Some(state) => self.ends(state, Said::Done),
                None => self.unchanged(Said::Nothing),
            },
            Happening::TimePassed => self.unchanged(Said::Nothing),
            Happening::Left if self.outlives_asker() => self.unchanged(Said::Nothing),
            Happening::Left => self.ends(State::Aborted { at, why: Why::CallerLeft }, Said::Done),
            Happening::CalledOff { why } => {
                self.ends(State::Aborted { at, why: Why::CalledOff(why.clone()) }, Said::Done)
            }
            Happening::Claimed(_) => self.unchanged(Said::NotYet),
            Happening::Retracted { .. } => self.unchanged(Said::Nothing),
        }
    }

    fn afterwards(&self, happening: &Happening, at: Timestamp) -> Step {
        match (happening, &self.fate.state) {
            (Happening::Answered { answer, .. }, State::Approved(first) | State::Denied(first)) => {
                self.unchanged(if first.answer.says_the_same(answer) { Said::Same } else { Said::Conflict })
            }
            (Happening::Answered { .. }, _) => self.unchanged(Said::Gone),
            (Happening::Claimed(claim), State::Approved(_) | State::Denied(_)) => self.claimed(claim, at),
            (Happening::Claimed(_), _) => self.unchanged(Said::Gone),
            (Happening::Retracted { execution, why }, _) => self.retracted(*execution, why),
            _ => self.unchanged(Said::Nothing),
        }
    }

    fn claimed(&self, claim: &Claim, at: Timestamp) -> Step {
        if let Some(before) = &self.fate.claimed {
            let again = before.is_fresh(at) && self.asked.asker.reach == Reach::Remote;
            return self.unchanged(if again { Said::Same } else { Said::Taken });
        }
        let approved = matches!(self.fate.state, State::Approved(_));
        let (execution, void) = match claim {
            // A denied call has nothing to run, whoever asks for it.
            Claim::Run(_) if !approved => return self.unchanged(Said::Conflict),
            Claim::Run(execution) => (Some(*execution), None),
            Claim::Void(why) if approved => (None, Some(why.clone())),
            Claim::Refusal if approved => return self.unchanged(Said::Conflict),
            Claim::Refusal | Claim::Void(_) => (None, None),
        };
        let mut approval = self.clone();
        approval.fate.claimed = Some(Claimed { at, execution, void });
        Step { approval, changed: true, said: Said::Done }
    }

    fn retracted(&self, execution: ExecutionId, why: &str) -> Step {
        let mut approval = self.clone();
        match &mut approval.fate.claimed {
            Some(claimed) if claimed.execution == Some(execution) => {
                claimed.execution = None;
                claimed.void = Some(why.to_owned());
            }
            _ => return self.unchanged(Said::Nothing),
        }
        Step { approval, changed: true, said: Said::Done }
    }

    fn ends(&self, state: State, said: Said) -> Step {
        let mut approval = self.clone();
        approval.fate.state = state;
        Step { approval, changed: true, said }
    }

    fn unchanged(&self, said: Said) -> Step {
        Step { approval: self.clone(), changed: false, said }
    }
}

/// A human's answer as a state. A rule that denies the edited call has the last word.
fn settled(answer: &Answer, by: &Approver, edited: &Option<Box<Edited>>, at: Timestamp) -> State {
    let answered =
        Answered { answer: answer.clone(), by: By::Person(by.clone()), at, edited: edited.clone() };
    let forbidden = edited.as_ref().is_some_and(|edited| edited.verdict.decision == Decision::Deny);
    match answer.behavior {
        Behavior::Allow if forbidden => {
            let rule = edited.as_ref().map(|edited| named(&edited.verdict)).unwrap_or_default();
            State::Denied(Answered { by: By::Rule(rule), ..answered })
        }
        Behavior::Allow => State::Approved(answered),
        Behavior::Deny => State::Denied(answered),
    }
}

/// The state a new verdict settles a question in; none while it stays a question.
fn by_rule(verdict: &Verdict, at: Timestamp) -> Option<State> {
    let answered = |answer: Answer| Answered { answer, by: By::Rule(named(verdict)), at, edited: None };
    match verdict.decision {
        Decision::Allow => Some(State::Approved(answered(Answer::approve()))),
        Decision::Deny => {
            Some(State::Denied(answered(Answer::deny().because(crate::refusal::reason_of(verdict)))))
        }
        Decision::Confirm => None,
    }
}

fn named(verdict: &Verdict) -> String {
    verdict.rules.first().map_or_else(|| verdict.sentence(), sekisho_policy::RuleRef::describe)
}
