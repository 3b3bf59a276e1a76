//! The memory that all bodies in flight share, and each credential's part of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Bytes of a body that are not counted, so that small bodies are accepted however full the budget is.
pub(crate) const UNCHARGED_BYTES: usize = 4 << 10;
/// A credential may use one of this many equal parts of the budget.
const PARTS: usize = 4;

/// [`MemoryBudget::memory_freed`] resolves after this many bytes were released. Handling a body takes many times
/// its size in memory, and relatively most for small bodies, so this is low.
const MUCH: usize = 64 << 10;

/// A budget in bytes. All clones share it.
#[derive(Clone)]
pub(crate) struct MemoryBudget(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    much_freed: Notify,
}

struct State {
    size: usize,
    taken: usize,
    /// Bytes released or freed since `memory_freed` last resolved.
    freed: usize,
    /// Bytes that each credential uses, including overdrafts.
    credentials: HashMap<Arc<str>, usize>,
}

/// Bytes that one holder uses. Dropping it releases them.
pub(crate) struct BudgetReservation {
    budget: MemoryBudget,
    credential: Arc<str>,
    bytes: usize,
    /// Bytes beyond the budget. They count for the credential only.
    overdrawn: usize,
}

impl MemoryBudget {
    pub(crate) fn new(size: usize) -> MemoryBudget {
        let state = Mutex::new(State { size, taken: 0, freed: 0, credentials: HashMap::new() });
        MemoryBudget(Arc::new(Inner { state, much_freed: Notify::new() }))
    }

    /// An empty reservation for a credential.
    pub(crate) fn reservation_for(&self, credential: &str) -> BudgetReservation {
        BudgetReservation { budget: self.clone(), credential: credential.into(), bytes: 0, overdrawn: 0 }
    }

    /// Whether a credential uses more than its part, because a response had to be sent anyway.
    pub(crate) fn is_overdrawn(&self, credential: &str) -> bool {
        let state = self.state();
        state.own(credential) > state.size / PARTS
    }

    /// The bytes in use, without overdrafts.
    pub(crate) fn used(&self) -> usize {
        self.state().taken
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts memory that was freed but never charged to the budget.
    pub(crate) fn record_freed(&self, bytes: usize) {
        self.count_freed(&mut self.state(), bytes);
    }

    fn count_freed(&self, state: &mut State, bytes: usize) {
        state.freed = state.freed.saturating_add(bytes);
        if state.freed >= MUCH {
            state.freed = 0;
            self.0.much_freed.notify_one();
        }
    }

    /// Resolves when much was released since it last resolved.
    pub(crate) async fn memory_freed(&self) {
        self.0.much_freed.notified().await;
    }
}

impl BudgetReservation {
    /// Takes more bytes. Returns `false` if the budget or the credential's part has too few left.
    pub(crate) fn try_grow(&mut self, bytes: usize) -> bool {
        if bytes == 0 {
            return true;
        }
        let mut state = self.budget.state();
        let own = state.own(&self.credential).saturating_add(bytes);
        let all = state.taken.saturating_add(bytes);
        if own > state.size / PARTS || all > state.size {
            return false;
        }
        state.taken = all;
        state.set(&self.credential, own);
        self.bytes += bytes;
        true
    }

    /// The most bytes that a credential may have.
    pub(crate) fn largest(&self) -> usize {
        self.budget.state().size / PARTS
    }

    /// Takes more bytes than the budget has. The credential gets nothing else until enough is released; other
    /// credentials are not affected.
    pub(crate) fn overdraw(&mut self, bytes: usize) {
        let mut state = self.budget.state();
        let own = state.own(&self.credential).saturating_add(bytes);
        state.set(&self.credential, own);
        self.overdrawn = self.overdrawn.saturating_add(bytes);
    }

    /// Releases everything above this many bytes, and the overdraft.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        let over = self.bytes.saturating_sub(bytes);
        let released = over.saturating_add(self.overdrawn);
        if released == 0 {
            return;
        }
        let mut state = self.budget.state();
        state.taken = state.taken.saturating_sub(over);
        let own = state.own(&self.credential).saturating_sub(released);
        state.set(&self.credential, own);
        self.budget.count_freed(&mut state, released);
        drop(state);
        self.bytes -= over;
        self.overdrawn = 0;
    }
}

impl State {
    fn own(&self, credential: &str) -> usize {
        self.credentials.get(credential).copied().unwrap_or_default()
    }

    fn set(&mut self, credential: &Arc<str>, own: usize) {
        match own {
            0 => drop(self.credentials.remove(credential)),
            _ => drop(self.credentials.insert(Arc::clone(credential), own)),
        }
    }
}

impl Drop for BudgetReservation {
    fn drop(&mut self) {
        self.shrink_to(0);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::{MUCH, MemoryBudget};

    #[test]
    fn released_bytes_are_free_again() {
        let budget = MemoryBudget::new(16);
        let mut all = ["a", "b", "c", "d"].map(|credential| budget.reservation_for(credential));
        assert!(all.iter_mut().all(|taken| taken.try_grow(4)));
        let mut other = budget.reservation_for("e");
        assert!(other.try_grow(0) && !other.try_grow(1));
        all[0].shrink_to(3);
        assert!(other.try_grow(1) && !other.try_grow(1));
        drop(all);
        assert!(other.try_grow(3));
        drop(other);
        assert!(budget.state().taken == 0 && budget.state().credentials.is_empty());
    }

    #[test]
    fn credential_gets_no_more_than_its_part() {
        let budget = MemoryBudget::new(16);
        let (mut one, mut again, mut other) =
            (budget.reservation_for("a"), budget.reservation_for("a"), budget.reservation_for("b"));
        assert!(one.try_grow(3) && !again.try_grow(2) && again.try_grow(1));
        assert!(other.try_grow(4));
        drop(one);
        assert!(again.try_grow(3) && !again.try_grow(1));
    }

    #[test]
    fn overdraft_affects_only_its_credential() {
        let budget = MemoryBudget::new(16);
        let (mut one, mut again) = (budget.reservation_for("a"), budget.reservation_for("a"));
        one.overdraw(100);
        assert!(budget.is_overdrawn("a") && !again.try_grow(1));
        let mut others = ["b", "c", "d"].map(|credential| budget.reservation_for(credential));
        assert!(others.iter_mut().all(|taken| taken.try_grow(4)));
        assert!(others.iter_mut().all(|taken| !taken.try_grow(1)));
        drop(one);
        assert!(again.try_grow(4) && !budget.is_overdrawn("a"));
        drop((again, others));
        assert!(budget.state().taken == 0 && budget.state().credentials.is_empty());
    }

    #[tokio::test]
    async fn memory_freed_resolves_after_much_was_released() {
        let budget = MemoryBudget::new(16 * MUCH);
        let resolved = async || timeout(Duration::ZERO, budget.memory_freed()).await.is_ok();
        let mut taken = budget.reservation_for("a");
        assert!(taken.try_grow(2 * MUCH));
        taken.shrink_to(MUCH + 1);
        assert!(!resolved().await);
        taken.shrink_to(MUCH);
        assert!(resolved().await && !resolved().await);
        drop(taken);
        assert!(resolved().await && !resolved().await);
        budget.record_freed(MUCH - 1);
        assert!(!resolved().await);
        budget.record_freed(1);
        assert!(resolved().await && !resolved().await);
        assert_eq!(budget.used(), 0);
    }
}
