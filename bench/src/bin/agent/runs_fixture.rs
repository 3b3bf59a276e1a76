//! A driver of runs with everything a server has around it: gate, rules, tools, agents and tokens in a store.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use sekisho_agent::agents::{Agent, AgentSettings, Agents, ToolPermission};
use sekisho_agent::conversation::{Message, Provider, ToolCall};
use sekisho_agent::machine::RunLimits;
use sekisho_agent::model::providers::ProviderConfig;
use sekisho_agent::model::scripted::ScriptedModel;
use sekisho_agent::model::{Model, ModelError, ModelReply, ModelRequest, PieceSink};
use sekisho_agent::runs::RunQuery;
use sekisho_agent::{AgentHost, HostConfig, HostParts, Models, RunDriver, RunHost, RunSettings};
use sekisho_bench::ledger_throughput::Failure;
use sekisho_gate::answer::Role;
use sekisho_gate::caller::CallerEnvironment;
use sekisho_gate::clock::SystemClock;
use sekisho_gate::ledger::BoxFuture;
use sekisho_gate::registered_records::CheckedRecord;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::token_store::{SecretHash, Token, TokenKind};
use sekisho_gate::{Gate, Ports, Settings, TokenId, WriteAccess};
use sekisho_policy::LayerKind;
use sekisho_store::{Options, PostgresStore, SqliteStore, Store, postgres};
use sekisho_testkit::{FixedFiles, fixtures};
use sekisho_tools::sandbox::{Isolation, Sandbox};
use sekisho_tools::{
    PermittedCall, RequiredLevel, Tool, ToolCategory, ToolContext, ToolDefinition, ToolRegistry, ToolResult,
    ToolRunner,
};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::REPLIES;
use crate::steps::Round;

/// How often to try to reach a server that is starting, a tenth of a second apart.
const TRIES: usize = 200;

pub(crate) fn runtime() -> Result<Runtime, Failure> {
    Ok(Builder::new_multi_thread().enable_all().build()?)
}

/// Where the runs are stored.
pub(crate) enum Place {
    /// A file in this directory, which is removed afterwards.
    File(tempfile::TempDir),
    /// A PostgreSQL server.
    Server(String),
}

pub(crate) struct RunsFixture {
    pub(crate) driver: RunDriver,
    pub(crate) gate: Gate,
    pub(crate) store: Arc<dyn Store>,
    model: Arc<TimedModel>,
    agent: Uuid,
    _place: Place,
}

impl RunsFixture {
    pub(crate) async fn start(place: Place) -> Result<RunsFixture, Failure> {
        let store = open(&place).await?;
        let files = FixedFiles::new();
        let rules = json!({ "allow": [{ "tool": "nothing" }], "confirm": [{ "tool": "asked" }] });
        files.set(LayerKind::Global, json!({ "version": 1, "permissions": rules }).to_string());
        let rulebook = Arc::new(Rulebook::new(Arc::new(files.clone()), Arc::clone(&store) as _));
        rulebook.refresh(Timestamp::now()).await?;
        let ledger = Arc::clone(&store) as _;
        let ports = Ports { ledger, rulebook, lookup: Arc::new(files), clock: Arc::new(SystemClock) };
        let (gate, background) = Gate::new(ports, Settings::default());
        tokio::spawn(background.run());
        let agent = create_agent(&*store).await?;
        let model = Arc::new(TimedModel::new()?);
        let driver = driver(&gate, &store, &model)?;
        Ok(RunsFixture { driver, gate, store, model, agent, _place: place })
    }

    /// Runs this many runs, so many at once.
    pub(crate) async fn measure(&self, runs: usize, at_once: usize) -> Result<Round, Failure> {
        self.run_all(1, 1, "nothing").await?;
        self.model.reset();
        let start = Instant::now();
        self.run_all(runs, at_once, "nothing").await?;
        let took = start.elapsed();
        let steps = self.model.replies.load(Ordering::Relaxed);
        let left = self.store.runs(RunQuery { works: Some(true), limit: 1, ..RunQuery::default() }).await?;
        if steps != runs * REPLIES || !left.is_empty() {
            return Err(format!("{steps} steps of {runs} runs: {left:?}").into());
        }
        Ok(Round { took, steps, between: if at_once == 1 { self.model.take_times() } else { Vec::new() } })
    }

