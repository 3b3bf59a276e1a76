//! The gate's kept rules, request by request.

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::Record;
use sekisho_gate::rules::{Rules, StoredRule, StoredRules};
use tokio::sync::watch;
use uuid::Uuid;

use super::scripts;
use super::store::PostgresStore;

impl Rules for PostgresStore {
    fn all(&self, at: Timestamp) -> Kept<'_, StoredRules> {
        self.read_at_one_moment(move |db| Box::pin(scripts::all(db, at)))
    }

    fn add(&self, _: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> Kept<'_, ()> {
        self.write(scripts::Add { rules, record })
    }

    fn replace(&self, _: &WriteAccess, rule: StoredRule, record: Record) -> Kept<'_, bool> {
        self.write(scripts::Replace { rule, record })
    }

    fn remove(&self, _: &WriteAccess, id: Uuid, record: Record) -> Kept<'_, bool> {
        self.write(scripts::Remove { id, record })
    }

    fn revision(&self) -> watch::Receiver<u64> {
        self.heads.revision()
    }
}
