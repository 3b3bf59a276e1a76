//! Injected failures.

use sekisho_gate::ledger::LedgerError;

/// The failures that are switched on.
#[derive(Default)]
pub(super) struct FailureInjection {
    /// Everything fails.
    pub(super) down: bool,
    /// How many more operations fail before they do anything.
    pub(super) before: usize,
    /// How many more writes fail after they took effect.
    pub(super) after: usize,
}

impl FailureInjection {
    pub(super) fn before_work(&mut self) -> Result<(), LedgerError> {
        if self.down || count_down(&mut self.before) {
            return Err(LedgerError::transient("the ledger in memory is switched off"));
        }
        Ok(())
    }

    pub(super) fn after_work(&mut self) -> Result<(), LedgerError> {
        if count_down(&mut self.after) {
            return Err(LedgerError::transient("the ledger in memory failed after the commit"));
        }
        Ok(())
    }
}

fn count_down(left: &mut usize) -> bool {
    let any = *left > 0;
    *left = left.saturating_sub(1);
    any
}
