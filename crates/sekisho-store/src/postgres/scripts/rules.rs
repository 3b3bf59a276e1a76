//! Writing and reading kept rules.

use jiff::Timestamp;
use sekisho_gate::record::{Change, Entry, Record};
use sekisho_gate::rules::{StoredRule, StoredRules};
use uuid::Uuid;

use super::super::db::Db;
use super::super::page::Page;
use super::{RULES, Script, tables};
use crate::fault::{Fault, Scripted};
use crate::rows::{RuleRow, micros};

/// All rules, at one moment.
pub(in crate::postgres) async fn all(db: &Db<'_>, at: Timestamp) -> Scripted<StoredRules> {
    Ok(StoredRules {
        revision: tables::rules::revision(db).await?,
        rules: tables::rules::all(db, micros(at)).await?,
    })
}

/// Rules are added, all or none.
pub(in crate::postgres) struct Add {
    pub(in crate::postgres) rules: Vec<StoredRule>,
    pub(in crate::postgres) record: Record,
}

/// A rule takes the place of the one with its id.
pub(in crate::postgres) struct Replace {
    pub(in crate::postgres) rule: StoredRule,
    pub(in crate::postgres) record: Record,
}

/// A rule is removed.
pub(in crate::postgres) struct Remove {
    pub(in crate::postgres) id: Uuid,
    pub(in crate::postgres) record: Record,
}

impl Script for Add {
    type Given = ();

    fn locks(&self) -> Option<i64> {
        Some(RULES)
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<()> {
        for rule in &self.rules {
            if tables::rules::made(&page.db, rule.id).await?.is_some() {
                return Err(Fault::wrong(format!(
                    "there is a rule `{}` already: nothing was added",
                    rule.id
                )));
            }
            let made = tables::rules::next_made(&page.db).await?;
            tables::rules::insert(&page.db, &RuleRow::of(rule, made)?).await?;
        }
        changed(page, &self.record).await
    }
}

impl Script for Replace {
    type Given = bool;

    fn locks(&self) -> Option<i64> {
        Some(RULES)
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<bool> {
        let Some(made) = tables::rules::made(&page.db, self.rule.id).await? else { return Ok(false) };
        tables::rules::delete(&page.db, self.rule.id).await?;
        tables::rules::insert(&page.db, &RuleRow::of(&self.rule, made)?).await?;
        changed(page, &self.record).await?;
        Ok(true)
    }
}

impl Script for Remove {
    type Given = bool;

    fn locks(&self) -> Option<i64> {
        Some(RULES)
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<bool> {
        if !tables::rules::delete(&page.db, self.id).await? {
            return Ok(false);
        }
        changed(page, &self.record).await?;
        Ok(true)
    }
}

/// Every change of the rules is a new revision, a line and an event.
async fn changed(page: &mut Page<'_>, record: &Record) -> Scripted<()> {
    page.draft.revision = Some(tables::rules::bump_revision(&page.db).await?);
    let change = record.change.clone().or(Some(Change::RulesChanged));
    page.append(&Record { change, ..record.clone() })
}
