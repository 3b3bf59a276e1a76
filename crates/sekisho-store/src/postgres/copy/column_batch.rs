//! Batches of rows to copy, column by column.

use rusqlite::Row;
use sekisho_gate::caller;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::nul_escape::escape_nul;
use super::tables::{ColumnKind, Table};
use crate::encoding::key_hash;

/// Some rows of a table.
pub(super) struct ColumnBatch {
    columns: Vec<(ColumnKind, Column)>,
    rows: u64,
    bytes: usize,
}

enum Column {
    Ids(Vec<Option<Uuid>>),
    Numbers(Vec<Option<i64>>),
    Smalls(Vec<Option<i32>>),
    Flags(Vec<Option<bool>>),
    Texts(Vec<Option<String>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

/// A batch is full at this many rows, or at this many bytes of text.
const ROWS: u64 = 2000;
const BYTES: usize = 4 << 20;

impl ColumnBatch {
    pub(super) fn new(table: &Table) -> ColumnBatch {
        let columns = table.columns.iter().map(|(_, kind)| (*kind, Column::new(*kind))).collect();
        ColumnBatch { columns, rows: 0, bytes: 0 }
    }

    pub(super) fn push(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        for (index, (kind, column)) in self.columns.iter_mut().enumerate() {
            match column {
                Column::Ids(values) => values.push(row.get(index)?),
                Column::Numbers(values) => values.push(row.get(index)?),
                Column::Smalls(values) => values.push(row.get(index)?),
                Column::Flags(values) => values.push(row.get(index)?),
                Column::Texts(values) => {
                    let text: Option<String> = row.get(index)?;
                    let text = match kind {
                        ColumnKind::Foreign => text.map(|text| escape_nul(&text).into_owned()),
                        _ => text,
                    };
                    self.bytes += text.as_ref().map_or(0, String::len);
                    values.push(text);
                }
                Column::Bytes(values) if *kind == ColumnKind::Key => values.push(key(row)?),
                Column::Bytes(values) => values.push(row.get(index)?),
            }
        }
        self.rows += 1;
        Ok(())
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows >= ROWS || self.bytes >= BYTES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The arrays of its columns, in order.
    pub(super) fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.columns.iter().map(|(_, column)| column.array()).collect()
    }
}

impl Column {
    fn new(kind: ColumnKind) -> Column {
        match kind {
            ColumnKind::Id => Column::Ids(Vec::new()),
            ColumnKind::Number => Column::Numbers(Vec::new()),
            ColumnKind::Small => Column::Smalls(Vec::new()),
            ColumnKind::Flag => Column::Flags(Vec::new()),
            ColumnKind::Text | ColumnKind::Foreign => Column::Texts(Vec::new()),
            ColumnKind::Bytes | ColumnKind::Key => Column::Bytes(Vec::new()),
        }
    }

    fn array(&self) -> &(dyn ToSql + Sync) {
        match self {
            Column::Ids(values) => values,
            Column::Numbers(values) => values,
            Column::Smalls(values) => values,
            Column::Flags(values) => values,
            Column::Texts(values) => values,
            Column::Bytes(values) => values,
        }
    }
}

/// The key hash of an approval, if it has a key.
fn key(row: &Row<'_>) -> rusqlite::Result<Option<Vec<u8>>> {
    let (scope, call_id): (Option<String>, Option<String>) = (row.get("scope")?, row.get("call_key")?);
    let Some((scope, call_id)) = scope.zip(call_id) else { return Ok(None) };
    let credential = row.get("credential")?;
    Ok(Some(key_hash(&caller::IdempotencyKey { credential, scope, call_id }).to_vec()))
}
