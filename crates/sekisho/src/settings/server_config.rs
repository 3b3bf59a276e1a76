//! How a server is to behave: the one place where defaults, its file, the environment and flags come together.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use super::option_values::{LogFormat, LogLevel, ListenAddress, PublicUrl, SocketOption};
use super::server_options::ServerOptions;
use super::{Database, Settings, absolute, variable_of};
use crate::failure::Failure;

/// How a server is to behave.
#[derive(Clone, Debug)]
pub(crate) struct ServerConfig {
    pub(crate) listen: ListenAddress,
    pub(crate) public_url: Option<PublicUrl>,
    pub(crate) allow_hosts: Vec<String>,
    pub(crate) tls: Option<TlsFiles>,
    pub(crate) socket: Option<PathBuf>,
    pub(crate) projects: Vec<PathBuf>,
    pub(crate) no_approvers: bool,
    pub(crate) demo: DemoMode,
    /// Whether questions are asked at all.
    pub(crate) asks: bool,
    pub(crate) timeout_s: u32,
    pub(crate) max_pending: u32,
    /// Requests a second of one token.
    pub(crate) max_rate: u32,
    pub(crate) max_connections: u32,
    /// Days.
    pub(crate) purge_after: u32,
    pub(crate) log_format: Option<LogFormat>,
    pub(crate) log: LogLevel,
    /// Variables and files.
    pub(crate) secrets: Vec<String>,
}

/// Whether a make-believe agent asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoMode {
    /// None does.
    Off,
    /// One does beside whatever else the server is for.
    Alongside,
    /// The server is there for nothing else, and ends with it.
    Only,
}

/// Where the certificate and its key lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

impl Settings {
    /// Reads everything that a server is told, and puts it into these settings as well: the database, and the doors that
    /// no agent may use.
    pub(crate) fn resolve_server_config(&mut self, flags: ServerOptions) -> Result<ServerConfig, Failure> {
        let file = self.server_file()?.unwrap_or_default();
        let wishes = flags.merged_over(ServerOptions::from_environment(&variable_of)?).merged_over(file);
        if let Some(url) = &wishes.database {
            self.database = Database::parse(url)?;
        }
        let serving = ServerConfig::of(wishes, self)?;
        self.locations.doors = serving.server_addresses();
        Ok(serving)
    }

    /// A server that is there for the demo only, with everything of its own in a directory that is removed afterwards. What
    /// the environment and the server's own file say is about another one.
    pub(crate) fn for_scratch_server(&self, directory: &Path) -> Result<(Settings, ServerConfig), Failure> {
        let mut settings = self.clone();
        settings.locations.state = directory.join("state");
        settings.locations.global = directory.join("config.json");
        settings.locations.global_is_named = false;
        settings.server_config_path = directory.join("server.json");
        settings.database = Database::Sqlite(settings.locations.state.join("ledger.db"));
        let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let wishes = ServerOptions {
            listen: Some(ListenAddress(anywhere)),
            socket: Some(SocketOption::None),
            log_format: Some(LogFormat::Text),
            log: Some(LogLevel::Warn),
            ..ServerOptions::default()
        };
        let serving = ServerConfig { demo: DemoMode::Only, ..ServerConfig::of(wishes, &settings)? };
        Ok((settings, serving))
    }

