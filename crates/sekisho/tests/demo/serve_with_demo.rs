//! The demo on a new server.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::demo_process::{DemoProcess, ENDING, TestApprover, directory, within};
use crate::serve::test_server::TestServer;
use crate::test_home::TestHome;

fn git_push() -> Value {
    json!({ "toolName": "Bash", "input": { "command": "git push" }, "toolUseId": "real", "onTimeout": "park" })
}

fn allow() -> Value {
    json!({ "behavior": "allow" })
}

fn deny(message: &str) -> Value {
    json!({ "behavior": "deny", "message": message })
}

/// A server with the demo, and an approver.
fn served(place: &TestHome, arguments: &[&str]) -> (DemoProcess, TestApprover) {
    let show = DemoProcess::serve(place, &[&["--demo"], arguments].concat());
    let person = TestApprover::known(place, show.port());
    (show, person)
}

/// All files below a directory, with their texts.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true => found.extend(files(&entry)),
            false => drop(found.insert(entry.clone(), std::fs::read(&entry).unwrap())),
        }
    }
    found
}

fn logs(directory: &Path) -> usize {
    std::fs::read_dir(directory.join("logs")).unwrap().count()
}

#[test]
fn new_user_finds_marked_questions() {
    let place = TestHome::new();
    let (show, person) = served(&place, &[]);
    let mut found = Vec::new();
    for tool in ["edit", "shell_exec", "delete_customer"] {
        let question = person.question(tool);
        let text = |pointer: &str| question.pointer(pointer).and_then(Value::as_str).unwrap_or("").to_owned();
        found.push([text("/serverId"), text("/shown/danger/level"), text("/shown/form/form")]);
        assert_eq!(question["agentId"], "demo", "{question}");
        assert!(text("/askedBy").ends_with(ENDING), "{question}");
        let time = |pointer: &str| text(pointer).parse::<jiff::Timestamp>().unwrap();
        assert_eq!(time("/expiresAt").duration_since(time("/askedAt")).as_secs(), 120, "{question}");
        match tool {
            // The diff is about an existing file.
            "edit" => {
                assert_eq!(question.pointer("/shown/form/files/0/removed"), Some(&json!(2)), "{question}")
            }
            "shell_exec" => {
                let parts = question.pointer("/shown/form/parts").unwrap().as_array().unwrap();
                let has = |decision: &str| parts.iter().any(|part| part["decision"] == decision);
                assert!(has("allow") && has("confirm"), "{question}");
            }
            _ => assert!(!question["proposals"].as_array().unwrap().is_empty(), "{question}"),
        }
        person.answer(tool, &deny("not now"));
    }
    assert_eq!(found, [["", "caution", "diff"], ["", "danger", "command"], ["crm", "danger", "json"]]);
    show.says("1 runs    read notes.txt");
    show.says("1 runs    search for `replicas`");
}

#[test]
fn sign_in_link_is_printed_last() {
    let place = TestHome::new();
    let show = DemoProcess::serve(&place, &["--demo"]);
    show.link();
    let output = show.said();
    let (first_question, link) = (output.find("2 asks"), output.find("Open this link"));
    assert!(first_question.is_some() && first_question < link, "{output}");
}

