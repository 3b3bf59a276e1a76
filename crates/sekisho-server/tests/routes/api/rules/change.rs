//! Changing rules, in either spelling.

use axum::http::Method;
use sekisho_gate::answer::{Answer, Role, RuleScope};
use sekisho_gate::host_ports::RuleWriteError;
use sekisho_policy::LayerKind;
use serde_json::{Value, json};

use super::named;
use crate::harness::in_process::TestServer;

#[tokio::test]
async fn rule_is_created_changed_and_removed() {
    let server = TestServer::new().await;
    let made = server
        .post(
            Role::Admin,
            "/api/rules",
            json!({ "effect": "allow", "rule": { "tool": "peek", "commandGlob": null } }),
        )
        .await;
    assert_eq!(made.status, 201);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(made.headers["location"], format!("/api/rules/{id}"));
    assert!(server.ask("peek", json!({})).await.is_none(), "it applies at once");

    let path = format!("/api/rules/{id}");
    let body = json!({ "toolName": "peek", "autoApprove": false, "priority": 7 });
    let changed = server.send(Role::Admin, Method::PUT, &path, Some(body)).await.ok();
    assert_eq!(
        (&changed["effect"], &changed["priority"], &changed["id"]),
        (&json!("confirm"), &json!(7), &json!(id))
    );
    assert!(server.ask("peek", json!({})).await.is_some());

    assert_eq!(server.send(Role::Admin, Method::DELETE, &path, None).await.status, 204);
    server.get(&path).await.error_text(404);
    server.send(Role::Admin, Method::DELETE, &path, None).await.error_text(404);
    let texts: Vec<String> = server.ledger.entries().into_iter().map(|entry| entry.text).collect();
    for what in ["added", "changed", "removed"] {
        assert!(texts.iter().any(|text| text.contains(&format!("{what} by admin-1"))), "{what}: {texts:?}");
    }
}

#[tokio::test]
async fn names_of_the_first_specification_are_accepted() {
    let server = TestServer::new().await;
    let body = json!({ "serverId": "filesystem", "toolName": null, "toolPattern": "read_*", "autoApprove": true, "priority": 100 });
    let made = server.post(Role::Admin, "/api/rules", body.clone()).await.ok();
    for (field, value) in body.as_object().unwrap() {
        assert_eq!(made[field], *value, "{field}");
    }
    assert_eq!(made["rule"], json!({ "priority": 100, "server": "filesystem", "toolPattern": "read_*" }));
    // Both spellings at once are fine if they agree; a deny is `autoApprove: false`.
    let both = json!({ "server": "a", "serverId": "a", "effect": "deny", "autoApprove": false });
    assert_eq!(server.post(Role::Admin, "/api/rules", both).await.ok()["effect"], "deny");
    // A rule that matches everything, which only the database accepts.
    let all =
        server.post(Role::Admin, "/api/rules", json!({ "autoApprove": false, "serverId": null })).await.ok();
    assert_eq!((&all["effect"], &all["rule"]), (&json!("confirm"), &json!({ "priority": 0 })));
}

#[tokio::test]
async fn invalid_rules_are_rejected_with_the_field() {
    let server = TestServer::new().await;
    let long = "x".repeat(100);
    let cases: Vec<(Value, &[&str])> = vec![
        (json!({ "tool": "peek" }), &["`effect`", "autoApprove"]),
        (json!({ "tool": "peek", "effect": null, "autoApprove": null }), &["`effect`"]),
        (json!({ "tool": "a", "toolName": "b", "effect": "deny" }), &["`tool`", "`toolName`"]),
        (json!({ "server": "a", "serverId": "b", "effect": "deny" }), &["`server`", "`serverId`"]),
        (json!({ "tool": "a", "effect": "allow", "autoApprove": false }), &["`effect`", "`autoApprove`"]),
        (json!({ "tool": "a", "effect": "deny", "autoApprove": true }), &["`effect`", "`autoApprove`"]),
        (json!({ "tool": "a", "effect": "maybe" }), &["maybe"]),
        (json!({ "tool": "a", "effect": "allow", "comand": "ls" }), &["comand"]),
        (json!({ "effect": "allow", "rule": { "tool": "a", "tool_pattern": "b" } }), &["tool_pattern"]),
        (json!({ "effect": "allow", "tool": "a", "rule": { "tool": "a" } }), &["`tool`", "`rule`"]),
        (json!({ "effect": "allow", "tool": "" }), &["`tool`", "empty"]),
        (json!({ "effect": "allow", "tool": "read", "commandGlob": "ls *" }), &["`commandGlob`", "bash"]),
        (json!({ "effect": "allow", "tool": "bash", "timeoutS": 3 }), &["`timeoutS`"]),
        (json!({ "effect": "confirm", "tool": "bash", "timeoutS": 0 }), &["`timeoutS`"]),
        (json!({ "effect": "allow", "tool": "bash", "priority": 1.5 }), &["1.5"]),
        (json!({ "effect": "allow", "tool": "bash", "priority": 3_000_000_000_u64 }), &["3000000000"]),
        (
            json!({ "effect": "allow", "tool": "bash", "command": "ls", "examples": { "match": ["rm"] } }),
            &["`examples`"],
        ),
        (json!({ "effect": "allow", "tool": "web_fetch", "host": "a:0" }), &["`host`"]),
        (json!({ "effect": "allow", "tool": long, "path": "/a" }), &["`path`"]),
        (json!([1]), &["map"]),
    ];
    for (body, words) in cases {
        let fault = server.post(Role::Admin, "/api/rules", body.clone()).await.error_text(400);
        for word in words {
            assert!(fault.contains(word), "{body}: {fault}");
        }
    }
    assert_eq!(server.get("/api/rules?source=database").await.ok()["rules"], json!([]));
}

