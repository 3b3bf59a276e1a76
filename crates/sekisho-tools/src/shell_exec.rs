//! `shell_exec`: runs a bash command in the sandbox.

use std::ffi::OsString;

use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use crate::bash_command::{self, BashCommand};
use crate::output_limit::{LimitedOutput, STREAM_LIMIT};
use crate::permitted_call::PermittedCall;
use crate::process::{self, ProgramEnd, ProgramOutcome};
use crate::sandbox::PlannedDir;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::{ProcessEnd, ToolResult};

/// Runs bash commands.
#[derive(Clone, Debug, Default)]
pub struct ShellExec {
    /// `PATH` of commands.
    search_path: Option<OsString>,
}

impl ShellExec {
    /// A tool whose commands find programs in the usual directories of the system.
    pub fn new() -> ShellExec {
        ShellExec::default()
    }

    /// Sets the `PATH` of commands. Directories of the workspace in it are left out.
    #[must_use]
    pub fn with_search_path(mut self, path: OsString) -> ShellExec {
        self.search_path = Some(path);
        self
    }
}

impl Tool for ShellExec {
    fn name(&self) -> &str {
        "shell_exec"
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::Execution
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "shell_exec".into(),
            description:
                "Execute a shell command and return stdout/stderr. Commands must be in the allowed list. \
                Use this to run build tools, tests, linters, and other development commands."
                    .into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "command": {
                        "type": "string",
                        "description": "The shell command to execute (e.g., 'bun run build', 'cargo test')",
                    },
                    "working_dir": {
                        "type": "string",
                        "description": "Working directory for the command (optional, defaults to project root)",
                    },
                },
                "required": ["command"],
            }),
        }
    }

    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        let command = input.get("command").and_then(Value::as_str).unwrap_or_default();
        bash_command::check(command, ctx).map_err(|error| error.in_field("command"))?;
        working_dir(input, ctx).map(drop)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let input = call.input();
            let command = input.get("command").and_then(Value::as_str).unwrap_or_default();
            let working_dir = match working_dir(input, ctx) {
                Ok(dir) => dir,
                Err(why) => return ToolResult::error(why),
            };
            let command_in_dir = BashCommand {
                text: command,
                working_dir,
                search_path: self.search_path.as_deref(),
                timeout: ctx.shell_timeout,
                output_limit: STREAM_LIMIT,
            };
            let request = match command_in_dir.request(ctx) {
                Ok(request) => request,
                Err(why) => return ToolResult::error(format!("Failed to execute command: {why}")),
            };
            let timeout = request.timeout;
            match process::run(&ctx.sandbox, request, &ctx.cancellation, &*ctx.output).await {
                Ok(outcome) => result(command, outcome, timeout.as_millis()),
                Err(error) => ToolResult::error(format!("Failed to execute command: {error}")),
            }
        })
    }
}

/// The directory of a call: inside the root, also when links are followed.
fn working_dir(input: &Value, ctx: &ToolContext) -> Result<PlannedDir, String> {
    let given = input.get("working_dir").and_then(Value::as_str).unwrap_or_default();
    let wrong = |why: &str| format!("Invalid 'working_dir' parameter: `{given}` {why}");
    let root = ctx.real_root()?;
    let dir = root.join(given).canonicalize().map_err(|_| wrong("does not exist"))?;
    if !dir.starts_with(&root) {
        return Err(wrong("is outside the workspace"));
    }
    if !dir.is_dir() {
        return Err(wrong("is not a directory"));
    }
    ctx.directory_inside(&dir)
}

fn output_so_far(stdout: LimitedOutput, stderr: LimitedOutput) -> String {
    let output = [("stdout", stdout.into_text()), ("stderr", stderr.into_text())];
    let seen = output.iter().filter(|(_, text)| !text.is_empty());
    seen.map(|(name, text)| format!("\n{name} so far:\n{text}")).collect()
}

fn result(command: &str, outcome: ProgramOutcome, timeout_ms: u128) -> ToolResult {
    let ProgramOutcome { end, stdout, stderr, duration, level } = outcome;
    let end = match end {
        ProgramEnd::Ended(end) => end,
        ProgramEnd::TimedOut => {
            let message = format!("Command timed out after {timeout_ms}ms{}", output_so_far(stdout, stderr));
            return ToolResult::error(message).of_process(None, level);
        }
        ProgramEnd::Killed(why) => {
            let message = format!("Command ran and failed: {why}{}", output_so_far(stdout, stderr));
            return ToolResult::error(message).of_process(None, level);
        }
        ProgramEnd::Cancelled => {
            let message = format!("Command was aborted{}", output_so_far(stdout, stderr));
            return ToolResult::error(message).of_process(None, level);
        }
    };
    let (code, signal) = match end {
        ProcessEnd::Exited(code) => (Some(code), None),
        ProcessEnd::Signalled(signal) => (None, Some(signal)),
    };
    let content = json!({
        "command": command,
        "exit_code": code,
        "signal": signal,
        "stdout": stdout.into_text(),
        "stderr": stderr.into_text(),
        "duration_ms": u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        "success": code == Some(0),
        "sandbox": level.name(),
    });
    ToolResult::ok(content.to_string()).of_process(Some(end), level)
}
