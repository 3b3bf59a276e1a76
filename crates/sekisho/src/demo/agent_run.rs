//! The run of the demo's agent: starts it, and reports what happens in it.

use std::collections::BTreeMap;
use std::time::Duration;

use sekisho_agent::AgentService;
use sekisho_agent::machine::{CallOutcome, Chunk, FinishReason};
use sekisho_agent::runs::StoredChunk;
use sekisho_agent::service::RunStart;
use sekisho_gate::ApprovalId;
use sekisho_gate::answer::Actor;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_server::wire::approval::outcome;
use sekisho_store::Store;
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;
use uuid::Uuid;

use super::answered_by::answered_by;
use super::demo_directory::DemoDirectory;
use super::messages::{AnsweredBy, DemoAnswer, DemoEvent, Effect};
use super::script::{DemoCall, NAME, ScriptStep, TASK};

/// How often the run is read if nothing is announced.
const LOOK: Duration = Duration::from_millis(500);
/// How many chunks are read at a time.
const PAGE: usize = 100;

/// How the run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RunEnd {
    /// The agent was done.
    Done,
    /// A person stopped it.
    Stopped,
    /// Nobody answered until its time was over.
    TimeOver,
}

/// The run of the demo's agent.
pub(super) struct AgentRun<'a> {
    pub(super) service: &'a AgentService,
    pub(super) store: &'a dyn Store,
    pub(super) directory: &'a DemoDirectory,
    pub(super) tell: Sender<DemoEvent>,
}

/// What was reported so far.
#[derive(Default)]
struct Reported {
    calls: BTreeMap<String, Value>,
    approvals: BTreeMap<String, ApprovalId>,
    /// Whether it was said why a call runs without a question.
    explained: bool,
    /// How often in a row nobody answered.
    silences: u32,
}

