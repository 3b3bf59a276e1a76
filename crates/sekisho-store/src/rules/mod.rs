//! Kept rules, and the counters they go by.

mod row;

pub(crate) use row::{Common, PermissionRow, RuleRow, SessionRow};

use sekisho_gate::record::{Change, Record};
use sekisho_gate::rules::StoredRule;
use uuid::Uuid;

use crate::fault::{Fault, Scripted};
use crate::transaction::{Given, Transaction};

/// Operations on the tables of rules.
pub(crate) trait RuleTables: Transaction {
    /// Which a rule was in the order of making.
    fn made(&self, id: Uuid) -> impl Given<Option<i64>>;

    /// The number of the next rule in the order of making.
    fn next_made(&self) -> impl Given<i64>;

    /// Inserts a rule.
    fn insert_rule(&self, row: &RuleRow) -> impl Given<()>;

    /// Whether there was one.
    fn delete_rule(&self, id: Uuid) -> impl Given<bool>;

    /// Deletes the rules of sessions that have ended at a moment.
    fn delete_ended_rules(&self, at: i64) -> impl Given<()>;

    /// Counts a change of the rules.
    fn bump_revision(&mut self) -> impl Given<()>;
}

/// Adds rules, all or none.
pub(crate) async fn add(tables: &mut impl RuleTables, rules: &[StoredRule], record: &Record) -> Scripted<()> {
    for rule in rules {
        if tables.made(rule.id).await?.is_some() {
            return Err(Fault::wrong(format!("there is a rule `{}` already: nothing was added", rule.id)));
        }
        let made = tables.next_made().await?;
        tables.insert_rule(&RuleRow::of(rule, made)?).await?;
    }
    changed(tables, record).await
}

/// Puts a rule in the place of the one with its id.
pub(crate) async fn replace(
    tables: &mut impl RuleTables,
    rule: &StoredRule,
    record: &Record,
) -> Scripted<bool> {
    let Some(made) = tables.made(rule.id).await? else { return Ok(false) };
    tables.delete_rule(rule.id).await?;
    tables.insert_rule(&RuleRow::of(rule, made)?).await?;
    changed(tables, record).await?;
    Ok(true)
}

/// Removes a rule.
pub(crate) async fn remove(tables: &mut impl RuleTables, id: Uuid, record: &Record) -> Scripted<bool> {
    if !tables.delete_rule(id).await? {
        return Ok(false);
    }
    changed(tables, record).await?;
    Ok(true)
}

/// Every change of the rules is a new revision, a line and an event.
async fn changed(tables: &mut impl RuleTables, record: &Record) -> Scripted<()> {
    tables.bump_revision().await?;
    let change = record.change.clone().or(Some(Change::RulesChanged));
    tables.append(&Record { change, ..record.clone() })
}
