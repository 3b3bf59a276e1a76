//! The gate's kept rules, request by request.

use jiff::Timestamp;
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::Record;
use sekisho_gate::rules::{Rules, StoredRule, StoredRules};
use tokio::sync::watch;
use uuid::Uuid;

use super::scripts;
use super::store::SqliteStore;

impl Rules for SqliteStore {
    fn all(&self, at: Timestamp) -> Kept<'_, StoredRules> {
        self.read(move |db| scripts::all(db, at))
    }

    fn add(&self, rules: Vec<StoredRule>, record: Record) -> Kept<'_, ()> {
        self.record(vec![record.entry.clone()], move |db| scripts::add(db, &rules, &record))
    }

    fn replace(&self, rule: StoredRule, record: Record) -> Kept<'_, bool> {
        self.record(vec![record.entry.clone()], move |db| scripts::replace(db, &rule, &record))
    }

    fn remove(&self, id: Uuid, record: Record) -> Kept<'_, bool> {
        self.record(vec![record.entry.clone()], move |db| scripts::remove(db, id, &record))
    }

    fn revision(&self) -> watch::Receiver<u64> {
        let revision = self.heads.revision();
        self.writer.look();
        revision
    }
}
