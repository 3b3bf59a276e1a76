//! Resolves the server configuration from defaults, the config file, the environment and flags.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use sekisho_agent::spending::ModelPrices;
use sekisho_tools::ToolConfig;

use super::option_values::{ListenAddress, LogFormat, LogLevel, PublicUrl, SandboxOption, SocketOption};
use super::server_options::ServerOptions;
use super::{Database, Settings, absolute, variable_of};
use crate::failure::Failure;

/// The resolved server configuration.
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
    /// Active runs per token.
    pub(crate) max_runs: u32,
    /// Levels of sub-agents below an agent.
    pub(crate) max_sub_agent_depth: u32,
    /// Sub-agents of a run, and runs of sub-agents below one.
    pub(crate) max_sub_agents: u32,
    /// Requests per second and token.
    pub(crate) max_rate: u32,
    pub(crate) max_connections: u32,
    /// In days.
    pub(crate) purge_after: u32,
    pub(crate) log_format: Option<LogFormat>,
    pub(crate) log: LogLevel,
    /// Names of variables and paths of files.
    pub(crate) secrets: Vec<String>,
}

/// Whether the demo agent runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoMode {
    Off,
    /// Beside normal operation.
    Alongside,
    /// The server runs only for the demo, and ends with it.
    Only,
}

/// Paths of the certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    pub(crate) cert: PathBuf,
    pub(crate) key: PathBuf,
}

impl Settings {
    /// Resolves the server configuration. Also updates these settings: the database, and the server addresses
    /// that agents may not use.
    pub(crate) fn resolve_server_config(&mut self, flags: ServerOptions) -> Result<ServerConfig, Failure> {
        let file = self.server_file()?.unwrap_or_default();
        let options = flags.merged_over(ServerOptions::from_environment(&variable_of)?).merged_over(file);
        if let Some(url) = &options.database {
            self.database = Database::parse(url)?;
        }
        let serving = ServerConfig::of(options, self)?;
        self.locations.doors = serving.server_addresses();
        Ok(serving)
    }

    /// Settings of a server that runs only for the demo, with all its files in `directory`. The environment
    /// and the server's config file do not apply to it.
    pub(crate) fn for_scratch_server(&self, directory: &Path) -> Result<(Settings, ServerConfig), Failure> {
        let mut settings = self.clone();
        settings.locations.state = directory.join("state");
        settings.locations.global = directory.join("config.json");
        settings.locations.global_is_named = false;
        settings.server_config_path = directory.join("server.json");
        settings.database = Database::Sqlite(settings.locations.state.join("ledger.db"));
        let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let options = ServerOptions {
            listen: Some(ListenAddress(anywhere)),
            socket: Some(SocketOption::None),
            log_format: Some(LogFormat::Text),
            log: Some(LogLevel::Warn),
            ..ServerOptions::default()
        };
        let serving = ServerConfig { demo: DemoMode::Only, ..ServerConfig::of(options, &settings)? };
        Ok((settings, serving))
    }

    /// Reads the server's config file; `None` if there is none. A file that was named must exist.
    pub(crate) fn server_file(&self) -> Result<Option<ServerOptions>, Failure> {
        let path = &self.server_config_path;
        let failed = |what: &str| Failure::new(format!("{}: {what}", path.display()));
        let mut options = match std::fs::read_to_string(path) {
            Ok(text) => ServerOptions::from_file(&path.to_string_lossy(), &text)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !self.server_config_is_named => {
                return Ok(None);
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(failed(
                    "the file named by `SEKISHO_SERVER_CONFIG` does not exist; create it, or unset the variable",
                ));
            }
            Err(error) => return Err(failed(&error.to_string().to_lowercase())),
        };
        let beside = path.parent().unwrap_or(Path::new("/"));
        let at = |named: &mut PathBuf| *named = self.named_in_file(beside, named);
        options.tls_cert.iter_mut().for_each(at);
        options.tls_key.iter_mut().for_each(at);
        options.projects.iter_mut().flatten().for_each(at);
        if let Some(SocketOption::At(socket)) = &mut options.socket {
            at(socket);
        }
        for secret in options.secrets.iter_mut().flatten().filter(|secret| secret.contains('/')) {
            *secret = self.named_in_file(beside, Path::new(secret.as_str())).to_string_lossy().into_owned();
        }
        Ok(Some(options))
    }

