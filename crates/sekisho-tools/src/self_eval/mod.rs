//! `self_eval`: runs the checks of a project and reports which of them pass.
//!
//! The model names checks, never commands. [`SelfEval`] adds the commands to the input before the call is judged: those
//! that are configured, else those of the project (`project_commands.rs`). So each of them is judged like any
//! other bash command, is shown to whoever is asked, and may be edited; what runs is what was permitted.

mod project_commands;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use sekisho_gate::ledger::BoxFuture;
use sekisho_policy::{Descriptor, DescriptorKind, UncheckedDescriptor};
use serde_json::{Map, Value, json};

use crate::bash_command::{self, BashCommand};
use crate::permitted_call::PermittedCall;
use crate::process::{self, ProgramEnd};
use crate::project_check::ProjectCheck;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::{ProcessEnd, ToolResult};

use project_commands::ProjectCommands;

/// The tool's name.
pub const NAME: &str = "self_eval";
/// A check gets at least this much time; more, if the time limit of the context is longer.
pub const LEAST_TIMEOUT: Duration = Duration::from_secs(120);
/// The bytes kept of each stream of a check.
pub const STREAM_LIMIT: usize = 5_000;

/// Runs the checks of a project.
#[derive(Clone, Debug, Default)]
pub struct SelfEval {
    /// `PATH` of commands.
    search_path: Option<OsString>,
}

impl SelfEval {
    /// A tool whose commands find programs in the usual directories of the system.
    pub fn new() -> SelfEval {
        SelfEval::default()
    }

    /// Sets the `PATH` of commands. Directories of the workspace in it are left out.
    #[must_use]
    pub fn with_search_path(mut self, path: OsString) -> SelfEval {
        self.search_path = Some(path);
        self
    }
}

/// The schema of the checks.
fn checks_schema() -> Value {
    json!({
        "type": "array",
        "minItems": 1,
        "items": { "type": "string", "enum": ProjectCheck::ALL.map(ProjectCheck::name) },
        "description": "Which checks to run (default: build, lint, type_check)"
    })
}

impl Tool for SelfEval {
    fn name(&self) -> &str {
        NAME
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::Composite
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: NAME.into(),
            description: "Run project quality checks (build, lint, type-check) and return structured metrics. Use this \
                to verify code quality after making changes."
                .into(),
            input_schema: json!({ "type": "object", "properties": { "checks": checks_schema() } }),
        }
    }

    fn descriptor(&self) -> Option<Descriptor> {
        let commands = vec!["/commands/*/command".into()];
        let written =
            UncheckedDescriptor { kind: DescriptorKind::Shell, commands, ..UncheckedDescriptor::default() };
        Descriptor::try_from(written).ok()
    }

    fn completed_schema(&self) -> Option<Value> {
        let command = json!({
            "type": "object",
            "properties": {
                "check": { "type": "string", "enum": ProjectCheck::ALL.map(ProjectCheck::name) },
                "command": { "type": "string", "description": "The command of the check" }
            },
            "required": ["check", "command"],
            "additionalProperties": false
        });
        Some(json!({
            "type": "object",
            "properties": {
                "checks": checks_schema(),
                "commands": { "type": "array", "minItems": 1, "maxItems": 4, "items": command }
            },
            "required": ["checks", "commands"]
        }))
    }

    fn complete(&self, input: Value, ctx: &ToolContext) -> Result<Value, String> {
        let mut checks = requested(&input);
        if checks.is_empty() {
            checks.extend(ProjectCheck::DEFAULT);
        }
        let project = ProjectCommands::find(&ctx.real_root()?);
        // Otherwise the commands may be those of another project.
        ctx.real_root()?;
        let command =
            |check: ProjectCheck| ctx.checks.get(&check).map(String::as_str).or(project.command(check));
        let commands: Vec<Value> = checks
            .iter()
            .filter_map(|check| Some(json!({ "check": check, "command": command(*check)? })))
            .collect();
        if commands.is_empty() {
            let reasons: Vec<String> = checks.iter().map(|check| project.why_none(*check)).collect();
            return Err(reasons.join("\n"));
        }
        Ok(json!({ "checks": checks, "commands": commands }))
    }

    fn starts_programs(&self) -> bool {
        true
    }

    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        let (checks, commands) = (requested(input), commands(input));
        for (position, (check, command)) in commands.iter().enumerate() {
            let field = format!("commands.{position}.command");
            bash_command::check(command, ctx).map_err(|error| error.in_field(&field))?;
            if !checks.contains(check) {
                let name = check.name();
                return Err(format!(
                    "Invalid 'commands.{position}.check' parameter: '{name}' is not in 'checks'"
                ));
            }
            let others = commands.iter().take(position);
            if others.filter(|(other, _)| other == check).count() > 0 {
                let name = check.name();
                return Err(format!(
                    "Invalid 'commands.{position}.check' parameter: '{name}' is there twice"
                ));
            }
        }
        ctx.real_root().map(drop)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move { self.run(call.input(), ctx).await.unwrap_or_else(ToolResult::error) })
    }
}

