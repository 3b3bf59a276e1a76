//! The token of the person at the terminal.
//!
//! It comes from the command line or the environment, else from a file in the state directory. The saved
//! token is only sent over this machine's Unix socket: any program can listen on a port, and would receive
//! the token. If there is no token yet, a user who can write to this machine's database can create one.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use jiff::Timestamp;
use sekisho_gate::answer::Role;
use sekisho_gate::token_store::{self, Token, TokenKind};
use sekisho_server::auth::TokenSecret;

use super::server_address::ServerAddress;
use crate::commands::audit::blocking_store::BlockingStore;
use crate::commands::audit::local_operator;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{shorten_path, visible};

/// The token for a server; `given` comes from the command line or the environment.
pub(crate) fn find(
    settings: &Settings,
    address: &ServerAddress,
    given: Option<String>,
) -> Result<Option<String>, Failure> {
    if let Some(given) = given {
        return parse(&given).map(Some);
    }
    let ServerAddress::Unix(socket) = address else {
        return Err(Failure::new(format!(
            "no token for {address}; set `SEKISHO_TOKEN` or pass `--token` (`sekisho token create --role approver` on that machine creates one); the token saved here is only sent over the Unix socket"
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

/// The token of an agent; `given` comes from the command line or the environment. The saved token belongs to a person,
/// so it is not used. Over the Unix socket an agent needs none.
pub(crate) fn find_for_agent(
    address: &ServerAddress,
    given: Option<String>,
) -> Result<Option<String>, Failure> {
    match (given, address) {
        (Some(given), _) => parse(&given).map(Some),
        (None, ServerAddress::Unix(_)) => Ok(None),
        (None, ServerAddress::Tcp { .. }) => Err(Failure::new(format!(
            "no token for {address}; set `SEKISHO_TOKEN` (`sekisho token create --role agent` on that machine creates one)"
        ))),
    }
}

fn parse(given: &str) -> Result<String, Failure> {
    let given = given.trim();
    match TokenSecret::parse(given) {
        Some(_) => Ok(given.to_owned()),
        None => Err(Failure::usage("the given token is not a token; a token looks like `sks_…`")),
    }
}

/// The saved token, if its file is private to this user.
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
            "{place}: others can read this file; revoke its token with `sekisho token revoke` and remove the file"
        )));
    }
    let mut text = String::new();
    opened.read_to_string(&mut text).map_err(failed)?;
    let text = text.trim();
    match TokenSecret::parse(text) {
        Some(_) => Ok(Some(text.to_owned())),
        None => Err(Failure::new(format!(
            "{place}: the file contains no token; remove it, and a new token is created"
        ))),
    }
}

/// Creates a token in this machine's database, and saves it.
fn make(settings: &Settings, file: &Path) -> Result<String, Failure> {
    let (store, _) = BlockingStore::open_for_writing(settings).map_err(|failure| {
        let way_out =
            "start the server with `sekisho serve`, or give a token with `SEKISHO_TOKEN` or `--token`";
        Failure {
            message: format!(
                "there is no token yet, and none can be created: {}; {way_out}",
                failure.message
            ),
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
        vouches_for_server: false,
        roots: Vec::new(),
        created_at: now,
        created_by: settings.user.clone(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    // Save the file first: a token that is not saved cannot be used.
    save(file, &secret.reveal())?;
    if let Err(error) = store.block_on_ledger(token_store::add(
        store.tokens(),
        token,
        Some(local_operator::local_operator(settings)),
    )) {
        // A token that is not in the database must not be used next time.
        let _ = fs::remove_file(file);
        return Err(error);
    }
    let place = shorten_path(&file.to_string_lossy(), settings.locations.home.as_deref());
    writeln!(anstream::stderr(), "created the approver token `{name}` and saved it in {place}")?;
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
