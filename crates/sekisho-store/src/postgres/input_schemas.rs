//! JSON Schemas of tools' inputs.

use sekisho_gate::Digest;
use sekisho_gate::input_schema::InputSchema;
use serde_json::Value;

use super::connection::PgConnection;
use super::nul_escape::escape_nul;
use super::open_transaction::OpenTransaction;
use super::transaction_impl::operations;
use crate::encoding::{json, parsed};
use crate::input_schemas::SchemaTable;
use crate::transaction_error::TransactionResult;

const KEEP: &str = "INSERT INTO input_schemas (tool, version, schema, used_at) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (tool, version) DO UPDATE SET used_at = greatest(input_schemas.used_at, excluded.used_at)";

pub(crate) async fn keep(
    db: &PgConnection<'_>,
    tool: &str,
    schema: &InputSchema,
    at: i64,
) -> TransactionResult<()> {
    let text = json(schema.schema(), "the schema of the input")?;
    db.run(KEEP, &[&escape_nul(tool), &schema.version().0.as_slice(), &text, &at]).await.map(drop)
}

const BY_VERSION: &str = "SELECT schema FROM input_schemas WHERE tool = $1 AND version = $2";

pub(crate) async fn by_version(
    db: &PgConnection<'_>,
    tool: String,
    version: Digest,
) -> TransactionResult<Option<Value>> {
    match db.row(BY_VERSION, &[&escape_nul(&tool), &version.0.as_slice()]).await? {
        Some(row) => parsed(row.try_get(0)?, "the schema of the input").map(Some),
        None => Ok(None),
    }
}

/// Schemas that no open approval needs.
const FORGET: &str = "DELETE FROM input_schemas s WHERE s.used_at < $1 AND NOT EXISTS (\
    SELECT 1 FROM approvals a JOIN calls c ON c.id = a.call WHERE a.state = 'pending' AND c.tool = s.tool)";

/// Deletes schemas last used before a time, unless an open approval is about their tool.
pub(crate) async fn forget(db: &PgConnection<'_>, before: i64) -> TransactionResult<()> {
    db.run(FORGET, &[&before]).await.map(drop)
}

operations! {
    impl SchemaTable for OpenTransaction<'_> {
        keep_schema(tool: &str, schema: &InputSchema, at: i64) -> () = keep;
        forget_schemas(before: i64) -> () = forget;
    }
}
