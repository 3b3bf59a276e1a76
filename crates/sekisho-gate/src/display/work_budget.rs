//! How much it may cost to show one call.
//!
//! A short call can ask for a great deal: an edit that doubles a text six times over, a hundred sections that change one
//! large file. So work is counted where it is done, before anything is made that grows. Nothing here reads a clock: the same
//! call is shown the same way each time.

use super::size_limit::MAX_SHOWN_BYTES;

/// What may still be done and shown for one call.
pub(super) struct Budget {
    /// Units of work: about a byte that is searched or copied.
    work: usize,
    /// Pairs of lines that may be compared.
    pairs: usize,
    /// Bytes of lines that are shown.
    bytes: usize,
    /// Lines that are shown.
    lines: usize,
}

/// The most lines that are shown. Those of everyday files fill [`LARGEST_SHOWN`] before there are so many.
const MOST_LINES: usize = 20_000;

impl Default for Budget {
    fn default() -> Budget {
        Budget { work: 32 << 20, pairs: 4_000_000, bytes: MAX_SHOWN_BYTES, lines: MOST_LINES }
    }
}

impl Budget {
    /// Counts work. `false` once there is not enough left: then it must not be done.
    pub(super) fn spend(&mut self, units: usize) -> bool {
        let left = self.work.checked_sub(units);
        self.work = left.unwrap_or(0);
        left.is_some()
    }

    /// Counts the pairs of so many lines with so many others; `false` if they are too many to be compared.
    pub(super) fn compare(&mut self, old: usize, new: usize) -> bool {
        let left = self.pairs.checked_sub(old.saturating_mul(new));
        self.pairs = left.unwrap_or(self.pairs);
        left.is_some()
    }

    /// Whether a line of so many bytes may still be shown.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.lines > 0 && bytes < self.bytes
    }

    /// Counts a line that is shown, if there is room for it. Behind one that does not fit none is shown.
    pub(super) fn show(&mut self, bytes: usize) -> bool {
        let fits = self.has_room(bytes);
        self.bytes = if fits { self.bytes - bytes - 1 } else { 0 };
        self.lines = self.lines.saturating_sub(1);
        fits
    }
}
