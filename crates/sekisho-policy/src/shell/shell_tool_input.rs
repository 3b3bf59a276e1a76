//! How a shell tool's input asks to run its text: directory, shell, environment.

use serde_json::Value;

use crate::call::Call;
use crate::call_tool::CallTool;
use crate::command_explanation::Detail;
use crate::paths;
use crate::reason::Reason;
use crate::tools::ToolKind;
use crate::verdict::{Danger, DangerCode, DangerLevel};

/// Fields that name the directory to run in.
const DIRECTORIES: &[&str] =
    &["cwd", "workdir", "working_dir", "working_directory", "workingDirectory", "directory", "dir_path"];

/// The directory fields of the shell tools of known agents. These agents ignore other fields.
const KNOWN: &[(&str, &[&str])] = &[
    ("claude-code", &[]),
    ("codex", &["workdir"]),
    ("gemini-cli", &["dir_path", "directory"]),
    ("opencode", &["workdir"]),
];

/// Fields that change the meaning of the text.
const MEANINGS: &[&str] = &["shell", "interpreter", "env", "environment", "stdin", "user"];

/// Fields by which an agent asks to leave its own sandbox.
const SANDBOX: &[&str] = &["dangerouslyDisableSandbox", "with_escalated_permissions", "sandbox_permissions"];

/// What the input contains besides the text.
pub(crate) struct ShellInvocation {
    /// The directory the text starts in, if known.
    pub(crate) cwd: Option<String>,
    /// Why the text alone does not determine what would run.
    pub(crate) problems: Vec<InvocationProblem>,
}

/// Something in the input because of which the text alone does not determine what would run.
pub(crate) struct InvocationProblem {
    pub(crate) reason: Reason,
    pub(crate) danger: Option<Danger>,
}

impl ShellInvocation {
    pub(crate) fn of(call: &Call) -> ShellInvocation {
        let (cwd, several) = match directories(call) {
            Ok(named) => (named.unwrap_or_else(|| call.cwd.clone()), None),
            Err(reason) => (call.cwd.clone(), Some(InvocationProblem { reason, danger: None })),
        };
        let mut start = ShellInvocation { cwd, problems: several.into_iter().collect() };
        for (field, value) in call.input.as_object().into_iter().flatten() {
            let field = field.as_str();
            if value.is_null() {
                continue;
            }
            if MEANINGS.contains(&field) && !is_bash(field, value) {
                let danger = Some(Danger::new(DangerLevel::Danger, DangerCode::InputChangesMeaning));
                start.problems.push(InvocationProblem { reason: odd(field, Detail::ChangesMeaning), danger });
            } else if SANDBOX.contains(&field) && !stays_inside(value) {
                let reason = odd(field, Detail::LeavesSandbox);
                start.problems.push(InvocationProblem { reason, danger: None });
            }
        }
        start
    }
}

/// The directory a shell text would start in, if its input names another than the call's own. `Some(None)`:
/// an unknown one.
pub fn input_directory(call: &Call) -> Option<Option<String>> {
    CallTool::of(call).filter(|tool| tool.kind() == ToolKind::Shell)?;
    match directories(call) {
        Ok(named) => named.filter(|named| *named != call.cwd),
        Err(_) => Some(None),
    }
}

/// The directory that the input names, if any. `Some(None)`: an unknown one. An error if it names several, or
/// uses a field that the agent does not have, because it is then unknown which of them counts.
fn directories(call: &Call) -> Result<Option<Option<String>>, Reason> {
    let agent = call.agent.as_ref().map(|agent| agent.id.as_str());
    let has = KNOWN.iter().find(|(name, _)| Some(*name) == agent).map_or(DIRECTORIES, |(_, fields)| fields);
    let mut found: Option<Option<String>> = None;
    let mut passed_over: Vec<(&str, Option<String>)> = Vec::new();
    for (field, value) in call.input.as_object().into_iter().flatten() {
        if value.is_null() || !DIRECTORIES.contains(&field.as_str()) {
            continue;
        }
        let named = value.as_str().and_then(|directory| paths::join(call.cwd.as_deref(), directory));
        match &found {
            _ if !has.contains(&field.as_str()) => passed_over.push((field, named)),
            Some(other) if *other != named => return Err(odd(field, Detail::SecondDirectory)),
            _ => found = Some(named),
        }
    }
    let counts = found.clone().unwrap_or_else(|| call.cwd.clone());
    match passed_over.into_iter().find(|(_, named)| *named != counts) {
        Some((field, _)) => Err(odd(field, Detail::UnknownDirectoryField)),
        None => Ok(found),
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

fn odd(field: &str, detail: Detail) -> Reason {
    Reason::Obstacle { word: field.into(), why: detail.into() }
}
