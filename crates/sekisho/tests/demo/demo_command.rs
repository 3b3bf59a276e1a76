//! `sekisho demo`.

use std::path::Path;

use rustix::process::Signal;
use serde_json::json;

use super::demo_process::{DemoProcess, TestApprover, directory};
use crate::serve::test_server::TestServer;
use crate::test_home::TestHome;

/// The directory of the temporary server.
fn scratch(show: &DemoProcess) -> String {
    let line = show.says("on a temporary server in ");
    line.split_once(" in ").unwrap().1.split_once(',').unwrap().0.to_owned()
}

#[test]
fn demo_has_a_temporary_server() {
    let place = TestHome::new();
    let server = TestServer::start(&place, &[]);
    let real = json!({ "toolName": "Bash", "input": { "command": "git push" }, "toolUseId": "real", "onTimeout": "park" });
    assert_eq!(server.request_over_socket("POST /api/can-use-tool?wait=false", Some(&real)).status, 202);
    let mut show = DemoProcess::start(&place, &["demo"]);
    let scratch = scratch(&show);
    assert!(Path::new(&scratch).is_dir());
    let person = TestApprover::by_link(&show.link());
    let demo = directory(&person.question("edit"));
    for tool in ["edit", "shell_exec"] {
        person.answer(tool, &json!({ "behavior": "allow" }));
    }
    person.answer("delete_customer", &json!({ "behavior": "allow", "remember": { "scope": "global" } }));
    show.says("4 again   allowed");
    assert_eq!(show.ended().code(), Some(0), "{}", show.said());
    assert!(
        show.said().contains("2 yes     approved by tester: deploy.toml is changed")
            && show.said().contains("the demo is over")
    );
    assert!(!Path::new(&scratch).exists() && !demo.exists() && !place.global().exists());
    // The questions of the real server are unchanged.
    assert_eq!(TestApprover::known(&place, server.port).sees(1)[0]["toolUseId"], "real");
    server.stop();
}

#[test]
fn interrupted_demo_leaves_nothing() {
    let place = TestHome::new();
    let mut show = DemoProcess::start(&place, &["demo"]);
    let scratch = scratch(&show);
    show.says("2 asks");
    let demo = directory(&TestApprover::by_link(&show.link()).question("edit"));
    assert!(demo.exists());
    show.signal(Signal::INT);
    assert_eq!(show.ended().code(), Some(0), "{}", show.said());
    assert!(!Path::new(&scratch).exists() && !demo.exists());
    assert!(!place.home().join(".local/state/sekisho/ledger.db").exists());
}
