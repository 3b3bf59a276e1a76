use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::answer::Role;
use sekisho_gate::token_store::{self, SignInLink};
use sekisho_server::auth::LinkSecret;
use serde_json::json;

use super::qr;
use super::token_args::{LifetimeArg, RoleArg, TokenNameArg};
use crate::commands::audit::blocking_store::BlockingStore;
use crate::commands::audit::local_operator;
use crate::commands::audit::time_format::TimeFormatter;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{PublicUrl, ServerOptions, Settings};
use crate::terminal;

/// Create a link that signs in one browser or phone, once
///
/// Prints the link with a QR code. Its secret comes after the `#` and is sent to your own server only.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Name of the device
    #[arg(long, default_value = "browser")]
    name: TokenNameArg,
    /// What the device may do: viewer, approver or admin
    #[arg(long, default_value = "approver")]
    role: RoleArg,
    /// The server's address as seen from the device [default: the public address, or the listen address]
    #[arg(long, value_name = "URL")]
    url: Option<PublicUrl>,
    /// How long the link works
    #[arg(long, value_name = "SPAN", default_value = "10m")]
    expires: LifetimeArg,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho token link --name phone --role approver --url https://sekisho.example.com
  sekisho token link --name browser --role admin";

pub(super) fn run(args: Args) -> Result<Exit, Failure> {
    if args.role.0 == Role::Agent {
        return Err(Failure::usage(
            "an agent has no browser; create a token for it with `sekisho token create --role agent`",
        ));
    }
    let mut settings = Settings::load()?;
    let serving = settings.resolve_server_config(ServerOptions::default())?;
    let address = args.url.map_or_else(|| serving.public_address(), |below| below.origin);
    let book = BlockingStore::open_or_create(&settings)?;
    let now = Timestamp::now();
    let secret = LinkSecret::make().map_err(Failure::new)?;
    let link = SignInLink {
        hash: secret.hash(),
        name: args.name.0,
        role: args.role.0,
        created_at: now,
        created_by: settings.user.clone(),
        expires_at: args.expires.expires_at(now),
    };
    book.block_on_ledger(token_store::add_link(
        book.tokens(),
        link.clone(),
        Some(local_operator::local_operator(&settings)),
    ))?;
    let below = secret.url(&address);
    let mut out = terminal::stdout();
    if args.json {
        let value =
            json!({ "link": below, "name": link.name, "role": link.role, "expiresAt": link.expires_at });
        serde_json::to_writer_pretty(&mut out, &value)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    writeln!(out, "{below}")?;
    if let Some(code) = qr::code(&below) {
        writeln!(out, "\n{code}")?;
    }
    let until = TimeFormatter::of_stdout().minute(link.expires_at);
    writeln!(
        anstream::stderr(),
        "the link signs in `{}` as {}, once, until {until}",
        terminal::visible(&link.name),
        link.role
    )?;
    Ok(Exit::Ok)
}
