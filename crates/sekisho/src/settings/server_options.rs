//! Server options from one source: flags, variables or the config file. All three share one type, so that an
//! option missing in one source is visible here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

use sekisho_agent::spending::ModelPrices;
use sekisho_tools::ToolConfig;
use serde::Deserialize;

use super::option_values::{
    BoolOption, ListenAddress, LogFormat, LogLevel, PublicUrl, SandboxOption, SocketOption,
};
use crate::failure::Failure;

/// The options from one source. Missing ones are left to the next source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, clap::Args)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServerOptions {
    /// Where the schema of the file is found; for editors
    #[serde(rename = "$schema")]
    #[arg(skip)]
    pub(super) schema: Option<String>,
    #[arg(skip)]
    pub(super) version: Option<u32>,
    /// Listen on this address; port 0 picks a free one [default: 127.0.0.1:8787]
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<ListenAddress>,
    /// Let other machines connect; needed to listen on anything but loopback
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub(super) allow_remote: Option<bool>,
    /// The address that people open, if the server is behind a proxy
    #[arg(long, value_name = "URL")]
    pub(super) public_url: Option<PublicUrl>,
    /// Another host name that requests may use (repeatable)
    #[serde(rename = "allow_hosts")]
    #[arg(long = "allow-host", value_name = "HOST")]
    pub(super) allow_hosts: Option<Vec<String>>,
    /// The TLS certificate, a PEM file; needs `--tls-key`
    #[arg(long, value_name = "FILE")]
    pub(super) tls_cert: Option<PathBuf>,
    /// The private key of the certificate, a PEM file
    #[arg(long, value_name = "FILE")]
    pub(super) tls_key: Option<PathBuf>,
    /// The Unix socket for callers on this machine, or `none` [default: sekisho.sock in the state directory]
    #[arg(long, value_name = "PATH")]
    pub(super) socket: Option<SocketOption>,
    /// A project directory whose config file applies on this server (repeatable)
    #[serde(rename = "projects")]
    #[arg(long = "project", value_name = "DIR")]
    pub(super) projects: Option<Vec<PathBuf>>,
    /// Nobody can answer: deny at once every call that would become a question
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub(super) no_approvers: Option<bool>,
    /// Let a demo agent ask a few questions, as long as no other agent has asked
    #[arg(long, value_name = "true|false", num_args = 0..=1, require_equals = true, default_missing_value = "true", overrides_with = "demo")]
    pub(super) demo: Option<bool>,
    #[serde(rename = "tool_approval_enabled")]
    #[arg(skip)]
    pub(super) asks: Option<bool>,
    /// Seconds that a question waits, unless the rule or the caller sets another time [default: 120]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) timeout_s: Option<u32>,
    /// Maximum number of open questions per token [default: 500]
    #[arg(long, value_name = "NUMBER")]
    pub(super) max_pending: Option<u32>,
    /// Maximum number of active runs of agents per token; runs that wait for approvals are active [default: 200]
    #[arg(long, value_name = "NUMBER")]
    pub(super) max_runs: Option<u32>,
    /// How many levels of sub-agents may be below an agent; 0 for no sub-agents [default: 3]
    #[arg(long, value_name = "NUMBER")]
    pub(super) max_sub_agent_depth: Option<u32>,
    /// How many sub-agents a run may make, and how many of their runs may be below one run [default: 50]
    #[arg(long, value_name = "NUMBER")]
    pub(super) max_sub_agents: Option<u32>,
    /// Requests per second for each token; after a pause, a burst of twice as many is accepted [default: 200]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_rate: Option<u32>,
    /// Maximum number of connections [default: 16384]
    #[arg(long, value_name = "NUMBER")]
    pub(super) max_connections: Option<u32>,
    /// Delete raw inputs this many days after their calls ended [default: 30]
    #[serde(rename = "purge_after_days")]
    #[arg(long = "purge-after", value_name = "DAYS")]
    pub(super) purge_after: Option<u32>,
    /// Format of log lines [default: text on a terminal, json elsewhere]
    #[arg(long, value_name = "FORMAT")]
    pub(super) log_format: Option<LogFormat>,
    /// Log level [default: info]
    #[arg(long, value_name = "LEVEL")]
    pub(super) log: Option<LogLevel>,
    /// The database, as in `DATABASE_URL`. Not a flag: process lists would show its password.
    #[arg(skip)]
    pub(super) database: Option<String>,
    /// Variables or files whose values must never be recorded.
    #[arg(skip)]
    pub(super) secrets: Option<Vec<String>>,
    /// Settings of built-in tools.
    #[arg(skip)]
    pub(super) tool_config: Option<BTreeMap<String, ToolConfig>>,
    /// What models cost, in dollars for a million tokens.
    #[arg(skip)]
    pub(super) model_prices: Option<ModelPrices>,
    /// Whether programs of tools may run where the kernel cannot enforce every limit.
    #[arg(skip)]
    pub(super) sandbox: Option<SandboxOption>,
    /// The endpoint of the search API, instead of Brave's.
    #[arg(skip)]
    pub(super) search_endpoint: Option<String>,
}

