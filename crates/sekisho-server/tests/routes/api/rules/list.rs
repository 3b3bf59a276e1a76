//! Listing the rules of all layers.

use jiff::SignedDuration;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::{Answer, Role, RuleScope};
use sekisho_gate::audit::{AuditLog, WriterId};
use sekisho_gate::record::RecordKind;
use sekisho_policy::LayerKind;
use serde_json::json;

use super::named;
use crate::harness::in_process::TestServer;

#[tokio::test]
async fn rules_of_all_layers_are_listed_with_their_source() {
    let server = TestServer::new().await;
    server.rules_in_file(
        &json!({ "allow": [{ "tool": "peek" }], "deny": [{ "tool": "wreck", "priority": 3 }] }),
    );
    let project = json!({ "version": 1, "permissions": { "allow": [{ "tool": "loose" }], "deny": [{ "tool": "tight" }] } });
    server.files.set(LayerKind::Project, project.to_string());
    server.files.trust_project(false);
    let body = json!({ "effect": "confirm", "tool": "deploy", "timeoutS": 30, "onTimeout": "park" });
    let made = server.post(Role::Admin, "/api/rules", body).await;
    assert_eq!(made.status, 201);
    let scope = Answer::approve().with_rules(RuleScope::Session, Vec::new());
    server.ask_and_answer("fetch_mail", json!({}), scope).await;

    let list = server.get("/api/rules").await.ok();
    let peek = named(&list, "peek");
    assert_eq!(
        (&peek["source"], &peek["file"], &peek["line"]),
        (&json!("global"), &json!("config.json"), &json!(1))
    );
    assert_eq!((&peek["editable"], &peek["standing"]), (&json!(true), &json!("counts")));
    assert_eq!(
        (&peek["autoApprove"], &peek["serverId"], &peek["toolPattern"]),
        (&json!(true), &json!(null), &json!(null))
    );
    let wreck = named(&list, "wreck");
    assert_eq!(
        (&wreck["effect"], &wreck["autoApprove"], &wreck["priority"]),
        (&json!("deny"), &json!(false), &json!(3))
    );
    assert_eq!(named(&list, "loose")["standing"], "not_trusted");
    let tight = named(&list, "tight");
    assert_eq!((&tight["editable"], &tight["standing"]), (&json!(false), &json!("counts")));
    let deploy = named(&list, "deploy");
    assert_eq!((&deploy["source"], &deploy["editable"]), (&json!("database"), &json!(true)));
    assert_eq!(
        deploy["rule"],
        json!({ "priority": 0, "tool": "deploy", "timeoutS": 30, "onTimeout": "park" })
    );
    assert_eq!(deploy["createdBy"], "admin-1");
    assert_eq!(deploy["createdAt"], "2026-01-01T00:00:00Z");
    let mail = named(&list, "fetch_mail");
    assert_eq!(
        (&mail["source"], &mail["session"]["scope"]),
        (&json!("session"), &json!("conversation:talk"))
    );
    let read = list["rules"].as_array().unwrap().iter().find(|rule| rule["source"] == "built-in").unwrap();
    assert_eq!((&read["editable"], &read["file"]), (&json!(false), &json!(null)));
    assert!(list["generation"].as_u64().unwrap() > 0);
    assert_eq!(list["problems"], json!([]));

    for rule in list["rules"].as_array().unwrap() {
        let id = rule["id"].as_str().unwrap();
        let same = list["rules"].as_array().unwrap().iter().filter(|other| other["id"] == id).count();
        assert_eq!(same, 1, "{rule}");
    }
    let one = server.get(&format!("/api/rules/{}", peek["id"].as_str().unwrap())).await.ok();
    assert_eq!(&one, peek);
    server.get("/api/rules/none").await.error_text(404);
}

