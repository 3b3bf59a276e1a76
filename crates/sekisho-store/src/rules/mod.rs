//! Kept rules, and the counters they go by.

mod row;

pub(crate) use row::{CommonColumns, PermissionRow, RuleRow, SessionRow};

use sekisho_gate::record::{EventPayload, Record};
use sekisho_gate::rule_store::StoredRule;
use uuid::Uuid;

use crate::transaction::{TableFuture, Transaction};
use crate::transaction_error::{TransactionError, TransactionResult};

/// Operations on the tables of rules.
pub(crate) trait RuleTables: Transaction {
    /// Which a rule was in the order of making.
    fn creation_number(&self, id: Uuid) -> impl TableFuture<Option<i64>>;

    /// The number of the next rule in the order of making.
    fn next_creation_number(&self) -> impl TableFuture<i64>;

    /// Inserts a rule.
    fn insert_rule(&self, row: &RuleRow) -> impl TableFuture<()>;

    /// Whether there was one.
    fn delete_rule(&self, id: Uuid) -> impl TableFuture<bool>;

    /// Deletes the rules of sessions that have ended at a moment.
    fn delete_ended_rules(&self, at: i64) -> impl TableFuture<()>;

    /// Counts a change of the rules.
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
                "there is a rule `{}` already: nothing was added",
                rule.id
            )));
        }
        let made = tables.next_creation_number().await?;
        tables.insert_rule(&RuleRow::of(rule, made)?).await?;
    }
    changed(tables, record).await
}

/// Puts a rule in the place of the one with its id.
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

/// Removes a rule.
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

/// Every change of the rules is a new revision, a line and an event.
async fn changed(tables: &mut impl RuleTables, record: &Record) -> TransactionResult<()> {
    tables.bump_revision().await?;
    let change = record.event.clone().or(Some(EventPayload::RulesChanged));
    tables.append(&Record { event: change, ..record.clone() })
}
