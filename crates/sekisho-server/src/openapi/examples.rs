//! Example request bodies. A test checks each against the schema of its operation.

use serde_json::{Value, json};

/// An example of an operation's request body.
pub(super) fn body(operation: &str) -> Option<Value> {
    Some(match operation {
        "decide" => {
            json!({ "toolName": "bash", "input": { "command": "git status" }, "cwd": "/home/me/project" })
        }
        "canUseTool" => json!({
            "toolName": "bash",
            "input": { "command": "git push origin main" },
            "toolUseId": "call-1",
            "cwd": "/home/me/project",
            "timeoutMs": 120_000,
        }),
        "reportExecution" => {
            json!({ "isError": false, "output": "Everything up-to-date", "durationMs": 830 })
        }
        "answerApproval" => json!({ "behavior": "deny", "message": "Not on a Friday; open a pull request." }),
        "createToken" => json!({ "name": "ci", "role": "agent", "agent": "ci-bot", "expiresInDays": 30 }),
        "createLink" => json!({ "name": "phone", "role": "approver" }),
        "createAgent" | "replaceAgent" => json!({
            "name": "reviewer",
            "provider": "anthropic",
            "model": "claude-sonnet-4-5",
            "systemPrompt": "You review changes.",
            "workspace": "/home/me/project",
        }),
        "configureTools" => json!({
            "agent_id": "0198c0de-0000-7000-8000-000000000001",
            "tools": [
                { "tool_name": "read", "is_enabled": true },
                { "tool_name": "file_write", "is_enabled": true, "config": { "allowed_dirs": ["doc"] } },
            ],
        }),
        "executeWithTools" => json!({
            "agent_id": "0198c0de-0000-7000-8000-000000000001",
            "input": "Summarise the README.",
            "enabled_tools": ["read"],
        }),
        "declineToolCall" => json!({ "toolCallId": "call_1", "reason": "Use the staging database." }),
        _ => return None,
    })
}
