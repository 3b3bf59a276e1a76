//! The active policy: policy files, stored rules and built-in rules combined.
//!
//! Each judgement takes one whole policy and uses it to the end. Nothing is changed in place: stored
//! rules are read and replaced as a whole, files are taken as their port provides them, and compiled
//! policies are cached under the versions of their sources. A version is always read before its source,
//! so a change in between causes one more compilation and never a stale policy.
//!
//! A rule that cannot be read must not be ignored silently. Until the stored rules have been read, and
//! whenever they cannot be, the layers include a broken database layer: every verdict is then at least
//! confirm, and denied calls stay denied.

mod file_rule_changes;
mod policy_cache;
mod remembered_rules;
mod stored_layers;
mod stored_rule_changes;
#[cfg(test)]
mod tests;
mod trial_rulebook;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{BrokenLayer, Layer, LayerKind, LayerTrust, Layers, Policy};
use tokio::sync::watch;

use crate::caller::{CallerEnvironment, Session};
use crate::clock::Clock;
use crate::host_ports::PolicyFiles;
use crate::ledger::LedgerError;
use crate::rule_store::{RuleStore, StoredRule};

pub use file_rule_changes::FileEditError;
pub use remembered_rules::{
    RememberError, RememberOutcome, RememberRequest, SESSION_RULE_TTL, UntrustedFile,
};
pub use stored_rule_changes::{RuleChangeError, RuleDraft};
pub use trial_rulebook::TrialRulebook;

use policy_cache::{PolicyCache, PolicyKey, SourceVersions};
use stored_layers::StoredLayers;

/// The delay before the stored rules are read again after a failure.
const RETRY_DELAY: SignedDuration = SignedDuration::from_secs(1);

/// Composes the active policy. Shared by all judgements.
pub struct Rulebook {
    files: Arc<dyn PolicyFiles>,
    stored: Arc<dyn RuleStore>,
    kept: RwLock<Arc<StoredLayers>>,
    compiled: Mutex<PolicyCache>,
    /// Serialises reads of the stored rules, so that an older result never replaces a newer one.
    reading: tokio::sync::Mutex<()>,
    /// Serialises writes that depend on an earlier read.
    writing: tokio::sync::Mutex<()>,
    changed: watch::Sender<u64>,
}

/// A policy, and the generation of the rules when it was taken.
#[derive(Clone)]
pub struct ActivePolicy {
    /// The compiled policy.
    pub policy: Arc<Policy>,
    /// Not newer than the policy's sources: while [`Rulebook::generation`] is the same, judging again
    /// would use the same policy.
    pub generation: u64,
}

impl fmt::Debug for ActivePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InForce").field("generation", &self.generation).finish_non_exhaustive()
    }
}

impl fmt::Debug for Rulebook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rulebook").field("generation", &self.generation()).finish_non_exhaustive()
    }
}

impl Rulebook {
    /// A rulebook that has not read the stored rules yet: it denies what the files deny, and allows
    /// nothing.
    pub fn new(files: Arc<dyn PolicyFiles>, stored: Arc<dyn RuleStore>) -> Rulebook {
        let kept = StoredLayers::nothing_yet();
        let generation = generation_of(&*files, &kept);
        Rulebook {
            files,
            stored,
            kept: RwLock::new(Arc::new(kept)),
            compiled: Mutex::new(PolicyCache::default()),
            reading: tokio::sync::Mutex::new(()),
            writing: tokio::sync::Mutex::new(()),
            changed: watch::Sender::new(generation),
        }
    }

    /// Reads the stored rules and activates them all at once. If they cannot be read, nothing is
    /// allowed until they can.
    pub async fn refresh(&self, now: Timestamp) -> Result<(), LedgerError> {
        let _turn = self.reading.lock().await;
        let read = self.stored.all(now).await;
        let before = self.stored_layers();
        let (next, result) = match read {
            Ok(all) => (StoredLayers::read(all.rules, &before), Ok(())),
            Err(error) => (StoredLayers::unreadable_after(&before, &error), Err(error)),
        };
        if !next.same_rules(&before) {
            *self.kept.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        }
        self.publish();
        result
    }