#[tokio::test]
async fn rule_of_the_users_own_file_is_changed_and_removed_there() {
    let server = TestServer::new().await;
    server.rules_in_file(&json!({ "allow": [{ "tool": "peek" }], "deny": [{ "tool": "wreck" }] }));
    let path = |list: &Value, tool: &str| format!("/api/rules/{}", named(list, tool)["id"].as_str().unwrap());
    let wreck = path(&server.get("/api/rules").await.ok(), "wreck");
    let body = json!({ "effect": "allow", "tool": "wreck", "note": "it is fine" });
    for role in [Role::Agent, Role::Viewer, Role::Approver] {
        server.send(role, Method::PUT, &wreck, Some(body.clone())).await.error_text(403);
        server.send(role, Method::DELETE, &wreck, None).await.error_text(403);
    }
    let changed = server.send(Role::Admin, Method::PUT, &wreck, Some(body)).await.ok();
    assert_eq!(
        (&changed["source"], &changed["effect"], &changed["rule"]["note"]),
        (&json!("global"), &json!("allow"), &json!("it is fine"))
    );
    assert!(server.ask("wreck", json!({})).await.is_none(), "it applies at once");
    // The id from before the change no longer exists.
    server.send(Role::Admin, Method::DELETE, &wreck, None).await.error_text(404);

    let list = server.get("/api/rules").await.ok();
    let peek = path(&list, "peek");
    for bad in [json!({ "effect": "allow" }), json!({ "effect": "allow", "tool": "read", "host": "a" })] {
        server.send(Role::Admin, Method::PUT, &peek, Some(bad)).await.error_text(400);
    }
    assert_eq!(server.send(Role::Admin, Method::DELETE, &peek, None).await.status, 204);
    let left = server.get("/api/rules?source=global").await.ok();
    assert_eq!(left["rules"].as_array().unwrap().len(), 1, "{left}");
    assert!(server.ask("peek", json!({})).await.is_some());
    let texts: Vec<String> = server.ledger.entries().into_iter().map(|entry| entry.text).collect();
    for what in ["changed", "removed"] {
        let line =
            |text: &String| text.contains("config.json:") && text.contains(&format!("{what} by admin-1"));
        assert!(texts.iter().any(line), "{what}: {texts:?}");
    }
}

#[tokio::test]
async fn file_that_cannot_be_written_is_reported() {
    let server = TestServer::new().await;
    server.rules_in_file(&json!({ "deny": [{ "tool": "wreck" }] }));
    let list = server.get("/api/rules").await.ok();
    let wreck = format!("/api/rules/{}", named(&list, "wreck")["id"].as_str().unwrap());
    server.files.fail_writes(Some(RuleWriteError::Failed("config.json: the disk is full".into())));
    let fault = server.send(Role::Admin, Method::DELETE, &wreck, None).await.error_text(500);
    assert!(fault.contains("the disk is full"), "{fault}");
    assert_eq!(server.get("/api/rules?source=global").await.ok()["rules"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn rule_of_another_file_cannot_be_changed_here() {
    let server = TestServer::new().await;
    let project = json!({ "version": 1, "permissions": { "deny": [{ "tool": "wreck" }] } });
    server.files.set(LayerKind::Project, project.to_string());
    let list = server.get("/api/rules").await.ok();
    let wreck = format!("/api/rules/{}", named(&list, "wreck")["id"].as_str().unwrap());
    let body = || Some(json!({ "effect": "allow", "tool": "wreck" }));
    let fault = server.send(Role::Admin, Method::PUT, &wreck, body()).await.error_text(409);
    assert!(fault.contains(".sekisho/config.json:1"), "{fault}");
    let built_in =
        list["rules"].as_array().unwrap().iter().find(|rule| rule["source"] == "built-in").unwrap();
    let built_in = format!("/api/rules/{}", built_in["id"].as_str().unwrap());
    let fault = server.send(Role::Admin, Method::DELETE, &built_in, None).await.error_text(409);
    assert!(fault.contains("built in"), "{fault}");
    server.send(Role::Admin, Method::PUT, "/api/rules/none", body()).await.error_text(404);
}

#[tokio::test]
async fn session_rule_cannot_match_everything() {
    let server = TestServer::new().await;
    let answer = Answer::approve().with_rules(RuleScope::Session, Vec::new());
    server.ask_and_answer("deploy", json!({}), answer).await;
    let list = server.get("/api/rules?source=session").await.ok();
    let path = format!("/api/rules/{}", list["rules"][0]["id"].as_str().unwrap());
    server.send(Role::Admin, Method::PUT, &path, Some(json!({ "effect": "allow" }))).await.error_text(400);
    let body = json!({ "effect": "deny", "tool": "deploy" });
    let changed = server.send(Role::Admin, Method::PUT, &path, Some(body)).await.ok();
    assert_eq!((&changed["source"], &changed["effect"]), (&json!("session"), &json!("deny")));
    assert!(changed["rule"]["expiresAt"].is_string(), "it still ends");
}

#[tokio::test]
async fn only_admins_may_change_rules() {
    let server = TestServer::new().await;
    for role in [Role::Agent, Role::Viewer, Role::Approver] {
        server.post(role, "/api/rules", json!({ "effect": "allow", "tool": "peek" })).await.error_text(403);
    }
    server.send(Role::Agent, Method::GET, "/api/rules", None).await.error_text(403);
}
