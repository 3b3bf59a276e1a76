//! `sekisho tool run` with the tools that belong to a run, and `self_eval`.

use serde_json::{Value, json};

use crate::test_home::TestHome;

const RUN: &str = "0198c0de-0000-7000-8000-000000000001";
const OTHER: &str = "0198c0de-0000-7000-8000-000000000002";

fn read(home: &TestHome, run: &str) -> Value {
    let output = home.run_without_terminal(&["tool", "run", "--run", run, "todo_read"]);
    assert_eq!(output.code, 0, "{}", output.err);
    serde_json::from_str(&output.out).unwrap()
}

#[test]
fn todo_list_is_kept_between_commands() {
    let home = TestHome::new();
    let todos = json!([{ "content": "first", "status": "pending" }]);
    let write = |words: &[&str]| {
        let list = todos.to_string();
        let words = [words, &["todo_write", "--todos", &list]].concat();
        let output = home.run_without_terminal(&words);
        assert_eq!(output.code, 0, "{}", output.err);
        output.err
    };
    let told = write(&["tool", "run", "--run", RUN]);
    assert!(!told.contains("--run"), "{told}");
    assert_eq!(read(&home, RUN), json!({ "todos": todos }));
    assert_eq!(read(&home, OTHER), json!({ "todos": [] }));
    let told = write(&["tool", "run"]);
    let run = told.split("--run ").nth(1).unwrap().split('`').next().unwrap();
    assert_eq!(read(&home, run), json!({ "todos": todos }), "the new run is named: {told}");
}

#[test]
fn unknown_output_and_wrong_run_are_reported() {
    let home = TestHome::new();
    let words = ["tool", "run", "--run", RUN, "tool_output_cache", "--id", OTHER];
    let output = home.run_without_terminal(&words);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("There is no output with id '0198c0de-"), "{}", output.err);
    let output = home.run_without_terminal(&["tool", "run", "--run", "mine", "todo_read"]);
    assert_eq!(output.code, 64);
    assert!(output.err.contains("--run"), "{}", output.err);
}

#[test]
fn self_eval_runs_the_commands_of_the_project() {
    let home = TestHome::new();
    let makefile = "build:\n\techo built\nlint:\n\texit 4\n";
    TestHome::write(&home.home().join("../project/Makefile"), makefile);
    let run = |words: &[&str]| home.run_without_terminal(&[&["tool", "run", "self_eval"], words].concat());
    assert_eq!(run(&[]).code, 3, "nobody can answer");
    let rules = json!({ "version": 1, "permissions": { "allow": [{ "tool": "bash", "command": "make" }] } });
    TestHome::write(&home.global(), rules.to_string());
    let output = run(&["--checks", "[\"build\",\"lint\"]"]);
    assert_eq!(output.code, 0, "{}", output.err);
    let told: Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&told["all_passed"], &told["total_checks"]), (&json!(false), &json!(2)), "{told}");
    assert_eq!(told["checks"]["build"]["passed"], json!(true), "{told}");
    assert_eq!(told["checks"]["lint"]["passed"], json!(false), "{told}");
    let output = run(&["--checks", "[\"test\"]"]);
    assert_eq!(output.code, 1);
    assert!(output.err.contains("No command found for 'test': Makefile has none"), "{}", output.err);
    TestHome::write(
        &home.home().join(".config/sekisho/server.json"),
        json!({ "tool_config": { "self_eval": { "checks": { "test": "ls" } } } }).to_string(),
    );
    let output = run(&["--checks", "[\"test\"]"]);
    assert_eq!(output.code, 0, "a configured command is judged like any other: {}", output.err);
}

#[test]
fn listed_skill_needs_no_answer() {
    let home = TestHome::new();
    let skill = |name: &str| format!("---\nname: {name}\n---\nDo it.\n");
    let listed = home.home().join("skills");
    TestHome::write(&listed.join("review/SKILL.md"), skill("review"));
    TestHome::write(&home.home().join("../project/.sekisho/skills/deploy/SKILL.md"), skill("deploy"));
    TestHome::write(
        &home.home().join(".config/sekisho/server.json"),
        json!({ "tool_config": { "skill_load": { "skills": [listed] } } }).to_string(),
    );
    let load = |name: &str| home.run_without_terminal(&["tool", "run", "skill_load", "--name", name]);
    let output = load("review");
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(output.out.contains("Do it."), "{}", output.out);
    assert_eq!(load("deploy").code, 3, "nobody can answer");
}

#[test]
fn tools_are_listed_with_their_definitions() {
    let home = TestHome::new();
    let output = home.run_without_terminal(&["tool", "list", "--json"]);
    let tools: Vec<Value> = serde_json::from_str(&output.out).unwrap();
    for name in [
        "done",
        "self_eval",
        "skill_load",
        "todo_read",
        "todo_write",
        "tool_output_cache",
        "tool_output_cache_grep",
    ] {
        assert!(tools.iter().any(|tool| tool["name"] == json!(name)), "{name}: {}", output.out);
    }
}
