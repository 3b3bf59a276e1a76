use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::Gate;
use sekisho_gate::answer::{Actor, Answer};
use sekisho_gate::approval::Approval;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::{Caller, CallerEnvironment};
use sekisho_gate::refusal::RefusalCode;
use sekisho_policy::Call;
use sekisho_tools::sandbox::DirectoryId;
use sekisho_tools::{CurrentRun, ToolContext, ToolError, ToolResult, ToolRunner};
use uuid::Uuid;

use super::tool_limits::ToolLimits;
use super::{local_gate, tool_input};
use crate::built_in_tools::{registry_with, unknown_tool};
use crate::commands::audit::blocking_store;
use crate::commands::audit::local_operator::local_operator;
use crate::commands::sandbox;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, ensure_visible_lines, visible};

/// Run a tool, if the policy allows it
///
/// Each field of the tool's input is a flag (`sekisho tool show NAME` lists them); `--input` takes all of them
/// as JSON. Options come before the tool. The local policy judges the call. If it says confirm, the terminal asks; without a terminal the
/// call is refused. The result is printed as the model would get it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    limits: ToolLimits,
    /// The run whose to-do list and stored outputs the tool uses [default: a new one]
    #[arg(long, value_name = "ID")]
    run: Option<Uuid>,
    /// The tool
    tool: String,
    /// The fields of its input: `--FIELD VALUE`, or `--input JSON`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FIELDS")]
    fields: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho tool run shell_exec --command 'ls | wc -l'
  sekisho tool run shell_exec --command 'make check' --working_dir sub
  sekisho tool run shell_exec --input '{\"command\":\"git status\"}'
  sekisho tool run --write . --timeout-ms 600000 shell_exec --command 'cargo build --offline'
  sekisho tool run --write target self_eval --checks '[\"build\",\"test\"]'
  sekisho tool run --run 0198c0de-0000-7000-8000-000000000001 todo_read
  sekisho tool run web_fetch --url https://example.com/ --max_length 5000
  sekisho tool run --git-permission ReadWrite git_ops --action commit --args '{\"message\":\"Fix it\"}'

Exit codes: 0 if the tool ran, 1 if it failed, 2 if the call was denied, 3 if it needs confirmation and nobody can give it, 64 for an unknown tool or invalid fields.";

/// How often the local audit log is asked for an open question.
const LOOKING: Duration = Duration::from_millis(20);

/// How many directories above the current one are compared with the workspace.
const MOST_PARENTS: usize = 256;

