//! Stored rules as rows: rules for all calls column by column, rules of a session as JSON.

use sekisho_gate::caller::Session;
use sekisho_gate::rule_store::StoredRule;
use sekisho_policy::{Effect, OnTimeout, Rule};
use uuid::Uuid;

use crate::encoding::{from_micros, micros, micros_up, parsed, round_trip_json};
use crate::transaction_error::{TransactionError, TransactionResult};

/// A rule, by the table it is stored in.
pub(crate) enum RuleRow {
    /// Applies to all calls.
    Permission(Box<PermissionRow>),
    /// Applies to one session.
    Session(Box<SessionRow>),
}

/// The columns both tables have.
pub(crate) struct CommonColumns {
    pub(crate) id: Uuid,
    pub(crate) made: i64,
    pub(crate) effect: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) created_by: String,
}

/// A row of `tool_permission_rules`.
pub(crate) struct PermissionRow {
    pub(crate) common: CommonColumns,
    /// The fields with columns of their own. Examples are stored apart, as JSON.
    pub(crate) rule: Rule,
    pub(crate) examples: Option<String>,
    pub(crate) expires_at: Option<i64>,
    pub(crate) on_timeout: Option<String>,
}

/// A row of `session_rules`.
pub(crate) struct SessionRow {
    pub(crate) common: CommonColumns,
    pub(crate) session: Session,
    pub(crate) rule: String,
    pub(crate) expires_at: Option<i64>,
}

impl RuleRow {
    /// The columns of a rule; `made` is its position in creation order.
    pub(crate) fn of(stored: &StoredRule, made: i64) -> TransactionResult<RuleRow> {
        let common = CommonColumns {
            id: stored.id,
            made,
            effect: stored.effect.name().to_owned(),
            created_at: micros(stored.created_at),
            updated_at: micros(stored.updated_at),
            created_by: stored.created_by.clone(),
        };
        let rule = &stored.rule;
        if rule.id.is_some_and(|id| id != stored.id) {
            return Err(TransactionError::inconsistent(format!(
                "rule `{}` contains a different id",
                stored.id
            )));
        }
        let expires_at = rule.expires_at.map(micros_up);
        if let Some(session) = stored.session.clone() {
            let rule = round_trip_json(rule, "the rule")?;
            return Ok(RuleRow::Session(Box::new(SessionRow { common, session, rule, expires_at })));
        }
        let examples = rule
            .examples
            .as_ref()
            .map(|examples| round_trip_json(examples, "the rule's examples"))
            .transpose()?;
        let on_timeout = rule.on_timeout.map(|then| match then {
            OnTimeout::Deny => "deny".to_owned(),
            OnTimeout::Park => "park".to_owned(),
        });
        let row = PermissionRow { common, rule: rule.clone(), examples, expires_at, on_timeout };
        Ok(RuleRow::Permission(Box::new(row)))
    }
}

impl PermissionRow {
    /// The rule, and its position in creation order.
    pub(crate) fn into_stored(self) -> TransactionResult<(i64, StoredRule)> {
        let id = self.common.id;
        let on_timeout = match self.on_timeout.as_deref() {
            None => None,
            Some("deny") => Some(OnTimeout::Deny),
            Some("park") => Some(OnTimeout::Park),
            Some(other) => {
                return Err(TransactionError::inconsistent(format!(
                    "rule `{id}` has the unknown timeout action `{other}`"
                )));
            }
        };
        let rule = Rule {
            id: Some(id),
            on_timeout,
            expires_at: self.expires_at.map(from_micros).transpose()?,
            examples: self.examples.map(|text| parsed(&text, "the rule's examples")).transpose()?,
            ..self.rule
        };
        self.common.stored(rule, None)
    }
}

impl SessionRow {
    /// The rule, and its position in creation order.
    pub(crate) fn into_stored(self) -> TransactionResult<(i64, StoredRule)> {
        let rule: Rule = parsed(&self.rule, "the session's rule")?;
        let rule = Rule { id: Some(self.common.id), ..rule };
        self.common.stored(rule, Some(self.session))
    }
}

impl CommonColumns {
    fn stored(self, rule: Rule, session: Option<Session>) -> TransactionResult<(i64, StoredRule)> {
        let effect = match self.effect.as_str() {
            "allow" => Effect::Allow,
            "confirm" => Effect::Confirm,
            "deny" => Effect::Deny,
            other => {
                return Err(TransactionError::inconsistent(format!(
                    "rule `{}` has the unknown effect `{other}`",
                    self.id
                )));
            }
        };
        let stored = StoredRule {
            id: self.id,
            effect,
            rule,
            session,
            created_at: from_micros(self.created_at)?,
            updated_at: from_micros(self.updated_at)?,
            created_by: self.created_by,
        };
        Ok((self.made, stored))
    }
}
