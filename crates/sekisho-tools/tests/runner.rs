//! The path of a tool call: validation, gate, records, outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sekisho_gate::answer::Answer;
use sekisho_gate::ledger::{BoxFuture, ExecutionOutcome, ProgramExit};
use sekisho_tools::edit::Edit;
use sekisho_tools::file_write::FileWrite;
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::{
    PermittedCall, Tool, ToolCategory, ToolContext, ToolDefinition, ToolError, ToolRegistry, ToolResult,
};
use serde_json::{Value, json};

use crate::workshop::Workshop;

/// Counts how often it runs.
#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>);

impl Tool for Counter {
    fn name(&self) -> &str {
        "counter"
    }
    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }
    fn definition(&self) -> ToolDefinition {
        let input_schema = json!({
            "type": "object",
            "properties": { "step": { "type": "integer", "minimum": 1, "maximum": 10 } },
            "required": ["step"],
        });
        ToolDefinition { name: "counter".into(), description: "Counts.".into(), input_schema }
    }
    fn check(&self, input: &Value, _ctx: &ToolContext) -> Result<(), String> {
        if input["step"] == json!(7) { Err("Seven is forbidden".into()) } else { Ok(()) }
    }
    fn execute<'a>(&'a self, call: PermittedCall, _ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            self.0.fetch_add(1, Ordering::SeqCst);
            ToolResult::ok(call.input()["step"].to_string())
        })
    }
}

fn workshop(permissions: Value) -> (Workshop, Counter) {
    let counter = Counter::default();
    let tools: Vec<Box<dyn Tool>> = vec![Box::new(counter.clone())];
    (Workshop::with_tools(&permissions, Isolation::None, tools), counter)
}

fn allow() -> Value {
    json!({ "allow": [{ "tool": "counter" }] })
}

#[tokio::test(flavor = "multi_thread")]
async fn allowed_call_runs_and_is_recorded() {
    let (workshop, counter) = workshop(allow());
    let result = workshop.run("counter", json!({ "step": 99 })).await.unwrap();
    assert_eq!((result.content.as_str(), result.is_error), ("10", false), "the number was clamped");
    assert_eq!(counter.0.load(Ordering::SeqCst), 1);
    let kinds: Vec<String> =
        workshop.ledger.entries().iter().map(|entry| entry.kind.name().to_owned()).collect();
    let at = |kind: &str| {
        kinds.iter().position(|found| found == kind).unwrap_or_else(|| panic!("{kind}: {kinds:?}"))
    };
    assert!(at("tool.execution_started") < at("execution"), "{kinds:?}");
    assert!(at("execution") < at("tool.execution_completed"), "{kinds:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn run_has_a_row() {
    let (workshop, _) = workshop(allow());
    workshop.run("counter", json!({ "step": 3 })).await.unwrap();
    let rows = workshop.ledger.executions();
    let row = &rows[0];
    assert_eq!((&row.input, row.sandbox.as_deref()), (&json!({ "step": 3 }), None), "it starts no program");
    assert!(row.began_at.is_some());
    let ending = row.ending.as_ref().unwrap();
    assert!(ending.duration_ms.is_some() && ending.exit.is_none() && !ending.is_error);

    let workshop = Workshop::new(&json!({ "allow": [{ "tool": "shell_exec" }] }), Isolation::None);
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    for (command, exit) in
        [(format!("exit 3 # {secret}"), ProgramExit::Code(3)), ("kill -9 $$".into(), ProgramExit::Signal(9))]
    {
        workshop.run_answered(json!({ "command": command }), Answer::approve()).await.unwrap();
        // Rows that began at the same time are in no order.
        let mut rows = workshop.ledger.executions().into_iter();
        let ended = |ending: &ExecutionOutcome| ending.exit.as_ref() == Some(&exit);
        let row = rows.find(|row| row.ending.as_ref().is_some_and(ended)).unwrap();
        assert_eq!(row.sandbox.as_deref(), Some("landlock+seccomp"));
        assert!(row.input["command"].is_string() && !row.input.to_string().contains(secret), "{}", row.input);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn aborted_run_keeps_its_start() {
    let workshop = Workshop::new(&json!({ "allow": [{ "tool": "shell_exec" }] }), Isolation::None);
    let running = workshop.start(json!({ "command": "sleep 1000" }), Answer::approve()).await;
    while workshop.ledger.executions().first().is_none_or(|row| row.began_at.is_none()) {
        tokio::task::yield_now().await;
    }
    running.abort();
    assert!(running.await.is_err());
    let row = workshop.ledger.executions().pop().unwrap();
    assert!(row.began_at.is_some() && row.ending.is_none(), "{row:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_call_does_not_run() {
    let (workshop, counter) = workshop(json!({ "deny": [{ "tool": "counter" }] }));
    let refused = workshop.run("counter", json!({ "step": 1 })).await.unwrap_err();
    assert!(matches!(refused, ToolError::Refused(_)), "{refused:?}");
    assert_eq!(counter.0.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_calls_reach_nobody() {
    let (workshop, counter) = workshop(allow());
    for (tool, input, words) in [
        ("counter", json!({}), "Missing 'step' parameter"),
        ("counter", json!({ "step": "a" }), "Invalid 'step' parameter"),
        ("counter", json!({ "step": 7 }), "Seven is forbidden"),
        ("other", json!({}), "Unknown tool: other"),
    ] {
        let refused = workshop.run(tool, input).await.unwrap_err();
        assert!(refused.to_string().starts_with(words), "{refused}");
        assert!(ToolResult::from(refused).is_error);
    }
    assert_eq!(counter.0.load(Ordering::SeqCst), 0);
    assert!(workshop.ledger.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_a_file_outside_the_allowed_directories() {
    let tools: Vec<Box<dyn Tool>> = vec![Box::new(FileWrite), Box::new(Edit)];
    let workshop = Workshop::with_tools(&json!({}), Isolation::None, tools);
    for (tool, input) in [
        ("file_write", json!({ "path": "src/x", "content": "x" })),
        ("edit", json!({ "path": "doc/../src/x", "old_text": "a", "new_text": "b" })),
    ] {
        let refused = workshop.run(tool, input).await.unwrap_err();
        let ToolError::Forbidden(why) = refused else { panic!("{refused:?}") };
        assert!(why.contains("src/x' is not within any allowed write directory"), "{why}");
    }
    assert!(workshop.ledger.calls().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_ledger_nothing_runs() {
    let (workshop, counter) = workshop(allow());
    workshop.ledger.fail_all();
    assert!(workshop.run("counter", json!({ "step": 1 })).await.is_err());
    workshop.ledger.stop_failing();
    assert_eq!(counter.0.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn denied_by_a_human_does_not_run() {
    let workshop = Workshop::new(&json!({}), Isolation::None);
    let refused =
        workshop.run_answered(json!({ "command": "touch doc/x" }), Answer::deny()).await.unwrap_err();
    assert!(matches!(refused, ToolError::Refused(_)), "{refused:?}");
    assert!(!workshop.root().join("doc/x").exists());
}

#[test]
fn registry_knows_its_tools() {
    let mut registry = ToolRegistry::new();
    registry.register(Box::new(Counter::default())).unwrap();
    let again = registry.register(Box::new(Counter::default())).unwrap_err();
    assert_eq!(again.to_string(), "a tool named `counter` is already registered");
    assert_eq!(registry.names(), ["counter"]);
    let definitions = registry.definitions_for(&["none".into(), "counter".into()]);
    assert_eq!(definitions.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["counter"]);
    assert!(registry.get("none").is_none() && registry.get("counter").is_some());
}
