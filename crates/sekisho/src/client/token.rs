//! The token of the person at the terminal.
//!
//! It comes from the command line or the environment, else from a file in the state directory. The file is for this
//! machine's Unix socket only: on a port anybody can listen, and whoever does would be told the token. Where there is none yet, whoever can write this machine's database can make one.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use jiff::Timestamp;
use sekisho_gate::answer::Role;
use sekisho_gate::tokens::{self, Token, TokenKind};
use sekisho_server::auth::TokenSecret;

use super::address::Address;
use crate::commands::audit::ledger::Book;
use crate::commands::audit::upkeep;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{short, visible};

/// The token to bring to a server; `given` is what the command line or the environment says.
pub(crate) fn find(
    settings: &Settings,
    address: &Address,
    given: Option<String>,
) -> Result<Option<String>, Failure> {
    if let Some(given) = given {
        let given = given.trim().to_owned();
        return match TokenSecret::parse(&given) {
            Some(_) => Ok(Some(given)),
            None => Err(Failure::usage("what was given as a token is none; a token looks like `sks_…`")),
        };
    }
    let Address::Unix(socket) = address else {
        return Err(Failure::new(format!(
            "no token for {address}; give one with `SEKISHO_TOKEN` or `--token` (there, `sekisho token create --role approver` makes one); the one saved on this machine is only sent over the Unix socket"
        )));
    };
    let file = settings.locations.state.join("terminal.token");
    match saved(&file)? {
        Some(token) => Ok(Some(token)),
        // Nobody is there to bring one to, which is what will be said.
        None if !socket.exists() => Ok(None),
        None => make(settings, &file).map(Some),
    }
}

/// The token that was saved, if its file belongs to nobody else.
fn saved(file: &Path) -> Result<Option<String>, Failure> {
    let place = file.display();
    let failed =
        |error: std::io::Error| Failure::new(format!("{place}: {}", error.to_string().to_lowercase()));
    let mut opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if opened.metadata().map_err(failed)?.mode() & 0o077 != 0 {
        return Err(Failure::new(format!(
            "{place}: others can read it; revoke that token with `sekisho token revoke` and remove the file"
        )));
    }
    let mut text = String::new();
    opened.read_to_string(&mut text).map_err(failed)?;
    let text = text.trim();
    match TokenSecret::parse(text) {
        Some(_) => Ok(Some(text.to_owned())),
        None => Err(Failure::new(format!("{place}: it holds no token; remove it to have a new one made"))),
    }
}

/// Makes a token in this machine's database, and saves it.
fn make(settings: &Settings, file: &Path) -> Result<String, Failure> {
    let (book, _) = Book::write(settings).map_err(|failure| {
        let way_out =
            "start the server with `sekisho serve`, or give a token with `SEKISHO_TOKEN` or `--token`";
        Failure {
            message: format!("no token yet, and none can be made: {}; {way_out}", failure.message),
            ..failure
        }
    })?;
    let now = Timestamp::now();
    let secret = TokenSecret::make(now).map_err(Failure::new)?;
    let name = format!("terminal of {}", visible(&settings.user));
    let token = Token {
        id: secret.id,
        name: name.clone(),
        role: Role::Approver,
        kind: TokenKind::Api,
        hash: secret.hash(),
        agent: None,
        vouches: false,
        roots: Vec::new(),
        created_at: now,
        created_by: settings.user.clone(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    // First the file: a token that could not be saved is one that nobody can bring.
    save(file, &secret.reveal())?;
    if let Err(error) = book.wait(tokens::add(book.tokens(), token, Some(upkeep::by(settings)))) {
        // What is not in the database must not be found the next time.
        let _ = fs::remove_file(file);
        return Err(error);
    }
    let place = short(&file.to_string_lossy(), settings.locations.home.as_deref());
    writeln!(anstream::stderr(), "made an approver token `{name}` and saved it in {place}")?;
    Ok(secret.reveal())
}

fn save(file: &Path, secret: &str) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!("{}: {}", file.display(), error.to_string().to_lowercase()))
    };
    let mut opened =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(failed)?;
    writeln!(opened, "{secret}").and_then(|()| opened.sync_all()).map_err(failed)
}
