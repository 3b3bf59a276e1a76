//! Writing and reading kept rules.

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::record::{Change, Record};
use sekisho_gate::rules::{StoredRule, StoredRules};
use uuid::Uuid;

use super::{Pen, tables};
use crate::encoding::micros;
use crate::fault::{Fault, Scripted};
use crate::rules::RuleRow;

pub(in crate::sqlite) fn all(db: &Connection, at: Timestamp) -> Scripted<StoredRules> {
    Ok(StoredRules { revision: tables::rules::revision(db)?, rules: tables::rules::all(db, micros(at))? })
}

pub(in crate::sqlite) fn add(pen: &Pen<'_>, rules: &[StoredRule], record: &Record) -> Scripted<()> {
    for rule in rules {
        if tables::rules::made(pen, rule.id)?.is_some() {
            return Err(Fault::wrong(format!("there is a rule `{}` already: nothing was added", rule.id)));
        }
        let made = tables::rules::next_made(pen)?;
        tables::rules::insert(pen, &RuleRow::of(rule, made)?)?;
    }
    changed(pen, record)
}

pub(in crate::sqlite) fn replace(pen: &Pen<'_>, rule: &StoredRule, record: &Record) -> Scripted<bool> {
    let Some(made) = tables::rules::made(pen, rule.id)? else { return Ok(false) };
    tables::rules::delete(pen, rule.id)?;
    tables::rules::insert(pen, &RuleRow::of(rule, made)?)?;
    changed(pen, record)?;
    Ok(true)
}

pub(in crate::sqlite) fn remove(pen: &Pen<'_>, id: Uuid, record: &Record) -> Scripted<bool> {
    if !tables::rules::delete(pen, id)? {
        return Ok(false);
    }
    changed(pen, record)?;
    Ok(true)
}

/// Every change of the rules is a new revision, a line and an event.
fn changed(pen: &Pen<'_>, record: &Record) -> Scripted<()> {
    tables::rules::bump_revision(pen)?;
    let change = record.change.clone().or(Some(Change::RulesChanged));
    pen.append(&Record { change, ..record.clone() })
}