#[test]
fn approved_calls_really_run_and_harm_nothing() {
    let place = TestHome::new();
    TestHome::write(&place.home().join("keep.log"), "mine");
    TestHome::write(&place.home().join("../project/logs/keep.log"), "mine");
    let (mut show, person) = served(&place, &[]);
    let directory = directory(&person.question("edit"));
    let before = files(&directory);
    person.answer("edit", &allow());
    show.says("2 yes     approved by mai: deploy.toml is changed on disk");
    show.says("            replicas = 6");
    let changed = std::fs::read_to_string(directory.join("deploy.toml")).unwrap();
    assert!(
        changed.contains("[shop]\nenvironment = \"production\"\nreplicas = 6\ntimeout_s = 30\n"),
        "{changed}"
    );
    person.answer("shell_exec", &allow());
    show.says("3 yes     approved by mai: it ran in the sandbox");
    show.says("            Released the shop to production (a demo: nothing was released).");
    person.question("delete_customer");
    // Only the logs of the demo are gone.
    let mut expected = before;
    expected.retain(|path, _| path.extension().is_none_or(|extension| extension != "log"));
    expected.insert(directory.join("deploy.toml"), changed.into_bytes());
    assert_eq!(files(&directory), expected);
    for kept in ["keep.log", "../project/logs/keep.log"] {
        assert_eq!(std::fs::read_to_string(place.home().join(kept)).unwrap(), "mine");
    }
    person.answer("delete_customer", &allow());
    show.says("4 yes     approved by mai: the agent would now call crm/delete_customer");
    show.says("`sekisho demo` runs it again");
    show.says("sekisho install claude-code");
    assert!(within(|| (!directory.exists()).then_some(())).is_some());
    let tokens = || place.run(&["token", "list"]).out;
    let is_revoked = |line: &str| line.contains("demo") && line.ends_with("revoked");
    assert!(within(|| tokens().lines().any(is_revoked).then_some(())).is_some());
    assert_eq!(left(&place), (0, 0));
    show.signal(Signal::TERM);
    assert!(show.ended().success());
    let verified = place.run(&["audit", "verify"]);
    assert!(verified.out.starts_with("intact"), "{}{}", verified.out, verified.err);
}

/// How many agents and runs the server has.
fn left(place: &TestHome) -> (usize, usize) {
    let made = place.run(&["token", "create", "--name", "me", "--role", "admin"]);
    let list = |what: &str| {
        let command = place.command(&[what, "list", "--json"]).env("SEKISHO_TOKEN", made.out.trim());
        let output = place.output(&command.assert());
        assert_eq!(output.code, 0, "{}", output.err);
        output.out
    };
    let agents: Vec<Value> = serde_json::from_str(&list("agents")).unwrap();
    (agents.len(), list("runs").lines().count())
}

#[test]
fn denied_calls_do_not_run_and_the_agent_reacts() {
    let place = TestHome::new();
    let (show, person) = served(&place, &[]);
    let directory = directory(&person.question("edit"));
    let before = files(&directory);
    person.answer("edit", &deny("not before noon"));
    show.says("2 no      denied by mai: the model receives `Permission denied: not before noon`");
    show.says("agent     Then deploy.toml stays as it is (\"not before noon\").");
    person.answer("shell_exec", &deny("keep the logs"));
    show.says("3 no      denied by mai: the model receives `Permission denied: keep the logs`");
    show.says("agent     You said \"keep the logs\", so I delete and release nothing.");
    show.says("3 runs    run `find logs -name '*.log'`");
    person.question("delete_customer");
    assert_eq!(files(&directory), before);
    person.answer("delete_customer", &json!({ "behavior": "deny", "remember": { "scope": "session" } }));
    show.says("4 kept    from now on it is denied");
    show.says("4 again   denied without a question: the model receives `Permission denied: ");
    show.says("the demo is over");
}

#[test]
fn edited_calls_run_as_edited() {
    let place = TestHome::new();
    let (show, person) = served(&place, &[]);
    let question = person.question("edit");
    let directory = directory(&question);
    let mut edited = question["input"].clone();
    edited["new_text"] = json!("environment = \"nowhere\"");
    person.answer("edit", &json!({ "behavior": "allow", "updatedInput": edited }));
    show.says("2 yes     approved by mai, with a change: deploy.toml is changed on disk");
    show.says("            environment = \"nowhere\"");
    show.says("agent     Your version of the change is in the file.");
    let edited = json!({ "command": "cat notes.txt && touch edited" });
    person.answer("shell_exec", &json!({ "behavior": "allow", "updatedInput": edited }));
    show.says("3 yes     approved by mai, with a change: it ran in the sandbox");
    show.says("            Friday: the big sale.");
    show.says("agent     I used your command instead of mine.");
    person.question("delete_customer");
    let written = std::fs::read_to_string(directory.join("deploy.toml")).unwrap();
    assert!(written.contains("[shop]\nenvironment = \"nowhere\"\ntimeout_s = 30\n"), "{written}");
    assert!(directory.join("edited").exists() && logs(&directory) == 3);
}

