//! A service for agents over memory, with tools that write notes into a directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sekisho_agent::conversation::Provider;
use sekisho_agent::model::providers::ProviderConfig;
use sekisho_agent::{AgentHost, AgentService, HostConfig, HostParts, Models, RunDriver};
use sekisho_gate::Gate;
use sekisho_gate::ledger::BoxFuture;
use sekisho_tools::done::Done;
use sekisho_tools::file_write::FileWrite;
use sekisho_tools::git_ops::{GitOps, GitSettings};
use sekisho_tools::read::Read;
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::self_eval::SelfEval;
use sekisho_tools::shell_exec::ShellExec;
use sekisho_tools::todo::TodoWrite;
use sekisho_tools::{
    PermittedCall, RequiredLevel, Sandbox, Tool, ToolCategory, ToolContext, ToolDefinition, ToolRegistry,
    ToolResult, ToolRunner,
};
use serde_json::{Value, json};

use crate::memory::{MemoryAgents, MemoryLedger, MemoryRuns};

/// The names of the tools that write notes. `slow` ends once the file `go` is in the directory.
pub const NOTE_TOOLS: [&str; 4] = ["note", "risky", "slow", "forbidden"];

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
    let registry = Arc::new(registry(directory));
    let sandbox = Arc::new(Sandbox::at_level(Path::new("/nonexistent"), Isolation::default()));
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
    };
    let (anthropic, openai) =
        (ProviderConfig::new(Provider::Anthropic), ProviderConfig::new(Provider::Openai));
    let host = AgentHost::new(HostParts {
        agents: Arc::new(stores.agents.clone()),
        tokens: Arc::new(ledger.clone()),
        storage: Arc::new(ledger.clone()),
        registry: Arc::clone(&registry),
        gate: gate.clone(),
        models: Models::new(anthropic, openai, Some(directory.join("scripts"))),
        config,
    });
    let tools = ToolRunner::new(gate.clone(), registry).expect("the kinds of tools are registered once");
    let runs = Arc::new(stores.runs.clone());
    let driver = RunDriver::new(runs.clone(), Arc::new(host.clone()), tools, gate.clone(), gate.replica());
    AgentService::new(host, runs, driver, gate.clone()).expect("the kinds of agents are registered once")
}

fn registry(directory: &Path) -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    let notes = NOTE_TOOLS.map(|name| Box::new(Note { name, directory: directory.into() }) as Box<dyn Tool>);
    let git = GitSettings { program: "/usr/bin/git".into(), identity: None };
    let others: [Box<dyn Tool>; 7] = [
        Box::new(Done),
        Box::new(FileWrite),
        Box::new(GitOps::new(git)),
        Box::new(Read),
        Box::new(SelfEval::new()),
        Box::new(ShellExec::new()),
        Box::new(TodoWrite),
    ];
    for tool in notes.into_iter().chain(others) {
        registry.register(tool).expect("each name is taken once");
    }
    registry
}

/// Appends its text to a file.
struct Note {
    name: &'static str,
    directory: PathBuf,
}

impl Note {
    fn append(&self, text: &str) {
        use std::io::Write;
        let file = std::fs::OpenOptions::new().create(true).append(true).open(self.directory.join("notes"));
        file.and_then(|mut file| writeln!(file, "{text}")).expect("notes can be written");
    }
}

impl Tool for Note {
    fn name(&self) -> &str {
        self.name
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn definition(&self) -> ToolDefinition {
        let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
        ToolDefinition { name: self.name.into(), description: "Writes a note.".into(), input_schema: schema }
    }

    fn check(&self, _: &Value, _: &ToolContext) -> Result<(), String> {
        Ok(())
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        let text = call.input()["text"].as_str().unwrap_or_default().to_owned();
        self.append(&text);
        Box::pin(async move {
            while self.name == "slow" && !self.directory.join("go").exists() {
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(5)) => {}
                    () = ctx.cancellation.cancelled() => return ToolResult::error("cancelled"),
                }
            }
            ToolResult::ok(format!("noted {text}"))
        })
    }
}
