//! Names, parameters, defaults, messages and result fields of `shell_exec`, one by one.

use std::sync::Arc;
use std::time::Duration;

use sekisho_tools::output_limit::STREAM_LIMIT;
use sekisho_tools::sandbox::{Isolation, Sandbox};
use sekisho_tools::shell_exec::ShellExec;
use sekisho_tools::{GitPermission, Tool, ToolCategory, ToolContext};
use serde_json::json;

use crate::sandbox_fixture::programs;
use crate::workshop::Workshop;

#[test]
fn definition() {
    let tool = ShellExec::new();
    assert_eq!((tool.name(), tool.category()), ("shell_exec", ToolCategory::Execution));
    let definition = serde_json::to_value(tool.definition()).unwrap();
    let expected = json!({
        "name": "shell_exec",
        "description": "Execute a shell command and return stdout/stderr. Commands must be in the allowed list. Use this to run build tools, tests, linters, and other development commands.",
        "input_schema": {
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "description": "The shell command to execute (e.g., 'bun run build', 'cargo test')"
                },
                "working_dir": {
                    "type": "string",
                    "description": "Working directory for the command (optional, defaults to project root)"
                }
            },
            "required": ["command"]
        }
    });
    assert_eq!(definition, expected);
}

#[test]
fn context_defaults() {
    let sandbox = Arc::new(Sandbox::at_level(&programs().helper, Isolation::None));
    let ctx = ToolContext::new("/work/project", sandbox);
    assert_eq!(ctx.allowed_write_dirs, [std::path::PathBuf::from("doc")]);
    assert_eq!(ctx.allowed_commands, None);
    assert_eq!(ctx.git_permission, GitPermission::ReadOnly);
    assert_eq!((ctx.http_timeout, ctx.shell_timeout), (Duration::from_secs(30), Duration::from_secs(60)));
    assert_eq!(STREAM_LIMIT, 50_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages() {
    let mut workshop = Workshop::new(&json!({ "allow": [{ "tool": "shell_exec" }] }), Isolation::None);
    let refused = workshop.run("shell_exec", json!({})).await.unwrap_err();
    assert_eq!(refused.to_string(), "Missing 'command' parameter");
    workshop.ctx.shell_timeout = Duration::from_millis(50);
    let result = workshop.run("shell_exec", json!({ "command": "sleep 1000" })).await.unwrap();
    assert_eq!((result.content.as_str(), result.is_error), ("Command timed out after 50ms", true));
    workshop.ctx.allowed_commands = Some(vec!["ls".into(), "cat".into()]);
    let refused = workshop.run("shell_exec", json!({ "command": "pwd" })).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "Command 'pwd' is not in the allowed command list. Allowed: [\"ls\", \"cat\"]"
    );
    let refused = workshop.run("nothing", json!({})).await.unwrap_err();
    assert_eq!(refused.to_string(), "Unknown tool: nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn result_fields() {
    let workshop = Workshop::new(&json!({}), Isolation::None);
    let told = workshop.shell("pwd; echo e >&2").await;
    assert_eq!(told["command"], json!("pwd; echo e >&2"));
    assert_eq!(told["exit_code"], json!(0));
    assert_eq!(told["stdout"], json!(format!("{}\n", workshop.root().display())));
    assert_eq!(told["stderr"], json!("e\n"));
    assert!(told["duration_ms"].is_u64());
    assert_eq!(told["success"], json!(true));
    let mut fields: Vec<&str> = told.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    let expected =
        ["command", "duration_ms", "exit_code", "sandbox", "signal", "stderr", "stdout", "success"];
    assert_eq!(fields, expected);
}
