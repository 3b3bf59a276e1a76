//! Connects a command to a running server.

use std::io::Write;

use crate::client::{Client, ServerAddress, find_agent_token, find_token};
use crate::commands::audit::blocking_store::runtime;
use crate::failure::Failure;
use crate::settings::{self, Settings};

/// Which server to use, and with which token.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ServerArgs {
    /// The server: `http(s)://HOST:PORT` or `unix:PATH` [default: `SEKISHO_URL`, else this machine's socket]
    #[arg(long, global = true, value_name = "URL")]
    server: Option<String>,
    /// The token to use; prefer `SEKISHO_TOKEN`, which process lists do not show
    #[arg(long, global = true, value_name = "TOKEN", hide_default_value = true)]
    token: Option<String>,
}

/// A server, and a runtime to block on.
pub(crate) struct ServerConnection {
    pub(crate) client: Client,
    pub(crate) settings: Settings,
    /// The user's editor.
    pub(crate) editor: Option<String>,
    pub(crate) runtime: tokio::runtime::Runtime,
}

impl ServerArgs {
    /// Whether the command line or the environment names a server.
    pub(crate) fn names_server(&self) -> bool {
        self.server.is_some() || settings::ClientEnvironment::load().server.is_some()
    }

    /// A client that asks as an agent does, and whether it has a token. It is never the token of the person at the
    /// terminal.
    pub(crate) fn agent_client(self, settings: &Settings) -> Result<(Client, bool), Failure> {
        let environment = settings::ClientEnvironment::load();
        let address = match self.server.or(environment.server) {
            Some(text) => ServerAddress::parse(&text)?,
            None => ServerAddress::local(&settings.locations.state),
        };
        warn_of_plaintext(&address)?;
        let token = find_agent_token(&address, self.token.or(environment.token))?;
        let has_token = token.is_some();
        Ok((Client::new(address, token), has_token))
    }
}

impl ServerConnection {
    pub(crate) fn open(server: ServerArgs) -> Result<ServerConnection, Failure> {
        let settings = Settings::load()?;
        let named = server.server.clone().or(settings::ClientEnvironment::load().server);
        let address = match named {
            Some(text) => ServerAddress::parse(&text)?,
            None => ServerAddress::local(&settings.locations.state),
        };
        ServerConnection::open_at(settings, address, server)
    }

    /// The same for the server at an address, whatever server the arguments name.
    pub(crate) fn open_at(
        settings: Settings,
        address: ServerAddress,
        server: ServerArgs,
    ) -> Result<ServerConnection, Failure> {
        let environment = settings::ClientEnvironment::load();
        warn_of_plaintext(&address)?;
        let token = find_token(&settings, &address, server.token.or(environment.token))?;
        let client = Client::new(address, token);
        Ok(ServerConnection { client, settings, editor: environment.editor, runtime: runtime()? })
    }

    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }
}

fn warn_of_plaintext(address: &ServerAddress) -> std::io::Result<()> {
    if address.is_plaintext_remote() {
        let mut err = anstream::stderr();
        writeln!(
            err,
            "warning: the connection to {address} is not encrypted; others on the network can answer as you"
        )?;
    }
    Ok(())
}

/// The last eight characters of an id. Ids begin with the time, so their ends tell them apart.
pub(crate) fn short_id(id: uuid::Uuid) -> String {
    let id = id.simple().to_string();
    id.get(24..).unwrap_or(&id).to_owned()
}

/// Whether a text names an id: the whole id, or at least its last four digits.
pub(crate) fn names_id(text: &str, id: uuid::Uuid) -> bool {
    let plain = text.replace('-', "").to_ascii_lowercase();
    let is_end = plain.len() >= 4 && plain.chars().all(|c| c.is_ascii_hexdigit());
    is_end && id.simple().to_string().ends_with(&plain)
}
