//! Connects to the server and configures each connection.

use std::future::poll_fn;
use std::time::Duration;

use deadpool_postgres::{ClientWrapper, Connect, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, Error, NoTls};
use tokio_postgres_rustls_improved::MakeRustlsConnect;

use super::database_url::DatabaseUrl;
use super::options::Options;
use super::tls;
use crate::error::StoreError;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionPurpose {
    /// Creates and updates the tables.
    Migrate,
    Write,
    /// Read-only.
    Read,
    /// Listens for notifications.
    Listen,
}

/// The server's address and how to connect to it.
pub(super) struct Connector {
    pub(super) address: DatabaseUrl,
    pub(super) options: Options,
    tls: Option<MakeRustlsConnect>,
}

/// Time limit for connecting.
const CONNECTING: Duration = Duration::from_secs(5);
/// How long it takes, roughly, to notice that the server's machine is gone.
const SILENCE: Duration = Duration::from_secs(15);

impl Connector {
    pub(super) fn new(url: &str, options: Options) -> Result<Connector, StoreError> {
        let mut address = DatabaseUrl::parse(url)?;
        let tls = tls::connector(&address)?;
        let config = &mut address.config;
        if config.get_application_name().is_none() {
            config.application_name("sekisho");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECTING);
        }
        config.keepalives_idle(SILENCE);
        config.keepalives_interval(Duration::from_secs(5));
        config.tcp_user_timeout(SILENCE);
        Ok(Connector { address, options, tls })
    }

    /// The address without credentials, for display.
    pub(super) fn shown(&self) -> &str {
        &self.address.display
    }

    /// Opens a connection for one purpose.
    pub(super) async fn connect(&self, role: ConnectionPurpose) -> Result<ClientWrapper, Error> {
        let (client, driver) = self.open(role, mpsc::unbounded_channel().0).await?;
        Ok(ClientWrapper::new(client, driver))
    }

    /// Opens a connection that also sends the payload of each notification to a channel.
    pub(super) async fn open(
        &self,
        role: ConnectionPurpose,
        heard: mpsc::UnboundedSender<String>,
    ) -> Result<(Client, JoinHandle<()>), Error> {
        let set_up = set_up(role, &self.options);
        open(&self.address.config, self.tls.as_ref(), &set_up, heard).await
    }

    /// A pool of read-only connections.
    pub(super) fn readers(&self) -> Result<Pool, StoreError> {
        let connector =
            PoolConnector { tls: self.tls.clone(), set_up: set_up(ConnectionPurpose::Read, &self.options) };
        let how = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_connect(self.address.config.clone(), connector, how);
        Pool::builder(manager)
            .max_size(self.options.readers.max(1))
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(CONNECTING))
            .create_timeout(Some(CONNECTING))
            .build()
            .map_err(|error| self.address.unusable(error.to_string(), "report it"))
    }
}

/// Opens the connections of the pool.
struct PoolConnector {
    tls: Option<MakeRustlsConnect>,
    set_up: String,
}

type Opening<'a> =
    std::pin::Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), Error>> + Send + 'a>>;

impl Connect for PoolConnector {
    fn connect(&self, config: &Config) -> Opening<'_> {
        let config = config.clone();
        Box::pin(
            async move { open(&config, self.tls.as_ref(), &self.set_up, mpsc::unbounded_channel().0).await },
        )
    }
}

async fn open(
    config: &Config,
    tls: Option<&MakeRustlsConnect>,
    set_up: &str,
    heard: mpsc::UnboundedSender<String>,
) -> Result<(Client, JoinHandle<()>), Error> {
    let (client, driver) = match tls {
        Some(tls) => {
            let (client, connection) = config.connect(tls.clone()).await?;
            (client, tokio::spawn(drive(connection, heard)))
        }
        None => {
            let (client, connection) = config.connect(NoTls).await?;
            (client, tokio::spawn(drive(connection, heard)))
        }
    };
    client.batch_execute(set_up).await?;
    Ok((client, driver))
}

/// Moves bytes until the connection ends.
async fn drive<S, T>(mut connection: Connection<S, T>, heard: mpsc::UnboundedSender<String>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(notification) = message {
            // Connections without a listener receive no notifications.
            let _nobody = heard.send(notification.payload().to_owned());
        }
    }
}

/// With `synchronous_commit` off a server can lose commits it has confirmed, so it is switched on here.
const DURABLE: &str = "SELECT set_config('synchronous_commit', 'on', false) \
    WHERE current_setting('synchronous_commit') = 'off'";

fn set_up(role: ConnectionPurpose, options: &Options) -> String {
    let statement = options.statement_timeout.as_millis();
    let lock = options.lock_timeout.as_millis();
    let common = "SET client_encoding = 'UTF8'; SET idle_in_transaction_session_timeout = '30s'";
    match role {
        ConnectionPurpose::Migrate => common.to_owned(),
        ConnectionPurpose::Write => format!(
            "{common}; SET statement_timeout = {statement}; SET lock_timeout = {lock}; \
             SET default_transaction_isolation = 'read committed'; {DURABLE}"
        ),
        ConnectionPurpose::Read => {
            format!("{common}; SET statement_timeout = {statement}; SET default_transaction_read_only = on")
        }
        ConnectionPurpose::Listen => format!("{common}; SET statement_timeout = {statement}; LISTEN sekisho"),
    }
}
