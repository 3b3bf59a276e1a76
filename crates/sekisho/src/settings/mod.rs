//! The one place that knows the environment: defaults, then the server's own file, then the environment, then flags.
//!
//! The administrator's file is always `/etc/sekisho/config.json`: whoever could name another could leave it out. Only
//! `check`, on whose word nothing runs, takes another path, by a hidden flag, so that it can be tested.

mod agents;
mod inbox;
mod serving;
#[cfg(test)]
mod tests;
mod user;
mod values;
mod wishes;

use std::path::{Path, PathBuf};

use sekisho_host::{Locations, Workspace};

use crate::failure::Failure;
use crate::terminal::visible;

pub(crate) use agents::Homes;
pub(crate) use inbox::Inbox;
pub(crate) use serving::{Demo, Serving, Tls};
pub(crate) use values::{Format, Level, Listen, PublicUrl};
pub(crate) use wishes::Wishes;

/// The administrator's config.
const MANAGED: &str = "/etc/sekisho/config.json";

/// What the environment and the flags come to.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) locations: Locations,
    /// The workspace root, where the user names one.
    root: Option<PathBuf>,
    /// Who is at the keyboard, for the record of trust.
    pub(crate) user: String,
    /// Where the record is kept.
    pub(crate) database: Database,
    /// The server's own file.
    pub(crate) server_config: PathBuf,
    /// The user named it: it not being there is a fault then.
    server_config_is_named: bool,
}

/// Where the record is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Database {
    /// In a file.
    Sqlite(PathBuf),
    /// On a PostgreSQL server.
    Postgres(Address),
}

/// The address of a PostgreSQL database. It may hold a password, so it is never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    /// The whole of it.
    pub(crate) url: String,
    /// What people read: no user and no password.
    pub(crate) shown: String,
}

impl Address {
    /// Reads `postgres://user:password@host:5432/database?sslmode=…&sslrootcert=…`.
    pub(crate) fn parse(url: &str) -> Result<Address, Failure> {
        let shown = sekisho_store::postgres::shown(url).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(Address { url: url.to_owned(), shown: visible(&shown).into_owned() })
    }
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Database {
    /// Reads a `DATABASE_URL`: `sqlite:PATH`, the path of a file, or `postgres://…`.
    pub(crate) fn parse(url: &str) -> Result<Database, Failure> {
        let file = match url.split_once(':') {
            None => url,
            Some(("sqlite", path)) => path.strip_prefix("//").unwrap_or(path),
            Some(("postgres" | "postgresql", _)) => return Address::parse(url).map(Database::Postgres),
            Some((scheme, _)) => {
                return Err(Failure::usage(format!(
                    "`DATABASE_URL` begins with `{scheme}:`; this sekisho knows `sqlite:PATH`, the path of a file and `postgres://…`"
                )));
            }
        };
        if file.is_empty() {
            return Err(Failure::usage("`DATABASE_URL` names no file; write `sqlite:PATH`"));
        }
        absolute(file.into()).map(Database::Sqlite)
    }
}

impl Settings {
    /// Reads the environment, and the server's own file for what all commands share: where the record is, and which doors
    /// no agent may use.
    pub(crate) fn gather() -> Result<Settings, Failure> {
        let (settings, fault) = Settings::look()?;
        fault.map_or(Ok(settings), Err)
    }

    /// The same, whatever the server's own file says: with what is wrong with it.
    pub(crate) fn look() -> Result<(Settings, Option<Failure>), Failure> {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let below_home = |variable: &str, default: &str| {
            // A relative directory is to be ignored, says the XDG specification.
            let named = variable_of(variable).map(PathBuf::from).filter(|path| path.is_absolute());
            named.or_else(|| Some(home.as_ref()?.join(default))).ok_or_else(|| {
                Failure::new(format!("neither `HOME` nor `{variable}` is set; set one of them"))
            })
        };
        let named = variable_of("SEKISHO_CONFIG").map(absolute).transpose()?;
        let global_is_named = named.is_some();
        let global = match named {
            Some(path) => path,
            None => below_home("XDG_CONFIG_HOME", ".config")?.join("sekisho/config.json"),
        };
        let state = below_home("XDG_STATE_HOME", ".local/state")?.join("sekisho");
        let root = variable_of("SEKISHO_PROJECT_ROOT").map(PathBuf::from);
        let said = variable_of("USER").or_else(|| variable_of("LOGNAME"));
        let user = user::name_of(said, rustix::process::getuid().as_raw());
        let database = Database::Sqlite(state.join("ledger.db"));
        let named = variable_of("SEKISHO_SERVER_CONFIG").map(absolute).transpose()?;
        let server_config_is_named = named.is_some();
        let server_config = match named {
            Some(path) => path,
            None => below_home("XDG_CONFIG_HOME", ".config")?.join("sekisho/server.json"),
        };
        let doors = Vec::new();
        let locations = Locations { managed: MANAGED.into(), global, global_is_named, state, home, doors };
        let mut settings =
            Settings { locations, root, user, database, server_config, server_config_is_named };
        let (file, fault) = match settings.server_file() {
            Ok(file) => (file.unwrap_or_default(), None),
            Err(fault) => (Wishes::default(), Some(fault)),
        };
        if let Some(url) = variable_of("DATABASE_URL").or(file.database.clone()) {
            settings.database = Database::parse(&url)?;
        }
        settings.locations.doors = settings.usual_doors(file);
        Ok((settings, fault))
    }

    /// The workspace of a directory; of the current one if none is given.
    pub(crate) fn workspace(&self, cwd: Option<&Path>) -> Result<Workspace, Failure> {
        let here = match cwd {
            Some(cwd) => cwd.to_path_buf(),
            None => std::env::current_dir()
                .map_err(|error| Failure::new(format!("the current directory is not known: {error}")))?,
        };
        Ok(Workspace::find(self.root.as_deref(), None, &here)?)
    }
}

/// A program that is installed beside this one.
pub(crate) fn beside_us(name: &str) -> Result<PathBuf, Failure> {
    let us = std::env::current_exe().and_then(|us| us.canonicalize());
    let us = us.map_err(|error| Failure::new(format!("where this program lies is not known: {error}")))?;
    Ok(us.with_file_name(name))
}

/// The value of a variable that holds a secret.
pub(crate) fn secret_in(variable: &str) -> Option<String> {
    variable_of(variable)
}

/// A variable of the environment; set to nothing is not set.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn variable_of(name: &str) -> Option<String> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
}

fn absolute(path: String) -> Result<PathBuf, Failure> {
    std::path::absolute(&path).map_err(|error| Failure::new(format!("`{path}`: {error}")))
}
