//! `sekisho agents` and `sekisho runs` with a real server, and runs that survive it.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::serve::test_server::{TestServer, eventually};
use crate::test_home::{CommandOutput, TestHome};

struct Fixture {
    place: TestHome,
    server: TestServer,
    admin: String,
}

impl Fixture {
    /// A server with scripts, whose agents work in the project.
    fn new(script: &Value) -> Fixture {
        Fixture::in_home(TestHome::new(), script)
    }

    fn in_home(place: TestHome, script: &Value) -> Fixture {
        TestHome::write(&place.home().join("scripts/build.json"), script.to_string());
        let server = start(&place);
        let made = place.run(&["token", "create", "--name", "me", "--role", "admin"]);
        let admin = made.out.trim().to_owned();
        Fixture { place, server, admin }
    }

    fn project(&self) -> PathBuf {
        self.place.home().join("../project").canonicalize().unwrap()
    }

    /// Runs a command as an admin, over the socket.
    fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.place.output(&self.place.command(arguments).env("SEKISHO_TOKEN", &self.admin).assert())
    }

    /// A command that must end with 0.
    fn ok(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.code, 0, "{arguments:?}: {}{}", output.out, output.err);
        output.out
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ok(arguments)).unwrap()
    }

    /// Starts a run of the agent `builder`, and waits until it has ended or waits for an approval.
    fn execute(&self) -> Value {
        let agent = self.json(&["agents", "show", "builder", "--json"])["id"].clone();
        let body = json!({ "agent_id": agent, "input": "go" });
        let bearer = format!("Bearer {}", self.admin);
        let answer =
            self.server.request("POST /api/execute-with-tools", &[("Authorization", &bearer)], Some(&body));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }
}

fn start(place: &TestHome) -> TestServer {
    let project = place.home().join("../project").canonicalize().unwrap();
    let scripts = place.home().join("scripts");
    let variables =
        [("SEKISHO_PROJECT_ROOT", project.to_str().unwrap()), ("SEKISHO_SCRIPTS", scripts.to_str().unwrap())];
    TestServer::start_with(place, &[], &variables)
}

/// Writes a file, which needs an approval, then reports.
fn writing_script() -> Value {
    json!([
        { "text": "I write.", "calls": [
            { "name": "file_write", "input": { "path": "doc/a.txt", "content": "hello\n" } },
        ] },
        { "text": "Written." },
    ])
}

const CREATE: [&str; 8] =
    ["agents", "create", "builder", "--provider", "scripted", "--model", "build", "--tool"];

fn created(script: &Value) -> Fixture {
    let fixture = Fixture::new(script);
    let out = fixture.ok(&[&CREATE[..], &["file_write"]].concat());
    assert!(out.starts_with("created agent `builder` ("), "{out}");
    std::fs::create_dir_all(fixture.project().join("doc")).unwrap();
    fixture
}

#[test]
fn agent_is_created_shown_changed_and_deleted() {
    let fixture = created(&json!([]));
    let list = fixture.ok(&["agents", "list"]);
    assert!(list.contains("builder  build  file_write"), "{list}");
    let out = fixture.ok(&[
        "agents",
        "edit",
        "builder",
        "--system-prompt",
        "You build.",
        "--max-iterations",
        "7",
        "--no-tool",
        "file_write",
        "--tool-config",
        r#"git_ops={"git_permission":"ReadWrite"}"#,
    ]);
    assert!(out.starts_with("changed agent `builder`"), "{out}");
    let shown = fixture.json(&["agents", "show", "builder", "--json"]);
    assert_eq!(shown["settings"]["maxIterations"], 7);
    let tools = json!([
        { "toolName": "file_write", "isEnabled": false, "requireApproval": false },
        { "toolName": "git_ops", "isEnabled": true, "config": { "git_permission": "ReadWrite" }, "requireApproval": false },
    ]);
    assert_eq!(shown["tools"], tools);
    let text = fixture.ok(&["agents", "show", "builder"]);
    for part in ["max iterations  7", "tools           git_ops", "You build."] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let unchanged = fixture.run(&["agents", "edit", "builder"]);
    assert_eq!(unchanged.code, 64, "{}", unchanged.err);
    fixture.ok(&["agents", "delete", "builder", "--yes"]);
    assert_eq!(fixture.ok(&["agents", "list"]), "no agents yet; `sekisho agents create` creates one\n");
    let missing = fixture.run(&["agents", "show", "builder"]);
    assert!(missing.code == 1 && missing.err.contains("no agent `builder`"), "{}", missing.err);
    fixture.server.stop();
}

