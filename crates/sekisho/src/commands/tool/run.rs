use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::Gate;
use sekisho_gate::answer::{Actor, Answer};
use sekisho_gate::approval::Approval;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::{Caller, CallerEnvironment};
use sekisho_gate::refusal::RefusalCode;
use sekisho_policy::Call;
use sekisho_tools::{ToolContext, ToolError, ToolResult, ToolRunner};
use uuid::Uuid;

use super::built_in_tools::{registry, unknown_tool};
use super::tool_limits::ToolLimits;
use super::{local_gate, tool_input};
use crate::commands::audit::blocking_store;
use crate::commands::audit::local_operator::local_operator;
use crate::commands::sandbox;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, ensure_visible_lines, visible};

/// Run a tool through the gate
///
/// Each field of the tool's input is a flag (`sekisho tool show NAME` lists them); `--input` takes all of them
/// as JSON. Options come before the tool. The local policy judges the call. If it says confirm, the terminal asks; without a terminal the
/// call is refused. The result is printed as the model would get it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(flatten)]
    limits: ToolLimits,
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
  sekisho tool run --git-permission ReadWrite git_ops --action commit --args '{\"message\":\"Fix it\"}'

Exit codes: 0 if the tool ran, 1 if it failed, 2 if the call was denied, 3 if it needs confirmation and nobody can give it.";

/// How often the local audit log is asked for an open question.
const LOOKING: Duration = Duration::from_millis(20);

pub(super) fn run(args: Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let registry = registry(settings.locations.home.as_deref())?;
    let tool = registry.get(&args.tool).ok_or_else(|| unknown_tool(&args.tool, &registry))?;
    let input = tool_input::read(&args.fields, &tool.definition())?;
    let workspace = settings.workspace(None)?;
    let mut ctx = ToolContext::new(workspace.root.clone(), Arc::new(sandbox::detect()?));
    ctx.home.clone_from(&settings.locations.home);
    args.limits.apply(&args.tool, &settings, &mut ctx)?;
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
        let gate = local_gate::open(&settings, keys).await?;
        let cwd = workspace.root.to_str();
        ctx.policy = gate.rulebook().active_policy(&request.environment, cwd, None).policy;
        let runner = ToolRunner::new(gate.clone(), Arc::new(registry))
            .map_err(|error| Failure::new(error.to_string()))?;
        let id = request.call.call_id.clone();
        tokio::select! {
            outcome = runner.run(request, &ctx) => Ok(outcome),
            failure = ask(&gate, id.as_deref(), &settings) => Err(failure),
        }
    })?;
    report(outcome)
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

fn report(outcome: Result<ToolResult, ToolError>) -> Result<Exit, Failure> {
    match outcome {
        Ok(result) if result.is_error => Err(Failure::new(result.content)),
        Ok(result) => {
            writeln!(terminal::stdout(), "{}", ensure_visible_lines(&result.content))?;
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
                ToolError::NotRecorded(_) => Exit::Failure,
            };
            Err(Failure { exit, ..Failure::new(error.to_string()) })
        }
    }
}
