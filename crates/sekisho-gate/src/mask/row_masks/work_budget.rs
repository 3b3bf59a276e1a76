//! The most work that the secrets of one row may cause.

/// How many bytes of forms may be written for one row.
const WORK: usize = 4 << 20;
/// How many bytes are read in the time that one is written in.
const READ: usize = 16;

/// What is left of the work. Rows are written one after the other, so a row that takes long keeps everybody waiting.
pub(super) struct Budget {
    left: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { left: WORK }
    }
}

impl Budget {
    /// Counts a text that is written. False: nothing is left.
    pub(super) fn write(&mut self, bytes: usize) -> bool {
        self.left = self.left.saturating_sub(bytes);
        self.left > 0
    }

    /// Counts a text that is read.
    pub(super) fn read(&mut self, bytes: usize) -> bool {
        self.write(bytes.div_ceil(READ))
    }

    /// Whether forms may be missing.
    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }
}
