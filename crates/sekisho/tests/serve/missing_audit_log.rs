//! An audit log that is removed while a server runs, or before it starts.

use serde_json::json;

use super::test_server::TestServer;
use crate::test_home::TestHome;

fn remove(place: &TestHome) {
    for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        // The last two exist only while the database is open.
        let _absent = std::fs::remove_file(place.home().join(".local/state/sekisho").join(name));
    }
}

#[test]
fn server_stops_recording_when_the_log_is_removed() {
    let place = TestHome::new();
    TestHome::write(&place.global(), r#"{ "version": 1, "permissions": { "allow": [{ "tool": "Read" }] } }"#);
    let server = TestServer::start(&place, &[]);
    let body = json!({ "toolName": "Read", "input": { "path": "a" }, "cwd": "/tmp", "toolUseId": "c1" });
    let ask = || server.request_over_socket("POST /api/can-use-tool", Some(&body));
    assert_eq!(ask().json()["behavior"], "allow");
    assert_eq!(server.request("GET /healthz", &[], None).status, 200);
    remove(&place);
    let answer = ask();
    assert_ne!(answer.json()["behavior"], "allow", "{answer:?}");
    assert_eq!(server.request("GET /healthz", &[], None).status, 503);
    let report = place.run(&["doctor"]).out;
    assert!(report.contains("a key but no audit log"), "{report}");
    server.stop();
    // A new audit log does not start silently either.
    let output = place.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(output.code, 1, "{}", output.out);
    assert!(output.err.contains("there is no audit log, but there is a key of one"), "{}", output.err);
    assert_eq!(place.run(&["db", "migrate"]).code, 0);
    TestServer::start(&place, &[]).stop();
}

/// Truncates the database file to a size.
fn cut(place: &TestHome, bytes: u64) {
    let path = place.home().join(".local/state/sekisho/ledger.db");
    std::fs::OpenOptions::new().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

#[test]
fn truncated_log_is_not_a_new_log() {
    let place = TestHome::new();
    TestHome::write(&place.global(), r#"{ "version": 1, "permissions": { "allow": [{ "tool": "Read" }] } }"#);
    let server = TestServer::start(&place, &[]);
    let body = json!({ "toolName": "Read", "input": { "path": "a" }, "cwd": "/tmp", "toolUseId": "c1" });
    assert_eq!(server.request_over_socket("POST /api/can-use-tool", Some(&body)).json()["behavior"], "allow");
    server.stop();
    let server = TestServer::start(&place, &[]);
    let path = place.home().join(".local/state/sekisho/ledger.db");
    cut(&place, std::fs::metadata(path).unwrap().len() / 8192 * 4096);
    let answer = server.request_over_socket("POST /api/can-use-tool", Some(&body));
    assert_ne!(answer.json()["behavior"], "allow", "{answer:?}");
    assert_eq!(server.request("GET /healthz", &[], None).status, 503);
    drop(server);
    cut(&place, 0);
    for name in ["ledger.db-wal", "ledger.db-shm"] {
        let _absent = std::fs::remove_file(place.home().join(".local/state/sekisho").join(name));
    }
    let output = place.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(output.code, 1, "{}", output.out);
    assert!(output.err.contains("there is no audit log, but there is a key of one"), "{}", output.err);
}
