//! The demo's agent in the store: created for one run, and removed with it.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use sekisho_agent::agents::{
    Agent, AgentChange, AgentMode, AgentSettings, Budgets, DEFAULT_CONTEXT_TOKENS, DEFAULT_MAX_TOKENS,
    DEFAULT_TEMPERATURE, ToolPermission,
};
use sekisho_agent::conversation::Provider;
use sekisho_agent::run_summary::RunStatus;
use sekisho_agent::runs::{RunQuery, RunRequest};
use sekisho_agent::service::WaitUntil;
use sekisho_agent::{AgentService, ToolConfig};
use sekisho_gate::answer::Actor;
use serde_json::json;
use uuid::Uuid;

use super::script::{MODEL, NAME};

/// The first question is asked again until the time of the run is over: as long as the first sign-in link works.
const TIME_S: u64 = 3600;
/// More replies than the model can give in that time, with questions that expire after a minute.
const MAX_REPLIES: u32 = 80;
/// How long a command may take.
const COMMAND_MS: u64 = 10_000;
/// How long an aborted run may take to end.
const ENDING: Duration = Duration::from_secs(2);
/// How many runs are removed at a time. A demo has one.
const MANY: usize = 100;

/// Creates the agent, with its tools.
pub(super) async fn create(service: &AgentService, workspace: &Path, by: Actor) -> Result<Uuid, String> {
    let at = Timestamp::now();
    let agent = Agent { id: Uuid::now_v7(), settings: settings(workspace), created_at: at, updated_at: at };
    let body = json!({ "agent": agent.id, "settings": agent.settings });
    let record = service
        .change_record("created", NAME, format!("agent `{NAME}` created"), body, by.clone())
        .map_err(|error| error.to_string())?;
    let id = agent.id;
    match service.agents().create_agent(agent, record).await.map_err(|error| error.message)? {
        AgentChange::Stored => {}
        AgentChange::NameTaken | AgentChange::NotFound => {
            return Err(format!(
                "an agent called `{NAME}` exists here; `sekisho demo` runs the demo on a temporary server"
            ));
        }
    }
    let tools = tools();
    let body = json!({ "agent": id, "tools": tools });
    let record = service
        .change_record("tools_changed", NAME, format!("tools of agent `{NAME}` changed"), body, by)
        .map_err(|error| error.to_string())?;
    let stored = service.agents().set_tool_permissions(id, tools, at, record).await;
    stored.map_err(|error| error.message)?;
    Ok(id)
}

/// Removes the agent and its runs, also those of a demo whose process was killed. An agent with the same name that
/// somebody else created stays.
pub(super) async fn remove(service: &AgentService, by: Actor) -> Result<(), String> {
    let found = service.agents().agent_named(NAME.into()).await.map_err(|error| error.message)?;
    let is_ours =
        |agent: &Agent| agent.settings.provider == Provider::Scripted && agent.settings.model == MODEL;
    let Some(agent) = found.filter(is_ours) else { return Ok(()) };
    let query = RunQuery { agent: Some(agent.id), limit: MANY, ..RunQuery::default() };
    for run in service.runs().runs(query).await.map_err(|error| error.message)? {
        if !RunStatus::of(&run.state, false).is_end() {
            let abort = RunRequest::Abort { why: "the demo has ended".into() };
            service.driver().request(run.id, abort).await.map_err(|error| error.to_string())?;
        }
        // Its questions are withdrawn before it has ended.
        let ended = tokio::time::timeout(ENDING, service.wait(run.id, WaitUntil::Ended)).await;
        ended.map_err(|_| "its run does not end".to_owned())?.map_err(|error| error.message)?;
        service.runs().delete_run(run.id).await.map_err(|error| error.message)?;
    }
    let body = json!({ "agent": agent.id });
    let record = service
        .change_record("deleted", NAME, format!("agent `{NAME}` deleted"), body, by)
        .map_err(|error| error.to_string())?;
    service.agents().delete_agent(agent.id, record).await.map_err(|error| error.message)?;
    Ok(())
}

fn settings(workspace: &Path) -> AgentSettings {
    AgentSettings {
        name: NAME.into(),
        provider: Provider::Scripted,
        model: MODEL.into(),
        system_prompt: None,
        user_prompt: None,
        temperature: DEFAULT_TEMPERATURE,
        max_tokens: DEFAULT_MAX_TOKENS,
        context_tokens: DEFAULT_CONTEXT_TOKENS,
        budgets: Budgets { max_iterations: MAX_REPLIES, seconds: Some(TIME_S), ..Budgets::default() },
        mode: AgentMode::None,
        require_tool_approval: false,
        workspace: Some(workspace.to_string_lossy().into_owned()),
    }
}

/// Programs write in the demo's directory only and have no network, whatever the server's own settings are.
fn tools() -> Vec<ToolPermission> {
    let permission = |tool: &str, config: Option<ToolConfig>| ToolPermission {
        tool_name: tool.into(),
        is_enabled: true,
        config,
        require_approval: false,
    };
    let everywhere = Some(vec![".".into()]);
    let edit = ToolConfig { allowed_dirs: everywhere.clone(), ..ToolConfig::default() };
    let shell = ToolConfig {
        allowed_dirs: everywhere,
        allowed_hosts: Some(Vec::new()),
        shell_timeout_ms: Some(COMMAND_MS),
        ..ToolConfig::default()
    };
    vec![
        permission("read", None),
        permission("grep", None),
        permission("edit", Some(edit)),
        permission("shell_exec", Some(shell)),
    ]
}
