//! A small audit log with fixed times, ids and keys.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::{Actor, Approver, Role};
use sekisho_gate::audit::{AuditConfig, AuditLog, KeyRing, SigningKey, WriterId};
use sekisho_gate::mask::Masks;
use sekisho_gate::record::{AuditEntry, RecordKind};
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use sekisho_policy::Decision;
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::block_on;
use serde_json::{Value, json};
use snapbox::cmd::Command;
use uuid::Uuid;

use crate::test_home::{CommandOutput, TestHome};

/// The question in the audit log.
pub(crate) const QUESTION: &str = "00000000-0000-7000-8000-0000000000b7";

pub(crate) struct AuditFixture {
    pub(crate) place: TestHome,
}

pub(crate) fn keys() -> KeyRing {
    KeyRing::of(SigningKey::new(1, [7; 32]))
}

pub(crate) fn writer(number: u128) -> WriterId {
    WriterId(Uuid::from_u128((0x7000_8000 << 64) + number))
}

fn at(text: &str) -> Timestamp {
    format!("2026-11-03T{text}Z").parse().unwrap()
}

impl AuditFixture {
    /// A home without an audit log.
    pub(crate) fn none() -> AuditFixture {
        AuditFixture { place: TestHome::new() }
    }

    /// A home with an audit log and its key.
    pub(crate) fn new() -> AuditFixture {
        let fixture = AuditFixture::none();
        fixture.write_key(&keys());
        let store = fixture.store();
        block_on(store.import_spool(WriteAccess::TESTS, writer(0xa11ce), 1, first_writer())).unwrap();
        block_on(store.import_spool(WriteAccess::TESTS, writer(0xb0b), 1, second_writer())).unwrap();
        block_on(store.checkpoint(at("10:09:00"))).unwrap();
        fixture
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.place.home().join(".local/state/sekisho")
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.state().join("ledger.db")
    }

    pub(crate) fn key(&self) -> PathBuf {
        self.state().join("audit.key")
    }

    pub(crate) fn write_key(&self, keys: &KeyRing) {
        TestHome::write(&self.key(), keys.to_file_text());
        std::fs::set_permissions(self.key(), std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::set_permissions(self.state(), std::fs::Permissions::from_mode(0o700)).unwrap();
    }

    pub(crate) fn store(&self) -> SqliteStore {
        let seal = AuditConfig { keys: Arc::new(keys()), masks: Arc::new(Masks::new([])) };
        SqliteStore::open(self.database(), Options::new(seal)).unwrap()
    }

    /// Changes the database as an attacker with the file but without the key would. The triggers only guard
    /// against accidents.
    pub(crate) fn tamper(&self, sql: &str) {
        let db = rusqlite::Connection::open(self.database()).unwrap();
        let triggers: Vec<String> = db
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        for trigger in triggers {
            db.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
        }
        db.execute_batch(sql).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.place.command(arguments).env("TZ", "UTC")
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.place.output(&self.command(arguments).assert())
    }

    /// Runs a command that must succeed.
    pub(crate) fn out(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!((output.code, output.err.as_str()), (0, ""), "{arguments:?}");
        output.out
    }

    /// Runs a command that must fail, and returns its one line of error.
    pub(crate) fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!((output.code, output.out.as_str()), (1, ""), "{arguments:?}: {}", output.err);
        assert_eq!(output.err.lines().count(), 1, "{arguments:?}: {}", output.err);
        output.err
    }
}

