//! Publishes stored rules for hooks: withdraws the published copy before every change, and publishes again
//! after it.
//!
//! A hook must never judge by outdated rules, so every change of stored rules goes through here. The
//! published copy is removed before a change begins, and the next copy is read after the last change has
//! ended. If the process dies in between, nothing is published, and hooks allow nothing by themselves until a
//! server runs again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::{LedgerError, LedgerFuture};
use sekisho_gate::record::Record;
use sekisho_gate::rule_store::{RuleStore, StoredRule, StoredRules};
use sekisho_host::{HostError, PublishedRules, PublishedRulesFile};
use sekisho_policy::Rule;
use tokio::sync::watch;
use uuid::Uuid;

/// A [`RuleStore`] that keeps the copy of the rules that hooks read up to date.
pub struct RulePublisher {
    rules: Arc<dyn RuleStore>,
    published: PublishedRulesFile,
    shared: bool,
    changes: Mutex<ChangesInFlight>,
}

/// Changes in progress.
#[derive(Default)]
struct ChangesInFlight {
    open: usize,
    /// Open changes whose caller went away. The store may still apply them.
    abandoned: usize,
    /// Number of changes ever begun.
    begun: u64,
}

/// A store no longer applies a change after this long.
const SETTLED: Duration = Duration::from_secs(5);

impl RulePublisher {
    /// Publishes `rules` in `published`. `shared`: other servers change the rules too.
    pub fn new(rules: Arc<dyn RuleStore>, published: PublishedRulesFile, shared: bool) -> RulePublisher {
        RulePublisher { rules, published, shared, changes: Mutex::default() }
    }

    /// Publishes the current rules of the database. Does nothing while a change is in progress: the last
    /// change to finish publishes.
    pub async fn publish(&self, now: Timestamp) -> Result<(), String> {
        loop {
            let before = self.changes().begun;
            let all = self.rules.all(now).await.map_err(|error| error.to_string())?;
            let changes = self.changes();
            if changes.open > 0 {
                return Ok(());
            }
            if changes.begun == before {
                let rules = for_hooks(all, self.shared);
                return self.published.publish(&rules).map_err(|error| error.to_string());
            }
        }
    }

    /// Publishes whenever another process has changed the rules. Runs until the store is gone.
    pub async fn follow(&self) {
        let mut revision = self.rules.revision();
        loop {
            if let Err(error) = self.publish(Timestamp::now()).await {
                tracing::warn!(error, "cannot publish rules for hooks; hooks will ask about every call");
                // The published copy may be outdated.
                drop(self.published.withdraw());
            }
            let settling = self.changes().abandoned > 0;
            tokio::select! {
                changed = revision.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(SETTLED), if settling => self.settle(),
            }
        }
    }

    /// Counts abandoned changes as finished.
    fn settle(&self) {
        let mut changes = self.changes();
        changes.begun += 1;
        changes.open -= changes.abandoned;
        changes.abandoned = 0;
    }

    fn changes(&self) -> MutexGuard<'_, ChangesInFlight> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Withdraws the published copy until the change has finished.
    fn begin(&self) -> Result<ChangeGuard<'_>, HostError> {
        let mut changes = self.changes();
        changes.begun += 1;
        self.published.withdraw()?;
        changes.open += 1;
        Ok(ChangeGuard { publisher: self, over: false })
    }

    async fn change<T>(&self, change: LedgerFuture<'_, T>) -> Result<T, LedgerError> {
        let begun = self.begin();
        let mut open = begun.map_err(|error| LedgerError { message: error.to_string(), transient: false })?;
        let changed = change.await;
        open.over = true;
        drop(open);
        if let Err(error) = self.publish(Timestamp::now()).await {
            tracing::warn!(error, "cannot publish rules for hooks; hooks will ask about every call");
        }
        changed
    }
}

/// A change in progress.
struct ChangeGuard<'a> {
    publisher: &'a RulePublisher,
    over: bool,
}

impl Drop for ChangeGuard<'_> {
    fn drop(&mut self) {
        let mut changes = self.publisher.changes();
        match self.over {
            true => changes.open -= 1,
            false => changes.abandoned += 1,
        }
    }
}

/// Converts stored rules to the form that hooks read.
fn for_hooks(all: StoredRules, shared: bool) -> PublishedRules {
    let mut rules = Vec::new();
    let mut sessions = Vec::new();
    for StoredRule { id, effect, rule, session, .. } in all.rules {
        match session {
            Some(session) => sessions.push(session.scope),
            None => rules.push((effect, Rule { id: Some(id), ..rule })),
        }
    }
    sessions.sort_unstable();
    sessions.dedup();
    PublishedRules::new(all.revision, shared, rules, sessions)
}

impl RuleStore for RulePublisher {
    fn all(&self, at: Timestamp) -> LedgerFuture<'_, StoredRules> {
        self.rules.all(at)
    }

    fn add(&self, access: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> LedgerFuture<'_, ()> {
        Box::pin(self.change(self.rules.add(access, rules, record)))
    }

    fn replace(&self, access: &WriteAccess, rule: StoredRule, record: Record) -> LedgerFuture<'_, bool> {
        Box::pin(self.change(self.rules.replace(access, rule, record)))
    }

    fn remove(&self, access: &WriteAccess, id: Uuid, record: Record) -> LedgerFuture<'_, bool> {
        Box::pin(self.change(self.rules.remove(access, id, record)))
    }

    fn revision(&self) -> watch::Receiver<u64> {
        self.rules.revision()
    }
}
