//! `/metrics`.

use axum::http::Method;
use sekisho_gate::answer::{Answer, Role};
use serde_json::json;

use crate::harness::in_process::TestServer;

/// The value of a sample.
fn value(text: &str, sample: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' ')?.parse().ok())
}

#[tokio::test]
async fn counters_are_exported() {
    let server = TestServer::new().await;
    server.post(Role::Viewer, "/api/decide", json!({ "toolName": "deploy" })).await.ok();
    server.post(Role::Viewer, "/api/rules", json!({})).await.error_text(403);
    server.ask("deploy", json!({})).await.unwrap();
    let answered = server.ask("deploy", json!({})).await.unwrap();
    server
        .post(Role::Approver, &format!("/api/approvals/{answered}/answer"), json!({ "behavior": "allow" }))
        .await
        .ok();
    crate::harness::in_process::settle().await;

    let page = server.get("/metrics").await;
    assert_eq!(page.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    for (sample, expected) in [
        ("sekisho_advised_total{decision=\"confirm\"}", 1),
        ("sekisho_advised_total{decision=\"deny\"}", 0),
        ("sekisho_told_total{behavior=\"allow\"}", 0),
        ("sekisho_answers_total", 1),
        ("sekisho_questions_open", 1),
        ("sekisho_requests_turned_away_total", 1),
        ("sekisho_callers_waiting", 0),
        ("sekisho_listeners", 0),
        ("sekisho_connections", 0),
        ("sekisho_ledger_up", 1),
    ] {
        assert_eq!(value(&page.text, sample), Some(expected), "{sample}\n{}", page.text);
    }
    assert!(value(&page.text, "sekisho_rules_generation").unwrap() > 0);
    assert!(value(&page.text, "sekisho_ledger_rows").unwrap() >= 6);
    assert!(page.text.contains("sekisho_build_info{version=\""));
    for line in page.text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap();
        assert!(
            page.text.contains(&format!("# HELP {name} ")) && page.text.contains(&format!("# TYPE {name} ")),
            "{name}"
        );
    }
    server.send(Role::Agent, Method::GET, "/metrics", None).await.error_text(403);
}

#[tokio::test]
async fn metrics_work_without_the_ledger() {
    let server = TestServer::new().await;
    server.ask_and_answer("deploy", json!({}), Answer::deny()).await;
    server.get("/metrics").await;
    server.ledger.fail_all();
    let page = server.get("/metrics").await;
    assert_eq!(value(&page.text, "sekisho_ledger_up"), Some(0));
    assert_eq!(value(&page.text, "sekisho_ledger_rows"), None);
}
