//! The tools that live with a run: to-do list, stored outputs, `done`.

use std::sync::Arc;

use sekisho_tools::done::Done;
use sekisho_tools::output_cache::{
    MAX_RUN, MAX_STORED, MAX_TEXT, OutputCache, SHOWN, ToolOutputCache, ToolOutputCacheGrep,
};
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::self_eval::SelfEval;
use sekisho_tools::skill_load::SkillLoad;
use sekisho_tools::todo::{MAX_ITEMS, MAX_TEXT as MAX_TODO, TodoRead, TodoWrite};
use sekisho_tools::{CurrentRun, Tool, ToolError, ToolResult};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::workshop::Workshop;

const RUN: Uuid = Uuid::from_u128(1);
const OTHER: Uuid = Uuid::from_u128(2);

fn tools() -> Vec<Box<dyn Tool>> {
    vec![
        Box::new(TodoRead),
        Box::new(TodoWrite),
        Box::new(ToolOutputCache),
        Box::new(ToolOutputCacheGrep),
        Box::new(Done),
    ]
}

/// Built-in rules allow all of these tools.
fn workshop() -> Workshop {
    let mut workshop = Workshop::with_tools(&json!({}), Isolation::None, tools());
    workshop.enter_run(RUN);
    workshop
}

async fn told(workshop: &Workshop, tool: &str, input: Value) -> Value {
    let result = workshop.run(tool, input).await.unwrap();
    assert!(!result.is_error, "{}", result.content);
    serde_json::from_str(&result.content).unwrap()
}

async fn failure(workshop: &Workshop, tool: &str, input: Value) -> String {
    match workshop.run(tool, input).await {
        Ok(result) if result.is_error => result.content,
        Ok(result) => panic!("{}", result.content),
        Err(error) => error.to_string(),
    }
}

