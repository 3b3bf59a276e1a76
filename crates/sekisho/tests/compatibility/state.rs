//! A database of an earlier version, in a file and on a server, and the files beside it.

use serde_json::{Value, json};

use super::fixture_copy::FixtureCopy;
use crate::serve::test_server::{TestServer, eventually};

/// A call of the fixtures' agent.
fn call(id: &str, command: &str) -> Value {
    json!({
        "toolName": "bash", "input": { "command": command }, "toolUseId": id, "conversationId": "talk", "runId": "run-1",
        "agentId": "builder", "cwd": "/work/project",
    })
}

/// All questions, by the id of their call.
fn questions(copy: &FixtureCopy, server: &TestServer) -> Vec<Value> {
    let (status, found) = copy.ask(server, "viewer", "GET /api/approvals?limit=100", None);
    assert_eq!(status, 200, "{found}");
    found["approvals"].as_array().unwrap().clone()
}

fn question<'a>(questions: &'a [Value], id: &str) -> &'a Value {
    questions.iter().find(|question| question["toolUseId"] == id).unwrap()
}

fn every_row_is_read(copy: &FixtureCopy) {
    copy.verify();
    let rows = copy.rows(&["audit", "export"]);
    let count = |kind: &str| rows.iter().filter(|row| row["kind"] == kind).count();
    let kinds = [
        "verdict",
        "question",
        "outcome",
        "claim",
        "execution",
        "rules",
        "trust",
        "token",
        "upkeep",
        "checkpoint",
    ];
    let found: Vec<(&str, usize)> = kinds.into_iter().map(|kind| (kind, count(kind))).collect();
    assert_eq!(found.iter().map(|(_, count)| count).sum::<usize>(), rows.len(), "{found:?}");
    assert!(found.iter().all(|(_, count)| *count > 0), "{found:?}");
    let server = copy.server();
    for row in &rows {
        let path = format!("GET /api/audit/rows/{}/{}", row["writer"].as_str().unwrap(), row["seq"]);
        let (status, shown) = copy.ask(&server, "viewer", &path, None);
        assert_eq!((status, &shown["row"]["text"]), (200, &row["text"]), "{path}: {shown}");
    }
    server.stop();
    let tokens: Value = serde_json::from_str(&copy.run(&["token", "list", "--json"])).unwrap();
    let tokens: Vec<(&str, &str)> = tokens
        .as_array()
        .unwrap()
        .iter()
        .map(|token| (token["name"].as_str().unwrap(), token["state"].as_str().unwrap()))
        .collect();
    let expected = [
        ("agent", "counts"),
        ("viewer", "counts"),
        ("approver", "counts"),
        ("admin", "counts"),
        ("bound", "counts"),
        ("retired", "revoked"),
        ("brief", "expired"),
    ];
    assert_eq!(tokens, expected);
}

fn questions_are_read_and_answered(copy: &FixtureCopy) {
    let server = copy.server();
    let all = eventually("the overdue question did not expire", || {
        let all = questions(copy, &server);
        (question(&all, "overdue")["state"] == "expired").then_some(all)
    });
    for (id, state) in [
        ("approved", "approved"),
        ("unclaimed", "approved"),
        ("denied", "denied"),
        ("edited", "approved"),
        ("expired", "expired"),
        ("withdrawn", "aborted"),
        ("mcp", "approved"),
        ("parked", "pending"),
        ("parked-too", "pending"),
    ] {
        let listed = question(&all, id);
        assert_eq!(listed["state"], state, "{id}");
        let path = format!("GET /api/approvals/{}", listed["id"].as_str().unwrap());
        assert_eq!(copy.ask(&server, "viewer", &path, None), (200, listed.clone()), "{id}");
    }
    assert_eq!(question(&all, "edited")["outcome"]["updatedInput"], json!({ "command": "deploy staging" }));
    assert_eq!(question(&all, "mcp")["input"]["share"], json!(0.300_000_000_000_000_04));

    let answer = |id: &str, answer: &Value| {
        let path = format!("POST /api/approvals/{}/answer", question(&all, id)["id"].as_str().unwrap());
        assert_eq!(copy.ask(&server, "approver", &path, Some(answer)).0, 200, "{id}");
    };
    let response = |id: &str, command: &str| {
        let (status, response) =
            copy.ask(&server, "agent", "POST /api/can-use-tool", Some(&call(id, command)));
        assert_eq!(status, 200, "{id}: {response}");
        response
    };
    answer("parked", &json!({ "behavior": "allow", "digest": question(&all, "parked")["digest"] }));
    let run = response("parked", "terraform apply");
    assert_eq!(run["behavior"], "allow");
    let path = format!("POST /api/executions/{}", run["executionId"].as_str().unwrap());
    assert_eq!(copy.ask(&server, "agent", &path, Some(&json!({ "isError": false }))).0, 204);
    answer("parked-too", &json!({ "behavior": "deny", "message": "keep it" }));
    let refused = response("parked-too", "terraform destroy");
    assert_eq!(refused["behavior"], "deny");
    assert!(refused["message"].as_str().unwrap().contains("keep it"), "{refused}");
    let run = response("ruled", "ninja");
    assert_eq!(run["behavior"], "allow", "a rule of the database");
    server.stop();
    // The ledger knows whose execution it is, whichever server receives the report.
    let server = copy.server();
    let path = format!("POST /api/executions/{}", run["executionId"].as_str().unwrap());
    let ended = Some(&json!({ "isError": false }));
    assert_eq!(copy.ask(&server, "bound", &path, ended).0, 404, "it is another agent's");
    assert_eq!(copy.ask(&server, "agent", &path, ended).0, 204);
    assert_eq!(copy.ask(&server, "agent", &path, ended).0, 404, "it has ended");
    server.stop();
    copy.verify();
}

#[test]
fn every_record_of_an_earlier_file_is_read() {
    every_row_is_read(&FixtureCopy::sqlite());
}

#[test]
fn every_record_of_an_earlier_server_is_read() {
    every_row_is_read(&FixtureCopy::postgres());
}

#[test]
fn questions_in_an_earlier_file_can_be_answered() {
    questions_are_read_and_answered(&FixtureCopy::sqlite());
}

#[test]
fn questions_on_an_earlier_server_can_be_answered() {
    questions_are_read_and_answered(&FixtureCopy::postgres());
}

#[test]
fn trust_of_an_earlier_version_still_counts() {
    let copy = FixtureCopy::sqlite();
    let said = copy.run(&["trust", "--show"]);
    assert!(said.contains("trusted"), "{said}");
    let checked = copy.run(&["check", "--json", "bash", "npm test"]);
    assert!(checked.contains("\"allow\""), "{checked}");
}
