//! How much work the search may do.
//!
//! It runs before anyone is asked, for text that an agent chose. A text that would cost more is refused, so the
//! search need not be fast for texts that no honest user writes.

use std::cell::Cell;

/// How much work one command may cost: roughly the characters and words that are looked at again. Ordinary texts need a
/// thousandth.
const WORK: usize = 4 << 20;

/// What is left.
#[derive(Debug)]
pub(super) struct Budget(Cell<Option<usize>>);

impl Default for Budget {
    fn default() -> Budget {
        Budget(Cell::new(Some(WORK)))
    }
}

impl Budget {
    /// A part of the usual budget, so that tests of texts that spend it take less time.
    #[cfg(test)]
    pub(super) fn share(shares: usize) -> Budget {
        Budget(Cell::new(Some(WORK / shares)))
    }

    /// Takes some of it. False if that is too much; then nothing is left.
    pub(super) fn spend(&self, amount: usize) -> bool {
        self.0.set(self.0.get().and_then(|left| left.checked_sub(amount)));
        !self.is_spent()
    }

    pub(super) fn is_spent(&self) -> bool {
        self.0.get().is_none()
    }
}
