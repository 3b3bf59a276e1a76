//! Limits the work that the secrets of one row may cause.

/// How many bytes of forms may be written for one row.
const WORK: usize = 4 << 20;
/// How many bytes can be read in the time it takes to write one.
const READ: usize = 16;

/// The remaining work. Rows are written one at a time, so a slow row delays everybody.
pub(super) struct Budget {
    left: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { left: WORK }
    }
}

impl Budget {
    /// Counts written bytes. Returns `false` if nothing is left.
    pub(super) fn write(&mut self, bytes: usize) -> bool {
        self.left = self.left.saturating_sub(bytes);
        self.left > 0
    }

    /// Counts read bytes. Returns `false` if nothing is left.
    pub(super) fn read(&mut self, bytes: usize) -> bool {
        self.write(bytes.div_ceil(READ))
    }

    /// Whether forms may be missing.
    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }
}