impl ServerOptions {
    /// Parses the server's config file.
    pub(super) fn from_file(name: &str, text: &str) -> Result<ServerOptions, Failure> {
        let wishes: ServerOptions = sekisho_policy::read_with_comments(name, text)
            .map_err(|error| Failure::new(error.to_string()))?;
        if let Some(other) = wishes.version.filter(|version| *version != 1) {
            return Err(Failure::new(format!(
                "{name}: version: unknown version {other}; this sekisho reads version 1"
            )));
        }
        for (tool, config) in wishes.tool_config.iter().flatten() {
            config.check(tool).map_err(|error| Failure::new(format!("{name}: tool_config.{error}")))?;
        }
        Ok(wishes)
    }

    /// Reads the environment variables.
    pub(super) fn from_environment(
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<ServerOptions, Failure> {
        let text = |name: &str| variable(name);
        let switch =
            |name: &str| read::<BoolOption>(name, variable(name)).map(|read| read.map(|switch| switch.0));
        let list = |name: &str| {
            variable(name).map(|text| {
                text.split(',')
                    .map(|one| one.trim().to_owned())
                    .filter(|one| !one.is_empty())
                    .collect::<Vec<_>>()
            })
        };
        Ok(ServerOptions {
            schema: None,
            version: None,
            listen: read("SEKISHO_LISTEN", text("SEKISHO_LISTEN"))?,
            allow_remote: switch("SEKISHO_ALLOW_REMOTE")?,
            public_url: read("SEKISHO_PUBLIC_URL", text("SEKISHO_PUBLIC_URL"))?,
            allow_hosts: list("SEKISHO_ALLOW_HOSTS"),
            tls_cert: text("SEKISHO_TLS_CERT").map(PathBuf::from),
            tls_key: text("SEKISHO_TLS_KEY").map(PathBuf::from),
            socket: read("SEKISHO_SOCKET", text("SEKISHO_SOCKET"))?,
            projects: text("SEKISHO_PROJECT_ROOT").map(|root| vec![root.into()]),
            no_approvers: switch("SEKISHO_NO_APPROVERS")?,
            demo: switch("SEKISHO_DEMO")?,
            asks: switch("TOOL_APPROVAL_ENABLED")?,
            timeout_s: number("SEKISHO_TIMEOUT_S", variable)?,
            max_pending: number("SEKISHO_MAX_PENDING", variable)?,
            max_runs: number("SEKISHO_MAX_RUNS", variable)?,
            max_sub_agent_depth: number("SEKISHO_MAX_SUB_AGENT_DEPTH", variable)?,
            max_sub_agents: number("SEKISHO_MAX_SUB_AGENTS", variable)?,
            max_rate: number("SEKISHO_MAX_RATE", variable)?,
            max_connections: number("SEKISHO_MAX_CONNECTIONS", variable)?,
            purge_after: number("SEKISHO_PURGE_AFTER_DAYS", variable)?,
            log_format: read("SEKISHO_LOG_FORMAT", text("SEKISHO_LOG_FORMAT"))?,
            log: read("SEKISHO_LOG", text("SEKISHO_LOG"))?,
            database: text("DATABASE_URL"),
            secrets: list("SEKISHO_SECRETS"),
            tool_config: None,
            model_prices: None,
            sandbox: None,
            search_endpoint: None,
        })
    }

    /// These options, with missing ones taken from `other`.
    pub(super) fn merged_over(self, other: ServerOptions) -> ServerOptions {
        ServerOptions {
            schema: None,
            version: None,
            listen: self.listen.or(other.listen),
            allow_remote: self.allow_remote.or(other.allow_remote),
            public_url: self.public_url.or(other.public_url),
            allow_hosts: self.allow_hosts.or(other.allow_hosts),
            tls_cert: self.tls_cert.or(other.tls_cert),
            tls_key: self.tls_key.or(other.tls_key),
            socket: self.socket.or(other.socket),
            projects: self.projects.or(other.projects),
            no_approvers: self.no_approvers.or(other.no_approvers),
            demo: self.demo.or(other.demo),
            asks: self.asks.or(other.asks),
            timeout_s: self.timeout_s.or(other.timeout_s),
            max_pending: self.max_pending.or(other.max_pending),
            max_runs: self.max_runs.or(other.max_runs),
            max_sub_agent_depth: self.max_sub_agent_depth.or(other.max_sub_agent_depth),
            max_sub_agents: self.max_sub_agents.or(other.max_sub_agents),
            max_rate: self.max_rate.or(other.max_rate),
            max_connections: self.max_connections.or(other.max_connections),
            purge_after: self.purge_after.or(other.purge_after),
            log_format: self.log_format.or(other.log_format),
            log: self.log.or(other.log),
            database: self.database.or(other.database),
            secrets: self.secrets.or(other.secrets),
            tool_config: self.tool_config.or(other.tool_config),
            model_prices: self.model_prices.or(other.model_prices),
            sandbox: self.sandbox.or(other.sandbox),
            search_endpoint: self.search_endpoint.or(other.search_endpoint),
        }
    }
}

fn read<T: FromStr<Err = String>>(name: &str, text: Option<String>) -> Result<Option<T>, Failure> {
    text.map(|text| text.parse().map_err(|error| Failure::new(format!("`{name}`: {error}")))).transpose()
}

fn number(name: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<u32>, Failure> {
    let wrong =
        |text: &str| Failure::new(format!("`{name}`: `{text}` is not a whole number from 0 to {}", u32::MAX));
    variable(name).map(|text| text.parse().map_err(|_| wrong(&text))).transpose()
}
