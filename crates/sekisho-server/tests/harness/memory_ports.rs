//! A server around a gate, with everything in memory.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{AuditLog, KeyRing};
use sekisho_gate::clock::Clock;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::token_store::{self, Token, TokenKind};
use sekisho_gate::{Gate, Ports};
use sekisho_host::Locations;
use sekisho_server::auth::TokenSecret;
use sekisho_server::wire::tool::{BuiltInTool, BuiltInToolDefinition};
use sekisho_server::{App, AppParts, Limits, Settings};
use sekisho_testkit::agent_fixture::{AgentStores, agent_service, pipeline_service};
use sekisho_testkit::{FixedFiles, MemoryLedger};
use serde_json::json;

/// The ports of a server.
pub(crate) struct MemoryPorts {
    pub(crate) ledger: MemoryLedger,
    pub(crate) files: FixedFiles,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) audit: Arc<dyn AuditLog>,
    pub(crate) keys: Arc<KeyRing>,
    pub(crate) gate: sekisho_gate::Settings,
}

impl MemoryPorts {
    pub(crate) fn new(ledger: &MemoryLedger, files: &FixedFiles, clock: Arc<dyn Clock>) -> MemoryPorts {
        MemoryPorts {
            ledger: ledger.clone(),
            files: files.clone(),
            clock,
            audit: Arc::new(ledger.clone()),
            keys: sekisho_testkit::fixtures::audit_config().keys,
            gate: sekisho_gate::Settings::default(),
        }
    }

    /// The server and its gate, with their background tasks started.
    pub(crate) fn start(self, settings: Settings) -> (App, Gate) {
        let MemoryPorts { ledger, files, clock, audit, keys, gate } = self;
        let (agent_ledger, stores) = (ledger.clone(), AgentStores::default());
        let rulebook = Arc::new(Rulebook::new(Arc::new(files.clone()), Arc::new(ledger.clone())));
        let preview = Arc::new(files.clone());
        let ports = Ports { ledger: Arc::new(ledger.clone()), rulebook, lookup: preview, clock };
        let (gate, keeper) = Gate::new(ports, gate);
        tokio::spawn(keeper.run());
        let (tokens, files) = (Arc::new(ledger), Arc::new(files));
        let tools = vec![counter()];
        // Scripts and notes of agents are beside the state.
        let directory = settings.locations.state.parent().unwrap_or(Path::new("/nonexistent"));
        let roots = settings.projects.iter().map(Into::into).collect();
        let agents = agent_service(&gate, &agent_ledger, &stores, directory, roots);
        let pipelines = pipeline_service(&gate, &agent_ledger, &stores, &agents);
        let parts =
            AppParts { gate: gate.clone(), audit, tokens, files, keys, tools, agents, pipelines, settings };
        let app = App::new(parts);
        let following = app.clone();
        tokio::spawn(async move { following.run_background().await });
        (app, gate)
    }
}

/// A tool.
fn counter() -> BuiltInTool {
    BuiltInTool {
        name: "counter".into(),
        category: "ReadOnly".into(),
        definition: BuiltInToolDefinition {
            name: "counter".into(),
            description: "Counts.".into(),
            input_schema: json!({ "type": "object", "properties": { "step": { "type": "integer" } } }),
        },
    }
}

/// Settings of a server with one address, with its files in a folder.
pub(crate) fn settings(scheme: &str, host: &str, folder: &Path, limits: Limits) -> Settings {
    Settings {
        hosts: vec![host.to_owned()],
        origins: vec![format!("{scheme}://{host}")],
        address: format!("{scheme}://{host}"),
        public: false,
        secure: false,
        no_approvers: false,
        projects: Vec::new(),
        locations: Locations {
            managed: folder.join("managed.json"),
            global: folder.join("config.json"),
            global_is_named: false,
            state: folder.join("state"),
            home: None,
            doors: Vec::new(),
        },
        machine: None,
        warnings: Vec::new(),
        limits,
    }
}

/// A program with a token.
#[derive(Clone)]
pub(crate) struct TestCredential {
    pub(crate) token: Token,
    pub(crate) secret: String,
}

/// Adds a token of a role.
pub(crate) async fn add_token(
    ledger: &MemoryLedger,
    role: Role,
    name: &str,
    at: Timestamp,
    expires_at: Option<Timestamp>,
) -> TestCredential {
    let secret = TokenSecret::make(at).unwrap();
    let token = Token {
        id: secret.id,
        name: name.into(),
        role,
        kind: TokenKind::Api,
        hash: secret.hash(),
        agent: None,
        vouches_for_server: false,
        roots: Vec::new(),
        created_at: at,
        created_by: "a test".into(),
        expires_at,
        revoked_at: None,
        last_used_at: None,
    };
    token_store::add(ledger, token.clone(), None).await.unwrap();
    TestCredential { token, secret: secret.reveal() }
}
