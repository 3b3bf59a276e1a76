use std::io::Write;
use std::path::PathBuf;

use jiff::Timestamp;
use sekisho_gate::answer::Role;
use sekisho_gate::token_store::{self, Token, TokenKind};
use sekisho_host::Workspace;
use sekisho_server::auth::TokenSecret;
use serde_json::json;

use super::token_args::{LifetimeArg, RoleArg, TokenNameArg};
use crate::commands::audit::blocking_store::BlockingStore;
use crate::commands::audit::local_operator;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Create a token for a program, and print it once
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Name of the token
    #[arg(long)]
    name: TokenNameArg,
    /// What the token may do: agent, viewer, approver or admin
    #[arg(long)]
    role: RoleArg,
    /// The agent that uses this token, so that rules that name it apply
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// Believe this caller when it says which MCP server a call belongs to
    #[arg(long)]
    vouches: bool,
    /// A project whose rules apply to calls made with this token (repeatable) [default: any project that the
    /// server knows]
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
    /// Lifetime of the token, such as `30d` [default: until it is revoked]
    #[arg(long, value_name = "SPAN")]
    expires: Option<LifetimeArg>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho token create --name ci --role agent --agent ci-bot --expires 30d
  export SEKISHO_TOKEN=$(sekisho token create --name shop --role agent --vouches --json | jq -r .token)";

pub(super) fn run(args: Args) -> Result<Exit, Failure> {
    if args.role.0 != Role::Agent && (args.agent.is_some() || args.vouches || !args.roots.is_empty()) {
        return Err(Failure::usage("`--agent`, `--vouches` and `--root` need `--role agent`"));
    }
    let settings = Settings::load()?;
    let roots = args
        .roots
        .iter()
        .map(|root| Ok(Workspace::find(Some(root), None, root)?.root))
        .collect::<Result<Vec<_>, Failure>>()?;
    let store = BlockingStore::open_or_create(&settings)?;
    let now = Timestamp::now();
    let secret = TokenSecret::make(now).map_err(Failure::new)?;
    let token = Token {
        id: secret.id,
        name: args.name.0,
        role: args.role.0,
        kind: TokenKind::Api,
        hash: secret.hash(),
        agent: args.agent.filter(|agent| !agent.is_empty()),
        vouches_for_server: args.vouches,
        roots: roots.iter().map(|root| root.to_string_lossy().into_owned()).collect(),
        created_at: now,
        created_by: settings.user.clone(),
        expires_at: args.expires.map(|span| span.expires_at(now)),
        revoked_at: None,
        last_used_at: None,
    };
    store.block_on_ledger(token_store::add(
        store.tokens(),
        token.clone(),
        Some(local_operator::local_operator(&settings)),
    ))?;
    let mut out = terminal::stdout();
    if args.json {
        let value = json!({
            "id": token.id, "name": token.name, "role": token.role, "expiresAt": token.expires_at, "token": secret.reveal(),
        });
        serde_json::to_writer_pretty(&mut out, &value)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{}", secret.reveal())?;
        writeln!(anstream::stderr(), "save this token: it is not shown again, and only its hash is stored")?;
    }
    Ok(Exit::Ok)
}