    async fn run_all(&self, runs: usize, at_once: usize, tool: &str) -> Result<(), Failure> {
        for _ in 0..runs.div_ceil(at_once) {
            self.start_runs(at_once, tool).await?;
            while self.driver.active_count() > 0 {
                tokio::time::sleep(Duration::from_micros(500)).await;
            }
        }
        Ok(())
    }

    /// Starts runs whose model calls this tool.
    pub(crate) async fn start_runs(&self, count: usize, tool: &str) -> Result<(), Failure> {
        let starts: Vec<_> = (0..count)
            .map(|_| {
                let (driver, settings) = (self.driver.clone(), self.settings(tool));
                let limits = RunLimits::replies(REPLIES as u32);
                tokio::spawn(async move { driver.start(settings, limits, "Go.".into()).await })
            })
            .collect();
        for start in starts {
            start.await??;
        }
        Ok(())
    }

    fn settings(&self, tool: &str) -> RunSettings {
        RunSettings {
            agent: self.agent,
            agent_name: "builder".into(),
            credential: "agent:builder".into(),
            provider: Provider::Scripted,
            model: tool.into(),
            system: Some("Call the tool.".into()),
            temperature: None,
            max_tokens: 1000,
            context_tokens: 128_000,
            price: None,
            workspace: None,
            enabled_tools: None,
            requires_approval: false,
            mode: None,
            parent: None,
            stage: None,
            approvals_expire: false,
            tool_config: Default::default(),
        }
    }
}