impl AgentRun<'_> {
    /// Runs the agent to its end.
    pub(super) async fn run(&self, agent: Uuid, credential: String, by: Actor) -> Result<RunEnd, String> {
        let id = Uuid::now_v7();
        let mut watcher = self.service.driver().watch(id);
        let start = RunStart {
            id,
            agent,
            history: Vec::new(),
            input: TASK.into(),
            max_iterations: None,
            requires_approval: false,
            mode: None,
            approvals_expire: true,
            enabled_tools: None,
            tool_config: BTreeMap::new(),
            credential,
            roots: Vec::new(),
        };
        self.service.start(start).await.map_err(|error| error.to_string())?;
        let body = json!({ "agent": agent, "run": id });
        let recorded =
            self.service.record("run_started", NAME, format!("run `{id}` started"), body, by).await;
        recorded.map_err(|error| error.to_string())?;
        let (mut after, mut reported) = (0, Reported::default());
        loop {
            let chunks = self.service.runs().chunks(id, after, PAGE).await.map_err(|error| error.message)?;
            let has_more = !chunks.is_empty();
            for StoredChunk { seq, chunk } in chunks {
                after = seq;
                if let Some(end) = self.report(chunk, &mut reported).await? {
                    return Ok(end);
                }
            }
            if !has_more {
                tokio::select! {
                    _ = watcher.recv() => {}
                    () = tokio::time::sleep(LOOK) => {}
                }
            }
        }
    }

    /// Reports a chunk. Returns how the run ended, if it has.
    async fn report(&self, chunk: Chunk, reported: &mut Reported) -> Result<Option<RunEnd>, String> {
        // Somebody who is away should find the sign-in link on the screen, not the same question many times.
        let is_quiet = reported.silences > 1;
        match chunk {
            Chunk::UserMessage { text } => self.tell(DemoEvent::Task(text)).await,
            Chunk::Text { text } if !is_quiet => self.tell(DemoEvent::Says(text)).await,
            Chunk::ToolCall { tool_call_id, args, .. } => {
                reported.calls.insert(tool_call_id, args);
            }
            Chunk::ToolCallApproval { tool_call_id, tool_name, args, approval_id } => {
                reported.approvals.insert(tool_call_id, approval_id);
                if !is_quiet {
                    self.tell(DemoEvent::QuestionOpened(DemoCall { tool: tool_name, input: args })).await;
                }
            }
            Chunk::ToolEnded { tool_call_id, tool_name, result } => {
                let input = reported.calls.remove(&tool_call_id).unwrap_or_default();
                let call = DemoCall { tool: tool_name, input };
                match reported.approvals.remove(&tool_call_id) {
                    Some(approval) => self.answered(call, approval, result, reported).await?,
                    None => self.decided(call, result, reported).await,
                }
            }
            Chunk::Finished { reason, .. } => return end(reason).map(Some),
            Chunk::Text { .. } | Chunk::StepFinished { .. } | Chunk::Folded { .. } => {}
        }
        Ok(None)
    }

    async fn decided(&self, call: DemoCall, result: CallOutcome, reported: &mut Reported) {
        let explains = !std::mem::replace(&mut reported.explained, true);
        let through = match result {
            CallOutcome::Completed { is_error: false, .. } => Ok(()),
            other => Err(other.content()),
        };
        self.tell(DemoEvent::Decided { call, through, explains }).await;
    }

    async fn answered(
        &self,
        mut call: DemoCall,
        approval: ApprovalId,
        result: CallOutcome,
        reported: &mut Reported,
    ) -> Result<(), String> {
        let approval = self.store.approval(approval).await.map_err(|error| error.message)?;
        let by = approval.as_ref().and_then(outcome).as_ref().map(answered_by);
        let answer = match result {
            CallOutcome::Completed { content, is_error, edited, .. } => {
                let changed = edited.is_some();
                call.input = edited.unwrap_or(call.input);
                DemoAnswer::Yes { changed, effect: self.effect(&call, &content, is_error) }
            }
            CallOutcome::Refused { refusal } => refused(refusal),
            other => DemoAnswer::Yes { changed: false, effect: Effect::Failed(other.content()) },
        };
        let was_quiet = reported.silences > 1;
        reported.silences = if answer == DemoAnswer::Expired { reported.silences + 1 } else { 0 };
        if was_quiet && reported.silences > 0 {
            return Ok(());
        }
        let by = by.unwrap_or(AnsweredBy::Person("somebody".into()));
        self.tell(DemoEvent::Answered { call, by, answer }).await;
        if reported.silences == 2 {
            self.tell(DemoEvent::AsksOn).await;
        }
        Ok(())
    }

    /// What an approved call did, for people.
    fn effect(&self, call: &DemoCall, content: &str, is_error: bool) -> Effect {
        if is_error {
            return Effect::Failed(content.lines().next().unwrap_or_default().to_owned());
        }
        match ScriptStep::of_tool(&call.tool) {
            ScriptStep::Change => Effect::Ran(self.directory.new_lines()),
            ScriptStep::Command => program_output(content),
            ScriptStep::Look | ScriptStep::Customer => Effect::Ran(Vec::new()),
        }
    }

    async fn tell(&self, event: DemoEvent) {
        // A closed channel means that nobody prints events any more.
        let _ = self.tell.send(event).await;
    }
}

fn refused(refusal: Refusal) -> DemoAnswer {
    match refusal.code {
        RefusalCode::Expired => DemoAnswer::Expired,
        RefusalCode::Aborted => DemoAnswer::Withdrawn(refusal.detail.unwrap_or(refusal.reason)),
        _ => DemoAnswer::No { message: refusal.message(), stops: refusal.interrupt },
    }
}

/// What `shell_exec` says about a command.
fn program_output(content: &str) -> Effect {
    let result: Value = serde_json::from_str(content).unwrap_or_default();
    let lines = |field: &str| {
        let text = result.get(field).and_then(Value::as_str).unwrap_or_default();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    match result.get("exit_code").and_then(Value::as_i64) {
        Some(0) => Effect::Ran(lines("stdout")),
        Some(code) => {
            let why = lines("stderr").pop().map(|line| format!(": {line}")).unwrap_or_default();
            Effect::Failed(format!("the command ended with {code}{why}"))
        }
        None => Effect::Failed("the command was killed".into()),
    }
}

fn end(reason: FinishReason) -> Result<RunEnd, String> {
    match reason {
        FinishReason::Stop => Ok(RunEnd::Done),
        FinishReason::Interrupted | FinishReason::Aborted { .. } => Ok(RunEnd::Stopped),
        FinishReason::Budget { .. } | FinishReason::MaxIterations => Ok(RunEnd::TimeOver),
        FinishReason::Error { error } => Err(error.message),
        other => Err(format!("the run ended early: {other:?}")),
    }
}
