//! JSON Schemas of tools' inputs.

use sekisho_gate::input_schema::InputSchema;

use crate::transaction::TableFuture;

/// Operations on `input_schemas`.
pub(crate) trait SchemaTable {
    /// Stores a schema that came with an approval, or updates when it was last used.
    fn keep_schema(&self, tool: &str, schema: &InputSchema, at: i64) -> impl TableFuture<()>;

    /// Deletes schemas last used before a time, unless an open approval is about their tool.
    fn forget_schemas(&self, before: i64) -> impl TableFuture<()>;
}
