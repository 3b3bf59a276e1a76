//! The demo with a server that is new.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::show::{ENDING, Person, Show, within};
use crate::place::Place;
use crate::serve::server::Server;

fn git_push() -> Value {
    json!({ "toolName": "Bash", "input": { "command": "git push" }, "toolUseId": "real", "onTimeout": "park" })
}

#[test]
fn a_newcomer_finds_three_questions_that_are_marked() {
    let place = Place::new();
    let show = Show::serve(&place, &["--demo"]);
    let person = Person::known(&place, show.port());
    let open = person.sees(3);
    show.says("1 runs    at once: run `cat /");
    let told: Vec<[&str; 4]> = open
        .iter()
        .map(|question| {
            let text = |pointer: &str| question.pointer(pointer).and_then(Value::as_str).unwrap_or("");
            [text("/toolName"), text("/serverId"), text("/shown/danger/level"), text("/shown/form/form")]
        })
        .collect();
    assert_eq!(
        told,
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
    // The diff is one of a file that is there, and the parts of the command are not all alike.
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
fn the_way_in_is_told_last() {
    let place = Place::new();
    let show = Show::serve(&place, &["--demo"]);
    show.link();
    let said = show.said();
    let (asked, open) = (said.find("4 asks"), said.find("Open this link"));
    assert!(asked.is_some() && asked < open, "{said}");
}

#[test]
fn each_answer_says_what_it_does() {
    let place = Place::new();
    let mut show = Show::serve(&place, &["--demo"]);
    let workshop = show.workshop();
    let person = Person::known(&place, show.port());
    let open = person.sees(3);
    let mut edited = open[0]["input"].clone();
    edited["new_string"] = json!("environment = \"nowhere\"");
    person.answer("Edit", &json!({ "behavior": "allow", "updatedInput": edited }));
    show.says("2 yes     approved by mai, with a change: the file in the demo's own directory is changed");
    show.says("            environment = \"nowhere\"");
    let written = std::fs::read_to_string(workshop.join("deploy.toml")).unwrap();
    assert!(written.contains("[shop]\nenvironment = \"nowhere\"\ntimeout_s = 30\n"), "{written}");
    person.answer("Bash", &json!({ "behavior": "deny", "message": "not from the net" }));
    show.says("3 no      denied by mai: the model is told `Permission denied: not from the net`");
    person.answer("delete_customer", &json!({ "behavior": "deny", "remember": { "scope": "session" } }));
    show.says("4 kept    from now on it is turned back");
    show.says("4 again   turned back, and nobody was asked: the model is told `Permission denied: ");
    show.says("`sekisho demo` shows it again");
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
    assert!(verified.out.starts_with("all holds"), "{}{}", verified.out, verified.err);
}

#[test]
fn what_is_remembered_in_it_is_written_to_no_file() {
    let place = Place::new();
    let show = Show::serve(&place, &["--demo"]);
    let person = Person::known(&place, show.port());
    person.sees(3);
    let kept = person.answer("Edit", &json!({ "behavior": "allow", "remember": { "scope": "global" } }));
    assert_eq!(kept["remembered"]["scope"], "session", "{kept}");
    show.says("2 again   let through, and nobody was asked");
    assert!(!place.global().exists(), "nothing is written to the newcomer's own config");
}

#[test]
fn a_run_that_is_stopped_ends_it() {
    let place = Place::new();
    let show = Show::serve(&place, &["--demo"]);
    let person = Person::known(&place, show.port());
    person.sees(3);
    person.answer("Bash", &json!({ "behavior": "deny", "interrupt": true }));
    show.says("and its run is stopped");
    show.says("that was all");
    person.sees(0);
    assert!(!show.said().contains("1 open") && !show.said().contains("it broke off"), "{}", show.said());
}

#[test]
fn it_goes_when_somebody_else_asks_and_does_not_come_back() {
    let place = Place::new();
    // What a demo asked before does not keep the next one away.
    let mut first = Show::serve(&place, &["--demo"]);
    first.says("4 asks");
    first.signal(Signal::TERM);
    assert!(first.ended().success(), "{}", first.said());
    let status: Value = serde_json::from_str(&place.run(&["db", "status", "--json"]).out).unwrap();
    assert_eq!(status["pending"], 0, "{status}");

    let mut show = Show::serve(&place, &["--demo"]);
    show.says("4 asks");
    let person = Person::known(&place, show.port());
    person.sees(3);
    let socket =
        std::os::unix::net::UnixStream::connect(place.home().join(".local/state/sekisho/sekisho.sock"));
    let asked = crate::serve::server::exchange(
        socket.unwrap(),
        "localhost",
        "POST /api/can-use-tool?wait=false",
        &[],
        Some(&git_push()),
    );
    assert_eq!(asked.status, 202, "{asked:?}");
    show.says("somebody else asks here now");
    let left = person.sees(1);
    assert_eq!(left[0]["toolUseId"], "real");
    show.signal(Signal::INT);
    assert!(show.ended().success());

    let show = Show::serve(&place, &["--demo"]);
    show.says("demo      left out: others have asked here before");
    assert!(!show.said().contains("asks    "), "{}", show.said());
}

#[test]
fn what_hooks_wrote_keeps_it_away() {
    let place = Place::new();
    let spools = sekisho_host::Spools::at(&place.home().join(".local/state/sekisho"));
    // One that is new stays after it was taken in.
    let fresh = sekisho_gate::CallId::new(jiff::Timestamp::now());
    spools.append("a line", fresh.0).unwrap();
    Show::serve(&place, &["--demo"]).says("left out: others have asked here before");
}

#[test]
fn it_is_asked_for_and_can_be_sent_away() {
    for (arguments, variables) in [
        (&[][..], &[][..]),
        (&["--demo", "--demo=false"], &[]),
        (&["--demo=false"], &[("SEKISHO_DEMO", "true")]),
    ] {
        let place = Place::new();
        let server = Server::start_with(&place, arguments, variables);
        std::thread::sleep(std::time::Duration::from_millis(300));
        server.stop();
        let made = place.run(&["audit", "search", "--kind", "token"]);
        assert!(made.out.contains("sign in") && !made.out.contains("demo"), "{}{}", made.out, made.err);
    }
    let place = Place::new();
    Place::write(&place.home().join(".config/sekisho/server.json"), r#"{ "demo": true }"#);
    let show = Show::serve(&place, &[]);
    show.says("2 asks");
    let place = Place::new();
    Show::serve(&place, &["--demo", "--no-approvers"]).says("left out: this server asks nobody");
}

#[test]
fn elsewhere_than_on_a_terminal_it_only_logs() {
    let place = Place::new();
    let show = Show::start_with(
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
