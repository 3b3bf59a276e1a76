//! Which agent's file reads what was told and says what came of it.

use sekisho_policy::exact_json;
use serde_json::Value;

use crate::agent::Agent;
use crate::asked::{Asked, Context, Unreadable};
use crate::said::{Reply, Said, block};
use crate::told::Told;
use crate::{claude_code, codex, codex_app_server, gemini_cli, opencode};

/// Reads what an agent told its hook. `environment` looks up a variable of the hook's environment; it tells how the agent
/// runs, and nothing it says can loosen.
pub fn read(
    agent: Agent,
    text: &str,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Asked, Unreadable> {
    let told = exact_json::read(text)
        .map_err(|error| Unreadable(format!("what {} says cannot be read: {error}", agent.title())))?;
    let Value::Object(told) = told else {
        return Err(Unreadable(format!("what {} says is not a JSON object", agent.title())));
    };
    let told = Told::new(agent, &told);
    match agent {
        Agent::ClaudeCode => claude_code::read(&told, environment),
        Agent::Codex => codex::read(&told),
        Agent::GeminiCli => gemini_cli::read(&told),
        Agent::OpenCode => opencode::read(&told),
    }
}

impl Asked {
    /// Says what came of the call in the agent's own words. What the agent cannot express becomes a block, never more.
    pub fn say(&self, reply: Reply) -> Said {
        let reply = self.sayable(reply);
        match (self.agent, &self.context) {
            (Agent::Codex, Context::Request(request)) => codex_app_server::say(request, &reply),
            (Agent::ClaudeCode, _) => claude_code::say(self, reply),
            (Agent::Codex, _) => codex::say(self, reply),
            (Agent::GeminiCli, _) => gemini_cli::say(self, reply),
            (Agent::OpenCode, _) => opencode::say(self, reply),
        }
    }
}

/// Blocks what `told` asks, though it could not be used: as [`block`], but in the form of its event as far as that can be
/// made out.
pub fn block_told(agent: Agent, told: &str, reason: &str) -> Said {
    if agent == Agent::ClaudeCode
        && let Ok(told) = serde_json::from_str::<Value>(told)
        && told.get("hook_event_name").and_then(Value::as_str) == Some("PermissionRequest")
    {
        return claude_code::refuse(reason);
    }
    block(agent, reason)
}
