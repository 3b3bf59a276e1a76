//! A row to the last byte, so that its code can be computed again by whoever has it.

use jiff::Timestamp;
use serde::Serialize;

use super::chain_row::ChainRow;

/// A row as it is kept, with its time in words.
#[derive(Serialize)]
pub struct ExportedRow<'a> {
    at: Timestamp,
    #[serde(flatten)]
    row: &'a ChainRow,
}

impl<'a> ExportedRow<'a> {
    /// This row.
    pub fn of(row: &'a ChainRow) -> ExportedRow<'a> {
        ExportedRow { at: row.at(), row }
    }
}
