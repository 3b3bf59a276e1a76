//! The agent `terminal`, which `sekisho run` uses unless another is named.
//!
//! Only admins change agents, and the token of the terminal is an approver's. But whoever can write this machine's
//! database and has its audit key is its administrator, so the agent is stored there directly, with a record.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use sekisho::host_ports::HostFiles;
use sekisho_agent::agents::{Agent, AgentChange, AgentSettings, ToolPermission};
use sekisho_agent::runs::RunQuery;
use sekisho_agent::service::{agent_record, register_records};
use sekisho_gate::audit::AuditConfig;
use sekisho_gate::clock::SystemClock;
use sekisho_gate::registered_records::{CheckedRecord, ComponentError, Recorder};
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{Gate, Ports};
use sekisho_store::Store;
use sekisho_tools::ToolConfig;
use serde_json::{Value, json};
use uuid::Uuid;

use super::model_choice::ModelChoice;
use crate::commands::audit::blocking_store;
use crate::commands::audit::local_operator::local_operator;
use crate::commands::server_connection::names_id;
use crate::failure::Failure;
use crate::secret_masks::masks;
use crate::settings::Settings;
use crate::terminal::visible;

/// Its name, by which rules call it.
pub(super) const NAME: &str = "terminal";
/// How many replies it may give to a message.
const MAX_ITERATIONS: u32 = 50;
/// The most tokens of a reply: enough for a file of some size.
const MAX_TOKENS: u32 = 8192;
/// How many runs are searched for the end of an id.
const SEARCHED: usize = 2000;

const SYSTEM_PROMPT: &str = "\
You are an agent in the user's terminal. You work in the user's current project with the tools you have.
Look at the files before you change them, change no more than the task needs, and check the result where the project has a way to.
Every change and most commands are put to a human first. If a call is denied, read the reason and follow it; do not try the same in another way. \
If a call was interrupted, ask yourself why before you repeat it.
Answer briefly, in plain text: the terminal shows no Markdown. End with what you did and what is left to do.";

/// The tools it has, and their settings. It may write anywhere in the project; the policy asks.
const TOOLS: [&str; 14] = [
    "read",
    "grep",
    "glob_search",
    "edit",
    "file_write",
    "shell_exec",
    "git_ops",
    "self_eval",
    "web_fetch",
    "web_search",
    "todo_read",
    "todo_write",
    "tool_output_cache",
    "tool_output_cache_grep",
];

/// What a run wants of the agent.
#[derive(Clone, Debug)]
pub(super) struct WantedAgent {
    pub(super) model: ModelChoice,
    /// The root of its project, as it is registered.
    pub(super) workspace: String,
    pub(super) max_iterations: Option<u32>,
}

/// This machine's database, and the runtime that it is used on.
pub(super) struct LocalStore {
    runtime: tokio::runtime::Runtime,
    store: Arc<dyn Store>,
    recorder: Recorder,
    settings: Settings,
}

/// Keeps other `sekisho run`s from changing the agent. Released when it is dropped.
pub(super) struct AgentLock {
    _file: File,
}

impl LocalStore {
    /// Opens the database, and creates what is missing.
    pub(super) fn open(settings: &Settings) -> Result<LocalStore, Failure> {
        let runtime = blocking_store::runtime()?;
        let keys = blocking_store::load_or_create_keys(settings)?;
        let seal = AuditConfig { keys: Arc::new(keys), masks: Arc::new(masks(&settings.secrets()?)?) };
        let opened = runtime.block_on(async {
            let store = blocking_store::open(settings, seal).await?;
            let host_files = Arc::new(HostFiles::new(settings.locations.clone())?);
            let rulebook = Arc::new(Rulebook::new(Arc::clone(&host_files) as _, Arc::clone(&store) as _));
            let ledger = Arc::clone(&store) as _;
            let ports = Ports { ledger, rulebook, lookup: host_files as _, clock: Arc::new(SystemClock) };
            // Only for the kinds of records: nothing is asked here.
            let (gate, _) = Gate::new(ports, sekisho_gate::Settings::default());
            let recorder = register_records(&gate).map_err(unrecorded)?;
            Ok::<_, Failure>((store, recorder))
        });
        let (store, recorder) = opened?;
        Ok(LocalStore { runtime, store, recorder, settings: settings.clone() })
    }

    /// Waits until no other `sekisho run` changes the agent. Hold it until the run is started: a run keeps the settings that
    /// its agent has then.
    pub(super) fn lock(&self) -> Result<AgentLock, Failure> {
        let path = self.settings.locations.state.join("run.lock");
        let failed = |error: std::io::Error| {
            Failure::new(format!("{}: {}", path.display(), error.to_string().to_lowercase()))
        };
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let file = options.open(&path).map_err(failed)?;
        file.lock().map_err(failed)?;
        Ok(AgentLock { _file: file })
    }

    /// The model that the agent has now.
    pub(super) fn known_model(&self) -> Result<Option<ModelChoice>, Failure> {
        let known = self.runtime.block_on(self.store.agent_named(NAME.into()))?;
        Ok(known.map(|agent| ModelChoice { provider: agent.settings.provider, model: agent.settings.model }))
    }

