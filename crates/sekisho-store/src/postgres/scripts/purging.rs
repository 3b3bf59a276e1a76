//! Forgetting raw inputs, some at a time.
//!
//! A raw input stands in `calls`, in `tool_executions` beside what the tool gave, and in a question: in what was shown of
//! it, and in the answer that changed it. All of them go together. What may still run keeps everything.

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::machine::REREAD;
use serde_json::Value;

use super::super::db::Db;
use super::super::page::Page;
use super::{PRUNING, Script, tables};
use crate::fault::Scripted;
use crate::rows::{Purgeable, Purged, micros_up, parsed};

/// How many calls one transaction forgets.
const AT_ONCE: usize = 500;

/// The next calls to forget of those that ended before a moment, with their questions as they are kept. Forgets old schemas
/// as well.
pub(in crate::postgres) struct FindPurgeable(pub(in crate::postgres) Timestamp);

/// Forgets those of some calls that are still to be forgotten and whose questions have not changed. How many.
pub(in crate::postgres) struct PurgeSome {
    pub(in crate::postgres) before: Timestamp,
    pub(in crate::postgres) masked: Vec<Purged>,
}

impl Script for FindPurgeable {
    type Given = Vec<Purgeable>;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Vec<Purgeable>> {
        let before = micros_up(still_read(self.0));
        tables::schemas::forget(&page.db, before).await?;
        let mut found = Vec::new();
        for call in tables::purging::purgeable(&page.db, before, AT_ONCE).await? {
            found.push(Purgeable { call, questions: tables::purging::questions(&page.db, call).await? });
        }
        Ok(found)
    }
}

impl Script for PurgeSome {
    type Given = u64;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<u64> {
        let before = micros_up(still_read(self.before));
        let calls = tables::purging::purgeable(&page.db, before, AT_ONCE).await?;
        let mut forgotten = 0;
        for purged in self.masked.iter().filter(|purged| calls.contains(&purged.call)) {
            if purged.is_of(&tables::purging::questions(&page.db, purged.call).await?) {
                tables::purging::purge(&page.db, purged).await?;
                forgotten += 1;
            }
        }
        Ok(forgotten)
    }
}

/// An asker far away may read an answer again for a while, and runs what is in it.
fn still_read(before: Timestamp) -> Timestamp {
    before.checked_sub(REREAD).unwrap_or(Timestamp::MIN)
}

pub(in crate::postgres) async fn raw_input(db: &Db<'_>, call: CallId) -> Scripted<Option<Value>> {
    let text = tables::purging::raw_input(db, call).await?;
    text.map(|text| parsed(&text, "the call's input")).transpose()
}
