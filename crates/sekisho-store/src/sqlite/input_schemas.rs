//! JSON Schemas of tools' inputs.

use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::Digest;
use sekisho_gate::input_schema::InputSchema;
use serde_json::Value;

use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::transaction_impl::operations;
use crate::encoding::{json, parsed};
use crate::input_schemas::SchemaTable;
use crate::transaction_error::TransactionResult;

const KEEP: &str = "INSERT INTO input_schemas (tool, version, schema, used_at) VALUES (?1, ?2, ?3, ?4) \
    ON CONFLICT (tool, version) DO UPDATE SET used_at = max(used_at, excluded.used_at)";

pub(crate) fn keep(db: &Connection, tool: &str, schema: &InputSchema, at: i64) -> TransactionResult<()> {
    let text = json(schema.schema(), "the schema of the input")?;
    run(db, KEEP, params![tool, schema.version().0, text, at]).map(drop)
}

const BY_VERSION: &str = "SELECT schema FROM input_schemas WHERE tool = ?1 AND version = ?2";

pub(crate) fn by_version(db: &Connection, tool: &str, version: Digest) -> TransactionResult<Option<Value>> {
    let mut statement = db.prepare_cached(BY_VERSION)?;
    let text: Option<String> = statement.query_row(params![tool, version.0], |row| row.get(0)).optional()?;
    text.map(|text| parsed(&text, "the schema of the input")).transpose()
}

/// Schemas that no open approval needs.
const FORGET: &str = "DELETE FROM input_schemas WHERE used_at < ?1 AND NOT EXISTS (\
    SELECT 1 FROM approvals a INDEXED BY approvals_pending JOIN calls c ON c.id = a.call \
    WHERE a.state = 'pending' AND c.tool = input_schemas.tool)";

/// Deletes schemas last used before a time, unless an open approval is about their tool.
pub(crate) fn forget(db: &Connection, before: i64) -> TransactionResult<()> {
    run(db, FORGET, [before]).map(drop)
}

operations! {
    impl SchemaTable for &OpenTransaction<'_> {
        keep_schema(tool: &str, schema: &InputSchema, at: i64) -> () = keep;
        forget_schemas(before: i64) -> () = forget;
    }
}
