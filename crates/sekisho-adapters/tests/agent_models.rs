//! How each agent treats a response, from its source and observed runs, in its most permissive setup: no
//! fail-closed option set, every permission given.

use sekisho_adapters::{Agent, HookEvent, HookRequest, HookResponse};
use serde_json::{Value, json};

/// What happens to the call.
#[derive(Debug, PartialEq)]
pub(crate) enum AgentBehavior {
    /// It runs, with this input.
    Runs(Value),
    /// It does not run; the model gets this reason.
    Blocked(String),
    /// The agent's own prompt decides.
    Prompts,
    /// The run ends here and can be resumed.
    Stops,
    /// The agent hangs.
    Hangs,
}

use AgentBehavior::{Blocked, Hangs, Prompts, Runs, Stops};

/// What the agent does with this response.
pub(crate) fn outcome(asked: &HookRequest, said: &HookResponse) -> AgentBehavior {
    let input = asked.call.input.clone();
    match asked.agent {
        Agent::ClaudeCode if asked.event == HookEvent::BeforeCall => claude_before(said, input),
        Agent::ClaudeCode => permission(said, input, true),
        Agent::Codex if asked.call.run_id.as_deref() == Some("t") => app_server(said, input),
        Agent::Codex if asked.event == HookEvent::BeforeCall => codex_before(said, input),
        Agent::Codex => permission(said, input, false),
        Agent::GeminiCli => gemini(said, input),
        Agent::OpenCode => opencode(said, input),
    }
}

fn object(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim()).ok().filter(Value::is_object)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Exit code 2, which all three understand; without a reason two of them ignore it.
fn exited(said: &HookResponse, otherwise: Value) -> AgentBehavior {
    match said.exit {
        2 if !said.stderr.trim().is_empty() => Blocked(said.stderr.clone()),
        _ => Runs(otherwise),
    }
}

fn claude_before(said: &HookResponse, input: Value) -> AgentBehavior {
    if said.exit != 0 {
        return exited(said, input);
    }
    let Some(answer) = object(&said.stdout) else { return Runs(input) };
    let said = &answer["hookSpecificOutput"];
    if answer["decision"] == "block" {
        return Blocked(text(&answer["reason"]));
    }
    if said["hookEventName"] != "PreToolUse" {
        return Runs(input);
    }
    match said["permissionDecision"].as_str() {
        Some("deny") => Blocked(text(&said["permissionDecisionReason"])),
        Some("ask") => Prompts,
        Some("defer") => Stops,
        _ => Runs(said.get("updatedInput").cloned().unwrap_or(input)),
    }
}

fn codex_before(said: &HookResponse, input: Value) -> AgentBehavior {
    if said.exit != 0 {
        return exited(said, input);
    }
    let Some(answer) = object(&said.stdout) else { return Runs(input) };
    let said = &answer["hookSpecificOutput"];
    let reason = text(&said["permissionDecisionReason"]);
    // It rejects responses with unknown fields, and runs the command.
    let faulty = ["continue", "stopReason", "suppressOutput"].iter().any(|field| answer.get(field).is_some());
    match said["permissionDecision"].as_str() {
        Some("deny") if !faulty && !reason.trim().is_empty() && said.get("updatedInput").is_none() => {
            Blocked(reason)
        }
        Some("allow") if !faulty => Runs(said.get("updatedInput").cloned().unwrap_or(input)),
        _ => Runs(input),
    }
}

/// A permission request: without a decision the agent's own prompt appears.
fn permission(said: &HookResponse, input: Value, claude: bool) -> AgentBehavior {
    if said.exit != 0 {
        // Observed: for Claude Code an exit code is no answer here, for Codex it is.
        return match exited(said, input) {
            Blocked(reason) if !claude => Blocked(reason),
            _ => Prompts,
        };
    }
    let Some(answer) = object(&said.stdout) else { return Prompts };
    let (said, decision) = (&answer["hookSpecificOutput"], &answer["hookSpecificOutput"]["decision"]);
    let faulty = decision.get("updatedInput").is_some() || decision["interrupt"] == true;
    if said["hookEventName"] != "PermissionRequest" || (faulty && !claude) {
        return Prompts;
    }
    match decision["behavior"].as_str() {
        Some("allow") => Runs(decision.get("updatedInput").cloned().unwrap_or(input)),
        Some("deny") => Blocked(text(&decision["message"])),
        _ => Prompts,
    }
}

fn app_server(said: &HookResponse, input: Value) -> AgentBehavior {
    let Some(answer) = object(&said.stdout) else { return Prompts };
    let result = &answer["result"];
    let decision = result["decision"].as_str();
    let granted = result["permissions"].as_object().is_some_and(|granted| !granted.is_empty());
    if answer["id"] != 7 {
        return Prompts;
    }
    let denied = matches!(decision, Some("decline" | "cancel")) || result["permissions"] == json!({});
    if denied && !granted { Blocked("declined".into()) } else { Runs(input) }
}

fn gemini(said: &HookResponse, mut input: Value) -> AgentBehavior {
    if said.exit != 0 {
        return exited(said, input);
    }
    let Some(answer) = object(&said.stdout) else { return Runs(input) };
    match answer["decision"].as_str() {
        _ if answer["continue"] == false => Blocked(text(&answer["stopReason"])),
        Some("deny" | "block") => Blocked(text(&answer["reason"])),
        Some("ask") => Hangs,
        _ => {
            // Merged into the old input field by field, as some versions do.
            for (key, value) in answer["hookSpecificOutput"]["tool_input"].as_object().into_iter().flatten() {
                input[key] = value.clone();
            }
            Runs(input)
        }
    }
}

/// Our own plugin.
fn opencode(said: &HookResponse, input: Value) -> AgentBehavior {
    let answer = object(&said.stdout).filter(|_| said.exit == 0);
    match answer {
        None => Blocked(said.stderr.clone()),
        Some(answer) if answer["decision"] == "allow" => Runs(answer.get("args").cloned().unwrap_or(input)),
        Some(answer) => Blocked(text(&answer["reason"])),
    }
}
