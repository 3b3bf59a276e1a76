//! The values of server options. Each type has one parser, used for flags, variables and the config file.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use sekisho_policy::nearest_name;
use serde::Deserialize;

/// The address to listen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct ListenAddress(pub(crate) SocketAddr);

impl ListenAddress {
    /// The default address.
    pub(crate) const USUAL: ListenAddress =
        ListenAddress(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8787));

    /// Whether only this machine can reach it.
    pub(crate) fn is_loopback(self) -> bool {
        self.0.ip().to_canonical().is_loopback()
    }
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<ListenAddress, String> {
        let named = text.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
        named.as_deref().unwrap_or(text).parse().map(ListenAddress).map_err(|_| {
            format!("`{text}` is not a listen address; expected an address with a port, such as `127.0.0.1:8787` or `[::1]:8787`")
        })
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The Unix socket for callers on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum SocketOption {
    /// No socket.
    None,
    At(PathBuf),
}

impl FromStr for SocketOption {
    type Err = String;

    fn from_str(text: &str) -> Result<SocketOption, String> {
        match text {
            "none" => Ok(SocketOption::None),
            "" => Err("the socket path is empty; give a path, or `none`".into()),
            path => Ok(SocketOption::At(path.into())),
        }
    }
}

/// The address that people open, if it is not the listen address.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct PublicUrl {
    /// As browsers send it in `Origin`.
    pub(crate) origin: String,
    /// As browsers send it in `Host`.
    pub(crate) host: String,
    /// Whether the scheme is `https`.
    pub(crate) secure: bool,
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<PublicUrl, String> {
        let wrong =
            |what: &str| format!("`{text}` {what}; expected a URL such as `https://sekisho.example.com`");
        let url = url::Url::parse(text).map_err(|_| wrong("is not a URL"))?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(wrong("is not an http or https URL"));
        }
        if url.path() != "/"
            || url.query().is_some()
            || url.fragment().is_some()
            || !url.username().is_empty()
        {
            return Err(wrong("has more than a host and a port"));
        }
        let origin = url.origin().ascii_serialization();
        let host = origin.split_once("://").map(|(_, host)| host.to_owned()).unwrap_or_default();
        Ok(PublicUrl { origin, host, secure: url.scheme() == "https" })
    }
}

/// `true` or `false`, and nothing else, so that a misspelt value is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoolOption(pub(crate) bool);

impl FromStr for BoolOption {
    type Err = String;

    fn from_str(text: &str) -> Result<BoolOption, String> {
        match text {
            "true" => Ok(BoolOption(true)),
            "false" => Ok(BoolOption(false)),
            other => Err(format!("`{other}` is neither `true` nor `false`; use one of them, or unset it")),
        }
    }
}

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(try_from = "String")]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(try_from = "String")]
pub(crate) enum LogLevel {
    /// Errors only
    Error,
    /// Warnings too
    Warn,
    /// Normal operation too
    Info,
    /// Every request too
    Debug,
    /// Everything.
    Trace,
}

/// Where tools may start programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(try_from = "String")]
pub(crate) enum SandboxOption {
    /// Only where the kernel enforces every limit.
    Required,
    /// Also where it enforces some of them.
    Degraded,
}

/// Parses the name of a variant.
fn one_of<T: clap::ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, false).map_err(|_| {
        let names: Vec<String> = T::value_variants()
            .iter()
            .filter_map(T::to_possible_value)
            .map(|name| name.get_name().to_owned())
            .collect();
        let hint = match nearest_name(text, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("expected one of {}", names.join(", ")),
        };
        format!("unknown value `{text}`; {hint}")
    })
}

impl FromStr for LogFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<LogFormat, String> {
        one_of(text)
    }
}

impl FromStr for LogLevel {
    type Err = String;
    fn from_str(text: &str) -> Result<LogLevel, String> {
        one_of(text)
    }
}

impl FromStr for SandboxOption {
    type Err = String;
    fn from_str(text: &str) -> Result<SandboxOption, String> {
        one_of(text)
    }
}

/// In a config file every value is a string with the same parser.
macro_rules! read_from_strings {
    ($($name:ident),*) => {
        $(impl TryFrom<String> for $name {
            type Error = String;
            fn try_from(text: String) -> Result<$name, String> {
                text.parse()
            }
        })*
    };
}
read_from_strings!(ListenAddress, SocketOption, PublicUrl, LogFormat, LogLevel, SandboxOption);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listen_addresses() {
        for (text, shown, loopback) in [
            ("127.0.0.1:8787", "127.0.0.1:8787", true),
            ("localhost:0", "127.0.0.1:0", true),
            ("[::1]:80", "[::1]:80", true),
            ("[::ffff:127.0.0.1]:80", "[::ffff:127.0.0.1]:80", true),
            ("0.0.0.0:8787", "0.0.0.0:8787", false),
            ("[::]:1", "[::]:1", false),
        ] {
            let listen: ListenAddress = text.parse().unwrap();
            assert_eq!((listen.to_string().as_str(), listen.is_loopback()), (shown, loopback), "{text}");
        }
        for text in ["", "8787", "127.0.0.1", "example.com:80", "127.0.0.1:99999", "http://127.0.0.1:1"] {
            assert!(text.parse::<ListenAddress>().unwrap_err().contains("127.0.0.1:8787"), "{text}");
        }
    }

    #[test]
    fn public_urls() {
        let url: PublicUrl = "https://Sekisho.Example.com:443/".parse().unwrap();
        assert_eq!(
            (url.origin.as_str(), url.host.as_str(), url.secure),
            ("https://sekisho.example.com", "sekisho.example.com", true)
        );
        let url: PublicUrl = "http://[::1]:8000".parse().unwrap();
        assert_eq!(
            (url.origin.as_str(), url.host.as_str(), url.secure),
            ("http://[::1]:8000", "[::1]:8000", false)
        );
        for text in
            ["", "sekisho.example.com", "ftp://a", "https://a/b", "https://a?b", "https://a#b", "https://u@a"]
        {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn bool_is_true_or_false() {
        assert_eq!("true".parse(), Ok(BoolOption(true)));
        assert_eq!("false".parse(), Ok(BoolOption(false)));
        for text in ["", "1", "0", "yes", "off", "False", " true"] {
            assert!(text.parse::<BoolOption>().is_err(), "{text}");
        }
    }

    #[test]
    fn unknown_name_suggests_the_nearest() {
        assert_eq!("jsno".parse::<LogFormat>(), Err("unknown value `jsno`; did you mean `json`?".into()));
        assert_eq!("warn".parse::<LogLevel>(), Ok(LogLevel::Warn));
        assert!("loud".parse::<LogLevel>().unwrap_err().contains("error, warn, info, debug, trace"));
    }
}