/// The checks of an input, each once.
fn requested(input: &Value) -> Vec<ProjectCheck> {
    let mut checks = Vec::new();
    let names = input.get("checks").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for check in names.filter_map(ProjectCheck::by_name) {
        if !checks.contains(&check) {
            checks.push(check);
        }
    }
    checks
}

/// The commands of a completed input.
fn commands(input: &Value) -> Vec<(ProjectCheck, &str)> {
    let all = input.get("commands").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(|one| {
        let check = ProjectCheck::by_name(one.get("check")?.as_str()?)?;
        Some((check, one.get("command")?.as_str()?))
    })
    .collect()
}

impl SelfEval {
    /// Runs all checks, one after the other. Fails only if it is aborted.
    async fn run(&self, input: &Value, ctx: &ToolContext) -> Result<ToolResult, String> {
        let (checks, commands) = (requested(input), commands(input));
        let root = ctx.real_root()?;
        let mut results = Map::new();
        for check in &checks {
            let found = commands.iter().find(|(known, _)| known == check);
            let result = match found {
                Some((_, command)) => self.run_check(command, ctx).await?,
                None => json!({
                    "passed": false,
                    "error": ProjectCommands::find(&root).why_none(*check),
                    "duration_ms": 0,
                }),
            };
            results.insert(check.name().to_owned(), result);
        }
        let all_passed = results.values().all(|result| result.get("passed") == Some(&Value::Bool(true)));
        let report = json!({ "all_passed": all_passed, "checks": results, "total_checks": checks.len() });
        Ok(ToolResult::ok(report.to_string()).of_process(None, ctx.sandbox.level()))
    }

    async fn run_check(&self, command: &str, ctx: &ToolContext) -> Result<Value, String> {
        let start = Instant::now();
        let request = BashCommand {
            text: command,
            working_dir: ctx.directory_inside(&ctx.root)?,
            search_path: self.search_path.as_deref(),
            timeout: ctx.shell_timeout.max(LEAST_TIMEOUT),
            output_limit: STREAM_LIMIT,
        };
        let outcome =
            process::run(&ctx.sandbox, request.request(ctx)?, &ctx.cancellation, &*ctx.output).await;
        let duration_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let failed = |error: String| json!({ "command": command, "passed": false, "error": error, "duration_ms": duration_ms });
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => return Ok(failed(format!("Failed to run: {error}"))),
        };
        let code = match outcome.end {
            ProgramEnd::Ended(ProcessEnd::Exited(code)) => Some(code),
            ProgramEnd::Ended(ProcessEnd::Signalled(_)) => None,
            ProgramEnd::TimedOut => return Ok(failed("Timeout".into())),
            ProgramEnd::Killed(why) => return Ok(failed(format!("It ran and failed: {why}"))),
            ProgramEnd::Cancelled => return Err("The checks were aborted".into()),
        };
        Ok(json!({
            "command": command,
            "passed": code == Some(0),
            "exit_code": code,
            "stdout": outcome.stdout.into_text(),
            "stderr": outcome.stderr.into_text(),
            "duration_ms": duration_ms,
        }))
    }
}
