//! What every tool takes and returns.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// The name by which it is called.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// The JSON Schema of its input.
    pub input_schema: serde_json::Value,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The text for the model: JSON, or the error.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
}

impl ToolResult {
    /// A result.
    pub fn ok(content: impl Into<String>) -> ToolResult {
        ToolResult { content: content.into(), is_error: false }
    }

    /// A failure.
    pub fn error(message: impl Into<String>) -> ToolResult {
        ToolResult { content: message.into(), is_error: true }
    }
}

/// Where and how the tools of an agent may act.
#[derive(Clone, Debug)]
pub struct ToolContext {
    /// The project's root, absolute.
    pub working_dir: PathBuf,
    /// The directories that may be written to. Relative ones are below the working directory.
    pub allowed_write_dirs: Vec<PathBuf>,
    /// Which git actions are available.
    pub git_permission: GitPermission,
}

/// Which git actions are available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GitPermission {
    /// None.
    Disabled,
    /// Those that change nothing.
    #[default]
    ReadOnly,
    /// All.
    ReadWrite,
}
