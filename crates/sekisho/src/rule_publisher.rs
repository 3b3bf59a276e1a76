//! Kept rules, as hooks read them: withdrawn before every change, published after it.
//!
//! A hook must never judge by rules that do not hold any more. So whoever changes kept rules goes through here: what was
//! published is gone before the change begins, and what is published afterwards was read after the last change ended. If
//! the process dies in between, nothing is published, and hooks allow nothing by themselves until a server runs again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::{LedgerFuture, LedgerError};
use sekisho_gate::record::Record;
use sekisho_gate::rule_store::{RuleStore, StoredRule, StoredRules};
use sekisho_host::{HostError, PublishedRules, PublishedRulesFile};
use sekisho_policy::Rule;
use tokio::sync::watch;
use uuid::Uuid;

/// The port of kept rules, with what hooks read kept true.
pub struct RulePublisher {
    rules: Arc<dyn RuleStore>,
    published: PublishedRulesFile,
    shared: bool,
    changes: Mutex<ChangesInFlight>,
}

/// Which changes are under way.
#[derive(Default)]
struct ChangesInFlight {
    open: usize,
    /// Those among them whose caller went away: the store may still carry them out.
    abandoned: usize,
    /// Counts those that began.
    begun: u64,
}

/// What a store has not carried out after so long it does not carry out any more.
const SETTLED: Duration = Duration::from_secs(5);

impl RulePublisher {
    /// Keeps what is published in `published` true to `rules`; `shared`: others change them too.
    pub fn new(rules: Arc<dyn RuleStore>, published: PublishedRulesFile, shared: bool) -> RulePublisher {
        RulePublisher { rules, published, shared, changes: Mutex::default() }
    }

    /// Publishes what the database says now. Nothing is published while it is being changed; whoever changes it last does.
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

    /// Publishes whenever somebody else has changed the rules. Runs until the store is gone.
    pub async fn follow(&self) {
        let mut revision = self.rules.revision();
        loop {
            if let Err(error) = self.publish(Timestamp::now()).await {
                tracing::warn!(error, "rules are not published for hooks; they will ask about everything");
                // What was published before may not hold any more.
                drop(self.published.withdraw());
            }
            let settling = self.changes().abandoned > 0;
            tokio::select! {
                changed = revision.changed() => if changed.is_err() { return },
                () = tokio::time::sleep(SETTLED), if settling => self.settle(),
            }
        }
    }

    /// Counts changes whose caller went away as over.
    fn settle(&self) {
        let mut changes = self.changes();
        changes.begun += 1;
        changes.open -= changes.abandoned;
        changes.abandoned = 0;
    }

    fn changes(&self) -> MutexGuard<'_, ChangesInFlight> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Withdraws what is published until the change is over.
    fn begin(&self) -> Result<ChangeGuard<'_>, HostError> {
        let mut changes = self.changes();
        changes.begun += 1;
        self.published.withdraw()?;
        changes.open += 1;
        Ok(ChangeGuard { publishing: self, over: false })
    }

    async fn change<T>(&self, change: LedgerFuture<'_, T>) -> Result<T, LedgerError> {
        let begun = self.begin();
        let mut open = begun.map_err(|error| LedgerError { message: error.to_string(), transient: false })?;
        let changed = change.await;
        open.over = true;
        drop(open);
        if let Err(error) = self.publish(Timestamp::now()).await {
            tracing::warn!(error, "rules are not published for hooks; they will ask about everything");
        }
        changed
    }
}

/// A change that is under way.
struct ChangeGuard<'a> {
    publishing: &'a RulePublisher,
    over: bool,
}

impl Drop for ChangeGuard<'_> {
    fn drop(&mut self) {
        let mut changes = self.publishing.changes();
        match self.over {
            true => changes.open -= 1,
            false => changes.abandoned += 1,
        }
    }
}

/// Rules as hooks have them.
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
