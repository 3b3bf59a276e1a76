//! `sekisho doctor` on real installations, good and bad.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use super::test_server::TestServer;
use crate::test_home::{CommandOutput, TestHome};

/// Nobody listens there.
const QUIET: (&str, &str) = ("SEKISHO_LISTEN", "127.0.0.1:9");

fn doctor(place: &TestHome, variables: &[(&str, &str)]) -> (i32, Vec<Value>) {
    let command = place.command(&["doctor", "--json"]).env(QUIET.0, QUIET.1);
    let command = variables.iter().fold(command, |command, (name, value)| command.env(name, value));
    let output = place.output(&command.assert());
    (
        output.code,
        serde_json::from_str(&output.out).unwrap_or_else(|_| panic!("{}{}", output.out, output.err)),
    )
}

#[track_caller]
fn finds(place: &TestHome, variables: &[(&str, &str)], check: &str, expected: &str) {
    let (code, found) = doctor(place, variables);
    let problem = |finding: &&Value| {
        finding["level"] == "problem"
            && finding["check"] == check
            && finding["found"].as_str().unwrap().contains(expected)
    };
    assert!(code == 1 && found.iter().any(|finding| problem(&finding)), "{found:#?}");
    assert!(found.iter().all(|finding| finding["level"] == "ok" || finding["fix"].is_string()), "{found:#?}");
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn new_home_and_running_server_are_healthy() {
    let place = TestHome::new();
    let (code, found) = doctor(&place, &[]);
    assert_eq!(code, 0, "{found:#?}");
    let server = TestServer::start(&place, &[]);
    let address = format!("127.0.0.1:{}", server.port);
    let (code, found) = doctor(&place, &[("SEKISHO_LISTEN", &address)]);
    assert_eq!(code, 0, "{found:#?}");
    let ok = |check: &str| found.iter().any(|finding| finding["check"] == check && finding["level"] == "ok");
    for check in ["socket", "port", "audit log", "audit key", "integrity", "approver", "clock"] {
        assert!(ok(check), "{check}: {found:#?}");
    }
    server.stop();
    let CommandOutput { out, .. } = place.output(&place.command(&["doctor"]).env(QUIET.0, QUIET.1).assert());
    assert!(
        out.contains("! socket         no server answers on ~/.local/state/sekisho/sekisho.sock\n"),
        "{out}"
    );
    assert!(out.contains("                 → start one with `sekisho serve`"), "{out}");
}

#[test]
fn bad_files_are_reported() {
    let place = TestHome::new();
    finds(&place, &[("TOOL_APPROVAL_ENABLED", "off")], "settings", "neither `true` nor `false`");
    TestHome::write(&place.global(), "{");
    finds(&place, &[], "config", "config.json:1:1");
    TestHome::write(&place.global(), r#"{ "version": 1 }"#);
    mode(&place.global(), 0o666);
    finds(&place, &[], "permissions", "can be written by others");
    std::fs::remove_file(place.global()).unwrap();
    TestHome::write(&place.home().join(".config/sekisho/server.json"), r#"{ "lisen": 1 }"#);
    finds(&place, &[], "server config", "did you mean `listen`?");
}

#[test]
fn changed_record_is_reported() {
    let place = TestHome::new();
    TestServer::start(&place, &[]).stop();
    let state = place.home().join(".local/state/sekisho");
    mode(&state.join("ledger.db"), 0o644);
    finds(&place, &[], "permissions", "can be read by others");
    mode(&state.join("ledger.db"), 0o600);
    let db = rusqlite::Connection::open(state.join("ledger.db")).unwrap();
    db.execute_batch("DROP TRIGGER audit_log_is_never_changed").unwrap();
    db.execute("UPDATE audit_log SET text = 'nothing happened' WHERE kind = 'token'", []).unwrap();
    drop(db);
    finds(&place, &[], "audit log", "was changed");
    std::fs::rename(state.join("audit.key"), state.join("elsewhere")).unwrap();
    finds(&place, &[], "audit key", "but no key");
    std::fs::write(state.join("ledger.db"), "no database at all, but long enough to be read as one").unwrap();
    finds(&place, &[], "database", "ledger.db");
}

#[test]
fn another_program_on_the_port_is_reported() {
    let place = TestHome::new();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    std::thread::spawn(move || other.incoming().for_each(drop));
    finds(&place, &[("SEKISHO_LISTEN", &address)], "port", "another program answers");
}
