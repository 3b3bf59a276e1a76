//! The policy in force: files, kept rules and the built-in ones as one value.
//!
//! Whoever judges takes one whole policy and keeps it to the end of the judgement. Nothing is changed in place: kept rules
//! are read whole and swapped in whole, files are taken as their port gives them, and what was compiled from both is
//! remembered under the marks of what it was compiled from. A mark is always read before what it marks, so that a change
//! in between makes a policy be compiled once more and never be kept too long.
//!
//! A rule that nobody can read must not be missed silently. Until the kept rules were read, and whenever they cannot be,
//! a broken database layer is among the layers: every verdict is then at least confirm, and what was denied stays denied.

mod change;
mod compiled;
mod file_edit;
mod kept;
mod remember;
mod suppose;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Broken, Layer, LayerKind, Layers, Policy, Standing};
use tokio::sync::watch;

use crate::asker::{Around, Session};
use crate::clock::Clock;
use crate::ledger::LedgerError;
use crate::premises::Files;
use crate::rules::{Rules, StoredRule};

pub use change::{ChangeError, Draft};
pub use file_edit::FileEditError;
pub use remember::{Moved, RememberError, Remembered, Remembering, SESSION_LASTS};
pub use suppose::Supposed;

use compiled::{Compiled, Marks, Place};
use kept::Kept;

/// How long after a failed reading of the kept rules the next is tried.
const AGAIN: SignedDuration = SignedDuration::from_secs(1);

/// Composes the policy in force. Shared by everyone who judges.
pub struct Rulebook {
    files: Arc<dyn Files>,
    stored: Arc<dyn Rules>,
    kept: RwLock<Arc<Kept>>,
    compiled: Mutex<Compiled>,
    /// Readings of the kept rules come one after another, so that an older one never replaces a newer.
    reading: tokio::sync::Mutex<()>,
    /// So do writes that first look at what is there.
    writing: tokio::sync::Mutex<()>,
    changed: watch::Sender<u64>,
}

/// A policy, and how far the rules had come when it was taken.
#[derive(Clone)]
pub struct InForce {
    /// Ready to judge.
    pub policy: Arc<Policy>,
    /// No later than what the policy is made of: while [`Rulebook::generation`] is the same, judging again would see the
    /// same policy.
    pub generation: u64,
}

impl fmt::Debug for InForce {
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
    /// A rulebook that has not read the kept rules yet: it denies what the files deny, and allows nothing.
    pub fn new(files: Arc<dyn Files>, stored: Arc<dyn Rules>) -> Rulebook {
        let kept = Kept::nothing_yet();
        let generation = generation_of(&*files, &kept);
        Rulebook {
            files,
            stored,
            kept: RwLock::new(Arc::new(kept)),
            compiled: Mutex::new(Compiled::default()),
            reading: tokio::sync::Mutex::new(()),
            writing: tokio::sync::Mutex::new(()),
            changed: watch::Sender::new(generation),
        }
    }

    /// Reads the kept rules and puts them in force, all at once. If they cannot be read, nothing is allowed until they can.
    pub async fn refresh(&self, now: Timestamp) -> Result<(), LedgerError> {
        let _turn = self.reading.lock().await;
        let read = self.stored.all(now).await;
        let before = self.kept();
        let (next, said) = match read {
            Ok(all) => (Kept::read(all.rules, &before), Ok(())),
            Err(error) => (Kept::lost(&before, &error), Err(error)),
        };
        if !next.says_the_same(&before) {
            *self.kept.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        }
        self.publish();
        said
    }

    /// Keeps the rulebook up to date with other replicas' rules, and [`Rulebook::changed`] with the files. Runs until both
    /// ports are gone.
    pub async fn follow(&self, clock: &dyn Clock) {
        let mut files = self.files.generation();
        let mut stored = self.stored.revision();
        // What changed between the last reading and now is heard of by reading once more.
        drop(self.refresh(clock.now()).await);
        loop {
            let unread = self.kept().unread.is_some();
            let again = clock.now().saturating_add(AGAIN).unwrap_or(Timestamp::MAX);
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
    pub fn in_force(&self, around: &Around, cwd: Option<&str>, session: Option<&Session>) -> InForce {
        let kept = self.kept();
        let generation = generation_of(&*self.files, &kept);
        let root = around.root.as_deref();
        let others = || around.held_to.iter().map(String::as_str).filter(|other| Some(*other) != root);
        // A change of any of them is another sum, as each only grows.
        let files = others().map(|other| self.files.generation_at(Some(other), None));
        let files = files.fold(self.files.generation_at(root, cwd), u64::wrapping_add);
        let marks = Marks { files, kept: kept.generation };
        let place = Place {
            root: root.map(Into::into),
            held_to: around.held_to.clone(),
            cwd: cwd.map(Into::into),
            session: session.filter(|session| kept.knows(session)).cloned(),
        };
        let known = self.compiled().get(&place, marks);
        let policy = known.unwrap_or_else(|| {
            let mut layers = self.files.layers(root, cwd).layers;
            others().for_each(|other| tighten(&mut layers, self.files.layers(Some(other), None).layers));
            kept.lay_upon(&mut layers, place.session.as_ref());
            let policy = Arc::new(Policy::compile(layers));
            self.compiled().put(place, marks, Arc::clone(&policy));
            policy
        });
        InForce { policy, generation }
    }

    /// A number that grows whenever files or kept rules change.
    pub fn generation(&self) -> u64 {
        generation_of(&*self.files, &self.kept())
    }

    /// The same number, to wait on. Needs [`Rulebook::follow`] to hear of files and of other replicas.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// The kept rules as they were last read, those that do not count any more included.
    pub fn stored(&self) -> Vec<StoredRule> {
        self.kept().rules.clone()
    }

    /// What is wrong with the kept rules, for a person to read.
    pub fn faults(&self) -> Vec<Broken> {
        self.kept().faults()
    }

    fn kept(&self) -> Arc<Kept> {
        Arc::clone(&self.kept.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn compiled(&self) -> std::sync::MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells those who wait.
    fn publish(&self) {
        let now = self.generation();
        self.changed.send_if_modified(|told| {
            let grew = now > *told;
            *told = now.max(*told);
            grew
        });
    }
}

/// Adds what the project files of another workspace tighten.
fn tighten(layers: &mut Layers, others: Layers) {
    let known: Vec<_> = layers.loaded.iter().map(|layer| Arc::clone(&layer.name)).collect();
    let new = |name: &str| !known.iter().any(|known| **known == *name);
    let projects =
        others.loaded.into_iter().filter(|layer| layer.kind == LayerKind::Project && new(&layer.name));
    layers.loaded.extend(projects.map(|layer| Layer { standing: Standing::OutsideRoot, ..layer }));
    layers.broken.extend(others.broken.into_iter().filter(|broken| broken.kind == LayerKind::Project));
}

/// Both numbers only grow, and so does their sum.
fn generation_of(files: &dyn Files, kept: &Kept) -> u64 {
    files.generation().borrow().saturating_add(kept.generation)
}
