//! Rows on their way, column by column.

use rusqlite::Row;
use sekisho_gate::asker;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::super::text::kept;
use super::tables::{Kind, Table};
use crate::encoding::key_hash;

/// Some rows of a table.
pub(super) struct Batch {
    columns: Vec<(Kind, Column)>,
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

/// A batch is as large as it may be at so many rows, or so many bytes of text.
const ROWS: u64 = 2000;
const BYTES: usize = 4 << 20;

impl Batch {
    pub(super) fn new(table: &Table) -> Batch {
        let columns = table.columns.iter().map(|(_, kind)| (*kind, Column::new(*kind))).collect();
        Batch { columns, rows: 0, bytes: 0 }
    }

    /// Takes a row in.
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
                        Kind::Foreign => text.map(|text| kept(&text).into_owned()),
                        _ => text,
                    };
                    self.bytes += text.as_ref().map_or(0, String::len);
                    values.push(text);
                }
                Column::Bytes(values) if *kind == Kind::Key => values.push(key(row)?),
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
    fn new(kind: Kind) -> Column {
        match kind {
            Kind::Id => Column::Ids(Vec::new()),
            Kind::Number => Column::Numbers(Vec::new()),
            Kind::Small => Column::Smalls(Vec::new()),
            Kind::Flag => Column::Flags(Vec::new()),
            Kind::Text | Kind::Foreign => Column::Texts(Vec::new()),
            Kind::Bytes | Kind::Key => Column::Bytes(Vec::new()),
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

/// What a question is found by, where it can be.
fn key(row: &Row<'_>) -> rusqlite::Result<Option<Vec<u8>>> {
    let (scope, call_id): (Option<String>, Option<String>) = (row.get("scope")?, row.get("call_key")?);
    let Some((scope, call_id)) = scope.zip(call_id) else { return Ok(None) };
    let credential = row.get("credential")?;
    Ok(Some(key_hash(&asker::Key { credential, scope, call_id }).to_vec()))
}