    /// The agent as a run wants it. It is created if it does not exist; else only what a run sets is changed, and the rest
    /// stays as its owner left it.
    pub(super) fn agent(&self, wanted: WantedAgent, _lock: &AgentLock) -> Result<Uuid, Failure> {
        self.runtime.block_on(async {
            match self.store.agent_named(NAME.into()).await? {
                Some(agent) => self.update(agent, wanted).await,
                None => self.create(wanted).await,
            }
        })
    }

    async fn create(&self, wanted: WantedAgent) -> Result<Uuid, Failure> {
        let mut settings: AgentSettings = serde_json::from_value(json!({
            "name": NAME, "provider": wanted.model.provider, "model": wanted.model.model,
            "systemPrompt": SYSTEM_PROMPT, "maxTokens": MAX_TOKENS,
        }))?;
        settings.budgets.max_iterations = wanted.max_iterations.unwrap_or(MAX_ITERATIONS);
        settings.workspace = Some(wanted.workspace);
        let at = Timestamp::now();
        let agent = Agent { id: Uuid::now_v7(), settings, created_at: at, updated_at: at };
        let body = json!({ "agent": agent.id, "settings": agent.settings });
        let record = self.record("created", &format!("agent `{NAME}` created"), body)?;
        let id = agent.id;
        self.stored(self.store.create_agent(agent, record).await?)?;
        let permissions: Vec<ToolPermission> = TOOLS.into_iter().map(permission).collect();
        let body = json!({ "agent": id, "tools": permissions });
        let record = self.record("tools_changed", &format!("tools of agent `{NAME}` changed"), body)?;
        self.store.set_tool_permissions(id, permissions, at, record).await?;
        Ok(id)
    }

    async fn update(&self, agent: Agent, wanted: WantedAgent) -> Result<Uuid, Failure> {
        let mut settings = agent.settings.clone();
        settings.provider = wanted.model.provider;
        settings.model = wanted.model.model;
        settings.workspace = Some(wanted.workspace);
        settings.budgets.max_iterations = wanted.max_iterations.unwrap_or(MAX_ITERATIONS);
        if settings == agent.settings {
            return Ok(agent.id);
        }
        let body = json!({ "agent": agent.id, "settings": settings });
        let record = self.record("updated", &format!("agent `{NAME}` changed"), body)?;
        let change = self.store.update_agent(agent.id, settings, Timestamp::now(), record).await?;
        self.stored(change)?;
        Ok(agent.id)
    }

    fn record(&self, kind: &str, text: &str, body: Value) -> Result<CheckedRecord, Failure> {
        let line = agent_record(NAME, text.to_owned(), body, local_operator(&self.settings));
        self.recorder.check(kind, line).map_err(unrecorded)
    }

    fn stored(&self, change: AgentChange) -> Result<(), Failure> {
        match change {
            AgentChange::Stored => Ok(()),
            AgentChange::NotFound | AgentChange::NameTaken => {
                Err(Failure::new(format!("the agent `{NAME}` was changed at the same time; try again")))
            }
        }
    }

    /// The id and the workspace of the run with this id, or end of an id.
    pub(super) fn find_run(&self, meant: &str) -> Result<(Uuid, Option<PathBuf>), Failure> {
        let shown = visible(meant);
        let unknown = || {
            Failure::new(format!("no run id ends with `{shown}`; `sekisho runs list --all` lists all runs"))
        };
        if let Ok(id) = meant.parse::<Uuid>() {
            let run = self.runtime.block_on(self.store.run(id))?.ok_or_else(unknown)?;
            return Ok((run.id, run.settings.workspace));
        }
        let query = RunQuery { limit: SEARCHED, ..RunQuery::default() };
        let mut found = self.runtime.block_on(self.store.runs(query))?;
        found.retain(|run| names_id(meant, run.id));
        match (found.pop(), found.is_empty()) {
            (Some(run), true) => Ok((run.id, run.settings.workspace)),
            (Some(_), false) => {
                Err(Failure::new(format!("`{shown}` matches several runs; give more of the id")))
            }
            (None, _) => Err(unknown()),
        }
    }
}

/// A tool of the agent.
fn permission(tool: &str) -> ToolPermission {
    let whole_project = Some(vec![Path::new(".").to_path_buf()]);
    let config = match tool {
        "edit" | "file_write" | "shell_exec" | "self_eval" => {
            Some(ToolConfig { allowed_dirs: whole_project, ..ToolConfig::default() })
        }
        "git_ops" => serde_json::from_value(json!({ "git_permission": "ReadWrite" })).ok(),
        _ => None,
    };
    ToolPermission { tool_name: tool.to_owned(), is_enabled: true, config, require_approval: false }
}

fn unrecorded(error: ComponentError) -> Failure {
    Failure::new(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_exists_and_takes_its_settings() {
        let registry = crate::built_in_tools::registry_without_settings().unwrap();
        for tool in TOOLS {
            assert!(registry.get(tool).is_some(), "{tool}");
            if let Some(config) = permission(tool).config {
                config.check(tool).unwrap();
                assert_ne!(config, ToolConfig::default(), "{tool}");
            }
        }
    }
}
