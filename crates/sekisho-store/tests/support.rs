//! A file, a few questions, and a way to wait without a runtime.

use std::path::{Path, PathBuf};
use std::task::{Context, Waker};
use std::time::Duration;

use jiff::Timestamp;
use sekisho_gate::ReplicaId;
use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::approval::Approval;
use sekisho_gate::asker::Asker;
use sekisho_gate::audit::{Audit, Bad, Head, Report, Verifier};
use sekisho_gate::ledger::{Admission, Later};
use sekisho_gate::machine::Happening;
use sekisho_gate::record::{Change, Entry, Kind, Record};
use sekisho_policy::{Call, Effect};
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::fixtures;
use serde_json::{Value, json};

/// There is no runtime anywhere in these tests.
pub(crate) use sekisho_testkit::block_on as wait;
pub(crate) use sekisho_testkit::fixtures::opening;

/// Sends a request that cannot be answered yet: the test holds the file's lock.
pub(crate) fn send<T>(mut future: Later<'_, T>) -> Later<'_, T> {
    assert!(future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    future
}

/// A file in a directory that goes away with it.
pub(crate) struct Place {
    _directory: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place::inside(&std::env::temp_dir())
    }

    pub(crate) fn inside(parent: &Path) -> Place {
        let directory = tempfile::tempdir_in(parent).unwrap();
        let path = directory.path().join("ledger.db");
        Place { _directory: directory, path }
    }

    pub(crate) fn store(&self) -> SqliteStore {
        self.store_with(Options::new(fixtures::seal()))
    }

    pub(crate) fn store_with(&self, options: Options) -> SqliteStore {
        SqliteStore::open(&self.path, options).unwrap()
    }

    /// Another process's connection.
    pub(crate) fn other(&self) -> rusqlite::Connection {
        let db = rusqlite::Connection::open(&self.path).unwrap();
        db.busy_timeout(Duration::from_secs(5)).unwrap();
        db
    }

    pub(crate) fn count(&self, table: &str) -> i64 {
        self.other().query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }
}

/// Streams the log through a verifier.
pub(crate) fn verify(audit: &dyn Audit, exported: &[Head]) -> Result<Report, Bad> {
    let keys = fixtures::seal().keys;
    let mut verifier = Verifier::new(&keys, wait(audit.cuts()).unwrap(), exported)?;
    let mut last = None;
    loop {
        let rows = wait(audit.rows(last, 3)).unwrap();
        let Some(row) = rows.last() else { return verifier.finish() };
        last = Some((row.writer, row.seq));
        rows.iter().try_for_each(|row| verifier.row(row))?;
    }
}

/// Seconds after the tests' beginning of time.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub(crate) fn replica() -> ReplicaId {
    ReplicaId::new(at(0))
}

/// A question about a call, open for two minutes.
pub(crate) fn question(call: Call, asker: Asker, when: Timestamp) -> Approval {
    fixtures::question(call, asker, when, Some(120))
}

pub(crate) fn call(call_id: &str, input: Value) -> Call {
    Call { call_id: Some(call_id.into()), run_id: Some("r1".into()), ..Call::new("send_mail", input) }
}

pub(crate) fn ask(call_id: &str, when: Timestamp) -> Approval {
    question(call(call_id, json!({ "to": call_id, "share": 0.1 + 0.2 })), Asker::here("me"), when)
}

/// A call that is turned back.
pub(crate) fn admission(when: Timestamp) -> Admission {
    fixtures::admission(Call::new("read", json!({ "path": "/w/a" })), Asker::here("me"), when, Effect::Deny)
}

pub(crate) fn yes() -> Happening {
    answered(Answer::approve(), "Ann")
}

pub(crate) fn no() -> Happening {
    answered(Answer::deny(), "Bob")
}

pub(crate) fn answered(answer: Answer, name: &str) -> Happening {
    let by = Approver {
        credential: format!("token-{name}"),
        name: name.into(),
        role: Role::Approver,
        device: Some("phone".into()),
        how: "web".into(),
    };
    Happening::Answered { answer, by, edited: None }
}

/// A line about nothing, with a body of some size.
pub(crate) fn line(bytes: usize) -> Record {
    let entry = Entry::plain(Kind::Token, at(0), None, "a token was made".into(), json!("x".repeat(bytes)));
    Record { entry, change: Some(Change::RulesChanged) }
}