    /// Follows rule changes of other replicas, and keeps [`Rulebook::watch_generation`] up to date with
    /// the files. Runs until both ports are dropped.
    pub async fn run_refresh_loop(&self, clock: &dyn Clock) {
        let mut files = self.files.generation();
        let mut stored = self.stored.revision();
        // Reads once more to catch changes since the last read.
        drop(self.refresh(clock.now()).await);
        loop {
            let unread = self.stored_layers().unread.is_some();
            let again = clock.now().saturating_add(RETRY_DELAY).unwrap_or(Timestamp::MAX);
            tokio::select! {
                biased;
                Ok(()) = files.changed() => self.publish(),
                Ok(()) = stored.changed() => drop(self.refresh(clock.now()).await),
                () = clock.sleep_until(again), if unread => drop(self.refresh(clock.now()).await),
                else => return,
            }
        }
    }

    /// The policy for a caller in a directory of a workspace, in its session.
    pub fn active_policy(
        &self,
        environment: &CallerEnvironment,
        cwd: Option<&str>,
        session: Option<&Session>,
    ) -> ActivePolicy {
        let kept = self.stored_layers();
        let generation = generation_of(&*self.files, &kept);
        let root = environment.root.as_deref();
        let others = || environment.held_to.iter().map(String::as_str).filter(|other| Some(*other) != root);
        // Each number only grows, so any change changes the sum.
        let files = others().map(|other| self.files.generation_at(Some(other), None));
        let files = files.fold(self.files.generation_at(root, cwd), u64::wrapping_add);
        let marks = SourceVersions { files, kept: kept.generation };
        let key = PolicyKey {
            root: root.map(Into::into),
            held_to: environment.held_to.clone(),
            cwd: cwd.map(Into::into),
            session: session.filter(|session| kept.has_session(session)).cloned(),
        };
        let known = self.compiled().get(&key, marks);
        let policy = known.unwrap_or_else(|| {
            let mut layers = self.files.layers(root, cwd).layers;
            others().for_each(|other| tighten(&mut layers, self.files.layers(Some(other), None).layers));
            kept.add_to(&mut layers, key.session.as_ref());
            let policy = Arc::new(Policy::compile(layers));
            self.compiled().put(key, marks, Arc::clone(&policy));
            policy
        });
        ActivePolicy { policy, generation }
    }

    /// A number that grows whenever files or stored rules change.
    pub fn generation(&self) -> u64 {
        generation_of(&*self.files, &self.stored_layers())
    }

    /// The same number, to wait on. Needs [`Rulebook::run_refresh_loop`] to notice changes of files and
    /// of other replicas.
    pub fn watch_generation(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The stored rules as last read, including rules that no longer apply.
    pub fn stored(&self) -> Vec<StoredRule> {
        self.stored_layers().rules.clone()
    }

    /// What is wrong with the stored rules, for people to read.
    pub fn problems(&self) -> Vec<BrokenLayer> {
        self.stored_layers().faults()
    }

    fn stored_layers(&self) -> Arc<StoredLayers> {
        Arc::clone(&self.kept.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn compiled(&self) -> std::sync::MutexGuard<'_, PolicyCache> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notifies the watchers.
    fn publish(&self) {
        let now = self.generation();
        self.changed.send_if_modified(|published| {
            let grew = now > *published;
            *published = now.max(*published);
            grew
        });
    }
}

/// Adds the restrictions of another workspace's project files.
fn tighten(layers: &mut Layers, others: Layers) {
    let known: Vec<_> = layers.loaded.iter().map(|layer| Arc::clone(&layer.name)).collect();
    let new = |name: &str| !known.iter().any(|known| **known == *name);
    let projects =
        others.loaded.into_iter().filter(|layer| layer.kind == LayerKind::Project && new(&layer.name));
    layers.loaded.extend(projects.map(|layer| Layer { trust: LayerTrust::OutsideRoot, ..layer }));
    layers.broken.extend(others.broken.into_iter().filter(|broken| broken.kind == LayerKind::Project));
}

/// Both numbers only grow, and so does their sum.
fn generation_of(files: &dyn PolicyFiles, kept: &StoredLayers) -> u64 {
    files.generation().borrow().saturating_add(kept.generation)
}