    /// What the server's own file says; `None` where there is none. One that was named has to be there.
    pub(crate) fn server_file(&self) -> Result<Option<ServerOptions>, Failure> {
        let path = &self.server_config_path;
        let failed = |what: &str| Failure::new(format!("{}: {what}", path.display()));
        let mut wishes = match std::fs::read_to_string(path) {
            Ok(text) => ServerOptions::from_file(&path.to_string_lossy(), &text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !self.server_config_is_named => {
                return Ok(None);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(failed(
                    "the file that `SEKISHO_SERVER_CONFIG` names is not there; create it, or unset it",
                ));
            }
            Err(error) => return Err(failed(&error.to_string().to_lowercase())),
        };
        let beside = path.parent().unwrap_or(Path::new("/"));
        let at = |named: &mut PathBuf| *named = self.named_in_file(beside, named);
        wishes.tls_cert.iter_mut().for_each(at);
        wishes.tls_key.iter_mut().for_each(at);
        wishes.projects.iter_mut().flatten().for_each(at);
        if let Some(SocketOption::At(socket)) = &mut wishes.socket {
            at(socket);
        }
        for secret in wishes.secrets.iter_mut().flatten().filter(|secret| secret.contains('/')) {
            *secret = self.named_in_file(beside, Path::new(secret.as_str())).to_string_lossy().into_owned();
        }
        Ok(Some(wishes))
    }

    /// A path as the server's file names it: `~/` is the home directory, and what is not absolute lies beside the file.
    fn named_in_file(&self, beside: &Path, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.locations.home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => beside.join(path),
        }
    }

    /// The doors of a server that was told nothing by flags: what every other command can know of it.
    pub(super) fn default_server_addresses(&self, file: ServerOptions) -> Vec<String> {
        // A variable that makes no sense is told by those who need it.
        let wishes = ServerOptions::from_environment(&variable_of).unwrap_or_default().merged_over(file);
        let listen = wishes.listen.unwrap_or(ListenAddress::USUAL);
        doors(listen.0.port(), self.socket_of(wishes.socket).as_deref())
    }

    fn socket_of(&self, wish: Option<SocketOption>) -> Option<PathBuf> {
        match wish {
            None => Some(self.locations.state.join("sekisho.sock")),
            Some(SocketOption::None) => None,
            Some(SocketOption::At(path)) => Some(path),
        }
    }
}

impl ServerConfig {
    fn of(wishes: ServerOptions, settings: &Settings) -> Result<ServerConfig, Failure> {
        let tls = match (wishes.tls_cert, wishes.tls_key) {
            (None, None) => None,
            (Some(cert), Some(key)) => Some(TlsFiles { cert: at(cert)?, key: at(key)? }),
            (Some(_), None) => {
                return Err(Failure::usage("there is a TLS certificate and no key; give `--tls-key` too"));
            }
            (None, Some(_)) => {
                return Err(Failure::usage("there is a TLS key and no certificate; give `--tls-cert` too"));
            }
        };
        let listen = wishes.listen.unwrap_or(ListenAddress::USUAL);
        let allow_remote = wishes.allow_remote.unwrap_or(false);
        if !listen.is_loopback() && !allow_remote {
            return Err(Failure::usage(format!(
                "`{listen}` can be reached from other machines; give `--allow-remote` too if that is meant, or listen on `127.0.0.1:{}`",
                listen.0.port()
            )));
        }
        let allow_hosts = wishes.allow_hosts.unwrap_or_default();
        if let Some(wrong) =
            allow_hosts.iter().find(|host| host.is_empty() || host.contains(['/', '@', ' ', ',']))
        {
            return Err(Failure::usage(format!(
                "`{wrong}` is no name of a host; write one such as `sekisho.lan` or `sekisho.lan:8787`"
            )));
        }
        let socket = settings.socket_of(wishes.socket).map(at).transpose()?;
        let timeout_s = wishes.timeout_s.unwrap_or(120);
        if timeout_s == 0 {
            return Err(Failure::usage(
                "`timeout_s` is 0, and nobody could answer in no time; leave it out, or write seconds",
            ));
        }
        Ok(ServerConfig {
            listen,
            public_url: wishes.public_url,
            allow_hosts,
            tls,
            socket,
            projects: wishes.projects.unwrap_or_default().into_iter().map(at).collect::<Result<_, _>>()?,
            no_approvers: wishes.no_approvers.unwrap_or(false),
            demo: if wishes.demo.unwrap_or(false) { DemoMode::Alongside } else { DemoMode::Off },
            asks: wishes.asks.unwrap_or(true),
            timeout_s,
            max_pending: wishes.max_pending.unwrap_or(500),
            max_rate: wishes.max_rate.unwrap_or(200).max(1),
            max_connections: wishes.max_connections.unwrap_or(16_384),
            purge_after: wishes.purge_after.unwrap_or(30),
            log_format: wishes.log_format,
            log: wishes.log.unwrap_or(LogLevel::Info),
            secrets: wishes.secrets.unwrap_or_default(),
        })
    }

