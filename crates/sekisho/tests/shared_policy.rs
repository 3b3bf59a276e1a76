//! The hook, the server and the command line on one machine share one policy, whichever of them changes it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::serve::test_server::{TestServer, eventually};
use crate::test_home::TestHome;

/// What Claude Code receives about a command.
#[expect(clippy::disallowed_methods, reason = "the hook is a process of its own")]
fn hook(place: &TestHome, command: &str, id: &str) -> String {
    let hook = Path::new(env!("CARGO_BIN_EXE_sekisho")).with_file_name("sekisho-hook");
    assert!(hook.exists(), "{} is not built; `cargo test --workspace` builds it", hook.display());
    let hooks = place.home().join(".local/state/sekisho/hooks");
    let installation = hooks.read_dir().unwrap().next().unwrap().unwrap().path();
    let input = json!({
        "session_id": "s1", "transcript_path": "/t.jsonl", "cwd": place.home().join("../project"), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": id,
    });
    let mut child = Command::new(hook)
        .args(["claude-code", "--installation"])
        .arg(installation)
        .env_clear()
        .current_dir(place.home().join("../project"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or_default().to_owned()
}

fn place() -> TestHome {
    let place = TestHome::new();
    TestHome::write(
        &place.global(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash", "command": "make" }] } }"#,
    );
    let installed = place.run(&["install", "claude-code", "--yes"]);
    assert_eq!(installed.code, 0, "{}{}", installed.out, installed.err);
    place
}

fn admin(place: &TestHome) -> String {
    place.run(&["token", "create", "--name", "t", "--role", "admin"]).out.trim().to_owned()
}

fn as_admin(server: &TestServer, token: &str, request: &str, body: Option<&Value>) -> Value {
    let bearer = format!("Bearer {token}");
    let answer = server.request(request, &[("Authorization", &bearer)], body);
    assert!(answer.status < 300, "{request}: {answer:?}");
    serde_json::from_str(&answer.text).unwrap_or_default()
}

#[test]
fn stored_rule_counts_for_hooks_at_once_without_a_server() {
    let place = place();
    assert_eq!(hook(&place, "make", "1"), "allow", "no database yet");
    let token = admin(&place);
    assert_eq!(hook(&place, "make", "2"), "deny", "a database whose rules are not published yet");
    let mut server = TestServer::start(&place, &[]);
    assert_eq!(hook(&place, "make", "3"), "allow");
    let deny = json!({ "effect": "deny", "tool": "bash", "command": "make" });
    let rule = as_admin(&server, &token, "POST /api/rules", Some(&deny));
    assert_eq!(hook(&place, "make", "4"), "deny", "the rule applies once the response has arrived");
    let allow = json!({ "effect": "allow", "tool": "bash", "command": "just" });
    as_admin(&server, &token, "POST /api/rules", Some(&allow));
    server.signal(rustix::process::Signal::KILL);
    server.ended();
    assert_eq!((hook(&place, "make", "5"), hook(&place, "just x", "6")), ("deny".into(), "allow".into()));

    let server = TestServer::start(&place, &[]);
    let path = format!("DELETE /api/rules/{}", rule["id"].as_str().unwrap());
    as_admin(&server, &token, &path, None);
    assert_eq!(hook(&place, "make", "7"), "allow");
    server.stop();
}

#[test]
fn hook_decisions_are_recorded_and_verify() {
    let place = place();
    hook(&place, "make all", "1");
    hook(&place, "sekisho approvals list", "2");
    let server = TestServer::start(&place, &[]);
    let token = admin(&place);
    let rows = eventually("they are not in the audit log", || {
        let found = as_admin(&server, &token, "GET /api/audit?agent=claude-code", None);
        found["rows"].as_array().cloned().filter(|rows| rows.len() == 2)
    });
    let mut decisions: Vec<&str> = rows.iter().filter_map(|row| row["decision"].as_str()).collect();
    decisions.sort_unstable();
    assert_eq!(decisions, ["allow", "deny"], "{rows:?}");
    server.stop();
    let verified = place.run(&["audit", "verify"]);
    assert_eq!(verified.code, 0, "{}{}", verified.out, verified.err);
}

#[test]
fn denial_in_the_terminal_is_remembered_for_the_session() {
    let place = place();
    let token = admin(&place);
    let server = TestServer::start(&place, &[]);
    let open = |server: &TestServer| -> Option<String> {
        let found = as_admin(server, &token, "GET /api/approvals?state=pending", None);
        found["approvals"][0]["id"].as_str().map(str::to_owned)
    };
    let answered = |command: &str, id: &str, arguments: &[&str], body: Option<Value>| {
        std::thread::scope(|threads| {
            let waiting = threads.spawn(|| hook(&place, command, id));
            let question = loop {
                if let Some(question) = open(&server) {
                    break question;
                }
                assert!(!waiting.is_finished(), "no question was opened");
                std::thread::sleep(std::time::Duration::from_millis(20));
            };
            match body {
                None => {
                    let done = place.run(&[&["approvals"], arguments, &[question.as_str()]].concat());
                    assert_eq!(done.code, 0, "{}{}", done.out, done.err);
                }
                Some(body) => {
                    as_admin(&server, &token, &format!("POST /api/approvals/{question}/answer"), Some(&body));
                }
            }
            waiting.join().unwrap()
        })
    };
    assert_eq!(answered("frobnicate", "1", &["approve"], None), "allow");
    assert_eq!(answered("frobnicate", "2", &["deny"], None), "deny");
    // A remembered deny for this session also denies what the policy allows.
    let no = json!({ "behavior": "deny", "message": "no more", "remember": { "scope": "session" } });
    assert_eq!(answered("frobnicate", "3", &[], Some(no)), "deny");
    assert_eq!(hook(&place, "frobnicate", "4"), "deny", "not asked again");
    assert_eq!(open(&server), None);
    server.stop();
}
