//! Which agent's file reads what was told and says what came of it.

use sekisho_policy::exact_json;
use serde_json::Value;

use crate::agent::Agent;
use crate::hook_fields::HookFields;
use crate::hook_request::{HookRequest, HookRequestError, ResponseContext};
use crate::hook_response::{HookDecision, HookResponse, block};
use crate::{claude_code, codex, codex_app_server, gemini_cli, opencode};

/// Reads what an agent told its hook. `environment` looks up a variable of the hook's environment; it tells how the agent
/// runs, and nothing it says can loosen.
pub fn read(
    agent: Agent,
    text: &str,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<HookRequest, HookRequestError> {
    let told = exact_json::read(text)
        .map_err(|error| HookRequestError(format!("what {} says cannot be read: {error}", agent.title())))?;
    let Value::Object(told) = told else {
        return Err(HookRequestError(format!("what {} says is not a JSON object", agent.title())));
    };
    let told = HookFields::new(agent, &told);
    match agent {
        Agent::ClaudeCode => claude_code::read(&told, environment),
        Agent::Codex => codex::read(&told),
        Agent::GeminiCli => gemini_cli::read(&told),
        Agent::OpenCode => opencode::read(&told),
    }
}

impl HookRequest {
    /// Says what came of the call in the agent's own words. What the agent cannot express becomes a block, never more.
    pub fn respond(&self, reply: HookDecision) -> HookResponse {
        let reply = self.supported_decision(reply);
        match (self.agent, &self.context) {
            (Agent::Codex, ResponseContext::Request(request)) => codex_app_server::respond(request, &reply),
            (Agent::ClaudeCode, _) => claude_code::respond(self, reply),
            (Agent::Codex, _) => codex::respond(self, reply),
            (Agent::GeminiCli, _) => gemini_cli::respond(self, reply),
            (Agent::OpenCode, _) => opencode::respond(self, reply),
        }
    }
}

/// Blocks what `told` asks, though it could not be used: as [`block`], but in the form of its event as far as that can be
/// made out.
pub fn block_request(agent: Agent, told: &str, reason: &str) -> HookResponse {
    if agent == Agent::ClaudeCode
        && let Ok(told) = serde_json::from_str::<Value>(told)
        && told.get("hook_event_name").and_then(Value::as_str) == Some("PermissionRequest")
    {
        return claude_code::refuse(reason);
    }
    block(agent, reason)
}
