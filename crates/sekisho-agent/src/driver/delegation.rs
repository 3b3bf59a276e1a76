//! Sub-agents of a run: makes them, starts their runs, and waits for them.
//!
//! The ids of a sub-agent and of its run follow from the call that wants them. So a process that takes up a run after a
//! crash finds what the lost one made, and never makes it twice.

use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use sekisho_gate::ExecutionId;
use sekisho_gate::ledger::{BoxFuture, ExecutionOutcome, LedgerError};
use sekisho_tools::{Delegation, ToolContext, ToolResult, WantedSubAgent, sub_agents};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::effects::{RunCall, is_for_sub_agents, unknown};
use super::shared_parts::SharedParts;
use crate::conversation::CallInput;
use crate::grants::Grants;
use crate::machine::{CallOutcome, RunEvent, RunLimits, RunState};
use crate::run_settings::{ParentCall, RunSettings};
use crate::run_summary::{self, RunStatus};
use crate::run_trees::{ReplyNeeds, Reserved, SubAgent, SubAgentSpec, TreeGrowth, TreeLimits};
use crate::runs::StoredRun;

/// How often a run is read that another process may drive.
const POLL: Duration = Duration::from_millis(500);

/// The id of what a call makes. It sorts beside the run of the call.
fn derived_id(call: &RunCall, what: &str) -> Uuid {
    let text = format!("{what}\n{}\n{}", call.run, call.key());
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(Sha256::digest(text)).for_each(|(byte, hashed)| *byte = hashed);
    // The time of the run, then the hash.
    bytes.iter_mut().zip(call.run.as_bytes()).take(6).for_each(|(byte, time)| *byte = *time);
    let id = uuid::Builder::from_bytes(bytes).with_variant(uuid::Variant::RFC4122);
    id.with_version(uuid::Version::SortRand).into_uuid()
}

fn agent_id(call: &RunCall) -> Uuid {
    derived_id(call, "sub-agent")
}

fn run_id(call: &RunCall) -> Uuid {
    derived_id(call, "run of a sub-agent")
}

fn unreadable(error: &LedgerError) -> String {
    format!("the sub-agents of this run cannot be read now: {error}")
}

fn unstored(error: &LedgerError) -> String {
    format!("the sub-agent could not be stored: {error}")
}

impl SharedParts {
    /// Reserves what a reply can take in the tree of a run. A run without sub-agents spends only what is its own, which
    /// its machine counts.
    pub(super) async fn reserve(
        &self,
        run: Uuid,
        settings: &RunSettings,
        (input, reply): (u64, u32),
    ) -> Result<Reserved, LedgerError> {
        let reply = u64::from(reply);
        let cost = settings.price.map(|price| price.highest_cost(input, reply));
        let needed = ReplyNeeds { tokens: input.saturating_add(reply), cost };
        let root = settings.root_run().unwrap_or(run);
        if settings.parent.is_none() && self.runs.tree(root).await?.len() < 2 {
            return Ok(Reserved::Granted);
        }
        self.runs.reserve(run, root, needed).await
    }

    /// What a call may hand on to sub-agents. None if the call is not for sub-agents.
    pub(super) async fn delegation(
        self: &Arc<Self>,
        call: &RunCall,
    ) -> Result<Option<Arc<dyn Delegation>>, String> {
        if !is_for_sub_agents(&call.call.name) {
            return Ok(None);
        }
        let grants = self.host.grants(call.run, &call.settings).await?;
        let run = self.runs.run(call.run).await.map_err(|error| unreadable(&error))?;
        let limits = run.ok_or("the run no longer exists")?.state.limits;
        let sub_agents = self.runs.sub_agents(call.run).await.map_err(|error| unreadable(&error))?;
        let shared = Arc::clone(self);
        Ok(Some(Arc::new(CallDelegation { shared, call: call.clone(), grants, limits, sub_agents })))
    }

    /// The result of a call that made or started a sub-agent before, in this process or in one that is gone.
    pub(super) async fn delegated_before(&self, call: &RunCall) -> Option<RunEvent> {
        let content = match call.call.name.as_str() {
            sub_agents::CREATE => {
                let (id, made) = (agent_id(call), self.runs.sub_agents(call.run).await.ok()?);
                made.iter().any(|agent| agent.id == id).then(|| json!({ "agent_id": id }))?
            }
            sub_agents::EXECUTE => {
                let run = self.runs.run(run_id(call)).await.ok()??;
                (run.settings.parent_run() == Some(call.run)).then(|| started(run.id))?
            }
            _ => return None,
        };
        Some(call.ended(completed(ToolResult::ok(content.to_string()))))
    }

