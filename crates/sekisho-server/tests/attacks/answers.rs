//! Answers that are replayed, meant for another question, or given by the asker.

use sekisho_gate::answer::Role;
use serde_json::json;

use super::TestServer;
use crate::harness::socket_server::question;

/// A server with two open approvals, an agent's token and an approver's token.
async fn asked() -> (TestServer, String, String) {
    let server = TestServer::new().await;
    let (agent, approver) = (server.token(Role::Agent).await, server.token(Role::Approver).await);
    for id in ["c1", "c2"] {
        let reply = server.call(&agent, "POST", "/api/can-use-tool?wait=false", Some(question(id))).await;
        assert_eq!(reply.status, 202);
    }
    (server, agent, approver)
}

#[tokio::test]
async fn replayed_answer_changes_nothing() {
    let (server, agent, approver) = asked().await;
    let open = server.open(2).await;
    let path = format!("/api/approvals/{}/answer", open[0].id);
    let yes = json!({ "behavior": "allow", "digest": open[0].asked.digest });
    let first = server.call(&approver, "POST", &path, Some(yes.clone())).await;
    assert_eq!((first.status, first.json()["again"].clone()), (200, json!(false)));
    let again = server.call(&approver, "POST", &path, Some(yes.clone())).await;
    assert_eq!((again.status, again.json()["again"].clone()), (200, json!(true)));
    let other = server.call(&approver, "POST", &path, Some(json!({ "behavior": "deny" }))).await;
    assert_eq!((other.status, other.code().as_str()), (409, "Conflict"));
    // The caller takes the answer. The same id with another input is another question, not a way to reuse the
    // answer.
    let id = open[0].asked.call.call_id.clone().unwrap();
    let taken = server.call(&agent, "POST", "/api/can-use-tool", Some(question(&id))).await.json();
    assert_eq!(taken["behavior"], "allow");
    let mut changed = question(&id);
    changed["input"]["to"] = json!("production");
    let reply = server.call(&agent, "POST", "/api/can-use-tool?wait=false", Some(changed)).await;
    assert!([202, 409].contains(&reply.status), "{}", String::from_utf8_lossy(&reply.body));
}

#[tokio::test]
async fn answer_with_another_questions_digest_is_rejected() {
    let (server, _, approver) = asked().await;
    let open = server.open(2).await;
    let path = format!("/api/approvals/{}/answer", open[0].id);
    let body = json!({ "behavior": "allow", "digest": open[1].asked.digest });
    let reply = server.call(&approver, "POST", &path, Some(body)).await;
    assert_eq!((reply.status, reply.code().as_str()), (409, "DigestMismatch"));
    assert_eq!(server.open(2).await.len(), 2, "both are still open");
}

#[tokio::test]
async fn agent_cannot_answer_its_own_question_nor_see_others() {
    let (server, agent, _) = asked().await;
    let other = server.token_named("other agent", Role::Agent).await;
    let id = server.open(2).await[0].id;
    let path = format!("/api/approvals/{id}/answer");
    let reply = server.call(&agent, "POST", &path, Some(json!({ "behavior": "allow" }))).await;
    assert_eq!(reply.code(), "Forbidden");
    assert_eq!(server.call(&agent, "GET", &format!("/api/approvals/{id}"), None).await.status, 200);
    for (method, path) in [
        ("GET", format!("/api/approvals/{id}")),
        ("GET", format!("/api/approvals/{id}/wait?timeoutMs=0")),
        ("DELETE", format!("/api/approvals/{id}")),
    ] {
        assert_eq!(server.call(&other, method, &path, None).await.status, 404, "{method} {path}");
    }
    let list = server.call(&other, "GET", "/api/approvals", None).await.json();
    assert_eq!(list["approvals"], json!([]));
    // On the Unix socket without a token, the caller is an agent as well.
    let request =
        server.request("POST", &format!("/api/approvals/{id}/answer")).json(&json!({ "behavior": "allow" }));
    let reply = server.connect_unix().await.ask(&request.bytes()).await.unwrap();
    assert_eq!(reply.code(), "Forbidden");
    assert_eq!(server.open(2).await.len(), 2);
}

#[tokio::test]
async fn edited_input_must_be_an_object() {
    let (server, _, approver) = asked().await;
    let path = format!("/api/approvals/{}/answer", server.open(2).await[0].id);
    for input in [json!("rm -rf x"), json!(["rm -rf x"]), json!(1), json!(true), json!([])] {
        let body = json!({ "behavior": "allow", "updatedInput": input });
        let reply = server.call(&approver, "POST", &path, Some(body)).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "InvalidRequest"), "{input}");
    }
    assert_eq!(server.open(2).await.len(), 2, "both are still open");
}

#[tokio::test]
async fn list_as_body_is_rejected() {
    let (server, agent, approver) = asked().await;
    let admin = server.token(Role::Admin).await;
    let answer = format!("/api/approvals/{}/answer", server.open(2).await[0].id);
    let rule = json!(["allow", "bash"]);
    for (token, method, path, body) in [
        (&approver, "POST", answer.as_str(), json!(["allow", null, null, false, null, null])),
        (&approver, "POST", answer.as_str(), json!({ "behavior": "allow", "remember": ["project", []] })),
        (
            &approver,
            "POST",
            answer.as_str(),
            json!({ "behavior": "allow", "remember": { "scope": "project", "rules": [rule] } }),
        ),
        (&agent, "POST", "/api/can-use-tool?wait=false", json!(["bash", { "command": "ls" }])),
        (&agent, "POST", "/api/decide", json!(["bash", { "command": "ls" }])),
        (&admin, "POST", "/api/rules", rule.clone()),
        (&admin, "POST", "/api/rules/test", json!([[rule], null])),
        (&admin, "POST", "/api/tokens", json!(["x", "admin"])),
        (&admin, "POST", "/api/links", json!(["x", "admin"])),
    ] {
        let reply = server.call(token, method, path, Some(body.clone())).await;
        assert!([400, 404].contains(&reply.status), "{path} {body}: {}", reply.status);
    }
    assert_eq!(server.open(2).await.len(), 2, "both are still open");
}

#[tokio::test]
async fn object_as_name_is_rejected() {
    let (server, agent, approver) = asked().await;
    let admin = server.token(Role::Admin).await;
    let answer = format!("/api/approvals/{}/answer", server.open(2).await[0].id);
    let request =
        json!({ "toolName": "deploy", "input": {}, "toolUseId": "new", "onTimeout": { "park": null } });
    for (token, path, body) in [
        (&approver, answer.as_str(), json!({ "behavior": { "allow": null } })),
        (&agent, "/api/can-use-tool?wait=false", request),
        (&admin, "/api/rules", json!({ "effect": { "allow": null }, "tool": "deploy" })),
        (&admin, "/api/tokens", json!({ "name": "x", "role": { "viewer": null } })),
    ] {
        let reply = server.call(token, "POST", path, Some(body.clone())).await;
        assert_eq!(reply.status, 400, "{path} {body}");
        assert!(reply.json()["error"]["message"].as_str().unwrap().contains("expected nothing"), "{body}");
    }
    assert_eq!(server.open(2).await.len(), 2, "both are still open");
}
