//! The log, for those who read it, and its own few writes.

use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::audit::{Audit, Cut, Head, Keys, Query, Row, Stats, WriterId};
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::Entry;
use serde_json::Value;
use tokio::sync::oneshot;

use super::fault::told;
use super::request::Order;
use super::store::PostgresStore;
use super::{scripts, tables};
use crate::masking::masked_questions;
use crate::rows::refused;

impl Audit for PostgresStore {
    fn search(&self, query: Query) -> Kept<'_, Vec<Row>> {
        self.read(move |db| Box::pin(tables::search::search(db, query)))
    }

    fn rows(&self, after: Option<(WriterId, u64)>, limit: usize) -> Kept<'_, Vec<Row>> {
        self.read(move |db| Box::pin(tables::audit::rows(db, after, limit)))
    }

    fn row(&self, writer: WriterId, seq: u64) -> Kept<'_, Option<Row>> {
        self.read(move |db| Box::pin(tables::audit::row(db, writer, seq)))
    }

    fn count(&self) -> Kept<'_, u64> {
        self.read(|db| Box::pin(tables::audit::count(db)))
    }

    fn heads(&self) -> Kept<'_, Vec<Head>> {
        self.read(|db| Box::pin(scripts::heads(db)))
    }

    fn cuts(&self) -> Kept<'_, Vec<Cut>> {
        self.read(|db| Box::pin(tables::audit::cuts(db)))
    }

    fn stats(&self, from: Timestamp, to: Timestamp) -> Kept<'_, Stats> {
        self.read_at_one_moment(move |db| Box::pin(scripts::stats(db, from, to)))
    }

    fn checkpoint(&self, at: Timestamp) -> Kept<'_, Option<Head>> {
        self.write(scripts::Checkpoint(at))
    }

    fn prune(&self, before: Timestamp, at: Timestamp) -> Kept<'_, u64> {
        self.some_at_a_time(move |store| store.write(scripts::PruneSome { before, at }))
    }

    fn purge(&self, before: Timestamp) -> Kept<'_, u64> {
        self.some_at_a_time(move |store| store.purge_some(before))
    }

    fn raw_input(&self, call: CallId) -> Kept<'_, Option<Value>> {
        self.read(move |db| Box::pin(scripts::raw_input(db, call)))
    }

    fn take_in(&self, spool: WriterId, first: u64, lines: Vec<Entry>) -> Kept<'_, u64> {
        self.write(scripts::TakeIn { spool, first, lines })
    }

    fn take_keys(&self, keys: Arc<Keys>) -> Kept<'_, ()> {
        Box::pin(async move {
            if let Some(another) = self.write(scripts::MeetKeys(Arc::clone(&keys))).await? {
                return Err(told(&refused(another), self.place.shown()));
            }
            let (answer, answered) = oneshot::channel();
            self.send(Order::Keys(keys, answer)).await?;
            answered.await.map_err(|_| self.gone())
        })
    }
}

impl PostgresStore {
    /// What stays of questions is masked between two transactions: the second one forgets what has not changed since.
    fn purge_some(&self, before: Timestamp) -> Kept<'_, u64> {
        Box::pin(async move {
            let found = self.write(scripts::FindPurgeable(before)).await?;
            if found.is_empty() {
                return Ok(0);
            }
            let masked = masked_questions(found, &self.way.masks).await;
            let masked = masked.map_err(|fault| told(&fault, self.place.shown()))?;
            self.write(scripts::PurgeSome { before, masked }).await
        })
    }

    /// Does something until there is nothing left, in transactions short enough that nobody waits long behind one.
    fn some_at_a_time<'a>(
        &'a self,
        some: impl Fn(&'a PostgresStore) -> Kept<'a, u64> + Send + 'a,
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
