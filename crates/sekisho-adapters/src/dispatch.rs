//! Passes requests and responses to the module of their agent.

use sekisho_policy::exact_json;
use serde_json::Value;

use crate::agent::Agent;
use crate::hook_fields::HookFields;
use crate::hook_request::{HookRequest, HookRequestError, ResponseContext};
use crate::hook_response::{HookDecision, HookResponse, block};
use crate::{claude_code, codex, codex_app_server, gemini_cli, opencode};

/// Reads an agent's request to its hook. `environment` looks up a variable of the hook's environment; it
/// shows how the agent runs, and nothing in it can loosen a decision.
pub fn read(
    agent: Agent,
    text: &str,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<HookRequest, HookRequestError> {
    let message = exact_json::read(text).map_err(|error| {
        HookRequestError(format!("the request of {} cannot be read: {error}", agent.title()))
    })?;
    let Value::Object(message) = message else {
        return Err(HookRequestError(format!("the request of {} is not a JSON object", agent.title())));
    };
    let message = HookFields::new(agent, &message);
    match agent {
        Agent::ClaudeCode => claude_code::read(&message, environment),
        Agent::Codex => codex::read(&message),
        Agent::GeminiCli => gemini_cli::read(&message),
        Agent::OpenCode => opencode::read(&message),
    }
}

impl HookRequest {
    /// Formats a decision for the agent. A decision the agent cannot express becomes a block.
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

/// Blocks a request that could not be read. Like [`block`], but in the format of its event as far as that is
/// recognisable.
pub fn block_request(agent: Agent, message: &str, reason: &str) -> HookResponse {
    if agent == Agent::ClaudeCode
        && let Ok(message) = serde_json::from_str::<Value>(message)
        && message.get("hook_event_name").and_then(Value::as_str) == Some("PermissionRequest")
    {
        return claude_code::refuse(reason);
    }
    block(agent, reason)
}
