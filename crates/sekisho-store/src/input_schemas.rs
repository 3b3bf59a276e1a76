//! JSON Schemas of tools' inputs.

use sekisho_gate::input_schema::InputSchema;

use crate::transaction::TableFuture;

/// Operations on `input_schemas`.
pub(crate) trait SchemaTable {
    /// Keeps a schema that a question was asked with.
    fn keep_schema(&self, tool: &str, schema: &InputSchema, at: i64) -> impl TableFuture<()>;

    /// Forgets schemas that were last used before a moment, of tools that nobody is asked about.
    fn forget_schemas(&self, before: i64) -> impl TableFuture<()>;
}
