//! `git_ops`: a few git actions with fixed arguments.
//!
//! A repository's config, attributes and hooks can make almost every git command run a program. Here git gets a
//! fixed argument list, an empty environment, config that switches those programs off (`overrides.rs`), and the
//! repository's directories, which sekisho finds itself instead of asking git (`repository_paths.rs`), so that
//! `core.worktree`, `commondir` and nested repositories redirect nothing. Git has no option to turn off all filters. So
//! git is run twice: the first run lists the names in the config, and the second one sets every filter it found to
//! nothing. A file with a filter attribute cannot be added, because storing it unfiltered would be wrong. Git does not read
//! the config of the user and the system; the files with attributes and ignored files that it names are passed on, and
//! the filters in it count as well (`pattern_files.rs`).
//!
//! [`GitOps`] runs git in the sandbox, where it can start no process, and can reach no other repository. That is a second
//! protection, and the only one if another process changes the config between the two runs, exchanges a directory for a
//! link, or creates a link deep inside the git directory. Where git writes, the kernel follows no links in the work tree
//! and the git directory. This needs namespaces; without them, git does not switch branches.

mod arguments;
mod checkout_paths;
mod config_values;
mod invocation;
mod overrides;
mod pattern_files;
mod readable_files;
mod repository_paths;
mod special_files;
mod tool;

use serde_json::{Value, json};

pub use arguments::GitAction;
pub use invocation::{GitCall, GitInvocation, GitSettings, Identity, Writable};
pub use repository_paths::{RepositoryPaths, RepositoryProblem};
pub use tool::GitOps;

use crate::input_fields::required;
use crate::tool::ToolDefinition;
use crate::tool_context::{GitPermission, ToolContext};
use crate::tool_result::ToolResult;

/// The tool's name.
pub const NAME: &str = "git_ops";

/// Actions that change nothing.
pub const READ_ONLY_ACTIONS: &[&str] = &["status", "diff", "log", "show", "branch_list"];
/// Actions that change the repository.
pub const WRITE_ACTIONS: &[&str] = &["add", "commit", "branch_create", "checkout"];

/// The tool as a model sees it.
pub fn definition() -> ToolDefinition {
    ToolDefinition {
        name: NAME.into(),
        description:
            "Perform git operations on the repository. Supports: status, diff, log, show, branch_list \
                      (read-only), and add, commit, branch_create, checkout (if write permission is granted)."
                .into(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "action": {
                    "type": "string",
                    "enum": ["status", "diff", "log", "show", "branch_list",
                             "add", "commit", "branch_create", "checkout"],
                    "description": "The git operation to perform"
                },
                "args": {
                    "type": "object",
                    "description": "Action-specific arguments",
                    "properties": {
                        "files": {
                            "type": "array",
                            "items": { "type": "string" },
                            "description": "File paths for 'add' action"
                        },
                        "message": {
                            "type": "string",
                            "description": "Commit message for 'commit' action"
                        },
                        "branch_name": {
                            "type": "string",
                            "description": "Branch name for 'branch_create' or 'checkout'"
                        },
                        "max_count": {
                            "type": "integer",
                            "description": "Max entries for 'log' action (default: 10)"
                        },
                        "ref": {
                            "type": "string",
                            "description": "Ref for 'show' (commit hash, branch, tag)"
                        }
                    }
                }
            },
            "required": ["action"]
        }),
    }
}

/// Checks an input and the permission, without touching the file system.
pub fn check(input: &Value, context: &ToolContext) -> Result<(), ToolResult> {
    read(input, context.git_permission).map(|_| ())
}

fn read(input: &Value, permission: GitPermission) -> Result<GitAction, ToolResult> {
    let action = required(input, "action")?;
    let arguments = input.get("args").unwrap_or(&Value::Null);
    if let Some(code) = crate::forbidden::forbidden_git(action, arguments) {
        return Err(ToolResult::error(code.sentence()));
    }
    if permission == GitPermission::Disabled {
        return Err(ToolResult::error("Git operations are disabled."));
    }
    if WRITE_ACTIONS.contains(&action) && permission != GitPermission::ReadWrite {
        return Err(ToolResult::error(format!(
            "Git write action '{action}' requires ReadWrite permission. Current: {permission:?}"
        )));
    }
    GitAction::read(action, arguments)
}
