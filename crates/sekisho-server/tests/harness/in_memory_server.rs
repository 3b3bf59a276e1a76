//! A server in memory, with a token for each role: for tests of its API description, and for programs that
//! want something to talk to (`examples/memory.rs`).

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{KeyRing, SigningKey};
use sekisho_gate::clock::SystemClock;
use sekisho_server::Limits;
use sekisho_server::serve::{Listener, serve};
use sekisho_testkit::{FixedFiles, MemoryLedger};
use tokio::net::TcpListener;

use super::memory_ports::{MemoryPorts, add_token, settings};

/// Every role, lowest first.
pub(crate) const ROLES: [Role; 4] = [Role::Agent, Role::Viewer, Role::Approver, Role::Admin];

/// A server that runs until the runtime ends.
pub(crate) struct TestServer {
    /// The address it listens on.
    pub(crate) address: SocketAddr,
    /// A token for each role.
    pub(crate) tokens: Vec<(Role, String)>,
}

impl TestServer {
    /// Starts a server on a port of this machine; 0 for any.
    pub(crate) async fn start(port: u16, limits: Limits) -> TestServer {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let ledger = MemoryLedger::new();
        let mut tokens = Vec::new();
        for role in ROLES {
            let holder = add_token(&ledger, role, role.name(), Timestamp::now(), None).await;
            tokens.push((role, holder.secret));
        }
        let keys = Arc::new(KeyRing::of(SigningKey::new(1, [7; 32])));
        let backing =
            MemoryPorts { keys, ..MemoryPorts::new(&ledger, &FixedFiles::new(), Arc::new(SystemClock)) };
        let nowhere = Path::new("/nonexistent/sekisho");
        let (app, _) = backing.start(settings("http", &address.to_string(), nowhere, limits));
        tokio::spawn(serve(app, Listener::Tcp(listener), std::future::pending()));
        TestServer { address, tokens }
    }
}
