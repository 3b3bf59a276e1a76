//! The tools through the gate: what needs no question, and what a permit covers.

use sekisho_gate::answer::Answer;
use sekisho_policy::{Fact, FactQuery};
use sekisho_tools::glob_search::GlobSearch;
use sekisho_tools::grep::Grep;
use sekisho_tools::read::Read;
use sekisho_tools::sandbox::Isolation;
use serde_json::{Value, json};

use super::search_project::fields;
use crate::workshop::Workshop;

/// A workspace where the gate has looked up these paths: where each leads.
fn workshop(facts: &[(&str, &str)]) -> Workshop {
    let workshop = Workshop::with_tools(
        &json!({}),
        Isolation::None,
        vec![Box::new(Read), Box::new(Grep), Box::new(GlobSearch)],
    );
    let root = workshop.root();
    std::fs::write(root.join("src/a.rs"), "needle\n").unwrap();
    std::fs::write(root.join(".env"), "KEY=hunter2\n").unwrap();
    let text = |name: &str| root.join(name).to_str().unwrap().trim_end_matches('/').to_owned();
    for (name, leads_to) in facts {
        workshop.files.set_fact(FactQuery::Resolve(text(name)), Fact::Resolved(text(leads_to)));
    }
    workshop
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_in_the_workspace_needs_no_question() {
    let workshop = workshop(&[("", ""), ("src", "src"), ("src/a.rs", "src/a.rs")]);
    let run = async |tool: &str, input: Value| fields(workshop.run(tool, input).await.unwrap());
    assert_eq!(run("read", json!({ "path": "src/a.rs" })).await["content"], json!("1\tneedle\n"));
    let found = run("grep", json!({ "pattern": "needle", "ignore_case": true, "hidden": true })).await;
    assert_eq!(found["output"], json!("src/a.rs:1:needle"));
    assert_eq!(run("glob_search", json!({ "pattern": "src/*.rs" })).await["files"], json!(["src/a.rs"]));
    assert_eq!(workshop.ledger.executions().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_file_is_read_after_an_answer() {
    let workshop = workshop(&[(".env", ".env")]);
    let read = workshop.run_tool_answered("read", json!({ "path": ".env" }), Answer::approve());
    assert_eq!(fields(read.await.unwrap())["content"], json!("1\tKEY=hunter2\n"));
    let read = workshop.run_tool_answered("read", json!({ "path": ".env" }), Answer::deny());
    assert!(read.await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn link_that_was_swapped_after_judging_is_not_read() {
    let workshop = workshop(&[("", ""), ("src/notes", "src/notes"), ("src/dir", "src/dir")]);
    std::os::unix::fs::symlink("../.env", workshop.root().join("src/notes")).unwrap();
    std::os::unix::fs::symlink("..", workshop.root().join("src/dir")).unwrap();
    for (tool, input) in [
        ("read", json!({ "path": "src/notes" })),
        ("grep", json!({ "pattern": "KEY", "path": "src/notes" })),
        ("grep", json!({ "pattern": "KEY", "path": "src/dir", "hidden": true })),
        ("glob_search", json!({ "pattern": "*", "path": "src/dir" })),
    ] {
        let result = workshop.run(tool, input).await.unwrap();
        assert!(result.is_error && result.content.contains("leads to another file"), "{}", result.content);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_clamps_numbers() {
    let workshop = workshop(&[("src/a.rs", "src/a.rs")]);
    let input = json!({ "path": "src/a.rs", "offset": 0, "limit": 1_000_000 });
    assert_eq!(fields(workshop.run("read", input).await.unwrap())["first_line"], json!(1));
    let unknown = workshop.run("read", json!({ "path": "src/a.rs", "file_path": "/etc/passwd" })).await;
    assert_eq!(unknown.unwrap_err().to_string(), "Unknown 'file_path' parameter");
}
