//! Pages of large records.

use jiff::Timestamp;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::record::Record;
use sekisho_gate::{ApprovalId, WriteAccess};
use sekisho_testkit::fixtures::{rules_changed_record, seconds_after_start};
use serde_json::{Value, json};

use crate::harness::in_process::TestServer;

/// Five questions with two records each; each record has 2 MiB.
async fn server_with_large_records() -> TestServer {
    let server = TestServer::new().await;
    for question in 0..5 {
        let id = ApprovalId::new(seconds_after_start(question));
        let record = |at: Timestamp| -> Record {
            let mut record = rules_changed_record(at, "large");
            record.entry.approval = Some(id);
            record.entry.body = json!({ "text": "word ".repeat((2 << 20) / 5) });
            record
        };
        let records = [0, 10].map(|later| record(seconds_after_start(question + later))).to_vec();
        server.ledger.append_records(WriteAccess::TESTS, records).await.unwrap();
    }
    server
}

/// How many entries each page has, and all of them.
async fn pages(server: &TestServer, path: &str, entries: &str) -> (Vec<usize>, Vec<Value>) {
    let (mut counts, mut all, mut before) = (Vec::new(), Vec::new(), String::new());
    loop {
        let page = server.get(&format!("{path}?limit=500&kind=rules{before}")).await.ok();
        let found = page[entries].as_array().unwrap();
        counts.push(found.len());
        all.extend(found.iter().cloned());
        let Some(next) = page["next"].as_str() else { return (counts, all) };
        before = format!("&before={next}");
    }
}

#[tokio::test]
async fn page_of_large_records_ends_early_without_losing_any() {
    let server = server_with_large_records().await;
    let (counts, rows) = pages(&server, "/api/audit", "rows").await;
    assert_eq!((counts, rows.len()), (vec![4, 4, 2], 10));
    assert!(rows[0]["body"]["text"].as_str().unwrap().starts_with("word word"));
    let mut places: Vec<String> = rows.iter().map(|row| row["seq"].to_string()).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 10);
}

#[tokio::test]
async fn page_of_large_calls_ends_early_without_losing_any() {
    let server = server_with_large_records().await;
    let (counts, calls) = pages(&server, "/api/audit/calls", "calls").await;
    assert_eq!(counts.iter().sum::<usize>(), 5);
    assert_eq!(counts[..2], [2, 2]);
    assert!(calls.iter().all(|call| call["rows"].as_array().unwrap().len() == 2));
}

#[tokio::test]
async fn export_of_large_records_is_complete() {
    let server = server_with_large_records().await;
    // By default an export ends now, and the clock of the test stands still.
    let export = server.get(&format!("/api/audit/export?kind=rules&to={}", seconds_after_start(60))).await;
    assert_eq!(export.text.lines().count(), 10);
}