    /// Goes on with a call for sub-agents whose permit was spent and whose result nobody stored. What it makes has an id
    /// of its own, so nothing is made twice.
    pub(super) async fn delegate_again(
        &self,
        call: &RunCall,
        execution: ExecutionId,
        ctx: &ToolContext,
    ) -> RunEvent {
        let input = match self.permitted_input(call, execution, ctx).await {
            Ok(Ok(input)) => input,
            // It had ended.
            Ok(Err(result)) => return call.ended(completed(result)),
            Err(_) => return call.ended(unknown(execution)),
        };
        let checked = self.tools.registry().get(&call.call.name).map(|tool| tool.check(&input, ctx));
        let result = match (checked, call.call.name.as_str()) {
            (Some(Err(why)), _) => ToolResult::error(why),
            (_, sub_agents::CREATE) => sub_agents::create(input, ctx).await,
            (_, sub_agents::EXECUTE) => sub_agents::start(input, ctx).await,
            _ => sub_agents::wait(input, ctx).await,
        };
        let outcome = ExecutionOutcome {
            at: self.gate.clock().now(),
            is_error: result.is_error,
            output: Some(result.content.clone()),
            duration_ms: None,
            exit: None,
        };
        // If that cannot be recorded, the execution stays unknown in the ledger.
        let _ = self.gate.record_remote_outcome(execution, outcome).await;
        match result.awaits {
            Some(run) => call.awaits(run, None),
            None => call.ended(completed(result)),
        }
    }

    /// The input that an execution was permitted with, or its result if it has ended.
    async fn permitted_input(
        &self,
        call: &RunCall,
        execution: ExecutionId,
        ctx: &ToolContext,
    ) -> Result<Result<Value, ToolResult>, String> {
        let ledger = self.gate.ledger();
        let found = ledger.execution(execution).await.map_err(|error| error.to_string())?;
        let found = found.ok_or("the execution no longer exists")?;
        if let Some(outcome) = found.outcome.filter(|outcome| outcome.is_error) {
            return Ok(Err(ToolResult::error(outcome.output.unwrap_or_default())));
        }
        if let Some(approval) = found.approval {
            let approval = ledger.approval(approval).await.map_err(|error| error.to_string())?;
            return Ok(Ok(approval.ok_or("the approval no longer exists")?.call_to_run().input));
        }
        let CallInput::Object(input) = &call.call.input else { return Err("the input is unreadable".into()) };
        let tool = self.tools.registry().get(&call.call.name).ok_or("the tool no longer exists")?;
        tool.complete(input.clone(), ctx).map(Ok)
    }

    /// Waits until the run of a sub-agent has ended. Its end is the result of the call.
    pub(super) async fn await_child(
        &self,
        call: &RunCall,
        run: Uuid,
        edited: Option<Value>,
        cancellation: &CancellationToken,
    ) -> RunEvent {
        // Watch before reading, so that a step in between is not missed.
        let mut watcher = self.watchers.watch(run);
        loop {
            match self.child_result(run).await {
                Ok(Some(result)) => {
                    let content = result.to_string();
                    let outcome =
                        CallOutcome::Completed { content, is_error: false, is_final: false, edited };
                    return call.ended(outcome);
                }
                Ok(None) => {}
                Err(ChildError::Gone) => {
                    let why = format!("the run `{run}` no longer exists");
                    return call.ended(CallOutcome::NotRun { why });
                }
                // It is tried again.
                Err(ChildError::Unreadable) => {}
            }
            tokio::select! {
                _ = watcher.recv() => {}
                () = tokio::time::sleep(POLL) => {}
                // The run has ended. What becomes of the call is decided.
                () = cancellation.cancelled() => return call.awaits(run, edited),
            }
        }
    }

    async fn child_result(&self, run: Uuid) -> Result<Option<Value>, ChildError> {
        let found = self.runs.run(run).await.map_err(|_| ChildError::Unreadable)?.ok_or(ChildError::Gone)?;
        if !found.state.is_over() {
            return Ok(None);
        }
        let output = run_summary::output(&*self.runs, run).await.map_err(|_| ChildError::Unreadable)?;
        Ok(Some(json!({
            "execution_id": run,
            "status": RunStatus::of(&found.state, false).name(),
            "output": output,
            "finish_reason": run_summary::finish_reason(&found.state),
        })))
    }
}

/// Why the result of a sub-agent is not known.
enum ChildError {
    /// Its run was deleted.
    Gone,
    /// It cannot be read now.
    Unreadable,
}

fn started(run: Uuid) -> Value {
    json!({ "execution_id": run, "status": "running" })
}

fn completed(result: ToolResult) -> CallOutcome {
    let ToolResult { content, is_error, is_final, .. } = result;
    CallOutcome::Completed { content, is_error, is_final, edited: None }
}

/// What a call may hand on, and how.
struct CallDelegation {
    shared: Arc<SharedParts>,
    call: RunCall,
    grants: Grants,
    limits: RunLimits,
    sub_agents: Vec<SubAgent>,
}

impl CallDelegation {
    fn sub_agent(&self, id: Uuid) -> Result<&SubAgent, String> {
        let found = self.sub_agents.iter().find(|agent| agent.id == id);
        found.ok_or_else(|| {
            format!("Unknown sub-agent: {id}. An agent executes only sub-agents that it made in this run")
        })
    }

