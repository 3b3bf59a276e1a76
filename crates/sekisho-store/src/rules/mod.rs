//! Transactions on stored rules and their counters.

mod row;

pub(crate) use row::{CommonColumns, PermissionRow, RuleRow, SessionRow};

use sekisho_gate::record::{EventPayload, Record};
use sekisho_gate::rule_store::StoredRule;
use uuid::Uuid;

use crate::transaction::{TableFuture, Transaction};
use crate::transaction_error::{TransactionError, TransactionResult};

/// Operations on the rule tables.
pub(crate) trait RuleTables: Transaction {
    /// A rule's position in creation order.
    fn creation_number(&self, id: Uuid) -> impl TableFuture<Option<i64>>;

    /// The next position in creation order.
    fn next_creation_number(&self) -> impl TableFuture<i64>;

    fn insert_rule(&self, row: &RuleRow) -> impl TableFuture<()>;

    /// Returns whether the rule existed.
    fn delete_rule(&self, id: Uuid) -> impl TableFuture<bool>;

    /// Deletes the rules of sessions that have ended by a time.
    fn delete_ended_rules(&self, at: i64) -> impl TableFuture<()>;

    /// Increments the revision of the rules.
    fn bump_revision(&mut self) -> impl TableFuture<()>;
}

/// Adds rules, all or none.
pub(crate) async fn add(
    tables: &mut impl RuleTables,
    rules: &[StoredRule],
    record: &Record,
) -> TransactionResult<()> {
    for rule in rules {
        if tables.creation_number(rule.id).await?.is_some() {
            return Err(TransactionError::inconsistent(format!(
                "rule `{}` already exists: nothing was added",
                rule.id
            )));
        }
        let made = tables.next_creation_number().await?;
        tables.insert_rule(&RuleRow::of(rule, made)?).await?;
    }
    changed(tables, record).await
}

/// Replaces the rule with the same id.
pub(crate) async fn replace(
    tables: &mut impl RuleTables,
    rule: &StoredRule,
    record: &Record,
) -> TransactionResult<bool> {
    let Some(made) = tables.creation_number(rule.id).await? else { return Ok(false) };
    tables.delete_rule(rule.id).await?;
    tables.insert_rule(&RuleRow::of(rule, made)?).await?;
    changed(tables, record).await?;
    Ok(true)
}

pub(crate) async fn remove(
    tables: &mut impl RuleTables,
    id: Uuid,
    record: &Record,
) -> TransactionResult<bool> {
    if !tables.delete_rule(id).await? {
        return Ok(false);
    }
    changed(tables, record).await?;
    Ok(true)
}

/// Every change of the rules makes a new revision, an audit entry and an event.
async fn changed(tables: &mut impl RuleTables, record: &Record) -> TransactionResult<()> {
    tables.bump_revision().await?;
    let change = record.event.clone().or(Some(EventPayload::RulesChanged));
    tables.append(&Record { event: change, ..record.clone() })
}
