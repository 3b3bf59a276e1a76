//! A service for agents over memory, with tools that write notes into a directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sekisho_agent::conversation::Provider;
use sekisho_agent::model::providers::ProviderConfig;
use sekisho_agent::spending::ModelPrices;
use sekisho_agent::{
    AgentHost, AgentService, HostConfig, HostParts, Models, PipelineService, RunDriver, SubAgentLimits,
};
use sekisho_gate::Gate;
use sekisho_gate::ledger::BoxFuture;
use sekisho_tools::done::Done;
use sekisho_tools::file_write::FileWrite;
use sekisho_tools::git_ops::{GitOps, GitSettings};
use sekisho_tools::read::Read;
use sekisho_tools::self_eval::SelfEval;
use sekisho_tools::shell_exec::ShellExec;
use sekisho_tools::sub_agents::{CreateSubAgent, ExecuteSubAgent, GetSubAgentResult};
use sekisho_tools::todo::TodoWrite;
use sekisho_tools::{PermittedCall, RequiredLevel, Tool, ToolContext, ToolRegistry, ToolResult, ToolRunner};
use serde_json::json;

use crate::agent_doubles::{NoteWriter, no_sandbox, register_note_tools};
use crate::memory::{MemoryAgents, MemoryLedger, MemoryPipelines, MemoryRuns};

/// How many active runs a credential may have.
pub const MOST_ACTIVE_RUNS: u64 = 20;

/// What a test can look at beside the service.
#[derive(Clone, Default)]
pub struct AgentStores {
    /// The agents.
    pub agents: MemoryAgents,
    /// The runs.
    pub runs: MemoryRuns,
}

/// A service for agents. Scripts are in `directory/scripts`, notes in `directory/notes`, and the agents may work in
/// `roots`.
pub fn agent_service(
    gate: &Gate,
    ledger: &MemoryLedger,
    stores: &AgentStores,
    directory: &Path,
    roots: Vec<PathBuf>,
) -> AgentService {
    let (anthropic, openai) =
        (ProviderConfig::new(Provider::Anthropic), ProviderConfig::new(Provider::Openai));
    let models = Models::new(anthropic, openai, Some(directory.join("scripts"))).with_prices(prices());
    agent_service_with_models(gate, ledger, stores, directory, roots, models)
}

/// The same with other models.
pub fn agent_service_with_models(
    gate: &Gate,
    ledger: &MemoryLedger,
    stores: &AgentStores,
    directory: &Path,
    roots: Vec<PathBuf>,
    models: Models,
) -> AgentService {
    stores.agents.record_in(ledger);
    stores.runs.record_in(ledger);
    let registry = Arc::new(registry(directory));
    let sandbox = Arc::new(no_sandbox());
    let config = HostConfig {
        sandbox,
        required_level: RequiredLevel::Required,
        home: None,
        own_addresses: Vec::new(),
        tool_config: Default::default(),
        roots,
        default_root: None,
        machine: None,
        no_approvers: false,
        sub_agents: SubAgentLimits::default(),
    };
    let host = AgentHost::new(HostParts {
        agents: Arc::new(stores.agents.clone()),
        tokens: Arc::new(ledger.clone()),
        storage: Arc::new(ledger.clone()),
        registry: Arc::clone(&registry),
        gate: gate.clone(),
        models,
        config,
    });
    let tools = ToolRunner::new(gate.clone(), registry).expect("the kinds of tools are registered once");
    let runs = Arc::new(stores.runs.clone());
    let driver = RunDriver::with_active_limit(
        runs.clone(),
        Arc::new(host.clone()),
        tools,
        gate.clone(),
        MOST_ACTIVE_RUNS,
    );
    AgentService::new(host, runs, driver, gate.clone()).expect("the kinds of agents are registered once")
}

/// The prices of the script `priced`, in dollars for a million tokens.
fn prices() -> ModelPrices {
    let price = json!({ "input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75 });
    serde_json::from_value(json!({ "scripted": { "priced": price } })).expect("valid prices")
}

/// A service for pipelines of these agents.
pub fn pipeline_service(
    gate: &Gate,
    ledger: &MemoryLedger,
    stores: &AgentStores,
    agents: &AgentService,
) -> PipelineService {
    let store = Arc::new(MemoryPipelines::new(stores.runs.clone(), ledger.clone()));
    let service = PipelineService::new(agents.clone(), store.clone(), store, gate.clone());
    service.expect("the kinds of pipelines are registered once")
}

fn registry(directory: &Path) -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    let notes: Arc<dyn NoteWriter> = Arc::new(FileNotes { directory: directory.into() });
    register_note_tools(&mut registry, &notes);
    let git = GitSettings { program: "/usr/bin/git".into(), identity: None };
    let others: [Box<dyn Tool>; 10] = [
        Box::new(CreateSubAgent),
        Box::new(ExecuteSubAgent),
        Box::new(GetSubAgentResult),
        Box::new(Done),
        Box::new(FileWrite),
        Box::new(GitOps::new(git)),
        Box::new(Read),
        Box::new(SelfEval::new()),
        Box::new(ShellExec::new()),
        Box::new(TodoWrite),
    ];
    for tool in others {
        registry.register(tool).expect("each name is taken once");
    }
    registry
}

/// Appends the text of a call to a file. `slow` ends once the file `go` is in the directory.
struct FileNotes {
    directory: PathBuf,
}

impl NoteWriter for FileNotes {
    fn write<'a>(
        &'a self,
        tool: &'static str,
        call: PermittedCall,
        ctx: &'a ToolContext,
    ) -> BoxFuture<'a, ToolResult> {
        use std::io::Write;
        let text = call.input()["text"].as_str().unwrap_or_default().to_owned();
        let file = std::fs::OpenOptions::new().create(true).append(true).open(self.directory.join("notes"));
        file.and_then(|mut file| writeln!(file, "{text}")).expect("notes can be written");
        Box::pin(async move {
            while tool == "slow" && !self.directory.join("go").exists() {
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(5)) => {}
                    () = ctx.cancellation.cancelled() => return ToolResult::error("cancelled"),
                }
            }
            ToolResult::ok(format!("noted {text}"))
        })
    }
}
