//! A server on a port of its own, with everything in memory and a clock turned by hand.

mod device;
mod http;
mod stream;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Role;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::tokens::{Token, TokenKind, Tokens, told_made, told_revoked};
use sekisho_gate::{Gate, Ports};
use sekisho_host::Locations;
use sekisho_policy::{Fact, LayerKind, Need};
use sekisho_server::auth::TokenSecret;
use sekisho_server::serve::{Listener, serve};
use sekisho_server::{App, Limits, Parts, Settings};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger, fixtures};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) use device::Device;

/// What takes longer than this hangs. No machine is this slow.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// What a house is built from.
pub(crate) struct Plan {
    pub(crate) rules: Value,
    pub(crate) gate: sekisho_gate::Settings,
    pub(crate) limits: Limits,
}

impl Default for Plan {
    fn default() -> Plan {
        let rules = json!({ "deny": [{ "tool": "destroy", "note": "nothing is destroyed here" }] });
        Plan { rules, gate: sekisho_gate::Settings::default(), limits: Limits::default() }
    }
}

/// A running server.
pub(crate) struct House {
    pub(crate) address: SocketAddr,
    pub(crate) gate: Gate,
    pub(crate) ledger: MemoryLedger,
    pub(crate) clock: ManualClock,
    pub(crate) approver: Holder,
    pub(crate) viewer: Holder,
    pub(crate) agent: Holder,
    pub(crate) other_agent: Holder,
    /// The root of a project of which the server knows; nothing is in it but `notes.txt`.
    pub(crate) root: String,
    _project: tempfile::TempDir,
    app: App,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<std::io::Result<()>>>,
}

/// Somebody with a token.
#[derive(Clone)]
pub(crate) struct Holder {
    pub(crate) token: Token,
    pub(crate) secret: String,
}

impl House {
    pub(crate) async fn new() -> House {
        House::of(Plan::default()).await
    }

    pub(crate) async fn of(plan: Plan) -> House {
        let (ledger, files, clock) = (MemoryLedger::new(), FixedFiles::new(), ManualClock::new());
        files.set(LayerKind::Global, json!({ "version": 1, "permissions": plan.rules }).to_string());
        let rulebook = Rulebook::new(Arc::new(files.clone()), Arc::new(ledger.clone()));
        let ports = Ports {
            ledger: Arc::new(ledger.clone()),
            rulebook: Arc::new(rulebook),
            preview: Arc::new(files.clone()),
            clock: Arc::new(clock.clone()),
        };
        let (gate, keeper) = Gate::new(ports, plan.gate);
        tokio::spawn(keeper.run());
        let project = tempfile::tempdir().unwrap();
        let root = project.path().canonicalize().unwrap().to_str().unwrap().to_owned();
        for path in [root.clone(), format!("{root}/notes.txt")] {
            files.know(Need::Resolve(path.clone()), Fact::Resolved(path));
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let parts = Parts {
            gate: gate.clone(),
            audit: Arc::new(ledger.clone()),
            tokens: Arc::new(ledger.clone()),
            files: Arc::new(files.clone()),
            keys: fixtures::seal().keys,
            settings: Settings { projects: vec![root.clone()], ..settings(address, plan.limits) },
        };
        let app = App::new(parts);
        let following = app.clone();
        tokio::spawn(async move { following.follow().await });
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = serve(app.clone(), Listener::Tcp(listener), async { drop(stopped.await) });
        let serving = Some(tokio::spawn(serving));
        let [approver, viewer, agent, other_agent] =
            [(Role::Approver, "Ann"), (Role::Viewer, "Vic"), (Role::Agent, "a1"), (Role::Agent, "a2")]
                .map(|(role, name)| holder(role, name, None));
        for holder in [&approver, &viewer, &agent, &other_agent] {
            keep(&ledger, holder).await;
        }
        House {
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

    /// Somebody more, known until a moment.
    pub(crate) async fn add(&self, role: Role, name: &str, until: Option<Timestamp>) -> Holder {
        let holder = holder(role, name, until);
        keep(&self.ledger, &holder).await;
        holder
    }

    pub(crate) async fn revoke(&self, holder: &Holder) {
        let (id, at) = (holder.token.id, ManualClock::start());
        let record = told_revoked(&holder.token, None, at);
        assert!(self.ledger.revoke_token(WriteAccess::TESTS, id, at, record).await.unwrap());
    }

    /// The same server on a Unix socket as well.
    pub(crate) fn on_socket(&self, path: &std::path::Path) {
        let listener = Listener::unix(path).unwrap();
        tokio::spawn(serve(self.app.clone(), listener, std::future::pending()));
    }

    /// The server stops, and is waited for.
    pub(crate) async fn stop(&mut self) {
        drop(self.stop.take());
        self.serving.take().unwrap().await.unwrap().unwrap();
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }
}

fn holder(role: Role, name: &str, expires_at: Option<Timestamp>) -> Holder {
    let at = ManualClock::start();
    let secret = TokenSecret::make(at).unwrap();
    let token = Token {
        id: secret.id,
        name: name.into(),
        role,
        kind: TokenKind::Api,
        hash: secret.hash(),
        agent: None,
        vouches: false,
        roots: Vec::new(),
        created_at: at,
        created_by: "a test".into(),
        expires_at,
        revoked_at: None,
        last_used_at: None,
    };
    Holder { token, secret: secret.reveal() }
}

async fn keep(ledger: &MemoryLedger, holder: &Holder) {
    let record = told_made(&holder.token, None, ManualClock::start());
    ledger.add_token(WriteAccess::TESTS, holder.token.clone(), record).await.unwrap();
}

fn settings(address: SocketAddr, limits: Limits) -> Settings {
    let nowhere = std::path::PathBuf::from("/nonexistent");
    Settings {
        hosts: vec![address.to_string()],
        origins: vec![format!("http://{address}")],
        address: format!("http://{address}"),
        public: false,
        secure: false,
        no_approvers: false,
        projects: Vec::new(),
        locations: Locations {
            managed: nowhere.join("managed.json"),
            global: nowhere.join("config.json"),
            global_is_named: false,
            state: nowhere.join("state"),
            home: None,
            doors: Vec::new(),
        },
        machine: None,
        warnings: Vec::new(),
        limits,
    }
}
