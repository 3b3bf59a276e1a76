//! One request for every event of every agent, and the environments they come with.

use sekisho_adapters::{Agent, HookRequest, read};
use serde_json::{Value, json};

/// Nothing is known about the environment.
pub(crate) const BARE: &[(&str, &str)] = &[];
/// Claude Code with `-p`.
pub(crate) const PRINTING: &[(&str, &str)] =
    &[("CLAUDE_CODE_SESSION_ATTENDED", "0"), ("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")];
/// Claude Code in a terminal.
pub(crate) const ATTENDED: &[(&str, &str)] =
    &[("CLAUDE_CODE_SESSION_ATTENDED", "1"), ("CLAUDE_CODE_ENTRYPOINT", "cli")];

pub(crate) fn read_in(agent: Agent, text: &str, environment: &[(&str, &str)]) -> Result<HookRequest, String> {
    let look_up = |name: &str| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    read(agent, text, &look_up).map_err(|error| error.to_string())
}

pub(crate) fn hook(event: &str) -> Value {
    json!({
        "session_id": "s", "transcript_path": "/home/u/t", "cwd": "/w", "permission_mode": "default",
        "hook_event_name": event, "tool_name": "Bash", "tool_use_id": "c",
        "tool_input": { "command": "echo hi", "description": "say hi" },
    })
}

fn request(method: &str, params: &Value) -> Value {
    let mut whole = json!({ "threadId": "t", "turnId": "u", "itemId": "i", "cwd": "/w" });
    for (key, value) in params.as_object().unwrap() {
        whole[key] = value.clone();
    }
    json!({ "id": 7, "method": method, "params": whole })
}

/// Codex's requests for approval.
pub(crate) fn requests() -> Vec<Value> {
    vec![
        request("item/commandExecution/requestApproval", &json!({ "kind": "command", "command": "ls" })),
        request(
            "item/commandExecution/requestApproval",
            &json!({ "command": "ls", "availableDecisions": ["decline", "cancel"] }),
        ),
        request("item/commandExecution/requestApproval", &json!({ "kind": "writeStdin", "command": "ls\n" })),
        request(
            "item/commandExecution/requestApproval",
            &json!({ "networkApprovalContext": { "host": "example.com", "protocol": "https" } }),
        ),
        request("item/fileChange/requestApproval", &json!({ "reason": "to fix it", "grantRoot": "/w/src" })),
        request(
            "item/permissions/requestApproval",
            &json!({ "permissions": { "network": { "enabled": true } } }),
        ),
    ]
}

pub(crate) fn plugin(event: &str, tool: &str) -> Value {
    json!({
        "event": event, "tool": tool, "sessionID": "s", "callID": "c", "directory": "/w",
        "args": { "command": "echo hi", "description": "say hi" }, "servers": ["gate", "my server"],
    })
}

/// Every event of every agent, in every environment that makes a difference.
pub(crate) fn all() -> Vec<HookRequest> {
    let mut all = Vec::new();
    let mut add = |agent, told: &Value, environment| {
        all.push(read_in(agent, &told.to_string(), environment).unwrap());
    };
    for event in ["PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure"] {
        for environment in [BARE, PRINTING, ATTENDED] {
            add(Agent::ClaudeCode, &hook(event), environment);
        }
    }
    for event in ["PreToolUse", "PermissionRequest", "PostToolUse"] {
        add(Agent::Codex, &hook(event), BARE);
    }
    let mut text = hook("PreToolUse");
    text["tool_input"] = json!("echo hi");
    add(Agent::Codex, &text, BARE);
    for request in requests() {
        add(Agent::Codex, &request, BARE);
    }
    for event in ["BeforeTool", "AfterTool"] {
        add(Agent::GeminiCli, &hook(event), BARE);
    }
    for event in ["before", "after"] {
        add(Agent::OpenCode, &plugin(event, "bash"), BARE);
    }
    all
}
