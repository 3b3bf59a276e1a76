//! A server on its own port, with everything in memory and a manual clock.

mod http;
mod sse_client;
mod websocket_client;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::Role;
use sekisho_gate::{Gate, token_store};
use sekisho_policy::{Fact, FactQuery, LayerKind, Reads};
use sekisho_server::serve::{Listener, serve};
use sekisho_server::{App, Limits, Settings};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) use super::memory_ports::TestCredential;
use super::memory_ports::{MemoryPorts, add_token, settings};
pub(crate) use websocket_client::WebSocketClient;

/// Anything that takes longer than this hangs. No machine is this slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// How a test server is built.
pub(crate) struct TestServerOptions {
    pub(crate) rules: Value,
    pub(crate) reads: Reads,
    pub(crate) gate: sekisho_gate::Settings,
    pub(crate) limits: Limits,
}

impl Default for TestServerOptions {
    fn default() -> TestServerOptions {
        let rules = json!({ "deny": [{ "tool": "destroy", "note": "nothing is destroyed here" }] });
        TestServerOptions {
            rules,
            reads: Reads::default(),
            gate: sekisho_gate::Settings::default(),
            limits: Limits::default(),
        }
    }
}

/// A running server.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) gate: Gate,
    pub(crate) ledger: MemoryLedger,
    pub(crate) clock: ManualClock,
    pub(crate) approver: TestCredential,
    pub(crate) viewer: TestCredential,
    pub(crate) agent: TestCredential,
    pub(crate) other_agent: TestCredential,
    /// The root of a registered project; it contains only `notes.txt`.
    pub(crate) root: String,
    _project: tempfile::TempDir,
    pub(crate) app: App,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<std::io::Result<()>>>,
}

impl TestServer {
    pub(crate) async fn new() -> TestServer {
        TestServer::of(TestServerOptions::default()).await
    }

    pub(crate) async fn of(plan: TestServerOptions) -> TestServer {
        let (ledger, files, clock) = (MemoryLedger::new(), FixedFiles::new(), ManualClock::new());
        let config = json!({ "version": 1, "permissions": plan.rules, "reads": plan.reads });
        files.set(LayerKind::Global, config.to_string());
        let project = tempfile::tempdir().unwrap();
        let root = project.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        for path in [root.clone(), format!("{root}/notes.txt")] {
            files.set_fact(FactQuery::Resolve(path.clone()), Fact::Resolved(path));
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let backing =
            MemoryPorts { gate: plan.gate, ..MemoryPorts::new(&ledger, &files, Arc::new(clock.clone())) };
        let nowhere = Path::new("/nonexistent");
        let settings = settings("http", &address.to_string(), nowhere, plan.limits);
        let (app, gate) = backing.start(Settings { projects: vec![root.clone()], ..settings });
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = serve(app.clone(), Listener::Tcp(listener), async { drop(stopped.await) });
        let serving = Some(tokio::spawn(serving));
        let add = async |role, name| add_token(&ledger, role, name, ManualClock::start(), None).await;
        let (approver, viewer) = (add(Role::Approver, "Ann").await, add(Role::Viewer, "Vic").await);
        let (agent, other_agent) = (add(Role::Agent, "a1").await, add(Role::Agent, "a2").await);
        TestServer {
            address,
            gate,
            ledger,
            clock,
            approver,
            viewer,
            agent,
            other_agent,
            root,
            _project: project,
            app,
            stop: Some(stop),
            serving,
        }
    }

    /// Adds a token, valid until a given time.
    pub(crate) async fn add(&self, role: Role, name: &str, until: Option<Timestamp>) -> TestCredential {
        add_token(&self.ledger, role, name, ManualClock::start(), until).await
    }

    pub(crate) async fn revoke(&self, holder: &TestCredential) {
        let revoked = token_store::revoke(&self.ledger, &holder.token, None, ManualClock::start()).await;
        assert!(revoked.unwrap());
    }

    /// Serves on a Unix socket as well.
    pub(crate) fn on_socket(&self, path: &std::path::Path) {
        let listener = Listener::unix(path).unwrap();
        tokio::spawn(serve(self.app.clone(), listener, std::future::pending()));
    }

    /// Stops the server and waits for it.
    pub(crate) async fn stop(&mut self) {
        drop(self.stop.take());
        self.serving.take().unwrap().await.unwrap().unwrap();
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }
}
