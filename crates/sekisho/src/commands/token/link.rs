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
/// The link is printed with a QR code. Its secret stands behind `#` and is sent to nobody but our own server.
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
    writeln!(out, "{below}")?;
    if let Some(code) = qr::code(&below) {
        writeln!(out, "\n{code}")?;
    }
    let until = Clock::of_stdout().minute(link.expires_at);
    writeln!(
        anstream::stderr(),
        "it signs in `{}` as {}, once, until {until}",
        terminal::visible(&link.name),
        link.role
    )?;
    Ok(Exit::Ok)
}
