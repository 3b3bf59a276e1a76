//! Rules that are kept in the ledger's database: those made in the page and over the API, and those of a session.

use jiff::Timestamp;
use sekisho_policy::{Effect, Rule};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::write_access::WriteAccess;
use crate::caller::Session;
use crate::ledger::LedgerFuture;
use crate::record::Record;

/// A kept rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredRule {
    /// Its id; the rule itself carries the same.
    pub id: Uuid,
    /// What it does.
    pub effect: Effect,
    /// What it matches.
    pub rule: Rule,
    /// The one session it applies to; none: to all calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Session>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// By whom.
    pub created_by: String,
}

/// All kept rules at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredRules {
    /// Grows with every change.
    pub revision: u64,
    /// The rules, in the order they were made. Those of ended sessions are not among them.
    pub rules: Vec<StoredRule>,
}

/// Keeps rules. Every write carries its line for the record, in the same transaction, and a
/// [`Change::RulesChanged`](crate::record::Change::RulesChanged) event.
pub trait RuleStore: Send + Sync {
    /// All of them.
    fn all(&self, at: Timestamp) -> LedgerFuture<'_, StoredRules>;

    /// Adds rules, all or none.
    fn add(&self, access: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> LedgerFuture<'_, ()>;

    /// Puts a rule in the place of the one with its id. `false`: there is none.
    fn replace(&self, access: &WriteAccess, rule: StoredRule, record: Record) -> LedgerFuture<'_, bool>;

    /// Removes a rule. `false`: there is none.
    fn remove(&self, access: &WriteAccess, id: Uuid, record: Record) -> LedgerFuture<'_, bool>;

    /// The revision, as it grows; other replicas' changes count as well.
    fn revision(&self) -> tokio::sync::watch::Receiver<u64>;
}
