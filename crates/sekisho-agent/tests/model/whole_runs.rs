//! Runs with a gate and tools, whose models are doubles on loopback: which tools a model is offered, and what runs if
//! its reply breaks.

use std::sync::Arc;

use jiff::Timestamp;
use sekisho_agent::agents::{Agent, AgentChange, AgentSettings, ToolPermission};
use sekisho_agent::conversation::Provider::{self, Anthropic, Openai};
use sekisho_agent::machine::{FinishReason, Phase};
use sekisho_agent::model::ModelErrorCode::Cut;
use sekisho_agent::model::providers::{ProviderConfig, SecretKey};
use sekisho_agent::model::retry::RetryPolicy;
use sekisho_agent::service::{RunStart, WaitUntil};
use sekisho_agent::{AgentService, Models};
use sekisho_gate::answer::{Actor, Role};
use sekisho_gate::registered_records::CheckedRecord;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{Gate, Ports, Settings};
use sekisho_policy::LayerKind;
use sekisho_testkit::agent_fixture::{AgentStores, agent_service_with_models};
use sekisho_testkit::fixtures::approver;
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::{Value, json};
use uuid::Uuid;

use super::fixture::{
    DONE, KEY, RecordingClock, block_stop, call_chunk, call_start, chunk, events, input_delta, message,
    message_start, text_block, until,
};
use super::server_double::{Answer, ServerDouble};

const AGENT: Uuid = Uuid::from_u128(1);

/// An agent with the tools `note` and `slow`, which a rule allows, and its model.
struct WholeRuns {
    provider: Provider,
    double: ServerDouble,
    service: AgentService,
    stores: AgentStores,
    directory: tempfile::TempDir,
}

impl WholeRuns {
    async fn new(provider: Provider, answers: Vec<Answer>) -> WholeRuns {
        let double = ServerDouble::start(answers).await;
        let config = |provider| {
            let mut config = ProviderConfig::new(provider);
            config.base_url = Some(double.url());
            config.key = SecretKey::new(KEY);
            let (clock, jitter) = (Arc::new(RecordingClock::default()), Arc::new(|| 0.0));
            config.retry = RetryPolicy { clock, jitter, retries: 1, ..RetryPolicy::default() };
            config
        };
        let models = Models::new(config(Anthropic), config(Openai), None);
        let (ledger, files, stores) = (MemoryLedger::new(), FixedFiles::new(), AgentStores::default());
        let permissions = json!({ "allow": [{ "tool": "note" }, { "tool": "slow" }] });
        files.set(LayerKind::Global, json!({ "version": 1, "permissions": permissions }).to_string());
        let ports = Ports {
            rulebook: Arc::new(Rulebook::new(Arc::new(files.clone()), Arc::new(ledger.clone()))),
            ledger: Arc::new(ledger.clone()),
            lookup: Arc::new(files),
            clock: Arc::new(ManualClock::new()),
        };
        let (gate, background) = Gate::new(ports, Settings::default());
        tokio::spawn(background.run());
        let directory = tempfile::tempdir().unwrap();
        let service = agent_service_with_models(&gate, &ledger, &stores, directory.path(), vec![], models);
        let runs = WholeRuns { provider, double, service, stores, directory };
        runs.create_agent().await;
        runs
    }

    async fn create_agent(&self) {
        let settings = json!({ "name": "builder", "provider": self.provider, "model": "test-model" });
        let settings: AgentSettings = serde_json::from_value(settings).unwrap();
        let at = Timestamp::UNIX_EPOCH;
        let agent = Agent { id: AGENT, settings, created_at: at, updated_at: at };
        let created = self.service.agents().create_agent(agent, self.record("created")).await;
        assert_eq!(created, Ok(AgentChange::Stored));
        for tool in ["note", "slow"] {
            self.enable(tool, true).await;
        }
    }

    fn record(&self, kind: &str) -> CheckedRecord {
        let (body, by) = (json!({ "agent": AGENT }), Actor::Person(approver(Role::Admin)));
        self.service.change_record(kind, "builder", kind.to_owned(), body, by).unwrap()
    }

    async fn enable(&self, tool: &str, is_enabled: bool) {
        let permission =
            ToolPermission { tool_name: tool.into(), is_enabled, config: None, require_approval: false };
        let (at, record) = (Timestamp::UNIX_EPOCH, self.record("tools_changed"));
        let stored = self.service.agents().set_tool_permissions(AGENT, vec![permission], at, record).await;
        assert_eq!(stored, Ok(true));
    }

    /// Starts a run with these tools, or with all that the agent has.
    async fn start(&self, enabled_tools: Option<&[&str]>) -> Uuid {
        let id = Uuid::now_v7();
        let start = RunStart {
            id,
            agent: AGENT,
            history: Vec::new(),
            input: "go".into(),
            max_iterations: None,
            requires_approval: false,
            mode: None,
            approvals_expire: false,
            enabled_tools: enabled_tools.map(|tools| tools.iter().map(|&tool| tool.to_owned()).collect()),
            tool_config: Default::default(),
            credential: "agent:builder".into(),
            roots: Vec::new(),
        };
        self.service.start(start).await.unwrap();
        id
    }

