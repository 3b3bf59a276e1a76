//! A server in memory, with a token for each role: for the tests of what it says about itself, and for programs that
//! want something to talk to (`examples/memory.rs`).

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{Key, Keys};
use sekisho_gate::clock::SystemClock;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::tokens::{Token, TokenKind, Tokens, told_made};
use sekisho_gate::{Gate, Ports};
use sekisho_host::Locations;
use sekisho_server::auth::TokenSecret;
use sekisho_server::serve::{Listener, serve};
use sekisho_server::{App, Limits, Parts, Settings};
use sekisho_testkit::{FixedFiles, MemoryLedger};
use tokio::net::TcpListener;

/// Every role, least first.
pub(crate) const ROLES: [Role; 4] = [Role::Agent, Role::Viewer, Role::Approver, Role::Admin];

/// A server that runs until the runtime ends.
pub(crate) struct House {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// A token for each role.
    pub(crate) tokens: Vec<(Role, String)>,
}

impl House {
    /// Starts one on a port of this machine; 0: any.
    pub(crate) async fn start(port: u16, limits: Limits) -> House {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (ledger, files) = (MemoryLedger::new(), FixedFiles::new());
        let rulebook = Rulebook::new(Arc::new(files.clone()), Arc::new(ledger.clone()));
        let ports = Ports {
            ledger: Arc::new(ledger.clone()),
            rulebook: Arc::new(rulebook),
            preview: Arc::new(files.clone()),
            clock: Arc::new(SystemClock),
        };
        let (gate, keeper) = Gate::new(ports, sekisho_gate::Settings::default());
        let mut tokens = Vec::new();
        for role in ROLES {
            tokens.push((role, add(&ledger, role).await));
        }
        let app = App::new(Parts {
            gate,
            audit: Arc::new(ledger.clone()),
            tokens: Arc::new(ledger),
            files: Arc::new(files),
            keys: Arc::new(Keys::of(Key::new(1, [7; 32]))),
            settings: settings(address, limits),
        });
        tokio::spawn(keeper.run());
        let following = app.clone();
        tokio::spawn(async move { following.follow().await });
        tokio::spawn(serve(app, Listener::Tcp(listener), std::future::pending()));
        House { address, tokens }
    }
}

fn settings(address: SocketAddr, limits: Limits) -> Settings {
    let nowhere = "/nonexistent/sekisho";
    Settings {
        hosts: vec![address.to_string()],
        origins: vec![format!("http://{address}")],
        address: format!("http://{address}"),
        public: false,
        secure: false,
        no_approvers: false,
        projects: Vec::new(),
        locations: Locations {
            managed: nowhere.into(),
            global: nowhere.into(),
            global_is_named: false,
            state: nowhere.into(),
            home: None,
            doors: Vec::new(),
        },
        machine: None,
        warnings: Vec::new(),
        limits,
    }
}

async fn add(ledger: &MemoryLedger, role: Role) -> String {
    let now = Timestamp::now();
    let secret = TokenSecret::make(now).unwrap();
    let token = Token {
        id: secret.id,
        name: role.to_string(),
        role,
        kind: TokenKind::Api,
        hash: secret.hash(),
        agent: None,
        vouches: false,
        roots: Vec::new(),
        created_at: now,
        created_by: "set-up".into(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    let record = told_made(&token, None, now);
    ledger.add_token(WriteAccess::TESTS, token, record).await.unwrap();
    secret.reveal()
}
