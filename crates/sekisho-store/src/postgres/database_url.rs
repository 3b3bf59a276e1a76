//! Parses the URL of a server.
//!
//! Anyone who can read the connection can read every approval and answer it, so networks are never trusted by
//! default: a connection to another machine is encrypted and the server's certificate and host name are
//! verified, unless the URL says `sslmode=disable`. No mode encrypts without verifying the server.

use std::path::{Path, PathBuf};

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use url::form_urlencoded;

use crate::error::StoreError;

/// A server and how to reach it.
pub(super) struct DatabaseUrl {
    pub(super) config: Config,
    /// The URL without its password, for display.
    pub(super) display: String,
    /// Whether the connection is encrypted.
    pub(super) tls: bool,
    /// File with the root certificates to verify with; `None`: those of the system.
    pub(super) roots: Option<PathBuf>,
}

/// What the URL says about encryption.
enum TlsChoice {
    Nothing,
    Never,
    Always,
}

impl DatabaseUrl {
    /// Reads `postgres://user:password@host:port/database?sslmode=…&sslrootcert=…`.
    pub(super) fn parse(url: &str) -> Result<DatabaseUrl, StoreError> {
        let wrong =
            |what: String| unusable("postgres", what, "write it as `postgres://user@host:5432/database`");
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(wrong("its address does not begin with `postgres://`".into()));
        }
        let (front, query) = url.split_once('?').unwrap_or((url, ""));
        // Parsed by another parser, a piece of the password could be displayed as something else.
        if front.matches('@').count() > 1 || (!front.contains('@') && query.contains('@')) {
            return Err(wrong(
                "its password has a character that must be written as `%40` (@) or `%3F` (?)".into(),
            ));
        }
        let mut said = TlsChoice::Nothing;
        let mut roots = None;
        let mut rest = form_urlencoded::Serializer::new(String::new());
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match (&*name, &*value) {
                ("sslmode", "disable") => said = TlsChoice::Never,
                ("sslmode", "require" | "verify-ca" | "verify-full") => said = TlsChoice::Always,
                ("sslmode", "allow" | "prefer") => said = TlsChoice::Nothing,
                ("sslmode", other) => {
                    return Err(wrong(format!("`sslmode={other}` is neither `disable` nor `verify-full`")));
                }
                ("sslrootcert", "system") => roots = None,
                ("sslrootcert", file) => roots = Some(PathBuf::from(file)),
                (name, value) => drop(rest.append_pair(name, value)),
            }
        }
        // In a URL a space is `%20`; `+` is a plus.
        let rest = rest.finish().replace('+', "%20");
        let url = if rest.is_empty() { front.to_owned() } else { format!("{front}?{rest}") };
        let mut config: Config =
            url.parse().map_err(|error| wrong(super::error_class::one_line_message(&error)))?;
        let tls = match said {
            TlsChoice::Always => true,
            TlsChoice::Never => false,
            TlsChoice::Nothing => !config.get_hosts().iter().all(is_here),
        };
        config.ssl_mode(if tls { SslMode::Require } else { SslMode::Disable });
        Ok(DatabaseUrl { display: shown(&config), config, tls, roots })
    }

    /// An error that names this server.
    pub(super) fn unusable(&self, what: String, way_out: &'static str) -> StoreError {
        unusable(&self.display, what, way_out)
    }
}

pub(super) fn unusable(place: impl AsRef<Path>, what: String, way_out: &'static str) -> StoreError {
    StoreError::Unusable { path: place.as_ref().to_owned(), what, way_out }
}

/// Whether a host is this machine.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost"
                || name
                    .trim_matches(['[', ']'])
                    .parse::<std::net::IpAddr>()
                    .is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn shown(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "localhost".into(),
    };
    let port = config.get_ports().first().map(|port| format!(":{port}")).unwrap_or_default();
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("postgres://{host}{port}/{database}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_is_not_trusted_by_default() {
        for (url, tls) in [
            ("postgres://u:secret@db.example/app", true),
            ("postgres://u:secret@db.example/app?sslmode=prefer", true),
            ("postgres://u:secret@db.example/app?sslmode=verify-full&sslrootcert=%2Fca.pem", true),
            ("postgres://u:secret@db.example/app?sslmode=disable", false),
            ("postgres://u@127.0.0.1:5433/app", false),
            ("postgres://u@localhost,db.example/app", true),
            ("postgresql://u@%2Frun%2Fpg/app", false),
            ("postgres://u@localhost/app?sslmode=require", true),
        ] {
            let address = DatabaseUrl::parse(url).unwrap();
            assert_eq!(address.tls, tls, "{url}");
            let mode = if tls { SslMode::Require } else { SslMode::Disable };
            assert_eq!(address.config.get_ssl_mode(), mode, "{url}");
            assert!(!address.display.contains("secret"), "{}", address.display);
            assert_eq!(address.roots.is_some(), url.contains("sslrootcert"));
        }
    }

    #[test]
    fn other_settings_stay_and_invalid_ones_are_named() {
        let address = DatabaseUrl::parse("postgres://u@h/app?connect_timeout=3&options=-c%20a%3Db").unwrap();
        assert_eq!(address.config.get_options(), Some("-c a=b"));
        for (url, word) in [
            ("mysql://h/app", "postgres://"),
            ("postgres://u@h/app?sslmode=maybe", "maybe"),
            ("postgres://u@h/app?colour=red", "colour"),
            ("postgres://u@h:none/app", "port"),
            ("postgres://u:hush@hush@h/app", "%40"),
            ("postgres://u:a?hush@h/app", "%3F"),
        ] {
            let error = DatabaseUrl::parse(url).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(word) && !error.contains('\n') && !error.contains("hush"), "{error}");
        }
    }
}
