//! The built-in tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A built-in tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BuiltInTool {
    /// Its name.
    pub name: String,
    /// What it is for: `ReadOnly`, `FileSystem`, `Execution`, `VersionControl` or `Composite`.
    pub category: String,
    /// The tool as a model sees it.
    pub definition: BuiltInToolDefinition,
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BuiltInToolDefinition {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON Schema of its input.
    pub input_schema: Value,
}
