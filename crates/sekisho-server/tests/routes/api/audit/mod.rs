//! `/api/audit`.

mod concurrent_searches;
mod large_pages;

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::http::Method;
use jiff::SignedDuration;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::{Answer, Role};
use sekisho_gate::audit::{AuditLog, ChainRow, KeyRing, SigningKey};
use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use crate::harness::in_process::TestServer;

/// Some calls a minute apart: one that runs, one that does not, one that is asked about.
async fn busy() -> TestServer {
    let server = TestServer::new().await;
    server.rules_in_file(
        &json!({ "allow": [{ "tool": "peek" }], "deny": [{ "tool": "wreck", "note": "=never" }] }),
    );
    for _ in 0..3 {
        server.clock.advance(SignedDuration::from_secs(60));
        server.ask("peek", json!({})).await;
        server.ask("wreck", json!({})).await;
        server.ask_and_answer("deploy", json!({}), Answer::approve().with_reason("fine")).await;
    }
    server
}

fn rows(page: &Value) -> Vec<Value> {
    page["rows"].as_array().unwrap().clone()
}

#[tokio::test]
async fn records_are_found_by_their_contents() {
    let server = busy().await;
    let found = async |query: &str| rows(&server.get(&format!("/api/audit?{query}")).await.ok());
    assert_eq!(found("tool=peek").await.len(), 3);
    let denied = found("decision=deny&kind=verdict").await;
    assert_eq!(denied.len(), 3);
    assert_eq!(
        (&denied[0]["tool"], &denied[0]["body"]["rules"][0]["effect"]),
        (&json!("wreck"), &json!("deny"))
    );
    let answers = found("approver=Ada").await;
    assert_eq!((answers.len(), &answers[0]["body"]["about"]["reason"]), (3, &json!("fine")));
    let question = answers[0]["approval"].as_str().unwrap();
    assert_eq!(found(&format!("approval={question}")).await.len(), 2);
    assert_eq!(found("text=NEVER").await.len(), 3);
    assert_eq!(found("from=2026-01-01T00:03:00Z&tool=peek").await.len(), 1);
    assert_eq!(found("to=2026-01-01T00:03:00Z&tool=peek").await.len(), 2);
    assert_eq!(found("agent=nobody").await.len(), 0);
    server.ledger.checkpoint(jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    assert_eq!(found("kind=checkpoint").await.len(), 1);
    let kinds = |rows: Vec<Value>| rows.iter().any(|row| row["kind"] == "checkpoint");
    assert!(!kinds(found("limit=500").await) && kinds(found("limit=500&checkpoints=true").await));
}

#[tokio::test]
async fn calls_have_all_their_records_and_what_became_of_them() {
    let server = busy().await;
    server.ask("delete_customer", json!({ "customer_id": "C-10482", "api_key": "hunter2hunter2" })).await;
    let calls = async |query: &str| {
        let page = server.get(&format!("/api/audit/calls?{query}")).await.ok();
        page["calls"].as_array().unwrap().clone()
    };
    assert_eq!(calls("tool=peek").await.len(), 3);
    let allowed = calls("tool=peek&limit=1").await;
    assert_eq!((&allowed[0]["outcome"], &allowed[0]["message"]), (&json!("allowed"), &json!("peek")));
    let refused = calls("text=never wreck".replace(' ', "+").as_str()).await;
    assert_eq!((refused.len(), &refused[0]["outcome"]), (3, &json!("denied_by_rule")));
    let answered = calls("approver=Ada").await;
    assert_eq!(answered.len(), 3);
    assert_eq!((&answered[0]["outcome"], &answered[0]["by"]), (&json!("approved"), &json!("Ada")));
    assert!(answered[0]["answeredAfterMs"].is_u64());
    let kinds: Vec<_> =
        answered[0]["rows"].as_array().unwrap().iter().map(|row| row["kind"].clone()).collect();
    assert_eq!(kinds, ["question", "outcome"]);
    let waiting = calls("text=c-10482").await;
    assert_eq!((waiting.len(), &waiting[0]["outcome"]), (1, &json!("waiting")));
    assert!(waiting[0]["message"].as_str().unwrap().contains("C-10482"));
    assert!(!json!(waiting).to_string().contains("hunter2"), "masked as in the records");
}

#[tokio::test]
async fn pages_of_calls_have_no_gaps_or_duplicates() {
    let server = busy().await;
    let all = server.get("/api/audit/calls?limit=500").await.ok()["calls"].as_array().unwrap().clone();
    for limit in [1, 2, 4] {
        let mut turned = Vec::new();
        let mut path = format!("/api/audit/calls?limit={limit}");
        loop {
            let page = server.get(&path).await.ok();
            let calls = page["calls"].as_array().unwrap();
            assert!(calls.len() <= limit);
            turned.extend(calls.iter().cloned());
            let Some(next) = page["next"].as_str() else { break };
            path = format!("/api/audit/calls?limit={limit}&before={next}");
        }
        assert_eq!(turned, all, "{limit}");
    }
}

#[tokio::test]
async fn pages_have_no_gaps_or_duplicates() {
    let server = busy().await;
    let all = rows(&server.get("/api/audit?limit=500").await.ok());
    let mut turned = Vec::new();
    let mut path = "/api/audit?limit=4".to_owned();
    loop {
        let page = server.get(&path).await.ok();
        turned.extend(rows(&page));
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/audit?limit=4&before={next}");
    }
    assert_eq!(turned, all);
    for (query, word) in [
        ("limit=0", "`limit`"),
        ("limit=501", "`limit`"),
        ("before=x", "`before`"),
        ("before=0.0.0", "`before`"),
        ("decision=maybe", "maybe"),
        ("kind=gossip", "gossip"),
        ("from=yesterday", "from:"),
        ("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "`from`"),
        ("approval=x", "query"),
        ("text=%00", "`text`"),
        ("colour=red", "colour"),
    ] {
        let fault = server.get(&format!("/api/audit?{query}")).await.error_text(400);
        assert!(fault.contains(word), "{query}: {fault}");
    }
}

#[tokio::test]
async fn stats_cover_a_span_of_time() {
    let server = busy().await;
    let response = server.get("/api/audit/stats").await.ok();
    assert_eq!(
        (&response["from"], &response["to"]),
        (&json!("2025-12-31T00:03:00Z"), &json!("2026-01-01T00:03:00Z"))
    );
    let response =
        server.get("/api/audit/stats?from=2026-01-01T00:00:00Z&to=2026-01-01T01:00:00Z").await.ok();
    assert_eq!(
        response["stats"]["hours"][0],
        json!({ "at": "2026-01-01T00:00:00Z", "allowed": 3, "asked": 3, "denied": 3, "approved": 3, "rejected": 0, "answerP50Ms": 0 })
    );
    assert_eq!(
        response["stats"]["asked"],
        json!([{ "tool": "deploy", "times": 3, "approved": 3, "denied": 0, "expired": 0 }])
    );
    let answers = response["stats"]["answers"].as_array().unwrap();
    assert_eq!((answers.len(), &answers[0]), (11, &json!({ "upToMs": 1000, "times": 3 })));
    assert_eq!(answers[10], json!({ "times": 0 }));
    assert_eq!(response["stats"]["outcomes"]["approved"], 3);
    server.get("/api/audit/stats?from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z").await.error_text(400);
    server.get("/api/audit/stats?from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z").await.error_text(400);
}

#[tokio::test]
async fn stats_list_the_most_asked_commands() {
    let server = TestServer::new().await;
    let bash = |command: &str| json!({ "command": command });
    server.ask_and_answer("Bash", bash("cd /tmp && ls && git push"), Answer::approve()).await;
    server.ask_and_answer("bash", bash("git push --force; rm x"), Answer::deny()).await;
    server.ask("shell", bash("bash -c 'npm run build'")).await.unwrap();
    server.clock.advance(SignedDuration::from_secs(1));
    let response = server.get("/api/audit/stats").await.ok();
    assert_eq!(
        response["stats"]["commands"],
        json!([
            { "command": "git push", "tool": "bash", "times": 2, "approved": 1, "denied": 1 },
            { "command": "npm run build", "tool": "bash", "times": 1, "approved": 0, "denied": 0 },
            { "command": "rm", "tool": "bash", "times": 1, "approved": 0, "denied": 1 },
        ])
    );
    let rows = rows(&server.get("/api/audit?kind=question&tool=Bash").await.ok());
    assert_eq!(rows[0]["body"]["commands"], json!(["git push"]));
    let server = busy().await;
    let rows = self::rows(&server.get("/api/audit?kind=question").await.ok());
    assert!(rows[0]["body"].get("commands").is_none(), "only where there is a shell text");
}

#[tokio::test]
async fn export_is_complete_to_the_last_byte() {
    let server = busy().await;
    // More than one page.
    let lines = (0..2500).map(|_| server.ledger.entries().remove(0)).collect();
    server
        .ledger
        .import_spool(WriteAccess::TESTS, sekisho_gate::audit::WriterId(uuid::Uuid::from_u128(9)), 1, lines)
        .await
        .unwrap();
    let kept = server.ledger.rows(None, 100_000).await.unwrap();
    let export = server.get("/api/audit/export").await;
    assert_eq!(export.headers["content-type"], "application/x-ndjson");
    assert!(export.headers["content-disposition"].to_str().unwrap().ends_with(".jsonl\""));
    let rows: Vec<ChainRow> = export
        .text
        .lines()
        .map(|line| {
            let mut value: Value = serde_json::from_str(line).unwrap();
            value.as_object_mut().unwrap().remove("at").unwrap();
            serde_json::from_value(value).unwrap()
        })
        .collect();
    let place = |rows: &[ChainRow]| rows.iter().map(|row| (row.writer, row.seq)).collect::<BTreeSet<_>>();
    assert_eq!((rows.len(), place(&rows)), (kept.len(), place(&kept)));
    let keys = sekisho_testkit::fixtures::audit_config().keys;
    assert!(rows.iter().all(|row| row.expected_mac(&keys) == Some(row.code)));
    let times: Vec<i64> = rows.iter().map(|row| row.at_us).collect();
    assert!(times.is_sorted(), "oldest first");

    let csv = server.get("/api/audit/export?format=csv&tool=wreck").await;
    assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8");
    assert!(csv.text.starts_with("at,writer,seq,") && csv.text.lines().count() == 4, "{}", csv.text);
    server.get("/api/audit/export?format=xml").await.error_text(400);
    server.get("/api/audit/export?limit=3").await.error_text(400);
}

#[tokio::test]
async fn csv_runs_nothing_in_a_spreadsheet() {
    let server = TestServer::new().await;
    server.ask("=HYPERLINK(1)", json!({})).await;
    let csv = server.get("/api/audit/export?format=csv&kind=question").await;
    assert!(csv.text.contains(",\"'=HYPERLINK(1)\","), "{}", csv.text);
}

#[tokio::test]
async fn record_is_shown_with_its_chain() {
    let server = busy().await;
    let first = rows(&server.get("/api/audit?limit=500").await.ok()).pop().unwrap();
    let path = format!("/api/audit/rows/{}/{}", first["writer"].as_str().unwrap(), first["seq"]);
    let shown = server.get(&path).await.ok();
    assert_eq!(shown["row"], first);
    let last = server.ledger.heads().await.unwrap()[0].seq;
    assert_eq!(shown["chain"], json!({ "last": last, "signature": "holds" }));
    let other = KeyRing::of(SigningKey::new(2, [8; 32]));
    server.ledger.set_keys(Arc::new(other)).await.unwrap();
    server.ask("peek", json!({})).await;
    let newest = rows(&server.get("/api/audit?limit=1").await.ok()).pop().unwrap();
    let path = format!("/api/audit/rows/{}/{}", newest["writer"].as_str().unwrap(), newest["seq"]);
    assert_eq!(server.get(&path).await.ok()["chain"]["signature"], "unknown_key");
    for place in [
        "x/1",
        "00000000-0000-0000-0000-000000000001/x",
        "00000000-0000-0000-0000-000000000001/0",
        "00000000-0000-0000-0000-000000000001/99999",
        "00000000-0000-0000-0000-000000000001/18446744073709551615",
    ] {
        server.get(&format!("/api/audit/rows/{place}")).await.error_text(404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn verification_distinguishes_intact_from_changed_logs() {
    let server = busy().await;
    server.ledger.checkpoint(jiff::Timestamp::UNIX_EPOCH).await.unwrap();
    // The background task may write a record meanwhile.
    let before = server.ledger.count().await.unwrap();
    let response = server.send(Role::Viewer, Method::POST, "/api/audit/verify", None).await.ok();
    let after = server.ledger.count().await.unwrap();
    let rows = response["rows"].as_u64().unwrap();
    assert_eq!(response, json!({ "ok": true, "rows": rows, "chains": 1, "problems": [] }));
    assert!((before..=after).contains(&rows), "{rows} of {before} to {after}");
    // Records signed with a key that the server does not have.
    server.ledger.set_keys(Arc::new(KeyRing::of(SigningKey::new(2, [8; 32])))).await.unwrap();
    server.ask("peek", json!({})).await;
    let response = server.send(Role::Viewer, Method::POST, "/api/audit/verify", None).await.ok();
    // The background task may have written records with the old key, too.
    let kept = server.ledger.rows(None, 100_000).await.unwrap();
    let first = kept.iter().find(|row| row.key == 2).unwrap().seq;
    assert!(first > rows, "{first} of {rows}");
    assert_eq!(
        (&response["ok"], &response["rows"], &response["problems"][0]["seq"]),
        (&json!(false), &json!(first - 1), &json!(first))
    );
    assert!(response["problems"][0]["message"].as_str().unwrap().contains("key 2"), "{response}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_one_verification_runs_at_a_time() {
    let server = Arc::new(busy().await);
    // Verification blocks until it is released.
    let (go, stands) = tokio::sync::watch::channel(false);
    let begun = Arc::new(tokio::sync::Notify::new());
    let begins = Arc::clone(&begun);
    server.ledger.pause_rows_with(Arc::new(move || {
        let mut stands = stands.clone();
        begins.notify_one();
        Box::pin(async move { drop(stands.wait_for(|go| *go).await) }) as BoxFuture<'static, ()>
    }));
    let mut first = Box::pin(server.send(Role::Viewer, Method::POST, "/api/audit/verify", None));
    tokio::select! {
        _ = &mut first => panic!("it did not wait"),
        () = begun.notified() => {}
    }
    server.send(Role::Viewer, Method::POST, "/api/audit/verify", None).await.error_text(409);
    go.send_replace(true);
    first.await.ok();
    server.send(Role::Viewer, Method::POST, "/api/audit/verify", None).await.ok();
}

#[tokio::test]
async fn agent_cannot_read_the_audit_log() {
    let server = TestServer::new().await;
    for path in ["/api/audit", "/api/audit/stats", "/api/audit/export"] {
        server.send(Role::Agent, Method::GET, path, None).await.error_text(403);
    }
    server.send(Role::Agent, Method::POST, "/api/audit/verify", None).await.error_text(403);
    server.ledger.fail_all();
    server.get("/api/audit/export").await.error_text(503);
}
