//! `Gate::answer` and `Gate::cancel`: who may answer, and the effect of an answer.

use std::fmt;

use sekisho_policy::{Effect, Rule};
use serde_json::Value;

use crate::answer::{Answer, Approver, Behavior, RememberChoice, Role, RuleScope};
use crate::approval::{AcceptedAnswer, Approval, ApprovalState, EditedCall};
use crate::approval_machine::{ApprovalTrigger, REREAD_WINDOW, Step, StepOutcome};
use crate::display::limit_parts;
use crate::fair_queue;
use crate::gate::{Gate, Inner, SlowWork};
use crate::ids::{ApprovalId, CallId};
use crate::input_schema::{CheckError, InputSchema};
use crate::ledger::LedgerError;
use crate::ledger_write_proof::WriteAccess;
use crate::proposals::is_narrow_enough;
use crate::record::SecretContext;
use crate::refusal::Refusal;
use crate::rulebook::{RememberError, RememberOutcome, RememberRequest};
use crate::waiters::WakeReason;
use sekisho_policy::Digest;

/// The result of an accepted answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerOutcome {
    /// The approval after the answer.
    pub approval: Approval,
    /// Whether the same answer had been given before.
    pub duplicate: bool,
    /// The rules that were remembered, or why not. The answer holds either way.
    pub remembered: Option<Result<RememberOutcome, String>>,
}

/// Why an answer was rejected. The approval is unchanged.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerError {
    /// No approval has this id.
    NotFound(ApprovalId),
    /// Somebody else gave a different answer first.
    Conflict(Box<AcceptedAnswer>),
    /// The approval has expired or was aborted.
    Gone(Box<ApprovalState>),
    /// The approver lacks the role for this answer.
    Forbidden(String),
    /// The answer is bound to a different call.
    DigestMismatch {
        /// The digest of the call that needs an answer.
        asked: Digest,
        /// The digest the answer is bound to.
        answered: Digest,
    },
    /// The edited input or a rule to remember is invalid.
    Invalid(String),
    /// The edited input cannot be checked against the tool's schema.
    Unchecked(String),
    /// The ledger could not store the answer.
    NotRecorded(LedgerError),
}

/// The gate is closing and judges nothing more.
fn closing_error(refusal: Refusal) -> AnswerError {
    AnswerError::NotRecorded(LedgerError::transient(refusal.reason))
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::NotFound(id) => write!(f, "there is no approval `{id}`"),
            AnswerError::Conflict(first) => {
                write!(
                    f,
                    "it was already {} by {} at {}",
                    first.answer.behavior.past_tense(),
                    first.by,
                    first.at
                )
            }
            AnswerError::Gone(state) => match &**state {
                ApprovalState::Expired { at } => write!(f, "it expired at {at}; the answer had no effect"),
                ApprovalState::Aborted { at, why } => write!(f, "it was aborted at {at}: {why}"),
                state => write!(f, "it is {}", state.name()),
            },
            AnswerError::Forbidden(why) | AnswerError::Invalid(why) => f.write_str(why),
            AnswerError::Unchecked(why) => {
                write!(f, "updatedInput: {why}; approve or deny the call without editing it")
            }
            AnswerError::DigestMismatch { asked, answered } => {
                write!(
                    f,
                    "the answer is for `{answered}`, not for `{asked}`; reload the approval and answer again"
                )
            }
            AnswerError::NotRecorded(error) => write!(f, "the answer could not be recorded: {error}"),
        }
    }
}

impl std::error::Error for AnswerError {}

impl From<LedgerError> for AnswerError {
    fn from(error: LedgerError) -> AnswerError {
        AnswerError::NotRecorded(error)
    }
}