/// The definitions that models get. A change is seen here.
#[test]
#[expect(clippy::disallowed_methods, reason = "the committed snapshot is renewed when asked")]
fn definitions_are_published() {
    let mut all = tools();
    all.push(Box::new(SelfEval::new()));
    all.push(Box::new(SkillLoad));
    let definitions: Vec<Value> = all
        .iter()
        .map(|tool| {
            json!({
                "category": tool.category(),
                "definition": tool.definition(),
                "completed_schema": tool.completed_schema(),
                "needs_run": tool.needs_run(),
            })
        })
        .collect();
    let text = serde_json::to_string_pretty(&definitions).unwrap() + "\n";
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/definitions.json");
    if std::env::var_os("SEKISHO_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == text,
        "tests/snapshots/definitions.json is stale; renew it with SEKISHO_UPDATE=1: {text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn todo_list_is_replaced_as_a_whole() {
    let mut workshop = workshop();
    assert_eq!(told(&workshop, "todo_read", json!({})).await, json!({ "todos": [] }));
    let first = json!([
        { "content": "one", "status": "completed", "id": "1" },
        { "content": "two", "status": "in_progress", "activeForm": "doing two" },
        { "content": "three", "status": "pending" },
    ]);
    let written = told(&workshop, "todo_write", json!({ "todos": first })).await;
    assert_eq!(written, json!({ "success": true, "count": 3 }));
    assert_eq!(told(&workshop, "todo_read", json!({})).await, json!({ "todos": first }));
    told(&workshop, "todo_write", json!({ "todos": [{ "content": "x", "status": "pending" }] })).await;
    let read = told(&workshop, "todo_read", json!({})).await;
    assert_eq!(read, json!({ "todos": [{ "content": "x", "status": "pending" }] }));
    workshop.enter_run(OTHER);
    assert_eq!(
        told(&workshop, "todo_read", json!({})).await,
        json!({ "todos": [] }),
        "another run has its own"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn todo_list_is_limited() {
    let workshop = workshop();
    let item = json!({ "content": "x", "status": "pending" });
    told(&workshop, "todo_write", json!({ "todos": vec![item.clone(); MAX_ITEMS] })).await;
    for (todos, field) in [
        (json!(vec![item; MAX_ITEMS + 1]), "todos"),
        (json!([{ "content": "x".repeat(MAX_TODO + 1), "status": "pending" }]), "todos.0.content"),
        (json!([{ "content": "", "status": "pending" }]), "todos.0.content"),
        (json!([{ "content": "x", "status": "done" }]), "todos.0.status"),
        (json!([{ "content": "x" }]), "todos.0"),
        (json!([{ "content": "x", "status": "pending", "run": "y" }]), "todos.0"),
    ] {
        let message = failure(&workshop, "todo_write", json!({ "todos": todos })).await;
        assert!(message.starts_with(&format!("Invalid '{field}' parameter")), "{field}: {message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_run_there_is_no_data() {
    let mut workshop = workshop();
    workshop.ctx.run = None;
    for (tool, input) in [
        ("todo_read", json!({})),
        ("todo_write", json!({ "todos": [] })),
        ("tool_output_cache", json!({ "id": RUN })),
        ("tool_output_cache_grep", json!({ "id": RUN, "pattern": "x" })),
    ] {
        let refused = workshop.run(tool, input).await.unwrap_err();
        let expected = format!("`{tool}` works only in a run, and this call has none");
        assert_eq!(refused, ToolError::Forbidden(expected));
    }
    assert!(workshop.run("done", json!({})).await.unwrap().is_final);
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_store_is_reported() {
    let workshop = workshop();
    let run = workshop.ctx.run.clone().unwrap();
    workshop.ledger.fail_all();
    let shortened = OutputCache::shorten(&run, ToolResult::ok("x\n".repeat(MAX_TEXT))).await;
    workshop.ledger.stop_failing();
    assert!(shortened.content.contains("bytes left out; not stored: "), "{}", shortened.content);
}

#[tokio::test(flavor = "multi_thread")]
async fn done_ends_the_run() {
    let workshop = workshop();
    for (input, text) in [(json!({ "result": "All is well." }), "All is well."), (json!({}), "")] {
        let result = workshop.run("done", input).await.unwrap();
        assert_eq!((result.content.as_str(), result.is_final, result.is_error), (text, true, false));
    }
    assert!(!workshop.run("todo_read", json!({})).await.unwrap().is_final);
}

/// The id in a shortened text.
fn id_in(text: &str) -> String {
    let (_, after) = text.split_once("tool_output_cache with id ").unwrap_or_else(|| panic!("{text}"));
    after.split(']').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn short_results_stay_as_they_are() {
    let workshop = workshop();
    let run = workshop.ctx.run.clone().unwrap();
    for content in ["", "a\nb", &"x".repeat(MAX_TEXT), "{\"a\":1}"] {
        let result = ToolResult::error(content);
        assert_eq!(OutputCache::shorten(&run, result.clone()).await, result);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn long_text_is_read_back_in_pieces() {
    let workshop = workshop();
    let run = workshop.ctx.run.clone().unwrap();
    let text: String = (1..=5_000).map(|number| format!("line {number} é\n")).collect();
    let shortened = OutputCache::shorten(&run, ToolResult::ok(text.clone())).await;
    let short = &shortened.content;
    assert!(short.starts_with("line 1 é\nline 2 é\n") && short.ends_with("line 5000 é\n"), "{short}");
    assert!(short.len() < 2 * SHOWN + 300 && short.contains("all 5000 lines"), "{short}");
    let id = id_in(short);
    let again = OutputCache::shorten(&run, ToolResult::ok(text.clone())).await;
    assert_eq!(id_in(&again.content), id, "the same text is stored once");
    let mut read = String::new();
    let mut offset = json!(1);
    while !offset.is_null() {
        let input = json!({ "id": id, "offset": offset, "limit": 2000 });
        let result = workshop.run("tool_output_cache", input).await.unwrap();
        assert_eq!(OutputCache::shorten(&run, result.clone()).await, result, "it is not stored again");
        let piece: Value = serde_json::from_str(&result.content).unwrap();
        assert_eq!(piece["total_lines"], json!(5_000));
        read += piece["text"].as_str().unwrap();
        read.push('\n');
        offset = piece["next_offset"].clone();
    }
    assert_eq!(read, text);
    let input = json!({ "id": id, "offset": 4_999 });
    let end = told(&workshop, "tool_output_cache", input).await;
    assert_eq!((&end["text"], &end["lines"]), (&json!("line 4999 é\nline 5000 é"), &json!(2)));
    let beyond = told(&workshop, "tool_output_cache", json!({ "id": id, "offset": 9_999 })).await;
    assert_eq!((&beyond["text"], &beyond["next_offset"]), (&json!(""), &json!(null)));
}

#[tokio::test(flavor = "multi_thread")]
async fn long_fields_of_json_are_stored_one_by_one() {
    let workshop = workshop();
    let run = workshop.ctx.run.clone().unwrap();
    let long = "out\n".repeat(MAX_TEXT);
    let content = json!({ "exit_code": 3, "stdout": long, "stderr": "short", "more": [long] }).to_string();
    let shortened = OutputCache::shorten(&run, ToolResult::ok(content)).await;
    let fields: Value = serde_json::from_str(&shortened.content).unwrap();
    assert_eq!((&fields["exit_code"], &fields["stderr"]), (&json!(3), &json!("short")));
    let id = id_in(fields["stdout"].as_str().unwrap());
    assert_eq!(id_in(fields["more"][0].as_str().unwrap()), id);
    let read = told(&workshop, "tool_output_cache", json!({ "id": id, "limit": 1 })).await;
    assert_eq!((&read["text"], &read["total_lines"]), (&json!("out"), &json!(MAX_TEXT)));
    let many: Vec<String> = (0..10_000).map(|number| format!("item {number}")).collect();
    let shortened = OutputCache::shorten(&run, ToolResult::ok(json!(many).to_string())).await;
    let found = json!({ "id": id_in(&shortened.content), "pattern": "item 77\\b" });
    let found = told(&workshop, "tool_output_cache_grep", found).await;
    assert_eq!(found["text"], json!("79:  \"item 77\",\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_of_another_run_are_as_unknown_as_any() {
    let mut workshop = workshop();
    let run = workshop.ctx.run.clone().unwrap();
    let shortened = OutputCache::shorten(&run, ToolResult::ok("secret\n".repeat(MAX_TEXT))).await;
    let id = id_in(&shortened.content);
    told(&workshop, "tool_output_cache", json!({ "id": id, "limit": 1 })).await;
    workshop.enter_run(OTHER);
    let never = Uuid::from_u128(99).to_string();
    for (tool, more) in
        [("tool_output_cache", json!({})), ("tool_output_cache_grep", json!({ "pattern": "s" }))]
    {
        for id in [id.as_str(), never.as_str(), "x", ""] {
            let mut input = more.clone();
            input["id"] = json!(id);
            let message = failure(&workshop, tool, input).await;
            assert_eq!(message, format!("There is no output with id '{id}' in this run"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn outputs_are_limited() {
    let workshop = workshop();
    let run = CurrentRun { id: RUN, storage: Arc::new(workshop.ledger.clone()) };
    let huge = format!("begin\n{}\nend\n", "x\n".repeat(MAX_STORED));
    let shortened = OutputCache::shorten(&run, ToolResult::ok(huge)).await;
    let id = id_in(&shortened.content);
    let first = told(&workshop, "tool_output_cache", json!({ "id": id, "limit": 1 })).await;
    assert_eq!(first["text"], json!("begin"));
    let total = first["total_lines"].as_u64().unwrap();
    assert!(total < MAX_STORED as u64, "the middle is left out: {total}");
    let last = told(&workshop, "tool_output_cache", json!({ "id": id, "offset": total })).await;
    assert_eq!(last["text"], json!("end"));
    for number in 0..(MAX_RUN / MAX_STORED) {
        let text = format!("{number}\n{}", "y".repeat(MAX_STORED - 100));
        let shortened = OutputCache::shorten(&run, ToolResult::ok(text)).await;
        let stored = shortened.content.contains("tool_output_cache with id");
        assert_eq!(stored, number + 1 < MAX_RUN / MAX_STORED, "{number}: {}", shortened.content.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_output_is_searched() {
    let workshop = workshop();
    let run = workshop.ctx.run.clone().unwrap();
    let text: String =
        (1..=4_000).map(|number| format!("line {number}\n")).collect::<String>() + "Error: broken\nlast\n";
    let id = id_in(&OutputCache::shorten(&run, ToolResult::ok(text)).await.content);
    let search = |more: Value| {
        let mut input = more;
        input["id"] = json!(id);
        told(&workshop, "tool_output_cache_grep", input)
    };
    let found = search(json!({ "pattern": "error", "ignore_case": true, "context": 1 })).await;
    assert_eq!(found["text"], json!("4000-line 4000\n4001:Error: broken\n4002-last\n"));
    assert_eq!((&found["matches"], &found["complete"]), (&json!(1), &json!(true)));
    let none = search(json!({ "pattern": "error" })).await;
    assert_eq!((&none["text"], &none["matches"]), (&json!(""), &json!(0)));
    let apart = search(json!({ "pattern": "^line (7|9|20)$", "context": 1 })).await;
    assert_eq!(
        apart["text"],
        json!("6-line 6\n7:line 7\n8-line 8\n9:line 9\n10-line 10\n--\n19-line 19\n20:line 20\n21-line 21\n")
    );
    let many = search(json!({ "pattern": "line" })).await;
    assert_eq!((&many["matches"], &many["complete"]), (&json!(100), &json!(false)));
    for pattern in ["(", "(?:a{1000}){1000}", "[z-a]"] {
        let input = json!({ "id": id, "pattern": pattern });
        let message = failure(&workshop, "tool_output_cache_grep", input).await;
        assert!(message.starts_with("Invalid 'pattern' parameter: "), "{pattern}: {message}");
    }
}