async fn open(place: &Place) -> Result<Arc<dyn Store>, Failure> {
    let audit = fixtures::audit_config();
    match place {
        Place::File(directory) => {
            Ok(Arc::new(SqliteStore::open(directory.path().join("runs.db"), Options::new(audit))?))
        }
        Place::Server(url) => {
            let mut tries = 0;
            loop {
                match PostgresStore::open(url, postgres::Options::new(audit.clone())).await {
                    Ok(store) => return Ok(Arc::new(store)),
                    Err(error) if tries == TRIES => return Err(error.into()),
                    Err(_) => tries += 1,
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// An agent with both tools, and somebody who could answer.
async fn create_agent(store: &dyn Store) -> Result<Uuid, Failure> {
    let at = Timestamp::now();
    let id = Uuid::now_v7();
    let name = format!("builder-{id}");
    let settings: AgentSettings =
        serde_json::from_value(json!({ "name": name, "provider": "scripted", "model": "nothing" }))?;
    let agent = Agent { id, settings, created_at: at, updated_at: at };
    let record = |text: &str| CheckedRecord::for_tests(fixtures::rules_changed_record(at, text));
    let _stored = store.create_agent(agent, record("an agent")).await?;
    let permission = |tool_name: &str| ToolPermission {
        tool_name: tool_name.into(),
        is_enabled: true,
        config: None,
        require_approval: false,
    };
    let permissions = ["nothing", "asked"].map(permission).to_vec();
    Agents::set_tool_permissions(store, id, permissions, at, record("its tools")).await?;
    let token = Token {
        id: TokenId::new(at),
        name: "ann".into(),
        role: Role::Approver,
        kind: TokenKind::Api,
        hash: SecretHash::of(b"bench"),
        agent: None,
        vouches_for_server: false,
        roots: Vec::new(),
        created_at: at,
        created_by: "bench".into(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    store.add_token(WriteAccess::TESTS, token, fixtures::rules_changed_record(at, "a token")).await?;
    Ok(id)
}

fn driver(gate: &Gate, store: &Arc<dyn Store>, model: &Arc<TimedModel>) -> Result<RunDriver, Failure> {
    let mut registry = ToolRegistry::new();
    for name in ["nothing", "asked"] {
        registry.register(Box::new(Nothing { name }))?;
    }
    let registry = Arc::new(registry);
    let config = HostConfig {
        sandbox: Arc::new(Sandbox::at_level("/nonexistent".as_ref(), Isolation::default())),
        required_level: RequiredLevel::Required,
        home: None,
        own_addresses: Vec::new(),
        tool_config: Default::default(),
        roots: Vec::new(),
        default_root: None,
        machine: None,
        no_approvers: false,
        sub_agents: Default::default(),
    };
    let provider = ProviderConfig::new;
    let host = AgentHost::new(HostParts {
        agents: Arc::clone(store) as _,
        tokens: Arc::clone(store) as _,
        storage: Arc::clone(store) as _,
        registry: Arc::clone(&registry),
        gate: gate.clone(),
        models: Models::new(provider(Provider::Anthropic), provider(Provider::Openai), None),
        config,
    });
    let tools = ToolRunner::new(gate.clone(), registry)?;
    let host = Arc::new(TimedHost { host, model: Arc::clone(model) });
    Ok(RunDriver::new(Arc::clone(store) as _, host, tools, gate.clone(), gate.replica()))
}

/// The host of a server, with a scripted model that needs no file and notes when it is asked.
struct TimedHost {
    host: AgentHost,
    model: Arc<TimedModel>,
}

impl RunHost for TimedHost {
    fn model(&self, _: &RunSettings) -> Result<Arc<dyn Model>, ModelError> {
        Ok(Arc::clone(&self.model) as _)
    }

    fn tools<'a>(&'a self, settings: &'a RunSettings) -> BoxFuture<'a, Vec<ToolDefinition>> {
        self.host.tools(settings)
    }

    fn access<'a>(
        &'a self,
        run: Uuid,
        settings: &'a RunSettings,
        tool: &'a str,
    ) -> BoxFuture<'a, Result<ToolContext, String>> {
        self.host.access(run, settings, tool)
    }

    fn environment<'a>(
        &'a self,
        settings: &'a RunSettings,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, CallerEnvironment> {
        self.host.environment(settings, call)
    }

    fn keep_output<'a>(&'a self, run: Uuid, content: &'a str) -> BoxFuture<'a, bool> {
        self.host.keep_output(run, content)
    }
}

struct TimedModel {
    calls_nothing: ScriptedModel,
    calls_asked: ScriptedModel,
    replies: AtomicUsize,
    last: Mutex<Option<Instant>>,
    between: Mutex<Vec<Duration>>,
}

impl TimedModel {
    fn new() -> Result<TimedModel, Failure> {
        let script = |tool: &str| {
            let mut replies = vec![json!({ "calls": [{ "name": tool, "input": {} }] }); REPLIES - 1];
            replies.push(json!({ "text": "Done." }));
            ScriptedModel::from_value(Value::Array(replies))
        };
        Ok(TimedModel {
            calls_nothing: script("nothing")?,
            calls_asked: script("asked")?,
            replies: AtomicUsize::new(0),
            last: Mutex::default(),
            between: Mutex::default(),
        })
    }

    fn reset(&self) {
        self.replies.store(0, Ordering::Relaxed);
        self.take_times();
    }

    fn take_times(&self) -> Vec<Duration> {
        std::mem::take(&mut self.between.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes the time since the last request, if that was of the same run.
    fn note(&self, request: &ModelRequest) {
        self.replies.fetch_add(1, Ordering::Relaxed);
        let now = Instant::now();
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).replace(now);
        let is_first = !request.messages.iter().any(|message| matches!(message, Message::Assistant { .. }));
        if let Some(last) = last.filter(|_| !is_first) {
            self.between.lock().unwrap_or_else(PoisonError::into_inner).push(now - last);
        }
    }
}

impl Model for TimedModel {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
        pieces: &'a dyn PieceSink,
        cancellation: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.note(request);
        match request.model.as_str() {
            "asked" => self.calls_asked.reply(request, pieces, cancellation),
            _ => self.calls_nothing.reply(request, pieces, cancellation),
        }
    }
}

/// A tool that does nothing.
struct Nothing {
    name: &'static str,
}

impl Tool for Nothing {
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
        let input_schema = json!({ "type": "object", "properties": {} });
        ToolDefinition { name: self.name.into(), description: "Does nothing.".into(), input_schema }
    }

    fn check(&self, _: &Value, _: &ToolContext) -> Result<(), String> {
        Ok(())
    }

    fn execute<'a>(&'a self, _: PermittedCall, _: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async { ToolResult::ok("{}") })
    }
}
