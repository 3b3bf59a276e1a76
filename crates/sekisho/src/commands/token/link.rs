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
/// Prints a QR code, if other devices can reach the server, and then the link. The secret part follows the
/// `#`: browsers do not put it into requests, and the page sends it only to your own server.
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
    let here_only = loopback(&address);
    // The link comes after the code, which would push it off a small screen.
    if let Some(code) = qr::code(&below).filter(|_| here_only.is_none()) {
        writeln!(out, "{code}\n")?;
    }
    writeln!(out, "{below}")?;
    out.flush()?;
    let mut err = anstream::stderr();
    let until = TimeFormatter::of_stdout().minute(link.expires_at);
    let name = terminal::visible(&link.name);
    writeln!(err, "the link signs in `{name}` as {}, once, until {until}", link.role)?;
    if let Some(host) = here_only {
        writeln!(err, "{}", unreachable(&host, serving.listen.0.port()))?;
    }
    Ok(Exit::Ok)
}

/// The host of an address that only this machine can reach.
fn loopback(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let here = match url.host()? {
        url::Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        url::Host::Ipv4(ip) => ip.is_loopback() || ip.is_unspecified(),
        url::Host::Ipv6(ip) => ip.is_loopback() || ip.is_unspecified(),
    };
    here.then(|| url.host_str().unwrap_or_default().to_owned())
}

/// Why there is no QR code, and what to do.
fn unreachable(host: &str, port: u16) -> String {
    format!(
        "Your phone cannot reach {host}, so no QR code is printed; the link works in a browser on this machine.\n\
         To use a phone, let the server listen on your network and create the link for its address there:\n  \
         sekisho serve --listen 0.0.0.0:{port} --allow-remote --allow-host ADDRESS\n  \
         sekisho token link --name phone --url http://ADDRESS:{port}\n\
         Without TLS, anyone on that network can read the traffic; docs/guide/server.md explains how to add TLS."
    )
}
