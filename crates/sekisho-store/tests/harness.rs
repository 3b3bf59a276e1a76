//! A test database, some approvals, and waiting without a runtime.

use std::path::{Path, PathBuf};
use std::task::{Context, Waker};
use std::time::Duration;

use jiff::Timestamp;
use sekisho_gate::ReplicaId;
use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::ApprovalTrigger;
use sekisho_gate::audit::{AuditLog, ChainError, ChainHead, Verifier, VerifyReport};
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::{Admission, BoxFuture};
use sekisho_gate::record::{AuditEntry, EventPayload, Record, RecordKind};
use sekisho_policy::{Call, Effect};
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::fixtures;
use serde_json::{Value, json};

/// These tests use no runtime.
pub(crate) use sekisho_testkit::block_on as wait;
pub(crate) use sekisho_testkit::fixtures::new_approval;

/// Sends a request that cannot be answered yet: the test holds the file's lock.
pub(crate) fn send<T>(mut future: BoxFuture<'_, T>) -> BoxFuture<'_, T> {
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    future
}

/// A file in a temporary directory.
pub(crate) struct TempDatabase {
    _directory: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl TempDatabase {
    pub(crate) fn new() -> TempDatabase {
        TempDatabase::inside(&std::env::temp_dir())
    }

    pub(crate) fn inside(parent: &Path) -> TempDatabase {
        let directory = tempfile::tempdir_in(parent).unwrap();
        let path = directory.path().join("ledger.db");
        TempDatabase { _directory: directory, path }
    }

    pub(crate) fn store(&self) -> SqliteStore {
        self.store_with(Options::new(fixtures::audit_config()))
    }

    pub(crate) fn store_with(&self, options: Options) -> SqliteStore {
        SqliteStore::open(&self.path, options).unwrap()
    }

    /// A connection as another process would open it.
    pub(crate) fn other(&self) -> rusqlite::Connection {
        let db = rusqlite::Connection::open(&self.path).unwrap();
        db.busy_timeout(Duration::from_secs(5)).unwrap();
        db
    }

    pub(crate) fn count(&self, table: &str) -> i64 {
        self.other().query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }
}

/// Streams the audit log through a verifier.
pub(crate) fn verify(audit: &dyn AuditLog, exported: &[ChainHead]) -> Result<VerifyReport, ChainError> {
    let keys = fixtures::audit_config().keys;
    let mut verifier = Verifier::new(&keys, wait(audit.cuts()).unwrap(), exported)?;
    let mut last = None;
    loop {
        let rows = wait(audit.rows(last, 3)).unwrap();
        let Some(row) = rows.last() else { return verifier.finish() };
        last = Some((row.writer, row.seq));
        rows.iter().try_for_each(|row| verifier.row(row))?;
    }
}

/// Seconds after the start of the test clock.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub(crate) fn replica() -> ReplicaId {
    ReplicaId::new(at(0))
}

/// An approval for a call, open for two minutes.
pub(crate) fn question(call: Call, asker: Caller, when: Timestamp) -> Approval {
    fixtures::pending_approval(call, asker, when, Some(120))
}

pub(crate) fn call(call_id: &str, input: Value) -> Call {
    Call { call_id: Some(call_id.into()), run_id: Some("r1".into()), ..Call::new("send_mail", input) }
}

pub(crate) fn ask(call_id: &str, when: Timestamp) -> Approval {
    question(call(call_id, json!({ "to": call_id, "share": 0.1 + 0.2 })), Caller::in_process("me"), when)
}

/// A call that is denied.
pub(crate) fn admission(when: Timestamp) -> Admission {
    fixtures::admission(
        Call::new("read", json!({ "path": "/w/a" })),
        Caller::in_process("me"),
        when,
        Effect::Deny,
    )
}

pub(crate) fn yes() -> ApprovalTrigger {
    answered(Answer::approve(), "Ann")
}

pub(crate) fn no() -> ApprovalTrigger {
    answered(Answer::deny(), "Bob")
}

pub(crate) fn answered(answer: Answer, name: &str) -> ApprovalTrigger {
    let by = Approver {
        credential: format!("token-{name}"),
        name: name.into(),
        role: Role::Approver,
        device: Some("phone".into()),
        how: "web".into(),
    };
    ApprovalTrigger::Answered { answer, by, edited: None }
}

/// A record with a body of the given size.
pub(crate) fn line(bytes: usize) -> Record {
    let entry = AuditEntry::without_call(
        RecordKind::Token,
        at(0),
        None,
        "a token was made".into(),
        json!("x".repeat(bytes)),
    );
    Record { entry, event: Some(EventPayload::RulesChanged) }
}
