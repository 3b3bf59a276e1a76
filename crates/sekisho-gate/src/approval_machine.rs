//! The approval machine: one question, one thing that happens to it, what becomes of it.
//!
//! Pure. Every store runs it inside the transaction that writes the result, so the rules of answering are written once
//! and the compare-and-set is the store's own.

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Decision, Verdict};

use crate::answer::{Answer, Approver, Behavior, Actor};
use crate::approval::{AcceptedAnswer, Approval, CompletedClaim, EditedCall, ApprovalState, AbortReason};
use crate::caller::ExecutionSite;
use crate::ids::ExecutionId;

/// For how long a remote caller may read its answer again.
pub const REREAD_WINDOW: SignedDuration = SignedDuration::from_secs(60);

/// Something that happens to a question.
#[derive(Clone, Debug, PartialEq)]
pub enum ApprovalTrigger {
    /// A human answers.
    Answered {
        /// What they say.
        answer: Answer,
        /// Who they are.
        by: Approver,
        /// The edited call, judged, where the answer has another input.
        edited: Option<Box<EditedCall>>,
    },
    /// The rules changed and the call was judged again.
    Rejudged(Verdict),
    /// Time passed.
    TimePassed,
    /// The last of its waiters left.
    WaitersLeft,
    /// It was called off: the run was aborted.
    Cancelled {
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
pub enum StepOutcome {
    /// It changed the question.
    Changed,
    /// It said again what was already so.
    Duplicate,
    /// Somebody else had answered otherwise.
    Conflict,
    /// The question had ended without an answer.
    Gone,
    /// There is no answer to take yet.
    NotYet,
    /// The answer was taken before.
    AlreadyClaimed,
    /// Nothing to do.
    NoEffect,
}

/// A step of the machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The question afterwards.
    pub approval: Approval,
    /// Whether it is different from before. If not there is nothing to write.
    pub changed: bool,
    /// What to tell whoever made it happen.
    pub outcome: StepOutcome,
}

impl CompletedClaim {
    /// Whether a remote caller may still read the answer again. A clock that was set back makes nothing fresh again.
    pub(crate) fn is_fresh(&self, at: Timestamp) -> bool {
        at.duration_since(self.at).abs() <= REREAD_WINDOW
    }
}

impl Approval {
    /// What becomes of the question when something happens at a moment.
    #[must_use]
    pub fn step(&self, happening: &ApprovalTrigger, at: Timestamp) -> Step {
        if self.is_pending() { self.step_pending(happening, at) } else { self.step_ended(happening, at) }
    }

    fn step_pending(&self, happening: &ApprovalTrigger, at: Timestamp) -> Step {
        // Whatever comes too late finds the question ended, even if nobody has looked at the clock in between.
        if self.fate.deadline.is_some_and(|deadline| deadline <= at) {
            let late = !matches!(happening, ApprovalTrigger::TimePassed);
            return self.ends(ApprovalState::Expired { at }, if late { StepOutcome::Gone } else { StepOutcome::Changed });
        }
        match happening {
            ApprovalTrigger::Answered { answer, by, edited } => {
                self.ends(settled(answer, by, edited, at), StepOutcome::Changed)
            }
            ApprovalTrigger::Rejudged(verdict) => match by_rule(verdict, at) {
                Some(state) => self.ends(state, StepOutcome::Changed),
                None => self.unchanged(StepOutcome::NoEffect),
            },
            ApprovalTrigger::TimePassed => self.unchanged(StepOutcome::NoEffect),
            ApprovalTrigger::WaitersLeft if self.outlives_caller() => self.unchanged(StepOutcome::NoEffect),
            ApprovalTrigger::WaitersLeft => self.ends(ApprovalState::Aborted { at, why: AbortReason::CallerLeft }, StepOutcome::Changed),
            ApprovalTrigger::Cancelled { why } => {
                self.ends(ApprovalState::Aborted { at, why: AbortReason::CalledOff(why.clone()) }, StepOutcome::Changed)
            }
            ApprovalTrigger::Claimed(_) => self.unchanged(StepOutcome::NotYet),
            ApprovalTrigger::Retracted { .. } => self.unchanged(StepOutcome::NoEffect),
        }
    }