#[test]
fn only_admins_change_agents() {
    let fixture = Fixture::new(&json!([]));
    // The terminal's own token is an approver's.
    let output = fixture.place.run(&[&CREATE[..], &["read"]].concat());
    assert_eq!(output.code, 1);
    assert!(output.err.contains("only admins change agents: set `SEKISHO_TOKEN`"), "{}", output.err);
    assert_eq!(fixture.place.run(&["agents", "list"]).code, 0);
    fixture.server.stop();
}

#[test]
fn run_is_resumed_in_the_terminal() {
    let fixture = created(&writing_script());
    let run = fixture.execute();
    assert_eq!(run["status"], "suspended", "{run}");
    let id = run["id"].as_str().unwrap().to_owned();
    let short = id.get(28..).unwrap();
    let list = fixture.ok(&["runs", "list"]);
    assert!(list.contains("suspended  builder") && list.contains("waits for file_write"), "{list}");
    let shown = fixture.ok(&["runs", "show", short]);
    for part in ["user  go", "assistant  I write.", "call  file_write", "waits for an approval  call_1_1"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let wrong = fixture.run(&["runs", "resume", short, "--approve", "--call", "call_9"]);
    assert!(wrong.code == 1 && wrong.err.contains("AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED"), "{}", wrong.err);
    let resumed = fixture.ok(&["runs", "resume", short, "--approve"]);
    assert!(resumed.contains("completed") && resumed.ends_with("Written.\n"), "{resumed}");
    assert_eq!(std::fs::read_to_string(fixture.project().join("doc/a.txt")).unwrap(), "hello\n");
    assert_eq!(fixture.ok(&["runs", "list"]), "no runs go on; `--all` lists all runs\n");
    assert!(fixture.ok(&["runs", "list", "--all"]).contains("completed  builder"));
    let usage = fixture.run(&["runs", "resume", short]);
    assert_eq!(usage.code, 64, "{}", usage.err);
    fixture.server.stop();
}

#[test]
fn cost_budget_counts_with_the_prices_of_the_administrator() {
    let place = TestHome::new();
    let price = json!({ "input": 3, "output": "15", "cache_read": 0.3, "cache_write": 3.75 });
    let config = json!({ "model_prices": { "scripted": { "build": price } } });
    TestHome::write(&place.home().join(".config/sekisho/server.json"), config.to_string());
    let usage = json!({ "input": 1000, "output": 100 });
    let read = json!({ "name": "read", "input": { "path": "none.txt" } });
    let fixture = Fixture::in_home(place, &json!([{ "calls": [read], "usage": usage }, { "text": "Done." }]));
    // A reply can cost 1.5 cents.
    let budget = ["read", "--max-tokens", "1000", "--cost-budget", "0.0180"];
    fixture.ok(&[&CREATE[..], &budget].concat());
    let run = fixture.execute();
    assert_eq!(run["finish_reason"], "budget", "{run}");
    assert!(run["error"].as_str().unwrap().ends_with("and 0.0135 are left"), "{run}");
    let used = "1 reply, 1000 input and 100 output tokens, 0.0045 dollars";
    let shown = fixture.ok(&["runs", "show", run["id"].as_str().unwrap()]);
    assert!(shown.contains(&format!("used  {used}")) && shown.contains("budget: the next reply"), "{shown}");
    let shown = fixture.ok(&["agents", "show", "builder"]);
    for part in ["cost budget     0.018 dollars", &format!("used            1 run, {used}")] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let shown = fixture.json(&["agents", "show", "builder", "--json"]);
    assert_eq!(shown["usage"]["usage"]["costUsd"], "0.0045");
    let log = fixture.ok(&["audit", "search", "--kind", "agent.run_ended", "--json"]);
    assert!(log.contains(r#""cost_usd":"0.0045""#) && log.contains(r#""reason":"budget""#), "{log}");
    let unpriced = fixture.run(&["agents", "edit", "builder", "--model", "other"]);
    assert!(
        unpriced.code == 1 && unpriced.err.contains("its model `other` has no price"),
        "{}",
        unpriced.err
    );
    fixture.ok(&["agents", "edit", "builder", "--model", "other", "--cost-budget", "0"]);
    assert_eq!(fixture.run(&["agents", "edit", "builder", "--cost-budget", "1e3"]).code, 64);
    fixture.server.stop();
}

#[test]
fn aborted_run_takes_no_message() {
    let fixture = created(&writing_script());
    let id = fixture.execute()["id"].as_str().unwrap().to_owned();
    let out = fixture.ok(&["runs", "abort", &id, "--reason", "enough"]);
    assert!(out.ends_with(": aborted\n"), "{out}");
    let output = fixture.run(&["runs", "resume", &id, "--message", "go on"]);
    assert!(output.code == 1 && output.err.contains("was aborted"), "{}", output.err);
    assert!(!fixture.project().join("doc/a.txt").exists());
    fixture.server.stop();
}

#[test]
fn run_survives_a_killed_server() {
    let mut fixture = created(&writing_script());
    let id = fixture.execute()["id"].as_str().unwrap().to_owned();
    fixture.server.signal(rustix::process::Signal::KILL);
    fixture.server.ended();
    fixture.server = start(&fixture.place);
    let run = fixture.json(&["runs", "show", &id, "--json"]);
    assert_eq!(run["run"]["status"], "suspended", "{run}");
    let declined = fixture.ok(&["runs", "resume", &id, "--decline", "--reason", "not today"]);
    assert!(declined.contains("completed"), "{declined}");
    let messages = fixture.json(&["runs", "show", &id, "--json"])["messages"].to_string();
    assert!(messages.contains("Permission denied: not today"), "{messages}");
    assert!(!fixture.project().join("doc/a.txt").exists());
    eventually("no question is left open", || {
        fixture.ok(&["approvals", "list"]).contains("no open questions").then_some(())
    });
    fixture.server.stop();
}

#[test]
fn run_survives_a_restart() {
    let mut fixture = created(&writing_script());
    let id = fixture.execute()["id"].as_str().unwrap().to_owned();
    fixture.server.signal(rustix::process::Signal::TERM);
    assert!(fixture.server.ended().success());
    fixture.server = start(&fixture.place);
    let resumed = fixture.ok(&["runs", "resume", &id, "--approve"]);
    assert!(resumed.contains("completed") && resumed.ends_with("Written.\n"), "{resumed}");
    assert_eq!(std::fs::read_to_string(fixture.project().join("doc/a.txt")).unwrap(), "hello\n");
    fixture.server.stop();
}

/// A command that may write the directory above could put another one in its place.
#[test]
fn run_does_not_write_an_exchanged_project() {
    let fixture = created(&writing_script());
    let id = fixture.execute()["id"].as_str().unwrap().to_owned();
    let project = fixture.project();
    let aside = project.with_file_name("aside");
    std::fs::rename(&project, &aside).unwrap();
    std::fs::create_dir_all(project.join("doc")).unwrap();
    let resumed = fixture.run(&["runs", "resume", &id, "--approve"]);
    let messages = fixture.json(&["runs", "show", &id, "--json"])["messages"].to_string();
    assert!(messages.contains("exchanged for another directory"), "{messages} {}", resumed.err);
    assert!(!project.join("doc/a.txt").exists() && !aside.join("doc/a.txt").exists());
    fixture.server.stop();
}

#[test]
fn model_key_comes_from_the_environment_or_a_file() {
    let place = TestHome::new();
    let missing = [("ANTHROPIC_API_KEY_FILE", "/nonexistent/key")];
    let mut child = crate::serve::test_server::spawn(&place, &["serve", "--listen", "127.0.0.1:0"], &missing);
    let status = child.wait().unwrap();
    let mut err = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut err).unwrap();
    assert!(!status.success() && err.contains("`ANTHROPIC_API_KEY_FILE`: /nonexistent/key"), "{err}");
}