#[test]
fn unanswered_questions_expire_and_the_agent_reacts() {
    let place = TestHome::new();
    let (show, person) = served(&place, &["--timeout-s", "2"]);
    let first = person.question("edit");
    show.says("2 expired nobody answered in time");
    show.says("agent     Nobody answered, so deploy.toml stays as it is. I ask again.");
    // The question comes again until somebody answers it, so a slow answer only takes another turn.
    let answered = within(|| {
        let open = person.open().into_iter().find(|question| question["id"] != first["id"])?;
        (person.try_answer(&open, &allow()).status == 200).then_some(open)
    });
    let directory = directory(&answered.unwrap());
    show.says("2 yes     approved by mai: deploy.toml is changed");
    show.says("3 expired nobody answered in time");
    show.says("agent     Nobody answered, and no answer is not a yes.");
    show.says("3 runs    run `find logs -name '*.log'`");
    show.says("4 asks    may I call crm/delete_customer");
    assert_eq!(logs(&directory), 3);
    show.says("4 expired nobody answered in time");
    show.says("the demo is over");
}

#[test]
fn silence_is_not_narrated_for_ever() {
    let place = TestHome::new();
    let show = DemoProcess::serve(&place, &["--demo", "--timeout-s", "1"]);
    let person = TestApprover::known(&place, show.port());
    show.says("without printing more until somebody answers");
    // Two more questions come and go.
    for _ in 0..2 {
        let open = person.question("edit");
        within(|| person.open().iter().all(|question| question["id"] != open["id"]).then_some(())).unwrap();
    }
    let said = show.said();
    assert_eq!((said.matches("2 asks").count(), said.matches("2 expired").count()), (2, 2), "{said}");
    within(|| (person.try_answer(&person.question("edit"), &deny("enough")).status == 200).then_some(()))
        .unwrap();
    show.says("2 no      denied by mai");
    show.says("3 asks");
}

#[test]
fn killed_demo_leaves_nothing_for_long() {
    let place = TestHome::new();
    let (show, person) = served(&place, &[]);
    let directory = directory(&person.question("edit"));
    show.signal(Signal::KILL);
    drop(show);
    let server = TestServer::start(&place, &[]);
    assert!(within(|| (left(&place) == (0, 0)).then_some(())).is_some());
    TestApprover::known(&place, server.port).sees(0);
    server.stop();
    // Nobody else could remove it.
    std::fs::remove_dir_all(directory).unwrap();
    let (show, person) = served(&place, &[]);
    person.question("edit");
    show.says("2 asks");
}

#[test]
fn other_agent_called_demo_is_not_touched() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let made = place.run(&["token", "create", "--name", "me", "--role", "admin"]);
    let create = ["agents", "create", "demo", "--provider", "anthropic", "--model", "x"];
    let output = place.output(&place.command(&create).env("SEKISHO_TOKEN", made.out.trim()).assert());
    assert_eq!(output.code, 0, "{}", output.err);
    server.stop();
    let show = DemoProcess::serve(&place, &["--demo"]);
    show.says("failed: an agent called `demo` exists here");
    show.port();
    assert_eq!(left(&place), (1, 0));
}

#[test]
fn rules_remembered_in_the_demo_are_not_written_to_a_file() {
    let place = TestHome::new();
    let (show, person) = served(&place, &[]);
    let remember = json!({ "behavior": "allow", "remember": { "scope": "global" } });
    let response = person.answer("edit", &remember);
    assert_eq!(response["remembered"]["scope"], "session", "{response}");
    person.answer("shell_exec", &allow());
    let response = person.answer("delete_customer", &remember);
    assert_eq!(response["remembered"]["scope"], "session", "{response}");
    show.says("4 again   allowed without a question");
    assert!(!place.global().exists(), "nothing is written to the user's config");
}

