//! Adds, replaces and removes stored rules: checked before the write, recorded with it, active after
//! it.

use std::fmt;

use jiff::Timestamp;
use sekisho_policy::{Effect, Rule, RuleError};
use serde_json::{Value, json};
use uuid::Uuid;

use super::Rulebook;
use super::stored_layers::check;
use crate::answer::Actor;
use crate::ids::v7;
use crate::ledger::LedgerError;
use crate::ledger_write_proof::WriteAccess;
use crate::record::{AuditEntry, AuditMessage, EventPayload, Record, RecordKind};
use crate::rule_store::StoredRule;

/// A rule that somebody wants to store.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleDraft {
    /// The effect of the rule.
    pub effect: Effect,
    /// The rule itself. It gets its id when it is stored.
    pub rule: Rule,
}

/// Why a rule was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleChangeError {
    /// The rule is invalid.
    Rule(RuleError),
    /// No stored rule has this id.
    NoSuchRule(Uuid),
    /// The ledger did not write the change, or the stored rules could not be read back; in the second case
    /// nothing is allowed until they can be.
    Ledger(LedgerError),
}

impl fmt::Display for RuleChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleChangeError::Rule(error) => error.fmt(f),
            RuleChangeError::NoSuchRule(id) => write!(f, "no stored rule `{id}`"),
            RuleChangeError::Ledger(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RuleChangeError {}

impl From<RuleError> for RuleChangeError {
    fn from(error: RuleError) -> RuleChangeError {
        RuleChangeError::Rule(error)
    }
}

impl From<LedgerError> for RuleChangeError {
    fn from(error: LedgerError) -> RuleChangeError {
        RuleChangeError::Ledger(error)
    }
}

impl Rulebook {
    /// Adds a rule to the database.
    pub async fn add(
        &self,
        draft: RuleDraft,
        by: &Actor,
        now: Timestamp,
    ) -> Result<StoredRule, RuleChangeError> {
        check(draft.effect, &draft.rule)?;
        let id = v7(now);
        let stored = StoredRule {
            id,
            effect: draft.effect,
            rule: Rule { id: Some(id), ..draft.rule },
            session: None,
            created_at: now,
            updated_at: now,
            created_by: by.to_string(),
        };
        let record = rule_change_record(
            |effect, id, by| AuditMessage::RuleAdded { effect, id, by },
            &stored,
            by,
            now,
            Value::Null,
        );
        self.stored.add(&WriteAccess::GATE, vec![stored.clone()], record).await?;
        self.refresh(now).await?;
        Ok(stored)
    }

    /// Replaces a stored rule, which may be an expired one.
    pub async fn replace(
        &self,
        id: Uuid,
        draft: RuleDraft,
        by: &Actor,
        now: Timestamp,
    ) -> Result<StoredRule, RuleChangeError> {
        check(draft.effect, &draft.rule)?;
        let _turn = self.writing.lock().await;
        let before = self.find(id, now).await?;
        // A session rule keeps its expiry, or gets an earlier one.
        let end = before.rule.expires_at.filter(|_| before.session.is_some());
        let expires_at = draft.rule.expires_at.into_iter().chain(end).min();
        let stored = StoredRule {
            effect: draft.effect,
            rule: Rule { id: Some(id), expires_at, ..draft.rule },
            updated_at: now,
            ..before.clone()
        };
        let record = rule_change_record(
            |effect, id, by| AuditMessage::RuleChanged { effect, id, by },
            &stored,
            by,
            now,
            json!({ "effect": before.effect, "rule": before.rule }),
        );
        let found = self.stored.replace(&WriteAccess::GATE, stored.clone(), record).await?;
        self.refresh(now).await?;
        if found { Ok(stored) } else { Err(RuleChangeError::NoSuchRule(id)) }
    }

    /// Removes a stored rule.
    pub async fn remove(&self, id: Uuid, by: &Actor, now: Timestamp) -> Result<StoredRule, RuleChangeError> {
        let _turn = self.writing.lock().await;
        let stored = self.find(id, now).await?;
        let record = rule_change_record(
            |effect, id, by| AuditMessage::RuleRemoved { effect, id, by },
            &stored,
            by,
            now,
            Value::Null,
        );
        let found = self.stored.remove(&WriteAccess::GATE, id, record).await?;
        self.refresh(now).await?;
        if found { Ok(stored) } else { Err(RuleChangeError::NoSuchRule(id)) }
    }

    /// The current stored rule, whichever replica wrote it.
    async fn find(&self, id: Uuid, now: Timestamp) -> Result<StoredRule, RuleChangeError> {
        self.refresh(now).await?;
        let kept = self.stored_layers();
        kept.rules.iter().find(|stored| stored.id == id).cloned().ok_or(RuleChangeError::NoSuchRule(id))
    }
}

/// The audit record.
fn rule_change_record(
    line: fn(Effect, Uuid, String) -> AuditMessage,
    stored: &StoredRule,
    by: &Actor,
    now: Timestamp,
    before: Value,
) -> Record {
    let mut body = json!({ "id": stored.id, "effect": stored.effect, "rule": stored.rule });
    if let (Some(body), false) = (body.as_object_mut(), before.is_null()) {
        body.insert("before".into(), before);
    }
    let (text, body) = line(stored.effect, stored.id, by.to_string()).into_text_and_body(body);
    let entry = AuditEntry::without_call(RecordKind::Rules, now, Some(by.clone()), text, body);
    Record { entry, event: Some(EventPayload::RulesChanged) }
}
