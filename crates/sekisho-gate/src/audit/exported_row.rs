//! One exported row with every signed field, so that anyone with the key can recompute its MAC.

use jiff::Timestamp;
use serde::Serialize;

use super::chain_row::ChainRow;

/// A stored row, with its time as text.
#[derive(Serialize)]
pub struct ExportedRow<'a> {
    at: Timestamp,
    #[serde(flatten)]
    row: &'a ChainRow,
}

impl<'a> ExportedRow<'a> {
    /// The exported form of a row.
    pub fn of(row: &'a ChainRow) -> ExportedRow<'a> {
        ExportedRow { at: row.at(), row }
    }
}
