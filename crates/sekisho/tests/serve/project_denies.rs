//! A project's deny rules apply to every caller of the project, whatever directory it claims.

use serde_json::{Value, json};

use super::test_server::TestServer;
use crate::test_home::TestHome;

const DENIED: &str =
    r#"{ "version": 1, "permissions": { "deny": [{ "tool": "bash", "command": "deploy" }] } }"#;
const ALLOWED: &str =
    r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash", "command": "deploy" }] } }"#;

fn place() -> TestHome {
    let place = TestHome::new();
    TestHome::write(&place.project(), DENIED);
    TestHome::write(&place.global(), ALLOWED);
    place
}

fn token(place: &TestHome, arguments: &[&str]) -> String {
    let create = ["token", "create", "--name", "bot", "--role", "agent"];
    let output = place.run(&[&create[..], arguments].concat());
    assert_eq!(output.code, 0, "{}", output.err);
    format!("Bearer {}", output.out.trim())
}

/// The decision, and the reasons as text.
fn decided(
    server: &TestServer,
    token: &str,
    headers: &[(&str, &str)],
    cwd: Option<&str>,
) -> (String, String) {
    asked(server, token, headers, ("c1", cwd))
}

/// The same in a new conversation.
fn begun(server: &TestServer, token: &str, conversation: &str, cwd: Option<&str>) -> (String, String) {
    asked(server, token, &[], (conversation, cwd))
}

fn asked(
    server: &TestServer,
    token: &str,
    headers: &[(&str, &str)],
    (conversation, cwd): (&str, Option<&str>),
) -> (String, String) {
    let mut body = json!({ "toolName": "Bash", "input": { "command": "deploy now" }, "conversationId": conversation, "toolUseId": "t1" });
    body["cwd"] = cwd.map_or(Value::Null, Value::from);
    let headers: Vec<(&str, &str)> = [("Authorization", token)].iter().chain(headers).copied().collect();
    let answer = server.request("POST /api/can-use-tool?wait=false", &headers, Some(&body));
    let response = answer.json();
    (response["behavior"].as_str().unwrap_or_default().to_owned(), response["message"].to_string())
}

#[test]
fn rules_of_all_roots_apply_to_a_bound_token() {
    let place = place();
    let server = TestServer::start(&place, &["--project", "."]);
    let bound = token(&place, &["--root", "."]);
    let project = place.home().parent().unwrap().join("project");
    for cwd in [None, Some("/tmp"), Some("/nowhere"), project.to_str()] {
        for headers in [&[][..], &[("Via", "x")], &[("X-Forwarded-For", "10.0.0.1")]] {
            let (behavior, message) = decided(&server, &bound, headers, cwd);
            assert_eq!(behavior, "deny", "{cwd:?} {headers:?}: {message}");
            assert!(message.contains("project"), "{message}");
        }
    }
    server.stop();
}

#[test]
fn session_keeps_its_first_root() {
    let place = place();
    let server = TestServer::start(&place, &["--project", "."]);
    let free = token(&place, &[]);
    // The project has no rules for other directories.
    let project = place.home().parent().unwrap().join("project");
    assert_eq!(decided(&server, &free, &[], project.to_str()).0, "deny");
    for cwd in [None, Some("/tmp")] {
        for headers in [&[][..], &[("Via", "x")]] {
            let (behavior, message) = decided(&server, &free, headers, cwd);
            assert_eq!(behavior, "deny", "{cwd:?} {headers:?}: {message}");
        }
    }
    server.stop();
}

#[test]
fn missing_directory_does_not_hide_a_project() {
    let place = place();
    let server = TestServer::start(&place, &["--project", "."]);
    let free = token(&place, &[]);
    let above = place.home().parent().unwrap().to_path_buf();
    for (number, cwd) in
        ["missing/../project", "a/b/../../project", "project/missing/..", "home/../missing/../project/x"]
            .into_iter()
            .enumerate()
    {
        let cwd = above.join(cwd);
        let (behavior, message) = begun(&server, &free, &format!("new {number}"), cwd.to_str());
        assert_eq!(behavior, "deny", "{}: {message}", cwd.display());
    }
    server.stop();
}