    fn step_ended(&self, happening: &ApprovalTrigger, at: Timestamp) -> Step {
        match (happening, &self.fate.state) {
            (ApprovalTrigger::Answered { answer, .. }, ApprovalState::Approved(first) | ApprovalState::Denied(first)) => {
                self.unchanged(if first.answer.same_decision(answer) { StepOutcome::Duplicate } else { StepOutcome::Conflict })
            }
            (ApprovalTrigger::Answered { .. }, _) => self.unchanged(StepOutcome::Gone),
            (ApprovalTrigger::Claimed(claim), ApprovalState::Approved(_) | ApprovalState::Denied(_)) => self.claimed(claim, at),
            (ApprovalTrigger::Claimed(_), _) => self.unchanged(StepOutcome::Gone),
            (ApprovalTrigger::Retracted { execution, why }, _) => self.retracted(*execution, why),
            _ => self.unchanged(StepOutcome::NoEffect),
        }
    }

    fn claimed(&self, claim: &Claim, at: Timestamp) -> Step {
        if let Some(before) = &self.fate.claimed {
            let again = before.is_fresh(at) && self.asked.asker.reach == ExecutionSite::Remote;
            return self.unchanged(if again { StepOutcome::Duplicate } else { StepOutcome::AlreadyClaimed });
        }
        let approved = matches!(self.fate.state, ApprovalState::Approved(_));
        let (execution, void) = match claim {
            // A denied call has nothing to run, whoever asks for it.
            Claim::Run(_) if !approved => return self.unchanged(StepOutcome::Conflict),
            Claim::Run(execution) => (Some(*execution), None),
            Claim::Void(why) if approved => (None, Some(why.clone())),
            Claim::Refusal if approved => return self.unchanged(StepOutcome::Conflict),
            Claim::Refusal | Claim::Void(_) => (None, None),
        };
        let mut approval = self.clone();
        approval.fate.claimed = Some(CompletedClaim { at, execution, void });
        Step { approval, changed: true, outcome: StepOutcome::Changed }
    }

    fn retracted(&self, execution: ExecutionId, why: &str) -> Step {
        let mut approval = self.clone();
        match &mut approval.fate.claimed {
            Some(claimed) if claimed.execution == Some(execution) => {
                claimed.execution = None;
                claimed.void = Some(why.to_owned());
            }
            _ => return self.unchanged(StepOutcome::NoEffect),
        }
        Step { approval, changed: true, outcome: StepOutcome::Changed }
    }

    fn ends(&self, state: ApprovalState, said: StepOutcome) -> Step {
        let mut approval = self.clone();
        approval.fate.state = state;
        Step { approval, changed: true, outcome: said }
    }

    fn unchanged(&self, said: StepOutcome) -> Step {
        Step { approval: self.clone(), changed: false, outcome: said }
    }
}

/// A human's answer as a state. A rule that denies the edited call has the last word.
fn settled(answer: &Answer, by: &Approver, edited: &Option<Box<EditedCall>>, at: Timestamp) -> ApprovalState {
    let answered =
        AcceptedAnswer { answer: answer.clone(), by: Actor::Person(by.clone()), at, edited: edited.clone() };
    let forbidden = edited.as_ref().is_some_and(|edited| edited.verdict.decision == Decision::Deny);
    match answer.behavior {
        Behavior::Allow if forbidden => {
            let rule = edited.as_ref().map(|edited| named(&edited.verdict)).unwrap_or_default();
            ApprovalState::Denied(AcceptedAnswer { by: Actor::Rule(rule), ..answered })
        }
        Behavior::Allow => ApprovalState::Approved(answered),
        Behavior::Deny => ApprovalState::Denied(answered),
    }
}

/// The state a new verdict settles a question in; none while it stays a question.
fn by_rule(verdict: &Verdict, at: Timestamp) -> Option<ApprovalState> {
    let answered = |answer: Answer| AcceptedAnswer { answer, by: Actor::Rule(named(verdict)), at, edited: None };
    match verdict.decision {
        Decision::Allow => Some(ApprovalState::Approved(answered(Answer::approve()))),
        Decision::Deny => {
            Some(ApprovalState::Denied(answered(Answer::deny().with_reason(crate::refusal::reason_of(verdict)))))
        }
        Decision::Confirm => None,
    }
}

fn named(verdict: &Verdict) -> String {
    verdict.rules.first().map_or_else(|| verdict.sentence(), sekisho_policy::RuleRef::describe)
}
