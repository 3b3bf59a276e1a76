//! A pretended process: a gate, a driver and a tool, over a ledger and a store that outlive it.

use std::sync::{Arc, Mutex};

use sekisho_agent::RunSettings;
use sekisho_agent::conversation::Message;
use sekisho_agent::driver::RunDriver;
use sekisho_agent::machine::RunLimits;
use sekisho_gate::answer::{Answer, Role};
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::{BoxFuture, LedgerReader};
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{Gate, Ports, ReplicaId, Settings};
use sekisho_policy::LayerKind;
use sekisho_testkit::agent_doubles::{NoteWriter, ScriptedHost, register_note_tools, run_settings};
use sekisho_testkit::fixtures::approver;
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger, MemoryRuns};
use sekisho_tools::sub_agents::{CreateSubAgent, ExecuteSubAgent, GetSubAgentResult};
use sekisho_tools::{PermittedCall, ToolContext, ToolRegistry, ToolResult, ToolRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use uuid::Uuid;

/// What outlives processes.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) ledger: MemoryLedger,
    pub(crate) runs: MemoryRuns,
    /// What the tool wrote, in order.
    pub(crate) notes: Arc<Mutex<Vec<String>>>,
    /// The tool `slow` ends once it gets a permit.
    pub(crate) may_end: Arc<Semaphore>,
    /// The time of all processes.
    pub(crate) clock: ManualClock,
    files: FixedFiles,
    script: Value,
    /// The script of sub-agents. None if there are none.
    sub_agents: Option<Value>,
}

impl World {
    pub(crate) fn with_sub_agents(script: Value, sub_agents: Value) -> World {
        World { sub_agents: Some(sub_agents), ..World::new(script) }
    }

    pub(crate) fn new(script: Value) -> World {
        let files = FixedFiles::new();
        let permissions = json!({ "allow": [{ "tool": "note" }, { "tool": "slow" }, { "tool": "done" }],
            "deny": [{ "tool": "forbidden" }] });
        files.set(LayerKind::Global, json!({ "version": 1, "permissions": permissions }).to_string());
        World {
            ledger: MemoryLedger::new(),
            runs: MemoryRuns::default(),
            notes: Arc::default(),
            may_end: Arc::new(Semaphore::new(0)),
            clock: ManualClock::new(),
            files,
            script,
            sub_agents: None,
        }
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap().clone()
    }

    /// A process with a runtime of its own. Dropping it is a crash.
    pub(crate) fn process(&self) -> Process {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let _inside = runtime.enter();
        let ports = Ports {
            rulebook: Arc::new(Rulebook::new(Arc::new(self.files.clone()), Arc::new(self.ledger.clone()))),
            ledger: Arc::new(self.ledger.clone()),
            lookup: Arc::new(self.files.clone()),
            clock: Arc::new(self.clock.clone()),
        };
        let (gate, background) = Gate::new(ports, Settings::default());
        runtime.spawn(background.run());
        let mut registry = ToolRegistry::new();
        let notes: Arc<dyn NoteWriter> = Arc::new(Notes(self.clone()));
        register_note_tools(&mut registry, &notes);
        registry.register(Box::new(sekisho_tools::done::Done)).unwrap();
        registry.register(Box::new(CreateSubAgent)).unwrap();
        registry.register(Box::new(ExecuteSubAgent)).unwrap();
        registry.register(Box::new(GetSubAgentResult)).unwrap();
        let tools = ToolRunner::new(gate.clone(), Arc::new(registry)).unwrap();
        let host = ScriptedHost::new(self.script.clone());
        let host = match &self.sub_agents {
            Some(script) => host.with_sub_agents(script.clone()),
            None => host,
        };
        let host = Arc::new(host);
        let owner = ReplicaId(Uuid::now_v7());
        let driver = RunDriver::new(Arc::new(self.runs.clone()), host, tools, gate.clone(), owner);
        Process { runtime: Some(runtime), driver, gate, world: self.clone() }
    }
}

pub(crate) struct Process {
    runtime: Option<Runtime>,
    pub(crate) driver: RunDriver,
    gate: Gate,
    world: World,
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Process {
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.as_ref().unwrap().block_on(future)
    }

    pub(crate) fn start(&self, message: &str) -> Uuid {
        self.start_limited(message, RunLimits::replies(5))
    }

    pub(crate) fn start_limited(&self, message: &str, limits: RunLimits) -> Uuid {
        self.start_with(run_settings(), message, limits)
    }

    pub(crate) fn start_with(&self, settings: RunSettings, message: &str, limits: RunLimits) -> Uuid {
        self.block_on(self.driver.start(settings, limits, message.into())).unwrap()
    }

    /// Waits until something holds. The test's own limit ends it if it never does.
    pub(crate) fn wait_until(&self, what: &str, holds: impl Fn() -> bool) {
        self.block_on(async {
            for _ in 0..60_000 {
                if holds() {
                    return;
                }
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
            panic!("{what}: never");
        });
    }

    pub(crate) fn wait_for_question(&self) -> Approval {
        self.wait_until("a question", || !self.pending().is_empty());
        self.pending().remove(0)
    }

    pub(crate) fn pending(&self) -> Vec<Approval> {
        sekisho_testkit::block_on(self.world.ledger.pending(None, 10)).unwrap()
    }

    pub(crate) fn wait_for_end(&self, run: Uuid) {
        self.wait_until("the end of the run", || self.world.runs.state(run).state.effects().is_empty());
    }

    pub(crate) fn answer(&self, approval: &Approval, answer: Answer) {
        self.block_on(self.gate.answer(approval.id, answer, approver(Role::Approver))).unwrap();
    }

    /// What the model read about its calls.
    pub(crate) fn results(&self, run: Uuid) -> Vec<String> {
        let messages = self.world.runs.all_messages(run);
        let results = messages.into_iter().filter_map(|message| match message {
            Message::Tools { results } => Some(results),
            _ => None,
        });
        results.flatten().map(|result| result.content).collect()
    }
}

/// Appends the text of a call to the notes. `slow` waits before it returns.
struct Notes(World);

impl NoteWriter for Notes {
    fn write<'a>(
        &'a self,
        tool: &'static str,
        call: PermittedCall,
        ctx: &'a ToolContext,
    ) -> BoxFuture<'a, ToolResult> {
        let text = call.input()["text"].as_str().unwrap_or_default().to_owned();
        self.0.notes.lock().unwrap().push(text.clone());
        Box::pin(async move {
            if tool == "slow" {
                tokio::select! {
                    permit = self.0.may_end.acquire() => permit.unwrap().forget(),
                    () = ctx.cancellation.cancelled() => return ToolResult::error("cancelled"),
                }
            }
            ToolResult::ok(format!("noted {text}"))
        })
    }
}
