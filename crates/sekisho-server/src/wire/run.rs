//! Runs of agents.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use sekisho_agent::conversation::{AssistantPart, CallInput, Message};
use sekisho_agent::run_summary::{self, PendingCall, RunStatus};
use sekisho_agent::runs::StoredRun;
use sekisho_agent::service::{RunTree, TreeCall};
use sekisho_gate::ApprovalId;
use sekisho_policy::whole_words::whole_words;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::agent::{ModelProvider, OrchestrationMode};
use super::usage::UsageView;

/// A request for a run, and to wait for it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecuteBody {
    /// The agent.
    pub agent_id: Uuid,
    /// What the agent is to do.
    pub input: String,
    /// The tools that the run may use, of those that the agent has. `[]` for none; absent for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled_tools: Option<Vec<String>>,
    /// Settings of tools, by their names. They may only narrow those of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_config: Option<BTreeMap<String, Value>>,
}

/// A run, in the names of the route `execute-with-tools`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionView {
    /// The run's id.
    pub id: Uuid,
    /// The run's id.
    pub run_id: Uuid,
    /// The agent.
    pub agent_id: Uuid,
    /// What the run does.
    pub status: RunStatusName,
    /// What the model said last.
    pub output: String,
    /// Why the run ended: `stop`, `max_iterations`, `length`, `refusal`, `unfinished_calls`, `other`, `error`,
    /// `budget`, `interrupted` or `aborted`. Null while it goes on.
    pub finish_reason: Option<String>,
    /// More about the end, such as the error of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The calls that wait for an approval, those of sub-agents included.
    pub pending: Vec<PendingExecution>,
    /// The tokens so far, those of sub-agents included.
    pub usage: ExecutionUsage,
    /// The runs of sub-agents, in order of their start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_agents: Vec<SubAgentExecution>,
}

/// A run of a sub-agent.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SubAgentExecution {
    /// The run's id.
    pub run_id: Uuid,
    /// The run that started it.
    pub parent_run_id: Uuid,
    /// The names of the agents, from the first one down to this one.
    pub agents: Vec<String>,
    /// What the run does.
    pub status: RunStatusName,
    /// Why it ended. Null while it goes on.
    pub finish_reason: Option<String>,
}

/// Starts a run of an agent that may have sub-agents.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrchestrateBody {
    /// The agent.
    pub agent_id: Uuid,
    /// What the agent is to do.
    pub input: String,
    /// The mode. It only narrows that of the agent: `none` takes its sub-agents away, `approval` asks about more. Absent
    /// for the agent's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<OrchestrationMode>,
}

/// Approves calls of a run and of its sub-agents.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveOrchestrationBody {
    /// The calls, by their ids. Two runs may have calls with the same id; then name their approvals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_call_ids: Vec<String>,
    /// The calls, by their approvals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approval_ids: Vec<ApprovalId>,
}

/// A call that waits for an approval.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PendingExecution {
    /// The call's id.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The input.
    pub args: Value,
    /// The question about it.
    pub approval_id: ApprovalId,
    /// The run that made the call.
    pub run_id: Uuid,
    /// The names of the agents, from the first one down to the one that made the call.
    pub agents: Vec<String>,
}

/// Tokens.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionUsage {
    /// Input, cached tokens included.
    pub input_tokens: u64,
    /// Output.
    pub output_tokens: u64,
}

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "RunStatus")]
pub enum RunStatusName {
    /// The model or a tool is at work.
    Running,
    /// Calls wait for an approval.
    Suspended,
    /// It ended by itself, possibly with partial output.
    Completed,
    /// The model could not be asked.
    Failed,
    /// Somebody ended it.
    Aborted,
}

impl From<RunStatus> for RunStatusName {
    fn from(status: RunStatus) -> RunStatusName {
        match status {
            RunStatus::Running => RunStatusName::Running,
            RunStatus::Suspended => RunStatusName::Suspended,
            RunStatus::Completed => RunStatusName::Completed,
            RunStatus::Failed => RunStatusName::Failed,
            RunStatus::Aborted => RunStatusName::Aborted,
        }
    }
}

impl From<TreeCall> for PendingExecution {
    fn from(found: TreeCall) -> PendingExecution {
        let TreeCall { run, agents, call } = found;
        PendingExecution {
            tool_call_id: call.tool_call_id,
            tool_name: call.tool_name,
            args: call.args,
            approval_id: call.approval,
            run_id: run,
            agents,
        }
    }
}