    /// The private key of the server's TLS certificate. `None` also if the config cannot be read.
    pub(crate) fn tls_key(&self) -> Option<PathBuf> {
        let file = self.server_file().ok().flatten().unwrap_or_default();
        let environment = ServerOptions::from_environment(&variable_of).unwrap_or_default();
        environment.merged_over(file).tls_key
    }

    /// The variables and files whose values must never be recorded.
    pub(crate) fn secrets(&self) -> Result<Vec<String>, Failure> {
        let file = self.server_file()?.unwrap_or_default();
        let options = ServerOptions::from_environment(&variable_of)?.merged_over(file);
        Ok(options.secrets.unwrap_or_default())
    }

    /// The settings of a tool in the server's config file, and what it says about the sandbox.
    pub(crate) fn tool_config(&self, tool: &str) -> Result<(ToolConfig, Option<SandboxOption>), Failure> {
        let mut file = self.server_file()?.unwrap_or_default();
        let config = file.tool_config.as_mut().and_then(|all| all.remove(tool)).unwrap_or_default();
        Ok((config, file.sandbox))
    }

    /// The settings of all tools in the server's config file, and what it says about the sandbox.
    pub(crate) fn tool_configs(
        &self,
    ) -> Result<(BTreeMap<String, ToolConfig>, Option<SandboxOption>), Failure> {
        let file = self.server_file()?.unwrap_or_default();
        Ok((file.tool_config.unwrap_or_default(), file.sandbox))
    }

    /// What models cost, from the server's config file.
    pub(crate) fn model_prices(&self) -> Result<ModelPrices, Failure> {
        Ok(self.server_file()?.unwrap_or_default().model_prices.unwrap_or_default())
    }

