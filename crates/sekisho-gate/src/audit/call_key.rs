//! Which records belong to one call.

use uuid::Uuid;

use super::chain_row::ChainRow;

/// What the records of one call have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKey {
    /// The approval: an edited input is a call of its own with the same approval.
    Approval(Uuid),
    /// The call, if nobody was asked.
    Call(Uuid),
}

impl CallKey {
    /// The call that a record is about.
    pub fn of(row: &ChainRow) -> Option<CallKey> {
        row.approval.map(CallKey::Approval).or(row.call.map(CallKey::Call))
    }
}
