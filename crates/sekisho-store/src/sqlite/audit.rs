//! The log, for those who read it, and its own few writes.

use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::audit::{Audit, Cut, Head, Keys, Query, Row, Stats, WriterId};
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::Entry;
use serde_json::Value;

use super::store::SqliteStore;
use super::{scripts, tables};
use crate::masking::masked_questions;
use crate::rows::refused;

impl Audit for SqliteStore {
    fn search(&self, query: Query) -> Kept<'_, Vec<Row>> {
        self.read(move |db| tables::search::search(db, &query))
    }

    fn rows(&self, after: Option<(WriterId, u64)>, limit: usize) -> Kept<'_, Vec<Row>> {
        self.read(move |db| tables::audit::rows(db, after, limit))
    }

    fn row(&self, writer: WriterId, seq: u64) -> Kept<'_, Option<Row>> {
        self.read(move |db| tables::audit::row(db, writer, seq))
    }

    fn count(&self) -> Kept<'_, u64> {
        self.read(tables::audit::count)
    }

    fn heads(&self) -> Kept<'_, Vec<Head>> {
        self.read(|db| Ok(tables::audit::ends(db)?.into_iter().map(|(head, _)| head).collect()))
    }

    fn cuts(&self) -> Kept<'_, Vec<Cut>> {
        self.read(tables::audit::cuts)
    }

    fn stats(&self, from: Timestamp, to: Timestamp) -> Kept<'_, Stats> {
        self.read(move |db| scripts::stats(db, from, to))
    }

    fn checkpoint(&self, at: Timestamp) -> Kept<'_, Option<Head>> {
        self.write(move |pen| scripts::checkpoint(pen, at))
    }

    fn prune(&self, before: Timestamp, at: Timestamp) -> Kept<'_, u64> {
        self.some_at_a_time(move |store| store.write(move |pen| scripts::prune_some(pen, before, at)))
    }

    fn purge(&self, before: Timestamp) -> Kept<'_, u64> {
        self.some_at_a_time(move |store| store.purge_some(before))
    }

    fn raw_input(&self, call: CallId) -> Kept<'_, Option<Value>> {
        self.read(move |db| scripts::raw_input(db, call))
    }

    fn take_in(&self, spool: WriterId, first: u64, lines: Vec<Entry>) -> Kept<'_, u64> {
        self.record(lines.clone(), move |pen| scripts::take_in(pen, spool, first, &lines))
    }

    fn take_keys(&self, keys: Arc<Keys>) -> Kept<'_, ()> {
        self.write(move |pen| {
            if let Some(another) = scripts::meet(pen, &keys)? {
                return Err(refused(another));
            }
            pen.take_keys(Arc::clone(&keys));
            Ok(())
        })
    }
}

impl SqliteStore {
    /// What stays of questions is masked between two transactions: the second one forgets what has not changed since.
    fn purge_some(&self, before: Timestamp) -> Kept<'_, u64> {
        Box::pin(async move {
            let found = self.write(move |pen| scripts::purgeable(pen, before)).await?;
            if found.is_empty() {
                return Ok(0);
            }
            let place = self.writer.place();
            let masked = masked_questions(found, &place.options.seal.masks).await;
            let masked = masked.map_err(|fault| fault.at(&place.shown))?;
            self.write(move |pen| scripts::purge(pen, before, &masked)).await
        })
    }

    /// Does something until there is nothing left, in transactions short enough that nobody waits long behind one.
    fn some_at_a_time<'a>(
        &'a self,
        some: impl Fn(&'a SqliteStore) -> Kept<'a, u64> + Send + 'a,
    ) -> Kept<'a, u64> {
        Box::pin(async move {
            let mut all = 0;
            loop {
                match some(self).await? {
                    0 => return Ok(all),
                    done => all += done,
                }
            }
        })
    }
}
