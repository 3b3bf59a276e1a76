//! The demo on a new server.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::demo_process::{DemoProcess, ENDING, TestApprover, within};
use crate::serve::test_server::TestServer;
use crate::test_home::TestHome;

fn git_push() -> Value {
    json!({ "toolName": "Bash", "input": { "command": "git push" }, "toolUseId": "real", "onTimeout": "park" })
}

#[test]
fn new_user_finds_three_marked_questions() {
    let place = TestHome::new();
    let show = DemoProcess::serve(&place, &["--demo"]);
    let person = TestApprover::known(&place, show.port());
    let open = person.sees(3);
    show.says("1 runs    without a question: run `cat /");
    let marks: Vec<[&str; 4]> = open
        .iter()
        .map(|question| {
            let text = |pointer: &str| question.pointer(pointer).and_then(Value::as_str).unwrap_or("");
            [text("/toolName"), text("/serverId"), text("/shown/danger/level"), text("/shown/form/form")]
        })
        .collect();
    assert_eq!(
        marks,
        [
            ["Edit", "", "caution", "diff"],
            ["Bash", "", "danger", "command"],
            ["delete_customer", "crm", "caution", "json"],
        ]
    );
    for question in &open {
        for field in ["agentId", "conversationId", "workspaceId"] {
            assert_eq!(question[field], "demo", "{question}");
        }
        assert!(question["askedBy"].as_str().unwrap().ends_with(ENDING), "{question}");
    }
    // The diff is about an existing file, and the parts of the command have different decisions.
    assert_eq!(open[0].pointer("/shown/form/files/0/removed"), Some(&json!(2)), "{}", open[0]);
    let parts = open[1].pointer("/shown/form/parts").unwrap().as_array().unwrap();
    assert!(
        ["allow", "confirm"].iter().all(|decision| parts.iter().any(|part| part["decision"] == *decision))
    );
    for proposed in [0, 2] {
        assert!(!open[proposed]["proposals"].as_array().unwrap().is_empty(), "{}", open[proposed]);
    }
}

#[test]
fn sign_in_link_is_printed_last() {
    let place = TestHome::new();
    let show = DemoProcess::serve(&place, &["--demo"]);
    show.link();
    let output = show.said();
    let (last_question, link) = (output.find("4 asks"), output.find("Open this link"));
    assert!(last_question.is_some() && last_question < link, "{output}");
}

#[test]
fn each_answer_says_what_it_does() {
    let place = TestHome::new();
    let mut show = DemoProcess::serve(&place, &["--demo"]);
    let workshop = show.workshop();
    let person = TestApprover::known(&place, show.port());
    let open = person.sees(3);
    let mut edited = open[0]["input"].clone();
    edited["new_string"] = json!("environment = \"nowhere\"");
    person.answer("Edit", &json!({ "behavior": "allow", "updatedInput": edited }));
    show.says("2 yes     approved by mai, with a change: the demo changed its own file");
    show.says("            environment = \"nowhere\"");
    let written = std::fs::read_to_string(workshop.join("deploy.toml")).unwrap();
    assert!(written.contains("[shop]\nenvironment = \"nowhere\"\ntimeout_s = 30\n"), "{written}");
    person.answer("Bash", &json!({ "behavior": "deny", "message": "not from the net" }));
    show.says("3 no      denied by mai: the model receives `Permission denied: not from the net`");
    person.answer("delete_customer", &json!({ "behavior": "deny", "remember": { "scope": "session" } }));
    show.says("4 kept    from now on it is denied");
    show.says("4 again   denied without a question: the model receives `Permission denied: ");
    show.says("`sekisho demo` runs it again");
    show.says("sekisho install claude-code");
    assert!(within(|| (!workshop.exists()).then_some(())).is_some());
    let tokens = || place.run(&["token", "list"]).out;
    assert!(
        within(|| tokens()
            .lines()
            .any(|line| line.contains("demo") && line.ends_with("revoked"))
            .then_some(()))
        .is_some()
    );
    show.signal(Signal::TERM);
    assert!(show.ended().success());
    let verified = place.run(&["audit", "verify"]);
    assert!(verified.out.starts_with("intact"), "{}{}", verified.out, verified.err);
}

#[test]
fn rules_remembered_in_the_demo_are_not_written_to_a_file() {
    let place = TestHome::new();
    let show = DemoProcess::serve(&place, &["--demo"]);
    let person = TestApprover::known(&place, show.port());
    person.sees(3);
    let response = person.answer("Edit", &json!({ "behavior": "allow", "remember": { "scope": "global" } }));
    assert_eq!(response["remembered"]["scope"], "session", "{response}");
    show.says("2 again   allowed without a question");
    assert!(!place.global().exists(), "nothing is written to the user's config");
}

#[test]
fn stopped_run_ends_the_demo() {
    let place = TestHome::new();
    let show = DemoProcess::serve(&place, &["--demo"]);
    let person = TestApprover::known(&place, show.port());
    person.sees(3);
    person.answer("Bash", &json!({ "behavior": "deny", "interrupt": true }));
    show.says("and the run is stopped");
    show.says("the demo is over");
    person.sees(0);
    assert!(!show.said().contains("1 open") && !show.said().contains("failed: "), "{}", show.said());
}

#[test]
fn demo_ends_when_another_agent_asks() {
    let place = TestHome::new();
    // Questions of an earlier demo do not prevent the next one.
    let mut first = DemoProcess::serve(&place, &["--demo"]);
    first.says("4 asks");
    first.signal(Signal::TERM);
    assert!(first.ended().success(), "{}", first.said());
    let status: Value = serde_json::from_str(&place.run(&["db", "status", "--json"]).out).unwrap();
    assert_eq!(status["pending"], 0, "{status}");

    let mut show = DemoProcess::serve(&place, &["--demo"]);
    show.says("4 asks");
    let person = TestApprover::known(&place, show.port());
    person.sees(3);
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
    show.says("demo: may I call crm/delete_customer");
    for line in show.said().lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(line["message"].is_string(), "{line}");
    }
}
