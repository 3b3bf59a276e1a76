//! The only place that reads the environment. Later sources override earlier ones: defaults, the server's
//! config file, the environment, flags.
//!
//! The managed config is always `/etc/sekisho/config.json`: a user who could choose another path could leave
//! it out. Only `check` accepts another path, by a hidden flag for tests, because nothing runs on its
//! verdict.

mod agent_environment;
mod client_environment;
mod model_settings;
mod option_values;
mod server_config;
mod server_options;
#[cfg(test)]
mod tests;
mod user_name;
mod web_settings;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sekisho_host::{Locations, Workspace};

use crate::failure::Failure;
use crate::terminal::visible;

pub(crate) use agent_environment::AgentHomes;
pub(crate) use client_environment::ClientEnvironment;
pub(crate) use model_settings::{has_own_openai_address, is_configured, model_key_files, model_keys, models};
pub(crate) use option_values::{ListenAddress, LogFormat, LogLevel, PublicUrl, SandboxOption};
pub(crate) use server_config::{DemoMode, ServerConfig, TlsFiles};
pub(crate) use server_options::ServerOptions;
pub(crate) use web_settings::SEARCH_KEY;

/// The managed config.
const MANAGED: &str = "/etc/sekisho/config.json";

/// The settings from the environment and the server's config file.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) locations: Locations,
    /// The workspace root, if the user names one.
    root: Option<PathBuf>,
    /// The user at the terminal, for the trust file.
    pub(crate) user: String,
    pub(crate) database: Database,
    /// The server's config file.
    pub(crate) server_config_path: PathBuf,
    /// The user named that file, so a missing file is an error.
    server_config_is_named: bool,
}

/// The database of the audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Database {
    Sqlite(PathBuf),
    Postgres(PostgresUrl),
}

/// The URL of a PostgreSQL database. It may contain a password, so it is never printed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PostgresUrl {
    /// The complete URL.
    pub(crate) url: String,
    /// For display, without user and password.
    pub(crate) shown: String,
}

impl PostgresUrl {
    /// Parses `postgres://user:password@host:5432/database?sslmode=…&sslrootcert=…`.
    pub(crate) fn parse(url: &str) -> Result<PostgresUrl, Failure> {
        let shown =
            sekisho_store::postgres::display_url(url).map_err(|error| Failure::usage(error.to_string()))?;
        Ok(PostgresUrl { url: url.to_owned(), shown: visible(&shown).into_owned() })
    }
}

impl std::fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

impl Database {
    /// Parses a `DATABASE_URL`: `sqlite:PATH`, the path of a file, or `postgres://…`.
    pub(crate) fn parse(url: &str) -> Result<Database, Failure> {
        let file = match url.split_once(':') {
            None => url,
            Some(("sqlite", path)) => path.strip_prefix("//").unwrap_or(path),
            Some(("postgres" | "postgresql", _)) => return PostgresUrl::parse(url).map(Database::Postgres),
            Some((scheme, _)) => {
                return Err(Failure::usage(format!(
                    "`DATABASE_URL` begins with `{scheme}:`; use `sqlite:PATH`, the path of a file or `postgres://…`"
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
    /// Reads the environment, and from the server's config file what all commands share: the database, and
    /// the server addresses that agents may not use.
    pub(crate) fn load() -> Result<Settings, Failure> {
        let (settings, fault) = Settings::load_lenient()?;
        fault.map_or(Ok(settings), Err)
    }

    /// Like [`Self::load`], but returns an error of the server's config file beside the settings.
    pub(crate) fn load_lenient() -> Result<(Settings, Option<Failure>), Failure> {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let below_home = |variable: &str, default: &str| {
            // The XDG specification says to ignore relative paths.
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
        let user = user_name::name_of(said, rustix::process::getuid().as_raw());
        let database = Database::Sqlite(state.join("ledger.db"));
        let named = variable_of("SEKISHO_SERVER_CONFIG").map(absolute).transpose()?;
        let server_config_is_named = named.is_some();
        let server_config = match named {
            Some(path) => path,
            None => below_home("XDG_CONFIG_HOME", ".config")?.join("sekisho/server.json"),
        };
        let doors = Vec::new();
        let locations = Locations { managed: MANAGED.into(), global, global_is_named, state, home, doors };
        let mut settings = Settings {
            locations,
            root,
            user,
            database,
            server_config_path: server_config,
            server_config_is_named,
        };
        let (file, fault) = match settings.server_file() {
            Ok(file) => (file.unwrap_or_default(), None),
            Err(fault) => (ServerOptions::default(), Some(fault)),
        };
        if let Some(url) = variable_of("DATABASE_URL").or(file.database.clone()) {
            settings.database = Database::parse(&url)?;
        }
        settings.locations.doors = settings.default_server_addresses(file);
        Ok((settings, fault))
    }

    /// The workspace root that the user named, instead of working in it.
    pub(crate) fn named_root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The workspace of a directory, or of the current one.
    pub(crate) fn workspace(&self, cwd: Option<&Path>) -> Result<Workspace, Failure> {
        let here = match cwd {
            Some(cwd) => cwd.to_path_buf(),
            None => std::env::current_dir()
                .map_err(|error| Failure::new(format!("cannot read the current directory: {error}")))?,
        };
        Ok(Workspace::find(self.root.as_deref(), None, &here)?)
    }
}

/// The path of a program beside this one.
pub(crate) fn sibling_program(name: &str) -> Result<PathBuf, Failure> {
    let us = std::env::current_exe().and_then(|us| us.canonicalize());
    let us = us.map_err(|error| Failure::new(format!("cannot find the path of this program: {error}")))?;
    Ok(us.with_file_name(name))
}

/// `PATH`.
pub(crate) fn search_path() -> Option<OsString> {
    variable_of("PATH").map(OsString::from)
}

/// The variables with these names that are set.
#[expect(clippy::disallowed_methods, reason = "the only place that reads the environment")]
pub(crate) fn passed_on(names: &[String]) -> Vec<(OsString, OsString)> {
    let value = |name: &String| std::env::var_os(name).map(|value| (OsString::from(name), value));
    names.iter().filter_map(value).collect()
}

/// The value of a variable that holds a secret.
pub(crate) fn secret_variable(variable: &str) -> Option<String> {
    variable_of(variable)
}

/// An environment variable; an empty value counts as not set.
#[expect(clippy::disallowed_methods, reason = "the only place that reads the environment")]
fn variable_of(name: &str) -> Option<String> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(|value| value.to_string_lossy().into_owned())
}

fn absolute(path: String) -> Result<PathBuf, Failure> {
    std::path::absolute(&path).map_err(|error| Failure::new(format!("`{path}`: {error}")))
}
