//! Limits the work of showing one call.
//!
//! A short call can request a great deal: an edit that doubles a text six times, or a hundred sections
//! that change one large file. So work is counted where it is done, before any result grows. No clock
//! is involved: the same call is always shown the same way.

use super::size_limit::MAX_SHOWN_BYTES;

/// The remaining work and output for one call.
pub(super) struct Budget {
    /// Units of work: about one byte searched or copied.
    work: usize,
    /// Pairs of lines to compare.
    pairs: usize,
    /// Bytes of lines to show.
    bytes: usize,
    /// Lines to show.
    lines: usize,
}

/// The maximum number of lines shown. Lines of ordinary files reach [`MAX_SHOWN_BYTES`] first.
const MAX_LINES: usize = 20_000;

impl Default for Budget {
    fn default() -> Budget {
        Budget { work: 32 << 20, pairs: 4_000_000, bytes: MAX_SHOWN_BYTES, lines: MAX_LINES }
    }
}

impl Budget {
    /// Counts work. Returns `false` if too little is left; the work must not be done then.
    pub(super) fn spend(&mut self, units: usize) -> bool {
        let left = self.work.checked_sub(units);
        self.work = left.unwrap_or(0);
        left.is_some()
    }

    /// Counts the pairs of two sets of lines. Returns `false` if there are too many to compare.
    pub(super) fn compare(&mut self, old: usize, new: usize) -> bool {
        let left = self.pairs.checked_sub(old.saturating_mul(new));
        self.pairs = left.unwrap_or(self.pairs);
        left.is_some()
    }

    /// Whether a line of this many bytes may still be shown.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.lines > 0 && bytes < self.bytes
    }

    /// Counts a line to show, if it fits. After one that does not fit, no more are shown.
    pub(super) fn show(&mut self, bytes: usize) -> bool {
        let fits = self.has_room(bytes);
        self.bytes = if fits { self.bytes - bytes - 1 } else { 0 };
        self.lines = self.lines.saturating_sub(1);
        fits
    }
}