    /// `http` or `https`, as we speak it.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Whether callers come over TLS, ours or that of a proxy in front.
    pub(crate) fn is_https(&self) -> bool {
        self.tls.is_some() || self.public_url.as_ref().is_some_and(|url| url.secure)
    }

    /// What links begin with.
    pub(crate) fn public_address(&self) -> String {
        match &self.public_url {
            Some(url) => url.origin.clone(),
            None => format!("{}://{}", self.scheme(), self.local_address()),
        }
    }

    /// The address as somebody on this machine reaches it.
    pub(crate) fn local_address(&self) -> SocketAddr {
        let mut here = self.listen.0;
        match here {
            SocketAddr::V4(at) if at.ip().is_unspecified() => here.set_ip(Ipv4Addr::LOCALHOST.into()),
            SocketAddr::V6(at) if at.ip().is_unspecified() => here.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        here
    }

    /// The values of `Host` that are ours.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let port = self.listen.0.port();
        let mut names = vec![self.local_address().ip()].into_iter().map(shown).collect::<Vec<_>>();
        if self.local_address().ip().is_loopback() {
            names.extend(["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()]);
        }
        names.extend(self.allow_hosts.iter().filter(|host| !has_port(host)).cloned());
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == if self.tls.is_some() { 443 } else { 80 } {
            hosts.extend(names);
        }
        hosts.extend(self.allow_hosts.iter().cloned());
        hosts.extend(self.public_url.iter().map(|url| url.host.clone()));
        unique(hosts)
    }

    /// The values of `Origin` that are ours. A proxy in front may speak TLS where we do not.
    pub(crate) fn origins(&self) -> Vec<String> {
        let scheme = self.scheme();
        let ours = self.hosts().into_iter().map(|host| format!("{scheme}://{host}"));
        let named = self.allow_hosts.iter().map(|host| format!("https://{host}"));
        unique(ours.chain(named).chain(self.public_url.iter().map(|url| url.origin.clone())).collect())
    }

    /// What leads here, as it would stand in a command.
    pub(crate) fn server_addresses(&self) -> Vec<String> {
        let mut doors = doors(self.listen.0.port(), self.socket.as_deref());
        doors.extend(self.hosts());
        unique(doors)
    }
}

/// What leads to a port of this machine, and to a socket.
fn doors(port: u16, socket: Option<&Path>) -> Vec<String> {
    let mut doors = Vec::new();
    if port != 0 {
        for name in ["127.0.0.1", "127.1", "localhost", "[::1]", "0.0.0.0", "[::]", "0"] {
            doors.push(format!("{name}:{port}"));
        }
        doors.extend(["127.0.0.1", "localhost", "::1"].map(|name| format!("{name} {port}")));
        doors.extend(["127.0.0.1", "localhost", "::1"].map(|name| format!("/dev/tcp/{name}/{port}")));
    }
    doors.extend(socket.map(|socket| socket.to_string_lossy().into_owned()));
    doors
}

fn at(path: PathBuf) -> Result<PathBuf, Failure> {
    absolute(path.to_string_lossy().into_owned())
}

fn shown(ip: std::net::IpAddr) -> String {
    if ip.is_ipv6() { format!("[{ip}]") } else { ip.to_string() }
}

fn has_port(host: &str) -> bool {
    host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}

fn unique(mut all: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|one| !one.is_empty() && seen.insert(one.clone()));
    all
}
