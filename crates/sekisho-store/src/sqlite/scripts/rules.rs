//! Writing and reading kept rules.

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::record::{Change, Record};
use sekisho_gate::rules::{StoredRule, StoredRules};
use uuid::Uuid;

use super::tables;
use crate::fault::{Fault, Scripted};
use crate::rows::{RuleRow, micros};

pub(in crate::sqlite) fn all(db: &Connection, at: Timestamp) -> Scripted<StoredRules> {
    Ok(StoredRules { revision: tables::rules::revision(db)?, rules: tables::rules::all(db, micros(at))? })
}

pub(in crate::sqlite) fn add(db: &Connection, rules: &[StoredRule], record: &Record) -> Scripted<()> {
    for rule in rules {
        if tables::rules::made(db, rule.id)?.is_some() {
            return Err(Fault::wrong(format!("there is a rule `{}` already: nothing was added", rule.id)));
        }
        let made = tables::rules::next_made(db)?;
        tables::rules::insert(db, &RuleRow::of(rule, made)?)?;
    }
    changed(db, record)
}

pub(in crate::sqlite) fn replace(db: &Connection, rule: &StoredRule, record: &Record) -> Scripted<bool> {
    let Some(made) = tables::rules::made(db, rule.id)? else { return Ok(false) };
    tables::rules::delete(db, rule.id)?;
    tables::rules::insert(db, &RuleRow::of(rule, made)?)?;
    changed(db, record)?;
    Ok(true)
}

pub(in crate::sqlite) fn remove(db: &Connection, id: Uuid, record: &Record) -> Scripted<bool> {
    if !tables::rules::delete(db, id)? {
        return Ok(false);
    }
    changed(db, record)?;
    Ok(true)
}

/// Every change of the rules is a new revision, a line and an event.
fn changed(db: &Connection, record: &Record) -> Scripted<()> {
    tables::rules::bump_revision(db)?;
    let change = record.change.clone().or(Some(Change::RulesChanged));
    tables::record::append(db, &Record { change, ..record.clone() })
}