    /// A path from the server's config file: `~/` is the home directory, and a relative path is relative to
    /// the file.
    fn named_in_file(&self, beside: &Path, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), &self.locations.home) {
            (Ok(below), Some(home)) => home.join(below),
            _ => beside.join(path),
        }
    }

    /// The addresses of a server started without flags, as far as other commands can know them.
    pub(super) fn default_server_addresses(&self, file: ServerOptions) -> Vec<String> {
        // An invalid variable is reported by the commands that need it.
        let options = ServerOptions::from_environment(&variable_of).unwrap_or_default().merged_over(file);
        let listen = options.listen.unwrap_or(ListenAddress::USUAL);
        local_addresses(listen.0.port(), self.socket_of(options.socket).as_deref())
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
    fn of(options: ServerOptions, settings: &Settings) -> Result<ServerConfig, Failure> {
        let tls = match (options.tls_cert, options.tls_key) {
            (None, None) => None,
            (Some(cert), Some(key)) => Some(TlsFiles { cert: at(cert)?, key: at(key)? }),
            (Some(_), None) => {
                return Err(Failure::usage("there is a TLS certificate but no key; add `--tls-key`"));
            }
            (None, Some(_)) => {
                return Err(Failure::usage("there is a TLS key but no certificate; add `--tls-cert`"));
            }
        };
        let listen = options.listen.unwrap_or(ListenAddress::USUAL);
        let allow_remote = options.allow_remote.unwrap_or(false);
        if !listen.is_loopback() && !allow_remote {
            return Err(Failure::usage(format!(
                "`{listen}` can be reached from other machines; add `--allow-remote` if you want that, or listen on `127.0.0.1:{}`",
                listen.0.port()
            )));
        }
        let allow_hosts = options.allow_hosts.unwrap_or_default();
        if let Some(wrong) =
            allow_hosts.iter().find(|host| host.is_empty() || host.contains(['/', '@', ' ', ',']))
        {
            return Err(Failure::usage(format!(
                "`{wrong}` is not a host name; expected a name such as `sekisho.lan` or `sekisho.lan:8787`"
            )));
        }
        let socket = settings.socket_of(options.socket).map(at).transpose()?;
        let timeout_s = options.timeout_s.unwrap_or(120);
        if timeout_s == 0 {
            return Err(Failure::usage(
                "`timeout_s` is 0, so nobody could answer; leave it out, or set it to a number of seconds",
            ));
        }
        Ok(ServerConfig {
            listen,
            public_url: options.public_url,
            allow_hosts,
            tls,
            socket,
            projects: options.projects.unwrap_or_default().into_iter().map(at).collect::<Result<_, _>>()?,
            no_approvers: options.no_approvers.unwrap_or(false),
            demo: if options.demo.unwrap_or(false) { DemoMode::Alongside } else { DemoMode::Off },
            asks: options.asks.unwrap_or(true),
            timeout_s,
            max_pending: options.max_pending.unwrap_or(500),
            max_runs: options.max_runs.unwrap_or(200),
            max_sub_agent_depth: options.max_sub_agent_depth.unwrap_or(3),
            max_sub_agents: options.max_sub_agents.unwrap_or(50),
            max_rate: options.max_rate.unwrap_or(200).max(1),
            max_connections: options.max_connections.unwrap_or(16_384),
            purge_after: options.purge_after.unwrap_or(30),
            log_format: options.log_format,
            log: options.log.unwrap_or(LogLevel::Info),
            secrets: options.secrets.unwrap_or_default(),
        })
    }

    /// The scheme that the server itself speaks.
    pub(crate) fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Whether callers connect over TLS, ours or that of a proxy.
    pub(crate) fn is_https(&self) -> bool {
        self.tls.is_some() || self.public_url.as_ref().is_some_and(|url| url.secure)
    }

    /// The beginning of links.
    pub(crate) fn public_address(&self) -> String {
        match &self.public_url {
            Some(url) => url.origin.clone(),
            None => format!("{}://{}", self.scheme(), self.local_address()),
        }
    }

    /// The address as reached from this machine.
    pub(crate) fn local_address(&self) -> SocketAddr {
        let mut here = self.listen.0;
        match here {
            SocketAddr::V4(at) if at.ip().is_unspecified() => here.set_ip(Ipv4Addr::LOCALHOST.into()),
            SocketAddr::V6(at) if at.ip().is_unspecified() => here.set_ip(Ipv6Addr::LOCALHOST.into()),
            _ => {}
        }
        here
    }

    /// The accepted values of `Host`.
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

    /// The accepted values of `Origin`. A proxy may add TLS.
    pub(crate) fn origins(&self) -> Vec<String> {
        let scheme = self.scheme();
        let ours = self.hosts().into_iter().map(|host| format!("{scheme}://{host}"));
        let named = self.allow_hosts.iter().map(|host| format!("https://{host}"));
        unique(ours.chain(named).chain(self.public_url.iter().map(|url| url.origin.clone())).collect())
    }

    /// The addresses of this server as they could appear in a command.
    pub(crate) fn server_addresses(&self) -> Vec<String> {
        let mut addresses = local_addresses(self.listen.0.port(), self.socket.as_deref());
        addresses.extend(self.hosts());
        unique(addresses)
    }
}

/// The addresses of a local port and of a socket.
fn local_addresses(port: u16, socket: Option<&Path>) -> Vec<String> {
    let mut addresses = Vec::new();
    if port != 0 {
        for name in ["127.0.0.1", "127.1", "localhost", "[::1]", "0.0.0.0", "[::]", "0"] {
            addresses.push(format!("{name}:{port}"));
        }
        addresses.extend(["127.0.0.1", "localhost", "::1"].map(|name| format!("{name} {port}")));
        addresses.extend(["127.0.0.1", "localhost", "::1"].map(|name| format!("/dev/tcp/{name}/{port}")));
    }
    addresses.extend(socket.map(|socket| socket.to_string_lossy().into_owned()));
    addresses
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
