//! The port for rules stored in the ledger's database: those made in the UI and over the API, and
//! session rules.

use jiff::Timestamp;
use sekisho_policy::{Effect, Rule};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::caller::Session;
use crate::ledger::LedgerFuture;
use crate::ledger_write_proof::WriteAccess;
use crate::record::Record;

/// A stored rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredRule {
    /// Its id; the rule itself has the same.
    pub id: Uuid,
    /// The effect of the rule.
    pub effect: Effect,
    /// What the rule matches.
    pub rule: Rule,
    /// The session it applies to. None: it applies to all calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Who created it.
    pub created_by: String,
}

/// All stored rules at one point in time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredRules {
    /// Grows with every change.
    pub revision: u64,
    /// The rules, in order of creation. Rules of ended sessions are not included.
    pub rules: Vec<StoredRule>,
}

/// Stores rules. Every write carries its audit record, in the same transaction, and an
/// [`EventPayload::RulesChanged`](crate::record::EventPayload::RulesChanged) event.
pub trait RuleStore: Send + Sync {
    /// All stored rules.
    fn all(&self, at: Timestamp) -> LedgerFuture<'_, StoredRules>;

    /// Adds rules, all or none.
    fn add(&self, access: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> LedgerFuture<'_, ()>;

    /// Replaces the rule with the same id. Returns `false` if there is none.
    fn replace(&self, access: &WriteAccess, rule: StoredRule, record: Record) -> LedgerFuture<'_, bool>;

    /// Removes a rule. Returns `false` if there is none.
    fn remove(&self, access: &WriteAccess, id: Uuid, record: Record) -> LedgerFuture<'_, bool>;

    /// The revision, updated as it grows. Includes changes by other replicas.
    fn revision(&self) -> tokio::sync::watch::Receiver<u64>;
}
