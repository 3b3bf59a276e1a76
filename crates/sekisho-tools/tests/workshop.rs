//! A gate, a registry and a workspace, to run tools as a program would.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::approval::Approval;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::LedgerReader;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{Gate, Ports, Settings};
use sekisho_policy::{Call, LayerKind};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use sekisho_tools::sandbox::{Isolation, Sandbox};
use sekisho_tools::shell_exec::ShellExec;
use sekisho_tools::{
    CurrentRun, OutputSink, OutputStream, Tool, ToolContext, ToolError, ToolRegistry, ToolResult, ToolRunner,
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::sandbox_fixture::programs;

/// Collects what is streamed.
#[derive(Default)]
pub(crate) struct Collected(pub(crate) Mutex<Vec<u8>>);

impl OutputSink for Collected {
    fn write(&self, _stream: OutputStream, bytes: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(bytes);
    }
}

pub(crate) struct Workshop {
    pub(crate) runner: ToolRunner,
    pub(crate) gate: Gate,
    pub(crate) ledger: MemoryLedger,
    pub(crate) ctx: ToolContext,
    pub(crate) output: Arc<Collected>,
    /// What the gate looks up.
    pub(crate) files: FixedFiles,
    _dir: tempfile::TempDir,
}

impl Workshop {
    /// A workshop where these rules hold, and what they do not decide is confirmed.
    pub(crate) fn new(permissions: &Value, isolation: Isolation) -> Workshop {
        Workshop::with_tools(permissions, isolation, vec![Box::new(ShellExec::new())])
    }

    pub(crate) fn with_tools(
        permissions: &Value,
        isolation: Isolation,
        tools: Vec<Box<dyn Tool>>,
    ) -> Workshop {
        let files = FixedFiles::new();
        files.set(LayerKind::Global, json!({ "version": 1, "permissions": permissions }).to_string());
        let (ledger, clock) = (MemoryLedger::new(), ManualClock::new());
        let ports = Ports {
            rulebook: Arc::new(Rulebook::new(Arc::new(files.clone()), Arc::new(ledger.clone()))),
            ledger: Arc::new(ledger.clone()),
            lookup: Arc::new(files.clone()),
            clock: Arc::new(clock),
        };
        let (gate, background) = Gate::new(ports, Settings::default());
        tokio::spawn(background.run());
        let mut registry = ToolRegistry::new();
        for tool in tools {
            registry.register(tool).unwrap();
        }
        let runner = ToolRunner::new(gate.clone(), Arc::new(registry)).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("doc")).unwrap();
        std::fs::create_dir_all(root.join("src")).unwrap();
        let output = Arc::new(Collected::default());
        let mut ctx = ToolContext::new(root, Arc::new(Sandbox::at_level(&programs().helper, isolation)));
        ctx.output = output.clone();
        Workshop { runner, gate, ledger, ctx, output, files, _dir: dir }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.ctx.root.clone()
    }

    pub(crate) async fn run(&self, tool: &str, input: Value) -> Result<ToolResult, ToolError> {
        self.runner.run(request(tool, input), &self.ctx).await
    }

    /// Starts a command, and answers if somebody is asked.
    pub(crate) async fn start(
        &self,
        input: Value,
        answer: Answer,
    ) -> JoinHandle<Result<ToolResult, ToolError>> {
        self.start_tool("shell_exec", input, answer).await
    }

    /// Starts a tool, and answers if somebody is asked.
    async fn start_tool(
        &self,
        tool: &'static str,
        input: Value,
        answer: Answer,
    ) -> JoinHandle<Result<ToolResult, ToolError>> {
        let before = self.ledger.executions().len();
        let (runner, ctx) = (self.runner.clone(), self.ctx.clone());
        let running = tokio::spawn(async move { runner.run(request(tool, input), &ctx).await });
        while !running.is_finished() && self.ledger.executions().len() == before {
            tokio::task::yield_now().await;
            if let Some(approval) = self.ledger.pending(None, 10).await.unwrap().into_iter().next() {
                self.gate.answer(approval.id, answer, person()).await.unwrap();
                break;
            }
        }
        running
    }

    /// Runs a tool that somebody is asked about. Gives the question with the result.
    pub(crate) async fn run_asked(
        &self,
        tool: &str,
        input: Value,
        answer: Answer,
    ) -> (Approval, Result<ToolResult, ToolError>) {
        let (runner, ctx, call) = (self.runner.clone(), self.ctx.clone(), request(tool, input));
        let running = tokio::spawn(async move { runner.run(call, &ctx).await });
        let approval = loop {
            tokio::task::yield_now().await;
            if let Some(approval) = self.ledger.pending(None, 10).await.unwrap().into_iter().next() {
                break approval;
            }
            assert!(!running.is_finished(), "nobody was asked: {:?}", running.await);
        };
        self.gate.answer(approval.id, answer, person()).await.unwrap();
        (approval, running.await.unwrap())
    }

    /// Puts the tools into a run.
    pub(crate) fn enter_run(&mut self, id: Uuid) {
        self.ctx.run = Some(CurrentRun { id, storage: Arc::new(self.ledger.clone()) });
    }

    pub(crate) async fn run_answered(&self, input: Value, answer: Answer) -> Result<ToolResult, ToolError> {
        self.start(input, answer).await.await.unwrap()
    }

    pub(crate) async fn run_tool_answered(
        &self,
        tool: &'static str,
        input: Value,
        answer: Answer,
    ) -> Result<ToolResult, ToolError> {
        self.start_tool(tool, input, answer).await.await.unwrap()
    }

    /// Runs a command that a human allows, and gives its result as JSON.
    pub(crate) async fn shell(&self, command: &str) -> Value {
        let result = self.run_answered(json!({ "command": command }), Answer::approve()).await.unwrap();
        serde_json::from_str(&result.content).unwrap_or(json!(result.content))
    }
}

pub(crate) fn request(tool: &str, input: Value) -> CallRequest {
    CallRequest::new(Call::new(tool, input), Caller::in_process("token-agent"))
}

pub(crate) fn person() -> Approver {
    Approver {
        credential: "token-ann".into(),
        name: "ann".into(),
        role: Role::Approver,
        device: None,
        how: "test".into(),
    }
}
