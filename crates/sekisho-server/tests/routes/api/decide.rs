//! `/api/decide`: verdicts for people who write rules.

use sekisho_gate::answer::Role;
use sekisho_policy::{Fact, FactQuery};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::in_process::TestServer;
use crate::harness::socket_server;

const READERS: [Role; 3] = [Role::Viewer, Role::Approver, Role::Admin];

async fn decided(server: &TestServer, role: Role, body: Value) -> Value {
    server.post(role, "/api/decide", body).await.ok()
}

/// The outcomes of the rules with a note, by note.
fn outcomes(decided: &Value) -> Vec<(String, String)> {
    let considered = decided["considered"].as_array().unwrap().iter();
    let named = considered.filter_map(|one| {
        Some((one["rule"]["rule"]["note"].as_str()?.to_owned(), one["outcome"].as_str()?.to_owned()))
    });
    let mut named: Vec<(String, String)> = named.collect();
    named.sort();
    named
}

#[tokio::test]
async fn readers_see_the_whole_verdict_and_the_outranked_rules() {
    let server = TestServer::new().await;
    server.rules_in_file(&json!({
        "allow": [{ "tool": "bash", "command": "git push", "note": "weak" }],
        "confirm": [{ "tool": "bash", "command": "git push", "priority": 1, "note": "strong" }],
    }));
    let body = json!({ "toolName": "Bash", "input": { "command": "git push && ls" } });
    for role in READERS {
        let response = decided(&server, role, body.clone()).await;
        assert_eq!(
            (&response["decision"], &response["verdict"]["decision"]),
            (&json!("confirm"), &json!("confirm"))
        );
        let parts = response["verdict"]["parts"].as_array().unwrap();
        assert_eq!(
            (parts.len(), &parts[0]["decision"], &parts[1]["decision"]),
            (2, &json!("confirm"), &json!("allow"))
        );
        assert_eq!(response["verdict"]["rules"][0]["rule"]["note"], "strong", "{response}");
        let lost = [("strong".to_owned(), "decided".to_owned()), ("weak".to_owned(), "outranked".to_owned())];
        assert_eq!(outcomes(&response), lost, "{role}");
    }
    let response = decided(&server, Role::Agent, body).await;
    assert_eq!(response["decision"], "confirm");
    assert!(response.get("verdict").is_none() && response.get("considered").is_none(), "{response}");
    assert_eq!(
        server.ledger.entries().iter().filter(|entry| entry.tool.is_some()).count(),
        0,
        "nothing is kept"
    );
}

#[tokio::test]
async fn approvers_browser_sees_it_too() {
    let server = socket_server::TestServer::new().await;
    let link = server.link(Role::Approver).await;
    let request = server.request("POST", "/api/session").header("Origin", &server.origin());
    let device = server.send(&request.json(&json!({ "link": link }))).await.device();
    let request = server.request("POST", "/api/decide").header("Origin", &server.origin()).device(&device);
    let response =
        server.send(&request.json(&json!({ "toolName": "Bash", "input": { "command": "rm x" } }))).await;
    assert_eq!(response.status, 200);
    let response = response.json();
    assert_eq!(response["verdict"]["parts"][0]["text"], "rm x");
    assert!(response["considered"].is_array(), "{response}");
}

#[tokio::test]
async fn names_are_judged_as_claimed_and_as_proven() {
    let server = TestServer::new().await;
    server.rules_in_file(&json!({
        "allow": [
            { "server": "github", "tool": "create_issue", "note": "server" },
            { "agent": "builder", "tool": "deploy", "note": "agent" },
        ],
        "deny": [{ "server": "evil", "tool": "fetch" }, { "agent": "intruder", "tool": "peek" }],
    }));
    for role in READERS {
        for (body, note) in [
            (json!({ "toolName": "create_issue", "serverId": "github" }), "server"),
            (json!({ "toolName": "deploy", "agentId": "builder" }), "agent"),
        ] {
            let response = decided(&server, role, body.clone()).await;
            assert_eq!(response["decision"], "confirm", "{body}: said, and not proven");
            assert_eq!(outcomes(&response), [(note.to_owned(), "unproven".to_owned())]);
            let mut body = body;
            body["namesProven"] = json!(true);
            let response = decided(&server, role, body).await;
            assert_eq!(response["decision"], "allow");
            assert_eq!(outcomes(&response), [(note.to_owned(), "decided".to_owned())]);
        }
        for body in [
            json!({ "toolName": "fetch", "serverId": "evil" }),
            json!({ "toolName": "peek", "agentId": "intruder" }),
        ] {
            assert_eq!(decided(&server, role, body.clone()).await["decision"], "deny", "{body}");
        }
    }
    let body = json!({ "toolName": "deploy", "agentId": "builder", "namesProven": true });
    let fault = server.post(Role::Agent, "/api/decide", body).await.error_text(403);
    assert!(fault.contains("`namesProven`"), "{fault}");
}

#[tokio::test]
async fn call_in_a_registered_project_uses_its_rules() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().canonicalize().unwrap().join("project");
    std::fs::create_dir_all(root.join("src")).unwrap();
    let root = root.to_str().unwrap().to_owned();
    let server = TestServer::with_projects(vec![root.clone()], &directory.path().join("state")).await;
    for path in [format!("{root}/src/a.txt"), format!("{root}/src")] {
        server.files.set_fact(FactQuery::Resolve(path.clone()), Fact::Resolved(path));
    }
    for role in READERS {
        let body = |cwd: &str| json!({ "toolName": "Bash", "input": { "command": "cat a.txt" }, "cwd": cwd });
        let response = decided(&server, role, body(&format!("{root}/src"))).await;
        assert_eq!(response["decision"], "allow", "{response}");
        let outside = directory.path().canonicalize().unwrap();
        let response = decided(&server, role, body(outside.to_str().unwrap())).await;
        assert_eq!(response["decision"], "confirm", "{response}");
    }
}