#[test]
fn stopped_run_ends_the_demo() {
    let place = TestHome::new();
    let (show, person) = served(&place, &[]);
    person.answer("edit", &json!({ "behavior": "deny", "interrupt": true }));
    show.says("and the run is stopped");
    show.says("the demo is over");
    person.sees(0);
    assert!(!show.said().contains("3 asks") && !show.said().contains("failed: "), "{}", show.said());
}

#[test]
fn demo_ends_when_another_agent_asks() {
    let place = TestHome::new();
    // Questions of an earlier demo do not prevent the next one.
    let mut first = DemoProcess::serve(&place, &["--demo"]);
    first.says("2 asks");
    first.signal(Signal::TERM);
    assert!(first.ended().success(), "{}", first.said());
    let status: Value = serde_json::from_str(&place.run(&["db", "status", "--json"]).out).unwrap();
    assert_eq!(status["pending"], 0, "{status}");

    let mut show = DemoProcess::serve(&place, &["--demo"]);
    let person = TestApprover::known(&place, show.port());
    person.sees(1);
    let socket =
        std::os::unix::net::UnixStream::connect(place.home().join(".local/state/sekisho/sekisho.sock"));
    let asked = crate::serve::test_server::exchange(
        socket.unwrap(),
        "localhost",
        "POST /api/can-use-tool?wait=false",
        &[],
        Some(&git_push()),
    );
    assert_eq!(asked.status, 202, "{asked:?}");
    show.says("another agent is asking now");
    let left = person.sees(1);
    assert_eq!(left[0]["toolUseId"], "real");
    show.signal(Signal::INT);
    assert!(show.ended().success());

    let show = DemoProcess::serve(&place, &["--demo"]);
    show.says("demo      skipped: other agents have used this server");
    assert!(!show.said().contains("asks    "), "{}", show.said());
}

#[test]
fn hook_records_prevent_the_demo() {
    let place = TestHome::new();
    let spools = sekisho_host::Spools::at(&place.home().join(".local/state/sekisho"));
    // A new call stays after its spool was imported.
    let fresh = sekisho_gate::CallId::new(jiff::Timestamp::now());
    spools.append("a line", fresh.0).unwrap();
    DemoProcess::serve(&place, &["--demo"]).says("skipped: other agents have used this server");
}

#[test]
fn demo_is_opt_in_and_can_be_switched_off() {
    for (arguments, variables) in [
        (&[][..], &[][..]),
        (&["--demo", "--demo=false"], &[]),
        (&["--demo=false"], &[("SEKISHO_DEMO", "true")]),
    ] {
        let place = TestHome::new();
        let server = TestServer::start_with(&place, arguments, variables);
        std::thread::sleep(std::time::Duration::from_millis(300));
        server.stop();
        let made = place.run(&["audit", "search", "--kind", "token"]);
        assert!(made.out.contains("sign-in link") && !made.out.contains("demo"), "{}{}", made.out, made.err);
    }
    let place = TestHome::new();
    TestHome::write(&place.home().join(".config/sekisho/server.json"), r#"{ "demo": true }"#);
    let show = DemoProcess::serve(&place, &[]);
    show.says("2 asks");
    let place = TestHome::new();
    DemoProcess::serve(&place, &["--demo", "--no-approvers"]).says("skipped: this server asks no questions");
}

#[test]
fn without_a_terminal_the_demo_only_logs() {
    let place = TestHome::new();
    let show = DemoProcess::start_with(
        &place,
        &["serve", "--listen", "127.0.0.1:0", "--socket", "none"],
        &[("SEKISHO_DEMO", "true")],
    );
    show.says("demo: may I change deploy.toml?");
    for line in show.said().lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(line["message"].is_string(), "{line}");
    }
}
