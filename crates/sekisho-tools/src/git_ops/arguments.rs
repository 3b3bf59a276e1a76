//! The action and its arguments.

use serde_json::Value;

use crate::input_fields::shown;
use crate::tool_result::ToolResult;

const DEFAULT_MAX_COUNT: u64 = 10;
/// Git reads the number as a C `int`.
const LARGEST_MAX_COUNT: u64 = i32::MAX as u64;

/// An action with checked arguments. No value contains a NUL. Except for a commit message, no value is empty, begins
/// with `-` or contains a line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitAction {
    /// The state of the work tree.
    Status,
    /// Changes that are not staged.
    Diff,
    /// The latest commits.
    Log {
        /// How many.
        max_count: u64,
    },
    /// One commit.
    Show {
        /// Its name.
        revision: String,
    },
    /// All branches.
    BranchList,
    /// Stages files.
    Add {
        /// Paths relative to the working directory, without wildcards.
        files: Vec<String>,
    },
    /// Commits what is staged.
    Commit {
        /// The message.
        message: String,
    },
    /// Creates a branch and switches to it.
    BranchCreate {
        /// Its name.
        name: String,
    },
    /// Switches to a branch or commit.
    Checkout {
        /// Its name.
        name: String,
    },
}

impl GitAction {
    pub(super) fn read(action: &str, arguments: &Value) -> Result<GitAction, ToolResult> {
        if !matches!(arguments, Value::Null | Value::Object(_)) {
            return Err(ToolResult::error("Parameter 'args' must be an object"));
        }
        let missing = |message: &str| ToolResult::error(message);
        Ok(match action {
            "status" => GitAction::Status,
            "diff" => GitAction::Diff,
            "log" => GitAction::Log { max_count: max_count(arguments)? },
            "show" => {
                let revision = name(arguments, "ref")?.unwrap_or_else(|| "HEAD".into());
                GitAction::Show { revision }
            }
            "branch_list" => GitAction::BranchList,
            "add" => GitAction::Add { files: files(arguments)? },
            "commit" => {
                let message = text(arguments, "message")?.ok_or_else(|| missing("Missing commit message"))?;
                if message.contains('\0') {
                    return Err(refused("message", message, "contains a NUL character"));
                }
                GitAction::Commit { message: message.into() }
            }
            "branch_create" => GitAction::BranchCreate {
                name: name(arguments, "branch_name")?.ok_or_else(|| missing("Missing branch_name"))?,
            },
            "checkout" => GitAction::Checkout {
                name: name(arguments, "branch_name")?.ok_or_else(|| missing("Missing branch_name"))?,
            },
            other => return Err(ToolResult::error(format!("Unknown git action: {}", shown(other)))),
        })
    }

    /// Whether it changes the repository.
    pub fn writes(&self) -> bool {
        use GitAction::{Add, BranchCreate, Checkout, Commit};
        matches!(self, Add { .. } | Commit { .. } | BranchCreate { .. } | Checkout { .. })
    }
}

fn max_count(arguments: &Value) -> Result<u64, ToolResult> {
    match arguments.get("max_count") {
        None | Some(Value::Null) => Ok(DEFAULT_MAX_COUNT),
        Some(value) => match value.as_u64() {
            Some(count) => Ok(count.min(LARGEST_MAX_COUNT)),
            None => Err(ToolResult::error("Parameter 'max_count' must be a whole number, 0 or greater")),
        },
    }
}

fn files(arguments: &Value) -> Result<Vec<String>, ToolResult> {
    let none = || ToolResult::error("No files specified for 'add'");
    let wrong = || ToolResult::error("Parameter 'files' must be a list of strings");
    let files = match arguments.get("files") {
        None | Some(Value::Null) => return Err(none()),
        Some(files) => files.as_array().ok_or_else(wrong)?,
    };
    if files.is_empty() {
        return Err(none());
    }
    let file = |value: &Value| {
        let file = value.as_str().ok_or_else(wrong)?;
        check_name("files", file)?;
        Ok(file.to_owned())
    };
    files.iter().map(file).collect()
}

fn text<'v>(arguments: &'v Value, name: &str) -> Result<Option<&'v str>, ToolResult> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(ToolResult::error(format!("Parameter '{name}' must be a string"))),
    }
}

fn name(arguments: &Value, parameter: &str) -> Result<Option<String>, ToolResult> {
    let Some(value) = text(arguments, parameter)? else { return Ok(None) };
    check_name(parameter, value)?;
    Ok(Some(value.into()))
}

/// Refuses values that git might take for an option, and values that cannot be passed to it.
fn check_name(parameter: &str, value: &str) -> Result<(), ToolResult> {
    let problem = match value {
        "" => "is empty",
        value if value.starts_with('-') => "begins with '-', like an option",
        value if value.contains('\0') => "contains a NUL character",
        value if value.contains(['\n', '\r']) => "contains a line break",
        _ => return Ok(()),
    };
    Err(refused(parameter, value, problem))
}

fn refused(parameter: &str, value: &str, problem: &str) -> ToolResult {
    ToolResult::error(format!("Parameter '{parameter}' {problem}: '{}'", shown(value)))
}
