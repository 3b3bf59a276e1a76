//! Answers: who may give which, and what comes of them.

use std::fmt;

use sekisho_policy::{Effect, Rule};
use serde_json::Value;

use crate::access::WriteAccess;
use crate::answer::{Answer, Approver, Behavior, Remember, Role, Scope};
use crate::approval::{Answered, Approval, Edited, State};
use crate::display::bounded;
use crate::gate::{Gate, Inner};
use crate::ids::{ApprovalId, CallId};
use crate::input_schema::{CheckError, InputSchema};
use crate::ledger::LedgerError;
use crate::machine::{Happening, REREAD, Said, Step};
use crate::proposals::no_wider;
use crate::record::Context;
use crate::refusal::Refusal;
use crate::rulebook::{RememberError, Remembered, Remembering};
use crate::turns;
use crate::waiting::Woken;
use sekisho_policy::Digest;

/// What an answer came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The question as it is now.
    pub approval: Approval,
    /// The very same answer had been given before.
    pub again: bool,
    /// What was remembered, or why not. The answer stands either way.
    pub remembered: Option<Result<Remembered, String>>,
}

/// Why an answer was not taken. The question is as it was.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerError {
    /// There is no such question.
    NotFound(ApprovalId),
    /// Somebody else answered otherwise.
    Conflict(Box<Answered>),
    /// It has expired or was aborted.
    Gone(Box<State>),
    /// Whoever answers may not.
    Forbidden(String),
    /// The answer is to something else than what was asked.
    OtherDigest {
        /// What was asked.
        asked: Digest,
        /// What the answer is to.
        answered: Digest,
    },
    /// The edited input, or a rule to remember, is not in order.
    Invalid(String),
    /// The edited input cannot be checked by the tool's schema.
    Unchecked(String),
    /// The ledger could not keep it.
    NotRecorded(LedgerError),
}