    fn shown(&self, spec: &SubAgentSpec) -> Value {
        self.grants.shown(spec, &json!(self.limits))
    }

    async fn store_agent(&self, granted: Value) -> Result<Uuid, String> {
        let spec = granted.get("sub_agent").cloned().unwrap_or_default();
        let spec: SubAgentSpec = serde_json::from_value(spec).map_err(|error| error.to_string())?;
        let created_at = self.shared.gate.clock().now();
        let agent = SubAgent { id: agent_id(&self.call), run: self.call.run, spec, created_at };
        let (id, most) = (agent.id, self.grants.most_sub_agents);
        let stored = self.shared.runs.create_sub_agent(agent, most).await;
        grown(stored.map_err(|error| unstored(&error))?, "sub-agents of this run").map(|()| id)
    }

    async fn start_run(&self, agent: Uuid, input: String) -> Result<Uuid, String> {
        let spec = self.sub_agent(agent)?.spec.clone();
        let shared = &self.shared;
        let parent = shared.runs.run(self.call.run).await.map_err(|error| unreadable(&error))?;
        let parent = parent.ok_or("the run no longer exists")?;
        let at = shared.gate.clock().now();
        let id = run_id(&self.call);
        let (state, step) = RunState::start(child_limits(&parent, at), input);
        let run = StoredRun {
            id,
            settings: self.child_settings(agent, spec),
            state,
            version: 0,
            chunk_count: 0,
            owner: Some(shared.owner),
            created_at: at,
            updated_at: at,
        };
        let limits = TreeLimits { runs: self.grants.most_runs, active: shared.active_limit };
        let stored = shared.runs.create_child(run, step, limits).await;
        grown(stored.map_err(|error| unstored(&error))?, "runs in this tree")?;
        (shared.drive)(shared, id);
        Ok(id)
    }

    fn child_settings(&self, agent: Uuid, spec: SubAgentSpec) -> RunSettings {
        let own = &self.call.settings;
        let mut chain = own.chain().to_vec();
        chain.push(own.link(self.call.run));
        let settings = RunSettings {
            agent,
            agent_name: spec.name,
            model: spec.model,
            system: Some(spec.system_prompt),
            enabled_tools: Some(spec.tools.keys().cloned().collect()),
            tool_config: spec.tools,
            requires_approval: false,
            mode: None,
            parent: Some(ParentCall { reply: self.call.reply, chain }),
            stage: None,
            ..own.clone()
        };
        // Another model has another price. A cost budget without a price allows nothing.
        RunSettings { price: self.shared.host.price(&settings), ..settings }
    }
}

/// The limits of a sub-agent: those of its parent, and no more time than its parent has left.
fn child_limits(parent: &StoredRun, now: jiff::Timestamp) -> RunLimits {
    let left = parent.state.limits.max_seconds.map(|seconds| {
        let spent: SignedDuration = now.duration_since(parent.created_at);
        seconds.saturating_sub(u64::try_from(spent.as_secs()).unwrap_or(0)).max(1)
    });
    RunLimits { max_seconds: left, ..parent.state.limits }
}

fn grown(growth: TreeGrowth, what: &str) -> Result<(), String> {
    match growth {
        TreeGrowth::Stored | TreeGrowth::Exists => Ok(()),
        TreeGrowth::Taken => Err("another run has the id of the run to start; call again".into()),
        TreeGrowth::ParentEnded => Err("the run has ended".into()),
        TreeGrowth::TooMany { count } => Err(format!(
            "there are {count} {what}, and there may not be more; the settings of the server limit them"
        )),
        TreeGrowth::TooManyActive { active } => Err(format!(
            "whoever started this run has {active} active runs, and may not have more; wait until some end"
        )),
    }
}

impl Delegation for CallDelegation {
    fn grant(&self, wanted: &WantedSubAgent) -> Result<Value, String> {
        Ok(self.shown(&self.grants.narrowed(wanted)?))
    }

    fn granted(&self, agent: Uuid) -> Result<Value, String> {
        Ok(self.shown(&self.sub_agent(agent)?.spec))
    }

    fn create(&self, granted: Value) -> BoxFuture<'_, Result<Uuid, String>> {
        Box::pin(self.store_agent(granted))
    }

    fn start(&self, agent: Uuid, input: String) -> BoxFuture<'_, Result<Uuid, String>> {
        Box::pin(self.start_run(agent, input))
    }

    fn find(&self, execution: Uuid) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let found = self.shared.runs.run(execution).await.map_err(|error| unreadable(&error))?;
            let is_own = found.is_some_and(|run| run.settings.parent_run() == Some(self.call.run));
            match is_own {
                true => Ok(()),
                false => Err(format!("Unknown execution: {execution}. This run started no such sub-agent")),
            }
        })
    }
}