pub(super) fn run(args: Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let registry = registry_with(&settings)?;
    let tool = registry.get(&args.tool).ok_or_else(|| unknown_tool(&args.tool, &registry))?;
    let input = tool_input::read(&args.fields, &tool.definition())?;
    let workspace = settings.workspace(None)?;
    let mut ctx = ToolContext::new(workspace.root.clone(), Arc::new(sandbox::detect()?));
    if settings.named_root().is_none() {
        check_root(&ctx)?;
    } else {
        // Its path was resolved before, and may lead through a link now.
        ctx.real_root().map_err(Failure::new)?;
    }
    ctx.home.clone_from(&settings.locations.home);
    ctx.own_addresses = settings.own_addresses()?;
    args.limits.apply(&args.tool, &settings, &mut ctx)?;
    let run = args.run.unwrap_or_else(Uuid::now_v7);
    let is_new_run = tool.needs_run() && args.run.is_none();
    let keys = blocking_store::load_or_create_keys(&settings)?;
    // The id tells this call from those of other programs that use the same audit log.
    let id = Uuid::now_v7().to_string();
    let call = Call { call_id: Some(id), ..Call::new(args.tool.clone(), input) };
    let mut request = CallRequest::new(call, Caller::in_process("local").with_name(settings.user.clone()));
    request.environment = CallerEnvironment {
        root: workspace.root.to_str().map(Into::into),
        home: settings.locations.home.as_deref().and_then(|home| home.to_str()).map(Into::into),
        nobody_answers: !terminal::can_ask(),
        ..CallerEnvironment::default()
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let outcome = runtime.block_on(async {
        let (gate, storage) = local_gate::open(&settings, keys, &ctx).await?;
        ctx.run = Some(CurrentRun { id: run, storage });
        let cwd = workspace.root.to_str();
        ctx.policy = gate.rulebook().active_policy(&request.environment, cwd, None).policy;
        ctx.check_root().map_err(Failure::new)?;
        let runner = ToolRunner::new(gate.clone(), Arc::new(registry))
            .map_err(|error| Failure::new(error.to_string()))?;
        let id = request.call.call_id.clone();
        tokio::select! {
            outcome = runner.run(request, &ctx) => Ok(outcome),
            failure = ask(&gate, id.as_deref(), &settings) => Err(failure),
        }
    })?;
    if is_new_run {
        writeln!(anstream::stderr(), "This is run {run}; `--run {run}` uses it again.")?;
    }
    report(outcome)
}

/// Makes sure that the workspace contains the directory that this process is in. Its path was resolved, and a directory
/// above may have been exchanged for a link meanwhile.
fn check_root(ctx: &ToolContext) -> Result<(), Failure> {
    let mut above = PathBuf::from(".");
    for _ in 0..MOST_PARENTS {
        let found = std::fs::metadata(&above)?;
        if Some(DirectoryId::of(&found)) == ctx.root_id {
            return Ok(());
        }
        above.push("..");
    }
    let root = ctx.root.display();
    Err(Failure::new(format!("the workspace `{root}` was exchanged for another directory; try again")))
}

/// Asks on the terminal when the call's question opens. Returns only if that fails.
async fn ask(gate: &Gate, id: Option<&str>, settings: &Settings) -> Failure {
    let mut asked = Vec::new();
    loop {
        tokio::time::sleep(LOOKING).await;
        let pending = match gate.ledger().pending(None, 1000).await {
            Ok(pending) => pending,
            Err(error) => return Failure::new(error.to_string()),
        };
        let ours = pending
            .into_iter()
            .find(|approval| approval.asked.call.call_id.as_deref() == id && !asked.contains(&approval.id));
        let Some(approval) = ours else { continue };
        asked.push(approval.id);
        if let Err(failure) = answer(gate, &approval, settings).await {
            return failure;
        }
    }
}

async fn answer(gate: &Gate, approval: &Approval, settings: &Settings) -> Result<(), Failure> {
    let shown = approval.asked.shown.clone();
    let agreed = tokio::task::spawn_blocking(move || {
        let (title, message, why) = (visible(&shown.title), visible(&shown.message), visible(&shown.why));
        // On the terminal, so that standard output has the result only.
        let question = format!("{title}\n\n  {message}\n\n{why}\nRun it?");
        terminal::prompt_yes_no(&mut terminal::stdout(), &question, "allow it with `sekisho rules add allow`")
    });
    let agreed = agreed.await.map_err(|error| Failure::new(error.to_string()))??;
    let answer = if agreed { Answer::approve() } else { Answer::deny() };
    let Actor::Person(person) = local_operator(settings) else { return Ok(()) };
    gate.answer(approval.id, answer, person).await.map(drop).map_err(|error| Failure::new(error.to_string()))
}

/// The result as it is printed. In JSON, characters that hide something get JSON's own escapes, so that it stays JSON.
fn printed(content: &str) -> Cow<'_, str> {
    if serde_json::from_str::<serde::de::IgnoredAny>(content).is_err() {
        return ensure_visible_lines(content);
    }
    let mut escaped = String::with_capacity(content.len());
    for c in content.chars() {
        let hides = !matches!(c, ' '..='~' | '\n')
            && ensure_visible_lines(c.encode_utf8(&mut [0; 4])) != c.to_string();
        match hides {
            true => c
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}"))),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// The most lines of an error that are printed, besides the first one.
const MOST_LINES: usize = 20;
/// The most bytes of these lines.
const MOST_BYTES: usize = 4096;

/// The first line and the last ones. An error may contain all the output of a command.
fn shortened(message: &str) -> Cow<'_, str> {
    let (first, rest) = message.split_once('\n').unwrap_or((message, ""));
    let start = rest.len().saturating_sub(MOST_BYTES);
    let start = (start..=rest.len()).find(|at| rest.is_char_boundary(*at)).unwrap_or_default();
    let tail: Vec<&str> = rest.get(start..).unwrap_or_default().lines().collect();
    let tail = tail.get(tail.len().saturating_sub(MOST_LINES)..).unwrap_or_default().join("\n");
    if tail.len() >= rest.trim_end_matches('\n').len() {
        return message.into();
    }
    format!("{first}\n(the beginning of {} bytes is left out)\n{tail}", rest.len()).into()
}

fn report(outcome: Result<ToolResult, ToolError>) -> Result<Exit, Failure> {
    match outcome {
        Ok(result) if result.is_error => Err(Failure::new(shortened(&result.content))),
        Ok(result) => {
            writeln!(terminal::stdout(), "{}", printed(&result.content))?;
            Ok(Exit::Ok)
        }
        Err(error) => {
            let exit = match &error {
                ToolError::Refused(refusal) => match refusal.code {
                    RefusalCode::NobodyCanAnswer | RefusalCode::Expired => Exit::NeedsConfirmation,
                    RefusalCode::Denied | RefusalCode::DeniedByRule => Exit::Denied,
                    _ => Exit::Failure,
                },
                ToolError::Forbidden(_) | ToolError::EditForbidden(_) => Exit::Denied,
                ToolError::Unknown(_) | ToolError::Input(_) => Exit::Usage,
                ToolError::Incomplete(_) | ToolError::NotRecorded(_) | ToolError::StartedElsewhere(_) => {
                    Exit::Failure
                }
            };
            Err(Failure { exit, ..Failure::new(error.to_string()) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_BYTES, MOST_LINES, printed, shortened};

    #[test]
    fn output_in_an_error_is_shortened() {
        for short in ["", "one", "one\n", "one\ntwo\nthree\n"] {
            assert_eq!(shortened(short), short);
        }
        let flood = shortened(&format!("timed out\n{}last\n", "y\n".repeat(25_000))).into_owned();
        assert!(flood.starts_with("timed out\n(the beginning of 50005 bytes is left out)\ny\n"), "{flood}");
        assert!(flood.ends_with("y\nlast") && flood.lines().count() == MOST_LINES + 2, "{flood}");
        assert!(shortened(&format!("x\n{}", "日".repeat(9_000))).len() < MOST_BYTES + 100);
    }

    #[test]
    fn json_stays_json() {
        let value =
            serde_json::json!({ "stdout": "a\u{9b}31m\u{202e}b\u{7f}\u{e0041} \u{1b}[0m 日本 \u{5c}u{0}x" });
        let printed_text = printed(&value.to_string()).into_owned();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&printed_text).unwrap(), value);
        for hidden in ['\u{9b}', '\u{202e}', '\u{7f}', '\u{e0041}', '\u{1b}'] {
            assert!(!printed_text.contains(hidden), "{hidden:?}");
        }
        assert!(printed_text.contains("日本"));
        assert_eq!(printed("plain \u{202e} text"), "plain \\u{202e} text");
    }
}
