//! A row to the last byte, so that its code can be computed again by whoever has it.

use jiff::Timestamp;
use serde::Serialize;

use super::chain::Row;

/// A row as it is kept, with its time in words.
#[derive(Serialize)]
pub struct Exact<'a> {
    at: Timestamp,
    #[serde(flatten)]
    row: &'a Row,
}

impl<'a> Exact<'a> {
    /// This row.
    pub fn of(row: &'a Row) -> Exact<'a> {
        Exact { at: row.at(), row }
    }
}
