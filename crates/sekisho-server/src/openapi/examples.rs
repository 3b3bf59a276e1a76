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
        _ => return None,
    })
}
