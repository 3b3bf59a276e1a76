//! Rule suggestions.

use jiff::SignedDuration;
use sekisho_gate::answer::{Answer, Role};
use sekisho_policy::{Call, IdClaim};
use sekisho_testkit::fixtures;
use serde_json::{Value, json};

use crate::harness::in_process::TestServer;

async fn suggested(test_server: &TestServer) -> Vec<Value> {
    test_server.get("/api/rules/suggestions").await.ok()["suggestions"].as_array().unwrap().clone()
}

#[tokio::test]
async fn five_equal_answers_make_a_suggestion() {
    let test_server = TestServer::new().await;
    for _ in 0..4 {
        test_server.ask_and_answer("deploy", json!({}), Answer::approve()).await;
        test_server.ask_and_answer("wreck", json!({}), Answer::deny()).await;
        test_server.ask_and_answer("doubt", json!({}), Answer::approve()).await;
        test_server.clock.advance(SignedDuration::from_secs(60));
    }
    assert_eq!(suggested(&test_server).await, Vec::<Value>::new());
    test_server.ask_and_answer("doubt", json!({}), Answer::approve()).await;
    test_server.ask_and_answer("doubt", json!({}), Answer::deny()).await;
    test_server.ask_and_answer("wreck", json!({}), Answer::deny()).await;
    for _ in 0..8 {
        test_server.ask_and_answer("deploy", json!({}), Answer::approve()).await;
    }
    let found = suggested(&test_server).await;
    assert_eq!(found.len(), 2, "{found:?}");
    let deploy = &found[0];
    assert_eq!((&deploy["effect"], &deploy["support"]), (&json!("allow"), &json!(12)));
    assert_eq!(deploy["rules"], json!([{ "priority": 0, "tool": "deploy" }]));
    assert!(deploy["also"].as_str().unwrap().contains("deploy"));
    let evidence = deploy["evidence"].as_array().unwrap();
    assert_eq!(evidence.len(), 10);
    assert_eq!(
        (&evidence[0]["by"], &evidence[0]["at"]),
        (&json!("Ada (phone)"), &json!("2026-01-01T00:04:00Z"))
    );
    assert!(evidence[0]["approvalId"].is_string() && evidence[0]["message"].is_string());
    assert_eq!(
        (&deploy["firstAt"], &deploy["lastAt"]),
        (&json!("2026-01-01T00:00:00Z"), &json!("2026-01-01T00:04:00Z"))
    );
    let wreck = &found[1];
    assert_eq!((&wreck["effect"], &wreck["support"]), (&json!("deny"), &json!(5)));
}

#[tokio::test]
async fn tool_of_a_claimed_server_is_suggested_for_deny_only() {
    let test_server = TestServer::new().await;
    let answer = async |tool: &str, id: usize, answer: Answer| {
        let server = Some(IdClaim { id: "crm".into(), proven: false });
        let call =
            Call { server, call_id: Some(format!("{tool}-{id}")), ..Call::new(tool, json!({ "id": id })) };
        let id = test_server.ask_about(call).await.unwrap();
        test_server.gate.answer(id, answer, fixtures::approver(Role::Approver)).await.unwrap();
    };
    for id in 0..5 {
        answer("wreck", id, Answer::deny()).await;
        answer("peek", id, Answer::approve()).await;
        answer("doubt", id, if id == 0 { Answer::approve() } else { Answer::deny() }).await;
    }
    let found = suggested(&test_server).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["effect"], &found[0]["support"]), (&json!("deny"), &json!(5)));
    assert_eq!(found[0]["rules"], json!([{ "priority": 0, "tool": "wreck", "server": "crm" }]));
}

#[tokio::test]
async fn calls_that_are_no_longer_asked_about_are_not_suggested() {
    let test_server = TestServer::new().await;
    for _ in 0..5 {
        test_server.ask_and_answer("deploy", json!({}), Answer::approve()).await;
    }
    assert_eq!(suggested(&test_server).await.len(), 1);
    test_server.post(Role::Admin, "/api/rules", json!({ "effect": "allow", "tool": "deploy" })).await.ok();
    assert_eq!(suggested(&test_server).await.len(), 0);
}

#[tokio::test]
async fn edited_and_old_answers_do_not_count() {
    let test_server = TestServer::new().await;
    for _ in 0..5 {
        test_server.ask_and_answer("deploy", json!({ "to": "x" }), Answer::approve()).await;
    }
    assert_eq!(suggested(&test_server).await.len(), 1);
    test_server.clock.advance(SignedDuration::from_hours(30 * 24));
    assert_eq!(suggested(&test_server).await.len(), 1);
    test_server.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(suggested(&test_server).await.len(), 0);
    for _ in 0..5 {
        test_server.ask_and_answer("deploy", json!({ "to": "x" }), Answer::approve()).await;
    }
    let edit = Answer::approve().with_input(json!({ "to": "y" }));
    test_server.ask_and_answer("deploy", json!({ "to": "x" }), edit).await;
    assert_eq!(suggested(&test_server).await.len(), 0);
}
