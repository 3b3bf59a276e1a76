//! The state machine of an approval: an approval and a trigger give the next state.
//!
//! It is pure. Every store runs it inside the transaction that writes the result, so the rules of
//! answering exist once and the store provides the compare-and-set.

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Decision, Verdict};

use crate::answer::{Actor, Answer, Approver, Behavior};
use crate::approval::{AbortReason, AcceptedAnswer, Approval, ApprovalState, CompletedClaim, EditedCall};
use crate::caller::ExecutionSite;
use crate::ids::ExecutionId;

/// How long a remote caller may read its answer again.
pub const REREAD_WINDOW: SignedDuration = SignedDuration::from_secs(60);

/// Something that can change an approval.
#[derive(Clone, Debug, PartialEq)]
pub enum ApprovalTrigger {
    /// A human answers.
    Answered {
        /// The answer.
        answer: Answer,
        /// Who answered.
        by: Approver,
        /// The edited call, judged, if the answer changes the input.
        edited: Option<Box<EditedCall>>,
    },
    /// The rules changed and the call was judged again.
    Rejudged(Verdict),
    /// The clock advanced.
    TimePassed,
    /// The last waiter left.
    WaitersLeft,
    /// It was cancelled because its run was aborted.
    Cancelled {
        /// The reason, in a few words.
        why: String,
    },
    /// The caller takes the answer.
    Claimed(Claim),
    /// The execution it was claimed for is not permitted, so the answer lets nothing run.
    Retracted {
        /// The execution that may not run.
        execution: ExecutionId,
        /// The reason, in a few words.
        why: String,
    },
}

/// What the caller takes the answer for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Runs the call.
    Run(ExecutionId),
    /// Receives the refusal.
    Refusal,
    /// Marks an approval that no longer holds: a rule now denies the call, or a displayed file has
    /// changed.
    Void(String),
}

/// What a trigger did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// The approval changed.
    Changed,
    /// The trigger repeats what already holds.
    Duplicate,
    /// Somebody else gave a different answer first.
    Conflict,
    /// The approval had ended without an answer.
    Gone,
    /// There is no answer to take yet.
    NotYet,
    /// The answer had been taken already.
    AlreadyClaimed,
    /// Nothing had to be done.
    NoEffect,
}

/// The result of one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The approval after the step.
    pub approval: Approval,
    /// Whether the approval differs from before. If not, nothing needs to be written.
    pub changed: bool,
    /// The result for the code that triggered the step.
    pub outcome: StepOutcome,
}

impl CompletedClaim {
    /// Whether a remote caller may still read the answer again. Setting the clock back does not extend
    /// this.
    pub(crate) fn is_fresh(&self, at: Timestamp) -> bool {
        at.duration_since(self.at).abs() <= REREAD_WINDOW
    }
}

impl Approval {
    /// Applies a trigger at a given time.
    #[must_use]
    pub fn step(&self, trigger: &ApprovalTrigger, at: Timestamp) -> Step {
        if self.is_pending() { self.step_pending(trigger, at) } else { self.step_ended(trigger, at) }
    }

    fn step_pending(&self, trigger: &ApprovalTrigger, at: Timestamp) -> Step {
        // A trigger after the deadline finds the approval expired, even if no sweep has run since.
        if self.fate.deadline.is_some_and(|deadline| deadline <= at) {
            let late = !matches!(trigger, ApprovalTrigger::TimePassed);
            return self.ended_with(
                ApprovalState::Expired { at },
                if late { StepOutcome::Gone } else { StepOutcome::Changed },
            );
        }
        match trigger {
            ApprovalTrigger::Answered { answer, by, edited } => {
                self.ended_with(state_after_answer(answer, by, edited, at), StepOutcome::Changed)
            }
            ApprovalTrigger::Rejudged(verdict) => match state_after_verdict(verdict, at) {
                Some(state) => self.ended_with(state, StepOutcome::Changed),
                None => self.unchanged(StepOutcome::NoEffect),
            },
            ApprovalTrigger::TimePassed => self.unchanged(StepOutcome::NoEffect),
            ApprovalTrigger::WaitersLeft if self.outlives_caller() => self.unchanged(StepOutcome::NoEffect),
            ApprovalTrigger::WaitersLeft => self.ended_with(
                ApprovalState::Aborted { at, why: AbortReason::CallerLeft },
                StepOutcome::Changed,
            ),
            ApprovalTrigger::Cancelled { why } => self.ended_with(
                ApprovalState::Aborted { at, why: AbortReason::CalledOff(why.clone()) },
                StepOutcome::Changed,
            ),
            ApprovalTrigger::Claimed(_) => self.unchanged(StepOutcome::NotYet),
            ApprovalTrigger::Retracted { .. } => self.unchanged(StepOutcome::NoEffect),
        }
    }

    fn step_ended(&self, trigger: &ApprovalTrigger, at: Timestamp) -> Step {
        match (trigger, &self.fate.state) {
            (
                ApprovalTrigger::Answered { answer, .. },
                ApprovalState::Approved(first) | ApprovalState::Denied(first),
            ) => self.unchanged(if first.answer.same_decision(answer) {
                StepOutcome::Duplicate
            } else {
                StepOutcome::Conflict
            }),
            (ApprovalTrigger::Answered { .. }, _) => self.unchanged(StepOutcome::Gone),
            (ApprovalTrigger::Claimed(claim), ApprovalState::Approved(_) | ApprovalState::Denied(_)) => {
                self.claimed(claim, at)
            }
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
            // A denied call cannot be claimed to run.
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

    fn ended_with(&self, state: ApprovalState, outcome: StepOutcome) -> Step {
        let mut approval = self.clone();
        approval.fate.state = state;
        Step { approval, changed: true, outcome }
    }

    fn unchanged(&self, outcome: StepOutcome) -> Step {
        Step { approval: self.clone(), changed: false, outcome }
    }
}

/// The state after a human's answer. A rule that denies the edited call overrides the answer.
fn state_after_answer(
    answer: &Answer,
    by: &Approver,
    edited: &Option<Box<EditedCall>>,
    at: Timestamp,
) -> ApprovalState {
    let answered =
        AcceptedAnswer { answer: answer.clone(), by: Actor::Person(by.clone()), at, edited: edited.clone() };
    let forbidden = edited.as_ref().is_some_and(|edited| edited.verdict.decision == Decision::Deny);
    match answer.behavior {
        Behavior::Allow if forbidden => {
            let rule = edited.as_ref().map(|edited| rule_name(&edited.verdict)).unwrap_or_default();
            ApprovalState::Denied(AcceptedAnswer { by: Actor::Rule(rule), ..answered })
        }
        Behavior::Allow => ApprovalState::Approved(answered),
        Behavior::Deny => ApprovalState::Denied(answered),
    }
}

/// The state after a new verdict, or `None` if the verdict still requires an answer.
fn state_after_verdict(verdict: &Verdict, at: Timestamp) -> Option<ApprovalState> {
    let answered =
        |answer: Answer| AcceptedAnswer { answer, by: Actor::Rule(rule_name(verdict)), at, edited: None };
    match verdict.decision {
        Decision::Allow => Some(ApprovalState::Approved(answered(Answer::approve()))),
        Decision::Deny => Some(ApprovalState::Denied(answered(
            Answer::deny().with_reason(crate::refusal::reason_of(verdict)),
        ))),
        Decision::Confirm => None,
    }
}

fn rule_name(verdict: &Verdict) -> String {
    verdict.rules.first().map_or_else(|| verdict.sentence(), sekisho_policy::RuleRef::describe)
}