impl Gate {
    /// Answers an approval. The first answer wins; the ledger decides which one was first.
    pub async fn answer(
        &self,
        id: ApprovalId,
        answer: Answer,
        by: Approver,
    ) -> Result<AnswerOutcome, AnswerError> {
        let inner = &self.inner;
        if by.role < Role::Approver {
            let message = format!("`{}` may not answer: it needs the role approver or admin", by.name);
            return Err(AnswerError::Forbidden(message));
        }
        let found = inner.ports.ledger.approval(id).await?;
        let approval = found.ok_or(AnswerError::NotFound(id))?;
        if let Some(answered) = answer.digest.filter(|digest| *digest != approval.asked.digest) {
            return Err(AnswerError::DigestMismatch { asked: approval.asked.digest, answered });
        }
        let mut edited = None;
        if approval.is_pending() {
            edited = inner.judge_edited_call(&approval, &answer).await?;
            inner.may_remember(&approval, &answer, &by).await?;
        }
        // The caller gets the answer when the remembered rules hold, so that they decide its next call.
        let _wakes_after_remembering = answer.remember.is_some().then(|| inner.waiting.delay_wake(id));
        let trigger = ApprovalTrigger::Answered { answer, by: by.clone(), edited };
        let step = inner.ports.ledger.step(&WriteAccess::GATE, id, trigger, inner.now()).await?;
        inner.answer_outcome(step.ok_or(AnswerError::NotFound(id))?, &by).await
    }

    /// Cancels an approval: its run was aborted, or its caller no longer needs the answer.
    pub async fn cancel(&self, id: ApprovalId, why: &str) -> Result<Approval, AnswerError> {
        let trigger = ApprovalTrigger::Cancelled { why: why.into() };
        let step = self.inner.ports.ledger.step(&WriteAccess::GATE, id, trigger, self.inner.now()).await?;
        let step = step.ok_or(AnswerError::NotFound(id))?;
        if step.changed {
            self.inner.waiting.wake(id, &WakeReason::Resolved);
        }
        Ok(step.approval)
    }
}

impl Inner {
    async fn answer_outcome(&self, step: Step, by: &Approver) -> Result<AnswerOutcome, AnswerError> {
        let Step { approval, changed, outcome } = step;
        if changed {
            self.waiting.wake(approval.id, &WakeReason::Resolved);
        }
        let again = match (outcome, approval.fate.state.answered()) {
            (StepOutcome::Changed, _) => false,
            (StepOutcome::Duplicate, _) => true,
            (StepOutcome::Conflict, Some(first)) => {
                return Err(AnswerError::Conflict(Box::new(first.clone())));
            }
            _ => return Err(AnswerError::Gone(Box::new(approval.fate.state))),
        };
        // If the same answer comes again soon after, its rules are stored again too: the first attempt
        // may have stopped between the answer and the rules. Later, the rules may have been removed on
        // purpose.
        let at = approval.fate.state.answered().map(|answered| answered.at);
        let fresh = at.is_some_and(|at| self.now().duration_since(at) <= REREAD_WINDOW);
        let remembered = if fresh { self.remember(&approval, by).await } else { None };
        Ok(AnswerOutcome { approval, duplicate: again, remembered })
    }

    /// Validates and judges the edited call.
    async fn judge_edited_call(
        &self,
        approval: &Approval,
        answer: &Answer,
    ) -> Result<Option<Box<EditedCall>>, AnswerError> {
        let Some(input) = &answer.updated_input else { return Ok(None) };
        if answer.behavior == Behavior::Deny {
            let message = "a deny cannot have an updatedInput; remove it, or approve";
            return Err(AnswerError::Invalid(message.into()));
        }
        // Rules match inputs by field, so no rule would match an input without fields.
        if !input.is_object() {
            let message = "updatedInput: not an object; send the whole input that should run instead";
            return Err(AnswerError::Invalid(message.into()));
        }
        self.check_schema(approval, input).await?;
        let mut call = approval.asked.call.clone();
        call.input = input.clone();
        let digest = Digest::of(&call).map_err(|why| AnswerError::Invalid(format!("updatedInput: {why}")))?;
        let judgement = self.judge_in_turn(&call, &approval.asked.asker, &approval.asked.around).await;
        let judgement = judgement.map_err(closing_error)?;
        let verdict = limit_parts(judgement.verdict);
        Ok(Some(Box::new(EditedCall { call_id: CallId::new(judgement.at), digest, verdict })))
    }

