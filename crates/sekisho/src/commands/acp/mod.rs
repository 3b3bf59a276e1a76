//! `sekisho acp`: a proxy between an editor and an agent that speak the Agent Client Protocol.
//!
//! Both sides send one JSON-RPC message per line. Every line is passed on byte for byte, except the agent's requests
//! for permission: those are decided by the server and answered here. [`lines`] moves bytes, [`envelope`] tells which
//! line is a request for permission, [`known_calls`] what was said about its call before, [`tool_call`] says what policy
//! judges, [`approver`] asks, [`proxy`] answers, [`observed_updates`] follows what is not asked about, and [`connection`]
//! connects them. Nothing in this module allows a call on its own.

mod agent_name;
mod agent_process;
mod approver;
mod call_fields;
mod connection;
mod editor_lines;
mod editor_requests;
mod envelope;
mod history_expansion;
mod known_calls;
mod lines;
mod notes;
mod observed_updates;
mod open_questions;
mod permission_request;
mod proxy;
mod raw_fields;
mod shell_directories;
mod tool_call;

use std::ffi::OsString;

use self::agent_name::agent_name;
use crate::commands::audit::blocking_store::runtime;
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

/// Answer an ACP agent's permission requests from policy and inbox
///
/// Editors start their ACP agents as programs and talk to them over standard input and output. Put this command before
/// the agent in the editor's settings: it starts the agent and passes every message on unchanged, except requests
/// for permission. The server decides about those, by its rules or by asking a human. An allowed call is allowed once;
/// nothing is remembered by the agent. If the server cannot be asked, the call is rejected, and a line on standard
/// error says why. Only calls for which the agent asks permission are checked.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    server: ServerArgs,
    /// The agent's name in questions and rules [default: the name of the program or package; with a token, the token's agent]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// How long a human has to answer, in seconds [default: as the rule says, or 120]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: Option<u64>,
    /// The agent and its arguments
    #[arg(required = true, last = true, value_name = "AGENT")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho acp -- gemini --acp
  sekisho acp --agent claude -- npx @agentclientprotocol/claude-agent-acp
  SEKISHO_TOKEN=sks_… sekisho acp --server https://sekisho.example -- my-agent

Exit codes: that of the agent, or 128 plus the signal that ended it; 1 if it could not be started.";

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let (client, has_token) = args.server.agent_client(&settings)?;
    let (program, arguments) =
        args.command.split_first().ok_or_else(|| Failure::usage("name an agent after `--`"))?;
    // A token may be bound to an agent, and then no other name is accepted.
    let agent = args.agent.or_else(|| agent_name(program, arguments).filter(|_| !has_token));
    let timeout_ms = args.timeout.map(|seconds| seconds.saturating_mul(1000));
    let approver = approver::Approver::new(client, agent, timeout_ms);
    agent_process::hide_environment();
    let code = runtime()?.block_on(connection::run(approver, program, arguments))?;
    // Threads still wait for input that nobody needs any more.
    std::process::exit(code)
}
