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
use crate::encoding::{micros_up, parsed};
use crate::fault::Scripted;

/// How many calls one transaction forgets.
const AT_ONCE: usize = 500;

/// Forgets calls that ended before a moment. How many; none when there are no more.
pub(in crate::postgres) struct PurgeSome(pub(in crate::postgres) Timestamp);

impl Script for PurgeSome {
    type Given = u64;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<u64> {
        // An asker far away may read an answer again for a while, and runs what is in it.
        let before = self.0.checked_sub(REREAD).unwrap_or(Timestamp::MIN);
        let masks = &page.draft.ink.seal().masks;
        tables::schemas::forget(&page.db, micros_up(before)).await?;
        let calls = tables::purging::purgeable(&page.db, micros_up(before), AT_ONCE).await?;
        for call in &calls {
            tables::purging::purge(&page.db, *call, masks).await?;
        }
        Ok(calls.len() as u64)
    }
}

pub(in crate::postgres) async fn raw_input(db: &Db<'_>, call: CallId) -> Scripted<Option<Value>> {
    let text = tables::purging::raw_input(db, call).await?;
    text.map(|text| parsed(&text, "the call's input")).transpose()
}