    /// Checks an edited input against the schema of its tool, if the approval names one. An edit that
    /// cannot be checked is rejected.
    async fn check_schema(&self, approval: &Approval, input: &Value) -> Result<(), AnswerError> {
        let asked = &approval.asked;
        let Some(version) = asked.schema else { return Ok(()) };
        let schema = self.ports.ledger.input_schema(asked.call.tool.clone(), version).await?;
        let schema =
            schema.ok_or_else(|| AnswerError::Unchecked("the tool's schema is no longer stored".into()))?;
        // Even a small schema can take many steps.
        let queue_slot = self.queue_slot(Some(SlowWork::Input), &asked.asker).await.map_err(closing_error)?;
        let checked = fair_queue::run_in_slot(queue_slot.as_ref(), || {
            InputSchema::new(schema).map_err(CheckError::Schema).and_then(|schema| schema.check(input))
        });
        checked.map_err(|error| match error {
            CheckError::Mismatch { .. } => AnswerError::Invalid(format!("updatedInput: {error}")),
            CheckError::TooManySteps | CheckError::Schema(_) => AnswerError::Unchecked(error.to_string()),
        })
    }

    /// Whether this approver may have these rules remembered.
    async fn may_remember(
        &self,
        approval: &Approval,
        answer: &Answer,
        by: &Approver,
    ) -> Result<(), AnswerError> {
        let Some(remember) = &answer.remember else { return Ok(()) };
        let asked = &approval.asked;
        let effect = answer.behavior.effect();
        let rules = rules_to_remember(approval, remember);
        if rules.is_empty() {
            let message =
                "no rule can be proposed for this call; answer without `remember`, or send the rules";
            return Err(AnswerError::Invalid(message.into()));
        }
        for rule in &rules {
            sekisho_policy::validate::rule(effect, rule)
                .and_then(|()| sekisho_policy::validate::matches_something(rule))
                .map_err(|error| AnswerError::Invalid(format!("remember.rules: {error}")))?;
        }
        if by.role >= Role::Admin {
            return Ok(());
        }
        let judgement =
            self.judge_in_turn(&asked.call, &asked.asker, &asked.around).await.map_err(closing_error)?;
        let within = |rule: &&Rule| {
            is_narrow_enough(rule, effect, &asked.proposals, &asked.call, &judgement.environment)
        };
        match rules.iter().find(|rule| !within(rule)) {
            None => Ok(()),
            Some(rule) => {
                let rule = serde_json::to_string(rule).unwrap_or_default();
                let message =
                    format!("the rule `{rule}` is wider than the proposed rules; only an admin may save it");
                Err(AnswerError::Forbidden(message))
            }
        }
    }

    /// Stores the rules of an accepted answer.
    async fn remember(&self, approval: &Approval, by: &Approver) -> Option<Result<RememberOutcome, String>> {
        let answered = approval.fate.state.answered()?;
        let remember = answered.answer.remember.as_ref()?;
        // If a human approved and a rule then denied the call, the approval is not remembered.
        let effect = match &approval.fate.state {
            ApprovalState::Approved(_) => Effect::Allow,
            ApprovalState::Denied(_) if answered.answer.behavior == Behavior::Deny => Effect::Deny,
            _ => return None,
        };
        // The demo must not write to the user's files.
        let scope = if approval.asked.asker.is_demo() { RuleScope::Session } else { remember.scope };
        let request = RememberRequest {
            scope,
            effect,
            rules: rules_to_remember(approval, remember),
            session: approval.asked.session(),
            around: approval.asked.around.clone(),
            by: by.name.clone(),
            now: answered.at,
            approval: approval.id,
            context: SecretContext::of(&approval.call_to_run().input),
        };
        Some(self.store_rules(request).await.map_err(|error| error.to_string()))
    }

    async fn store_rules(&self, request: RememberRequest) -> Result<RememberOutcome, RememberError> {
        let remembered = self.ports.rulebook.remember(request).await?;
        if let Some(record) = remembered.record.clone() {
            self.ports.ledger.append_records(&WriteAccess::GATE, vec![record]).await?;
        }
        Ok(remembered)
    }
}

/// The rules to store: those in the answer, or else the narrowest proposal.
fn rules_to_remember(approval: &Approval, remember: &RememberChoice) -> Vec<Rule> {
    if remember.rules.is_empty() {
        approval.asked.proposals.first().map(|proposal| proposal.rules.clone()).unwrap_or_default()
    } else {
        remember.rules.clone()
    }
}
