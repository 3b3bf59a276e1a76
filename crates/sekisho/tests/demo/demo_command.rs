//! `sekisho demo`.

use rustix::process::Signal;
use serde_json::json;

use super::demo_process::{DemoProcess, TestApprover};
use crate::serve::test_server::TestServer;
use crate::test_home::TestHome;

#[test]
fn demo_uses_the_running_server() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let person = TestApprover::known(&place, server.port);
    let mut show = DemoProcess::start(&place, &["demo"]);
    show.says("4 asks");
    assert!(!show.said().contains("using a temporary server"), "{}", show.said());
    person.sees(3);
    show.signal(Signal::INT);
    assert_eq!(show.ended().code(), Some(0), "{}", show.said());
    person.sees(0);

    let mut again = DemoProcess::start(&place, &["demo"]);
    person.sees(3);
    person.answer("Bash", &json!({ "behavior": "allow" }));
    again.says("3 yes     approved by mai");
    // A second demo must not mix with the first.
    let mut other = DemoProcess::start(&place, &["demo"]);
    other.says("another demo already has open questions on this server");
    other.says("using a temporary server");
    other.says("2 asks");
    other.signal(Signal::TERM);
    assert_eq!(other.ended().code(), Some(0), "{}", other.said());
    person.answer("Edit", &json!({ "behavior": "deny", "interrupt": true }));
    assert_eq!(again.ended().code(), Some(0), "{}", again.said());
    again.says("`sekisho demo` runs it again");
    person.sees(0);
    server.stop();
}

#[test]
fn demo_uses_a_temporary_server_beside_real_questions() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let real = json!({ "toolName": "Bash", "input": { "command": "git push" }, "toolUseId": "real", "onTimeout": "park" });
    assert_eq!(server.request_over_socket("POST /api/can-use-tool?wait=false", Some(&real)).status, 202);
    let mut show = DemoProcess::start(&place, &["demo"]);
    let line = show.says("using a temporary server in ");
    assert!(line.contains("other agents have used this server"), "{line}");
    let scratch = line.split_once(" in ").unwrap().1.split_once(',').unwrap().0.to_owned();
    assert!(std::path::Path::new(&scratch).is_dir());
    let person = TestApprover::by_link(&show.link());
    person.sees(3);
    let workshop = show.workshop();
    person.answer("delete_customer", &json!({ "behavior": "allow", "remember": { "scope": "global" } }));
    show.says("4 again   allowed");
    for tool in ["Edit", "Bash"] {
        person.answer(tool, &json!({ "behavior": "allow" }));
    }
    assert_eq!(show.ended().code(), Some(0), "{}", show.said());
    assert!(
        show.said().contains("2 yes     approved by tester: the demo changed")
            && show.said().contains("the demo is over")
    );
    assert!(!std::path::Path::new(&scratch).exists() && !workshop.exists() && !place.global().exists());
    // The questions of the real server are unchanged.
    assert_eq!(TestApprover::known(&place, server.port).sees(1)[0]["toolUseId"], "real");
    server.stop();
}

#[test]
fn interrupted_demo_leaves_nothing() {
    let place = TestHome::new();
    let mut show = DemoProcess::start(&place, &["demo", "--scratch"]);
    let line = show.says("using a temporary server in ");
    let scratch = line.split_once(" in ").unwrap().1.split_once(',').unwrap().0.to_owned();
    show.says("2 asks");
    let workshop = show.workshop();
    show.signal(Signal::INT);
    assert_eq!(show.ended().code(), Some(0), "{}", show.said());
    assert!(!std::path::Path::new(&scratch).exists() && !workshop.exists());
    assert!(!place.home().join(".local/state/sekisho/ledger.db").exists());
}