    /// Waits until a run has ended. Returns why it did.
    async fn end(&self, run: Uuid) -> FinishReason {
        until(|| self.stores.runs.state(run).state.has_ended()).await;
        match self.stores.runs.state(run).state.phase {
            Phase::Ended { reason, .. } => reason,
            other => panic!("{other:?}"),
        }
    }

    /// What tools wrote.
    fn notes(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.directory.path().join("notes")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The tools that each request offered. None for a request without the field.
    fn offered(&self) -> Vec<Option<Vec<String>>> {
        let pointer = if self.provider == Anthropic { "/name" } else { "/function/name" };
        let name = |tool: &Value| tool.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        let requests = self.double.received();
        let tools =
            requests.iter().map(|request| request.body.get("tools").map(|tools| tools.as_array().unwrap()));
        tools.map(|tools| tools.map(|tools| tools.iter().map(name).collect())).collect()
    }
}

/// A reply with text.
fn hello(provider: Provider) -> Answer {
    Answer::stream(match provider {
        Anthropic => message(text_block(0, "hi"), "end_turn"),
        _ => [chunk(json!({ "content": "hi" }), Some("stop")).as_str(), DONE].concat(),
    })
}

/// A whole call, and then the end of the reply if there is one.
fn call(provider: Provider, name: &str, is_cut: bool) -> Answer {
    let input = "{\"text\":\"a\"}";
    let block = vec![call_start(0, "a", name), input_delta(0, input), block_stop(0)];
    let entry = json!([{ "index": 0, "id": "a", "function": { "name": name, "arguments": input } }]);
    Answer::stream(match (provider, is_cut) {
        (Anthropic, true) => events(&[vec![message_start()], block].concat()),
        (Anthropic, false) => message(block, "tool_use"),
        (_, true) => [call_chunk(entry).as_str(), DONE].concat(),
        (_, false) => [call_chunk(entry).as_str(), &chunk(json!({}), Some("tool_calls")), DONE].concat(),
    })
}

#[tokio::test]
async fn model_is_offered_only_what_the_request_leaves() {
    for provider in [Anthropic, Openai] {
        let runs = WholeRuns::new(provider, vec![hello(provider); 3]).await;
        for enabled in [None, Some(&["note"][..]), Some(&[])] {
            let run = runs.start(enabled).await;
            assert_eq!(runs.end(run).await, FinishReason::Stop);
        }
        let both = vec!["note".to_owned(), "slow".to_owned()];
        assert_eq!(runs.offered(), [Some(both), Some(vec!["note".to_owned()]), None], "{provider:?}");
    }
}

#[tokio::test]
async fn tool_that_is_disabled_during_a_run_is_no_longer_offered() {
    for provider in [Anthropic, Openai] {
        let runs = WholeRuns::new(provider, vec![call(provider, "slow", false), hello(provider)]).await;
        let run = runs.start(None).await;
        until(|| runs.notes() == ["a"]).await;
        runs.enable("slow", false).await;
        std::fs::write(runs.directory.path().join("go"), "").unwrap();
        assert_eq!(runs.end(run).await, FinishReason::Stop);
        let both = vec!["note".to_owned(), "slow".to_owned()];
        assert_eq!(runs.offered(), [Some(both), Some(vec!["note".to_owned()])], "{provider:?}");
    }
}

#[tokio::test]
async fn call_of_a_cut_reply_does_not_run() {
    for provider in [Anthropic, Openai] {
        let runs = WholeRuns::new(provider, vec![call(provider, "note", true); 2]).await;
        let run = runs.start(None).await;
        let reason = runs.end(run).await;
        assert!(matches!(&reason, FinishReason::Error { error } if error.code == Cut), "{reason:?}");
        assert_eq!((runs.double.received().len(), runs.notes()), (2, vec![]), "{provider:?}");
    }
}

#[tokio::test]
async fn call_of_a_reply_that_was_tried_again_runs_once() {
    for provider in [Anthropic, Openai] {
        let cut_then_whole = [true, false].map(|is_cut| call(provider, "note", is_cut));
        let runs = WholeRuns::new(provider, [cut_then_whole.to_vec(), vec![hello(provider)]].concat()).await;
        let run = runs.start(None).await;
        assert_eq!(runs.end(run).await, FinishReason::Stop);
        assert_eq!((runs.double.received().len(), runs.notes()), (3, vec!["a".to_owned()]), "{provider:?}");
    }
}

#[tokio::test]
async fn run_that_was_read_before_its_last_step_is_not_over() {
    let runs = WholeRuns::new(Anthropic, vec![hello(Anthropic)]).await;
    let run = runs.start(None).await;
    runs.end(run).await;
    let last = runs.service.wait(run, WaitUntil::Ended).await.unwrap().unwrap();
    let mut earlier = last.clone();
    earlier.version -= 1;
    for until in [WaitUntil::Ended, WaitUntil::Settled] {
        assert_eq!(runs.service.has_reached(&last, until).await, Ok(true), "{until:?}");
        assert_eq!(runs.service.has_reached(&earlier, until).await, Ok(false), "{until:?}");
    }
}