impl AuditFixture {
    /// Runs a command that follows: waits for its first line, calls `meanwhile`, waits for the next line, and
    /// interrupts it.
    #[expect(clippy::disallowed_methods, reason = "a test that talks to a running process")]
    pub(crate) fn follow(&self, arguments: &[&str], meanwhile: impl FnOnce()) -> Vec<String> {
        let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("sekisho"))
            .args(arguments)
            .env_clear()
            .env("HOME", self.place.home())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut lines_seen = vec![lines.next().unwrap().unwrap()];
        meanwhile();
        lines_seen.push(lines.next().unwrap().unwrap());
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        lines_seen
    }

    /// Runs a command whose standard output nobody reads.
    #[expect(clippy::disallowed_methods, reason = "a test with a pipe of its own")]
    pub(crate) fn piped_to_nobody(&self, arguments: &[&str]) -> String {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = std::process::Command::new(snapbox::cmd::cargo_bin!("sekisho"))
            .args(arguments)
            .env_clear()
            .env("HOME", self.place.home())
            .stdout(writer)
            .output()
            .unwrap();
        String::from_utf8(output.stderr).unwrap()
    }

    /// Runs a command in a session without a terminal.
    pub(crate) fn without_terminal(&self, arguments: &[&str]) -> CommandOutput {
        let program = snapbox::cmd::cargo_bin!("sekisho");
        let command = Command::new("setsid").arg("--wait").arg(program).args(arguments).env_clear();
        let path = "/usr/bin:/bin:/usr/sbin";
        let command = command.env("PATH", path).env("HOME", self.place.home()).env("USER", "tester");
        self.place.output(&command.assert())
    }
}

fn entry(kind: RecordKind, when: &str, text: &str, body: Value) -> AuditEntry {
    AuditEntry {
        tool: Some("bash".into()),
        agent: Some("builder".into()),
        credential: Some("token-1".into()),
        ..AuditEntry::without_call(kind, at(when), None, text.into(), body)
    }
}

/// Verdicts, one of them with a spreadsheet formula.
fn first_writer() -> Vec<AuditEntry> {
    let allowed = |when: &str, n: u128| AuditEntry {
        call: Some(CallId(Uuid::from_u128(n))),
        execution: Some(ExecutionId(Uuid::from_u128(0xe000 + n))),
        decision: Some(Decision::Allow),
        ..entry(RecordKind::Verdict, when, "allowed by the built-in list", json!({ "danger": Value::Null }))
    };
    vec![
        allowed("08:00:00.000001", 1),
        allowed("08:30:00", 2),
        allowed("09:15:30.5", 3),
        AuditEntry {
            tool: Some("=HYPERLINK(\"http://x\")".into()),
            decision: Some(Decision::Deny),
            ..entry(RecordKind::Verdict, "09:20:00", "denied by global:4: \"no, never\"\u{202e}", json!({}))
        },
    ]
}

/// A question and its answer, and a change of rules.
fn second_writer() -> Vec<AuditEntry> {
    let approval = Some(QUESTION.parse::<ApprovalId>().unwrap());
    let call = Some(CallId(Uuid::from_u128(9)));
    let execution = Some(ExecutionId(Uuid::from_u128(0xe009)));
    let ada = Approver {
        credential: "token-2".into(),
        name: "Ada".into(),
        role: Role::Approver,
        device: Some("phone".into()),
        how: "web".into(),
    };
    let asked = "no rule matches, and the default is to ask";
    let message = json!({ "message": "git push --force with a very long explanation of what it is for", "danger": "rewrites what others have", "rules": [] });
    let outcome = json!({ "state": "approved", "reason": "go on", "interrupt": false, "waitedMs": 7_250 });
    vec![
        AuditEntry {
            approval,
            call,
            decision: Some(Decision::Confirm),
            ..entry(RecordKind::Question, "10:00:00", asked, message)
        },
        AuditEntry {
            approval,
            call,
            decision: Some(Decision::Allow),
            by: Some(Actor::Person(ada)),
            ..entry(RecordKind::Outcome, "10:00:07.25", "approved by Ada (phone)", outcome)
        },
        AuditEntry {
            approval,
            call,
            execution,
            ..entry(RecordKind::Claim, "10:00:07.3", "let through", Value::Null)
        },
        AuditEntry {
            approval,
            call,
            execution,
            ..entry(
                RecordKind::Execution,
                "10:00:09",
                "finished",
                json!({ "isError": false, "durationMs": 1_700 }),
            )
        },
        AuditEntry {
            tool: None,
            agent: None,
            credential: None,
            ..entry(
                RecordKind::Rules,
                "10:05:00",
                "allow `cargo test` in the project, token ghp_0123456789abcdefghijABCDEFGHIJ012345",
                json!({ "scope": "project" }),
            )
        },
    ]
}