/// Nothing is judged any more.
fn closing(refusal: Refusal) -> AnswerError {
    AnswerError::NotRecorded(LedgerError::passing(refusal.reason))
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::NotFound(id) => write!(f, "there is no approval `{id}`"),
            AnswerError::Conflict(first) => {
                write!(f, "it was already {} by {} at {}", first.answer.behavior.past(), first.by, first.at)
            }
            AnswerError::Gone(state) => match &**state {
                State::Expired { at } => write!(f, "it expired at {at}; nothing was changed"),
                State::Aborted { at, why } => write!(f, "it was aborted at {at}: {why}"),
                state => write!(f, "it is {}", state.name()),
            },
            AnswerError::Forbidden(why) | AnswerError::Invalid(why) => f.write_str(why),
            AnswerError::Unchecked(why) => {
                write!(f, "updatedInput: {why}; approve or deny the call as it is")
            }
            AnswerError::OtherDigest { asked, answered } => {
                write!(
                    f,
                    "the answer is to `{answered}`, but `{asked}` was asked; look again and answer that"
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
    /// Answers a question. The first answer wins; the ledger decides which that was.
    pub async fn answer(&self, id: ApprovalId, answer: Answer, by: Approver) -> Result<Given, AnswerError> {
        let inner = &self.inner;
        if by.role < Role::Approver {
            let message = format!("`{}` may not answer: its role has to be approver or admin", by.name);
            return Err(AnswerError::Forbidden(message));
        }
        let found = inner.ports.ledger.approval(id).await?;
        let approval = found.ok_or(AnswerError::NotFound(id))?;
        if let Some(answered) = answer.digest.filter(|digest| *digest != approval.asked.digest) {
            return Err(AnswerError::OtherDigest { asked: approval.asked.digest, answered });
        }
        let mut edited = None;
        if approval.is_pending() {
            edited = inner.edited(&approval, &answer).await?;
            inner.may_remember(&approval, &answer, &by).await?;
        }
        let happening = Happening::Answered { answer, by: by.clone(), edited };
        let step = inner.ports.ledger.step(&WriteAccess::GATE, id, happening, inner.now()).await?;
        inner.given(step.ok_or(AnswerError::NotFound(id))?, &by).await
    }

    /// Calls a question off: the run it belongs to was aborted, or its asker does not want to know any more.
    pub async fn call_off(&self, id: ApprovalId, why: &str) -> Result<Approval, AnswerError> {
        let happening = Happening::CalledOff { why: why.into() };
        let step = self.inner.ports.ledger.step(&WriteAccess::GATE, id, happening, self.inner.now()).await?;
        let step = step.ok_or(AnswerError::NotFound(id))?;
        if step.changed {
            self.inner.waiting.wake(id, &Woken::Resolved);
        }
        Ok(step.approval)
    }
}

impl Inner {
    async fn given(&self, step: Step, by: &Approver) -> Result<Given, AnswerError> {
        let Step { approval, changed, said } = step;
        if changed {
            self.waiting.wake(approval.id, &Woken::Resolved);
        }
        let again = match (said, approval.fate.state.answered()) {
            (Said::Done, _) => false,
            (Said::Same, _) => true,
            (Said::Conflict, Some(first)) => return Err(AnswerError::Conflict(Box::new(first.clone()))),
            _ => return Err(AnswerError::Gone(Box::new(approval.fate.state))),
        };
        // Said again at once, the rules are kept again as well: the first time may have ended between the two. Later they
        // may have been removed on purpose.
        let at = approval.fate.state.answered().map(|answered| answered.at);
        let fresh = at.is_some_and(|at| self.now().duration_since(at) <= REREAD);
        let remembered = if fresh { self.remember(&approval, by).await } else { None };
        Ok(Given { approval, again, remembered })
    }

    /// The edited call, checked and judged anew.
    async fn edited(&self, approval: &Approval, answer: &Answer) -> Result<Option<Box<Edited>>, AnswerError> {
        let Some(input) = &answer.updated_input else { return Ok(None) };
        if answer.behavior == Behavior::Deny {
            let message = "an answer of deny cannot carry an updatedInput; leave it out, or approve";
            return Err(AnswerError::Invalid(message.into()));
        }
        // Rules read tools' inputs by their fields: what has none would pass them by.
        if !input.is_object() {
            let message = "updatedInput: it is not an object; give the whole input that shall run instead";
            return Err(AnswerError::Invalid(message.into()));
        }
        self.fits_schema(approval, input).await?;
        let mut call = approval.asked.call.clone();
        call.input = input.clone();
        let digest = Digest::of(&call).map_err(|why| AnswerError::Invalid(format!("updatedInput: {why}")))?;
        let judged = self.judge_in_turn(&call, &approval.asked.asker, &approval.asked.around).await;
        let judged = judged.map_err(closing)?;
        let verdict = bounded(judged.verdict);
        Ok(Some(Box::new(Edited { call_id: CallId::new(judged.at), digest, verdict })))
    }

    /// Checks an edited input by the schema of its tool, where the question named one. What cannot be checked is not edited.
    async fn fits_schema(&self, approval: &Approval, input: &Value) -> Result<(), AnswerError> {
        let asked = &approval.asked;
        let Some(version) = asked.schema else { return Ok(()) };
        let schema = self.ports.ledger.input_schema(asked.call.tool.clone(), version).await?;
        let schema = schema.ok_or_else(|| AnswerError::Unchecked("the tool's schema is gone".into()))?;
        // A small schema can take as many steps as a large one.
        let turn = self.turn(true, &asked.asker).await.map_err(closing)?;
        let checked = turns::work(turn.as_ref(), || {
            InputSchema::new(schema).map_err(CheckError::Schema).and_then(|schema| schema.check(input))
        });
        checked.map_err(|error| match error {
            CheckError::Misfit { .. } => AnswerError::Invalid(format!("updatedInput: {error}")),
            CheckError::TooManySteps | CheckError::Schema(_) => AnswerError::Unchecked(error.to_string()),
        })
    }

    /// Whether whoever answers may have these rules remembered.
    async fn may_remember(
        &self,
        approval: &Approval,
        answer: &Answer,
        by: &Approver,
    ) -> Result<(), AnswerError> {
        let Some(remember) = &answer.remember else { return Ok(()) };
        let asked = &approval.asked;
        let effect = answer.behavior.effect();
        let rules = chosen(approval, remember);
        if rules.is_empty() {
            let message =
                "there is no rule to remember this by; answer without `remember`, or give the rules";
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
        let judged = self.judge_in_turn(&asked.call, &asked.asker, &asked.around).await.map_err(closing)?;
        let within = |rule: &&Rule| no_wider(rule, effect, &asked.proposals, &asked.call, &judged.around);
        match rules.iter().find(|rule| !within(rule)) {
            None => Ok(()),
            Some(rule) => {
                let rule = serde_json::to_string(rule).unwrap_or_default();
                let message =
                    format!("the rule `{rule}` is wider than what was proposed; an admin may save it");
                Err(AnswerError::Forbidden(message))
            }
        }
    }

    /// Keeps the rules of an answer that was taken.
    async fn remember(&self, approval: &Approval, by: &Approver) -> Option<Result<Remembered, String>> {
        let answered = approval.fate.state.answered()?;
        let remember = answered.answer.remember.as_ref()?;
        // A human's yes that a rule turned into a no is nothing to go by.
        let effect = match &approval.fate.state {
            State::Approved(_) => Effect::Allow,
            State::Denied(_) if answered.answer.behavior == Behavior::Deny => Effect::Deny,
            _ => return None,
        };
        // What a newcomer tries out is not written to their files.
        let scope = if approval.asked.asker.is_demo() { Scope::Session } else { remember.scope };
        let remembering = Remembering {
            scope,
            effect,
            rules: chosen(approval, remember),
            session: approval.asked.session(),
            around: approval.asked.around.clone(),
            by: by.name.clone(),
            now: answered.at,
            approval: approval.id,
            context: Context::of(&approval.call_to_run().input),
        };
        Some(self.keep(remembering).await.map_err(|error| error.to_string()))
    }

    async fn keep(&self, remembering: Remembering) -> Result<Remembered, RememberError> {
        let remembered = self.ports.rulebook.remember(remembering).await?;
        if let Some(record) = remembered.record.clone() {
            self.ports.ledger.note(&WriteAccess::GATE, vec![record]).await?;
        }
        Ok(remembered)
    }
}

/// The rules to keep: as given, or the narrowest that were proposed.
fn chosen(approval: &Approval, remember: &Remember) -> Vec<Rule> {
    if remember.rules.is_empty() {
        approval.asked.proposals.first().map(|proposal| proposal.rules.clone()).unwrap_or_default()
    } else {
        remember.rules.clone()
    }
}