impl ExecutionView {
    pub(crate) fn of(tree: &RunTree, pending: Vec<TreeCall>, output: String) -> ExecutionView {
        let (run, usage) = (&tree.top, tree.usage());
        let sub_agent = |run: &StoredRun| SubAgentExecution {
            run_id: run.id,
            parent_run_id: run.settings.parent_run().unwrap_or(run.id),
            agents: agents_of(run),
            status: RunStatus::of(&run.state, pending.iter().any(|call| call.run == run.id)).into(),
            finish_reason: run_summary::finish_reason(&run.state).map(str::to_owned),
        };
        ExecutionView {
            id: run.id,
            run_id: run.id,
            agent_id: run.settings.agent,
            status: RunStatus::of(&run.state, !pending.is_empty()).into(),
            output,
            finish_reason: run_summary::finish_reason(&run.state).map(str::to_owned),
            error: run_summary::finish_detail(&run.state),
            sub_agents: tree.below.iter().map(sub_agent).collect(),
            pending: pending.into_iter().map(PendingExecution::from).collect(),
            usage: ExecutionUsage { input_tokens: usage.input, output_tokens: usage.output },
        }
    }
}

fn agents_of(run: &StoredRun) -> Vec<String> {
    let above = run.settings.chain().iter().map(|link| link.agent_name.clone());
    above.chain([run.settings.agent_name.clone()]).collect()
}

/// A run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunView {
    /// Its id.
    pub id: Uuid,
    /// The agent.
    pub agent_id: Uuid,
    /// The name that the agent had at the start.
    pub agent_name: String,
    /// Which interface its model has.
    pub provider: ModelProvider,
    /// The model.
    pub model: String,
    /// Its workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The credential that started it.
    pub started_by: String,
    /// The run that started it, if it is that of a sub-agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<Uuid>,
    /// How many runs are above it: 0 for a run that a person or a program started.
    #[serde(default)]
    pub depth: usize,
    /// The runs that it started. Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub children: Option<Vec<Uuid>>,
    /// What it does.
    pub status: RunStatusName,
    /// Why it ended. Absent while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// More about the end, such as the error of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the model said last. Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The calls that wait for an approval.
    pub pending: Vec<PendingCallView>,
    /// How many messages wait until the run is free.
    pub queued_messages: usize,
    /// How many replies the model gave so far.
    pub replies: u32,
    /// The tokens so far, and what they cost.
    pub usage: UsageView,
    /// The tokens so far, those of the runs below it included. Absent in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_usage: Option<UsageView>,
    /// What it may use.
    pub budgets: RunBudgets,
    /// When it was started.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What a run may use. Absent for no limit.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunBudgets {
    /// Tokens, input and output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<String>,
    /// Seconds from its start to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

impl RunBudgets {
    fn of(run: &StoredRun) -> RunBudgets {
        let limits = &run.state.limits;
        RunBudgets {
            tokens: limits.max_tokens,
            cost_usd: limits.max_cost.map(|most| most.to_string()),
            seconds: limits.max_seconds,
        }
    }
}

/// A call that waits for an approval.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PendingCallView {
    /// The call's id.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The input.
    pub args: Value,
    /// The question about it.
    pub approval_id: ApprovalId,
}

impl From<PendingCall> for PendingCallView {
    fn from(call: PendingCall) -> PendingCallView {
        PendingCallView {
            tool_call_id: call.tool_call_id,
            tool_name: call.tool_name,
            args: call.args,
            approval_id: call.approval,
        }
    }
}

impl RunView {
    pub(crate) fn of(run: &StoredRun, pending: Vec<PendingCall>) -> RunView {
        let settings = &run.settings;
        RunView {
            id: run.id,
            agent_id: settings.agent,
            agent_name: settings.agent_name.clone(),
            provider: settings.provider.into(),
            model: settings.model.clone(),
            workspace: settings.workspace.as_ref().map(|root| root.to_string_lossy().into_owned()),
            started_by: settings.credential.clone(),
            parent_id: settings.parent_run(),
            depth: settings.depth(),
            children: None,
            status: RunStatus::of(&run.state, !pending.is_empty()).into(),
            finish_reason: run_summary::finish_reason(&run.state).map(str::to_owned),
            error: run_summary::finish_detail(&run.state),
            output: None,
            pending: pending.into_iter().map(PendingCallView::from).collect(),
            queued_messages: run.state.queued.len(),
            replies: run.state.replies,
            usage: UsageView::of(run.state.usage, run.cost()),
            budgets: RunBudgets::of(run),
            total_usage: None,
            created_at: run.created_at,
            updated_at: run.updated_at,
        }
    }