#[tokio::test]
async fn list_can_be_filtered() {
    let server = TestServer::with_projects(vec!["/work/a".into()], std::path::Path::new("/nowhere")).await;
    server.rules_in_file(
        &json!({ "allow": [{ "tool": "peek", "note": "Harmless" }], "deny": [{ "tool": "wreck" }] }),
    );
    let tools = async |query: &str| {
        let list = server.get(&format!("/api/rules?{query}")).await.ok();
        let rules = list["rules"].as_array().unwrap().clone();
        rules.iter().map(|rule| rule["toolName"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(tools("source=global").await, ["peek", "wreck"]);
    assert_eq!(tools("source=global&effect=deny").await, ["wreck"]);
    assert_eq!(tools("text=harmLESS").await, ["peek"]);
    assert_eq!(tools("project=/work/a&source=global").await, ["peek", "wreck"]);
    let fault = server.get("/api/rules?project=/work/b").await.error_text(400);
    assert!(fault.contains("`/work/b`") && fault.contains("/work/a"), "{fault}");
    server.get("/api/rules?sauce=global").await.error_text(400);
    server.get("/api/rules?source=nowhere").await.error_text(400);
}

#[tokio::test]
async fn broken_layers_are_listed_as_problems() {
    let server = TestServer::new().await;
    server.files.set(LayerKind::Project, r#"{ "version": 1, "permisions": {} }"#);
    let list = server.get("/api/rules").await.ok();
    let problem = &list["problems"][0];
    assert_eq!((&problem["source"], &problem["file"]), (&json!("project"), &json!(".sekisho/config.json")));
    assert!(problem["message"].as_str().unwrap().contains("permisions"), "{problem}");
}

#[tokio::test]
async fn hits_are_counted_once_and_for_a_week() {
    let server = TestServer::new().await;
    server.rules_in_file(
        &json!({ "allow": [{ "tool": "peek" }, { "tool": "poke" }], "confirm": [{ "tool": "deploy" }] }),
    );
    let kept =
        server.post(Role::Admin, "/api/rules", json!({ "tool": "wreck", "effect": "deny" })).await.ok();
    for _ in 0..3 {
        server.ask("peek", json!({})).await;
        server.ask("wreck", json!({})).await;
    }
    server.ask("deploy", json!({})).await.unwrap();
    let hits = async |tool: &str| {
        let list = server.get("/api/rules").await.ok();
        let rule = named(&list, tool);
        (rule["hits"].as_u64().unwrap(), rule["lastHit"].as_str().map(str::to_owned))
    };
    let first = Some("2026-01-01T00:00:00Z".to_owned());
    assert_eq!(hits("peek").await, (3, first.clone()));
    assert_eq!(hits("wreck").await, (3, first.clone()));
    assert_eq!(hits("deploy").await, (1, first.clone()));
    assert_eq!(hits("poke").await, (0, None));
    // A second request counts only what is new.
    server.clock.advance(SignedDuration::from_hours(24));
    server.ask("peek", json!({})).await;
    assert_eq!(hits("peek").await, (4, Some("2026-01-02T00:00:00Z".into())));
    assert_eq!(hits("wreck").await, (3, first));
    let id = kept["id"].as_str().unwrap();
    assert_eq!(server.get(&format!("/api/rules/{id}")).await.ok()["hits"], 3);
    server.clock.advance(SignedDuration::from_hours(6 * 24 + 2));
    assert_eq!(hits("peek").await, (1, Some("2026-01-02T00:00:00Z".into())));
    assert_eq!(hits("wreck").await, (0, None));
}

#[tokio::test]
async fn expired_rule_is_marked() {
    let server = TestServer::new().await;
    let body = json!({ "effect": "allow", "tool": "peek", "expiresAt": "2026-01-01T01:00:00Z" });
    server.post(Role::Admin, "/api/rules", body).await.ok();
    assert_eq!(named(&server.get("/api/rules").await.ok(), "peek")["expired"], json!(null));
    server.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(named(&server.get("/api/rules").await.ok(), "peek")["expired"], true);
}

#[tokio::test]
async fn late_record_is_counted_once() {
    let server = TestServer::new().await;
    server.rules_in_file(&json!({ "allow": [{ "tool": "peek" }] }));
    server.ask("peek", json!({})).await;
    let mut line =
        server.ledger.entries().into_iter().find(|entry| entry.kind == RecordKind::Verdict).unwrap();
    server.clock.advance(SignedDuration::from_secs(20));
    server.ask("peek", json!({})).await;
    let hits = async || named(&server.get("/api/rules").await.ok(), "peek")["hits"].as_u64().unwrap();
    assert_eq!(hits().await, 2);
    // Another writer's clock, or its connection, was a little slower.
    line.at += SignedDuration::from_secs(15);
    server
        .ledger
        .import_spool(WriteAccess::TESTS, WriterId(uuid::Uuid::from_u128(9)), 1, vec![line])
        .await
        .unwrap();
    assert_eq!(hits().await, 3);
    assert_eq!(hits().await, 3);
}

#[tokio::test]
async fn presets_are_listed_with_the_files_that_switch_them_on() {
    let server = TestServer::new().await;
    let preset = |list: &serde_json::Value, name: &str| {
        list["presets"].as_array().unwrap().iter().find(|preset| preset["name"] == name).unwrap().clone()
    };
    let list = server.get("/api/rules").await.ok();
    assert_eq!(preset(&list, "dev")["on"], false);
    assert!(!list["rules"].to_string().contains("cargo test"));

    server.files.set(LayerKind::Global, json!({ "version": 1, "presets": ["dev"] }).to_string());
    server
        .files
        .set(LayerKind::Project, json!({ "version": 1, "presets": ["strict", "network-read"] }).to_string());
    server.files.trust_project(false);
    let list = server.get("/api/rules").await.ok();
    let dev = preset(&list, "dev");
    assert_eq!((&dev["on"], &dev["files"]), (&json!(true), &json!(["config.json"])));
    assert!(dev["rules"].as_array().unwrap().contains(&json!({ "effect": "allow", "about": "cargo test" })));
    assert_eq!(preset(&list, "strict")["on"], true);
    let network = preset(&list, "network-read");
    assert_eq!((&network["on"], network["ignoredIn"].as_array().unwrap().len()), (&json!(false), 1));
    assert!(list["rules"].to_string().contains("cargo test"));
}
