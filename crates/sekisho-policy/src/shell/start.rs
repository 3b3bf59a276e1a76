//! How a shell tool is asked to run its text: where, by which shell, in which environment.

use serde_json::Value;

use crate::call::Call;
use crate::paths;
use crate::reason::Reason;

/// Fields that name the directory to run in.
const DIRECTORIES: &[&str] =
    &["cwd", "workdir", "working_dir", "working_directory", "workingDirectory", "directory", "dir_path"];

/// Fields by which the same text means something else.
const MEANINGS: &[&str] = &["shell", "interpreter", "env", "environment", "stdin", "user"];

/// Fields by which an agent asks to leave its own sandbox.
const SANDBOX: &[&str] = &["dangerouslyDisableSandbox", "with_escalated_permissions", "sandbox_permissions"];

/// What the input says besides the text.
pub(crate) struct Start {
    /// The directory the text starts in, as far as it is known.
    pub(crate) cwd: Option<String>,
    /// Why the text alone does not tell what would run.
    pub(crate) odd: Option<Reason>,
}

impl Start {
    pub(crate) fn of(call: &Call) -> Start {
        let mut start = Start { cwd: call.cwd.clone(), odd: None };
        for (field, value) in call.input.as_object().into_iter().flatten() {
            let field = field.as_str();
            if value.is_null() {
                continue;
            }
            if DIRECTORIES.contains(&field) {
                start.cwd = value.as_str().and_then(|directory| paths::join(call.cwd.as_deref(), directory));
            } else if MEANINGS.contains(&field) && !is_bash(field, value) {
                start.odd = Some(odd(field, "it changes what the command means"));
            } else if SANDBOX.contains(&field) && !stays_inside(value) {
                start.odd = Some(odd(field, "it asks to leave the agent's own sandbox"));
            }
        }
        start
    }
}

/// The values that change nothing.
fn stays_inside(value: &Value) -> bool {
    value.as_bool() == Some(false) || value.as_str() == Some("use_default")
}

fn is_bash(field: &str, value: &Value) -> bool {
    let empty = value.as_object().is_some_and(serde_json::Map::is_empty);
    empty || (field == "shell" && matches!(value.as_str(), Some("bash" | "/bin/bash" | "/usr/bin/bash")))
}

fn odd(field: &str, why: &str) -> Reason {
    Reason::Obstacle { word: field.into(), why: why.into() }
}
