use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::answer::Role;
use sekisho_gate::tokens::{self, Link};
use sekisho_server::auth::LinkSecret;
use serde_json::json;

use super::qr;
use super::values::{For, Name, Named};
use crate::commands::audit::ledger::Book;
use crate::commands::audit::moment::Clock;
use crate::commands::audit::upkeep;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{PublicUrl, Settings, Wishes};
use crate::terminal;

/// Make a link that signs in one browser or phone, once
///
/// The link is printed after a QR code, where another device can reach the server at all. Its secret stands behind `#` and is
/// sent to nobody but our own server.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// What the device will be called
    #[arg(long, default_value = "browser")]
    name: Name,
    /// What it may do: viewer, approver or admin
    #[arg(long, default_value = "approver")]
    role: Named,
    /// The address of the server as the device reaches it [default: the public address, or where it listens]
    #[arg(long, value_name = "URL")]
    url: Option<PublicUrl>,
    /// How long it can be followed
    #[arg(long, value_name = "SPAN", default_value = "10m")]
    expires: For,
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
            "an agent has no browser; make it a token with `sekisho token create --role agent`",
        ));
    }
    let mut settings = Settings::gather()?;
    let serving = settings.serving(Wishes::default())?;
    let address = args.url.map_or_else(|| serving.address(), |url| url.origin);
    let book = Book::make(&settings)?;
    let now = Timestamp::now();
    let secret = LinkSecret::make().map_err(Failure::new)?;
    let link = Link {
        hash: secret.hash(),
        name: args.name.0,
        role: args.role.0,
        created_at: now,
        created_by: settings.user.clone(),
        expires_at: args.expires.ends(now),
    };
    book.wait(tokens::add_link(book.tokens(), link.clone(), Some(upkeep::by(&settings))))?;
    let below = secret.below(&address);
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
    let until = Clock::of_stdout().minute(link.expires_at);
    let name = terminal::visible(&link.name);
    writeln!(err, "it signs in `{name}` as {}, once, until {until}", link.role)?;
    if let Some(host) = here_only {
        writeln!(err, "{}", unreachable(&host, serving.listen.0.port()))?;
    }
    Ok(Exit::Ok)
}

/// The host of an address that only this machine reaches.
fn loopback(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let here = match url.host()? {
        url::Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        url::Host::Ipv4(ip) => ip.is_loopback() || ip.is_unspecified(),
        url::Host::Ipv6(ip) => ip.is_loopback() || ip.is_unspecified(),
    };
    here.then(|| url.host_str().unwrap_or_default().to_owned())
}

/// Why there is no code, and what to do.
fn unreachable(host: &str, port: u16) -> String {
    format!(
        "Your phone cannot reach {host}, so there is no code to scan: the link works in a browser on this machine.\n\
         For a phone, let the server listen on your network, and make the link for the address it has there:\n  \
         sekisho serve --listen 0.0.0.0:{port} --allow-remote --allow-host ADDRESS\n  \
         sekisho token link --name phone --url http://ADDRESS:{port}\n\
         Without TLS whoever is on that network can read along; docs/guide/server.md has the ways to add it."
    )
}