    /// The same with the output.
    pub(crate) fn with_output(self, output: String) -> RunView {
        RunView { output: Some(output), ..self }
    }

    /// The same with the runs below it.
    pub(crate) fn with_tree(self, tree: &RunTree) -> RunView {
        let own = tree.below.iter().filter(|run| run.settings.parent_run() == Some(self.id));
        let children = Some(own.map(|run| run.id).collect());
        RunView { children, total_usage: Some(UsageView::of(tree.usage(), tree.cost())), ..self }
    }
}

/// A page of runs.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunList {
    /// The runs, newest first.
    pub runs: Vec<RunView>,
    /// What to send as `before` for the next page; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Uuid>,
}

/// The conversation of a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunMessages {
    /// The messages, in order.
    pub messages: Vec<RunMessage>,
}

/// A message of a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunMessage {
    /// `user`, `assistant` or `tools`.
    pub role: String,
    /// The text of a user or of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The calls of the model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<RunToolCall>,
    /// The results of the calls before it, as the model reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub results: Vec<RunToolResult>,
}

/// A call of the model.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunToolCall {
    /// The call's id.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The input. A string, if it was not a JSON object; such a call does not run.
    pub args: Value,
}

/// The result of a call.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunToolResult {
    /// The call's id.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The text.
    pub content: String,
    /// Whether it is an error.
    pub is_error: bool,
}

impl From<Message> for RunMessage {
    fn from(message: Message) -> RunMessage {
        let empty = |role: &str| RunMessage {
            role: role.to_owned(),
            text: None,
            tool_calls: Vec::new(),
            results: Vec::new(),
        };
        match message {
            Message::User { text } => RunMessage { text: Some(text), ..empty("user") },
            Message::Assistant { parts } => {
                let (mut text, mut tool_calls) = (String::new(), Vec::new());
                for part in parts {
                    match part {
                        AssistantPart::Text { text: more } => text.push_str(&more),
                        AssistantPart::Call(call) => tool_calls.push(RunToolCall {
                            tool_call_id: call.id,
                            tool_name: call.name,
                            args: match call.input {
                                CallInput::Object(input) => input,
                                CallInput::Unreadable(text) => json!(text),
                            },
                        }),
                        AssistantPart::Opaque { .. } => {}
                    }
                }
                RunMessage {
                    text: Some(text).filter(|text| !text.is_empty()),
                    tool_calls,
                    ..empty("assistant")
                }
            }
            Message::Tools { results } => {
                let results = results.into_iter().map(|result| RunToolResult {
                    tool_call_id: result.call_id,
                    tool_name: result.name,
                    content: result.content,
                    is_error: result.is_error,
                });
                RunMessage { results: results.collect(), ..empty("tools") }
            }
        }
    }
}

/// A message to a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageBody {
    /// The text.
    pub text: String,
}

/// Ends the tools of a run. It has no fields.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InterruptBody {}

/// Ends a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AbortBody {
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl AbortBody {
    /// Why the run ends, with the name of whoever ends it.
    pub(crate) fn why(&self, who: &str) -> String {
        const MOST: usize = 1000;
        match self.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty()) {
            Some(reason) if reason.len() > MOST => {
                format!("aborted by {who}: {}…", whole_words(reason, MOST))
            }
            Some(reason) => format!("aborted by {who}: {reason}"),
            None => format!("aborted by {who}"),
        }
    }
}

/// Approves a call of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproveToolCallBody {
    /// The call. May be left out if exactly one waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

/// Declines a call of a run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeclineToolCallBody {
    /// The call. May be left out if exactly one waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// Why. The model reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Another name for `reason`, which takes precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<String>,
    /// Whether the run ends as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupt: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_reasons_of_aborts_are_cut_between_words() {
        let why = |reason: &str| AbortBody { reason: Some(reason.to_owned()) }.why("ann");
        assert_eq!(AbortBody::default().why("ann"), "aborted by ann");
        assert_eq!(why(" \n"), "aborted by ann");
        assert_eq!(why(" too slow "), "aborted by ann: too slow");
        let secret = "hunter2hunter2";
        let cut = why(&format!("{} {secret}", "x".repeat(990)));
        assert!(cut.ends_with("xx…") && !cut.contains("hunter"), "{cut}");
    }
}
