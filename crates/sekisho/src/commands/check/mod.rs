mod batch;
mod explain;
mod local_judge;

use std::io::Read;
use std::path::PathBuf;

use sekisho_policy::tools::{self, ToolKind};
use sekisho_policy::{Call, IdClaim, exact_json, main_input};
use serde::Serialize;
use serde_json::Value;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;
use local_judge::LocalJudge;

/// Show what the policy decides about a tool call, and why
///
/// Nothing is run, nobody is asked, and a later call is judged again. `--agent` and `--server` are not
/// verified.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The tool, by its canonical name (`bash`, `read`, `web_fetch` …) or as an agent names it
    #[arg(required_unless_present = "batch")]
    tool: Option<String>,
    /// The command, path or URL of the call
    #[arg(conflicts_with = "input")]
    text: Option<String>,
    /// The MCP server that the tool belongs to
    #[arg(long, value_name = "ID")]
    server: Option<String>,
    /// The complete input as JSON; `-` reads it from standard input
    #[arg(long, value_name = "JSON")]
    input: Option<String>,
    /// The agent that makes the call
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// The directory the call would run in
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
    /// Read one call per line as JSON from standard input and write one verdict per line, as JSON
    #[arg(long, conflicts_with_all = ["tool", "text", "server", "input", "agent"])]
    batch: bool,
    /// Another administrator's config. Nothing runs on the verdict of `check`, so any file may be tried.
    #[arg(long, hide = true, value_name = "FILE")]
    managed_config: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho check bash 'git status && rm -rf build'
  sekisho check read --input '{\"path\":\"a\"}'
  sekisho check create_issue --server github --input - < input.json
  sekisho check --batch < calls.jsonl
      {\"tool\":\"read\",\"input\":{\"path\":\"a\"},\"server\":\"…\",\"agent\":\"…\",\"cwd\":\"…\"}   one per line

Exit codes: 0 allow, 2 deny, 3 confirm, 1 if a config does not load; with --batch: 0, or 1 if a line could not be read.";

/// A verdict with the rules considered.
#[derive(Serialize)]
struct CheckReport<'a> {
    #[serde(flatten)]
    verdict: &'a sekisho_policy::Verdict,
    considered: &'a [sekisho_policy::ConsideredRule],
    advice: &'a sekisho_policy::Advice,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut settings = Settings::load()?;
    if let Some(path) = &args.managed_config {
        settings.locations.managed.clone_from(path);
    }
    let workspace = settings.workspace(args.cwd.as_deref())?;
    let mut judging = LocalJudge::new(settings, workspace);
    let exit = match (&args.tool, args.batch) {
        (Some(tool), false) => one(args, tool, &mut judging)?,
        _ => batch::run(&mut judging)?,
    };
    let broken = judging.broken();
    if broken.is_empty() { Ok(exit) } else { Err(Failure::new(broken.join("\n"))) }
}

fn one(args: &Args, tool: &str, judging: &mut LocalJudge) -> Result<Exit, Failure> {
    let mut call = Call::new(tool, input(args, tool)?);
    call.server = args.server.clone().map(IdClaim::proven);
    call.agent = args.agent.clone().map(IdClaim::proven);
    call.cwd = judging.cwd();
    let (verdict, considered, advice) = judging.explain(&call);
    let mut out = terminal::stdout();
    if args.json {
        let answer = CheckReport { verdict: &verdict, considered: &considered, advice: &advice };
        serde_json::to_writer(&mut out, &answer)?;
        std::io::Write::write_all(&mut out, b"\n")?;
    } else {
        explain::write(&mut out, &call, &verdict, &considered, &advice, judging)?;
    }
    Ok(verdict.decision.into())
}

/// The input of the call.
fn input(args: &Args, tool: &str) -> Result<Value, Failure> {
    let text = match (args.text.as_deref(), args.input.as_deref()) {
        (Some(text), _) => {
            return match main_input(tool, text) {
                Value::Null => Err(Failure::usage(format!(
                    "unknown tool `{tool}`; pass its complete input with `--input`"
                ))),
                input => Ok(input),
            };
        }
        (None, None) => match missing(args, tool) {
            Some(what) => {
                let example = format!("`sekisho check {tool} {what}`");
                let message = format!("`{tool}` is about {what}, and none was given; write {example}");
                return Err(Failure::usage(format!("{message}, or the whole input by `--input`")));
            }
            None => return Ok(Value::Object(serde_json::Map::new())),
        },
        (None, Some("-")) => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|error| Failure::usage(format!("--input: standard input: {error}")))?;
            text
        }
        (None, Some(text)) => text.to_owned(),
    };
    exact_json::read(&text).map_err(|error| Failure::usage(format!("--input: {error}")))
}

/// What a call to the tool is about, where it makes no sense without that.
fn missing(args: &Args, tool: &str) -> Option<&'static str> {
    let known = tools::by_name(tool).filter(|_| args.server.is_none())?;
    match known.kind {
        ToolKind::Shell => Some("COMMAND"),
        ToolKind::Read | ToolKind::Write => Some("PATH"),
        ToolKind::Web => Some("URL"),
        ToolKind::Skill => Some("SKILL"),
        ToolKind::Search | ToolKind::WebSearch | ToolKind::Notes | ToolKind::Other => None,
    }
}
