//! A file, a few questions, and a way to wait without a runtime.

use std::future::Future;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::approval::{Approval, Asked, Fate};
use sekisho_gate::asker::{Around, Asker};
use sekisho_gate::display::{Form, Shown};
use sekisho_gate::ledger::{Admission, KeptCall, Later, Opening};
use sekisho_gate::machine::Happening;
use sekisho_gate::record::{self, Entry, Kind, Record};
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId, ReplicaId};
use sekisho_policy::{Call, Layers, Policy, Surroundings, judge};
use sekisho_store::{Options, SqliteStore};
use serde_json::{Value, json};

/// Waits for a future on this thread; there is no runtime anywhere in these tests.
pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

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
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ledger.db");
        Place { _directory: directory, path }
    }

    pub(crate) fn store(&self) -> SqliteStore {
        self.store_with(Options::default())
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

/// Seconds after the tests' beginning of time.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub(crate) fn replica() -> ReplicaId {
    ReplicaId::new(at(0))
}

/// A question about a call, open for two minutes.
pub(crate) fn question(call: Call, asker: Asker, when: Timestamp) -> Approval {
    let verdict = judge(&Policy::compile(Layers::default()), &call, &Surroundings::at(when));
    let shown = Shown {
        title: "Run tool?".into(),
        message: call.tool.clone(),
        danger: verdict.danger.clone(),
        why: verdict.sentence(),
        form: Form::Json,
        json: call.input.to_string(),
        whole: true,
        left_out: Vec::new(),
        hidden: Vec::new(),
        files: Vec::new(),
    };
    let asked = Asked {
        call_id: CallId::new(when),
        digest: Digest::of(&call).unwrap(),
        call,
        asker,
        around: Around::default(),
        verdict,
        shown,
        proposals: Vec::new(),
        at: when,
    };
    let deadline = when.checked_add(SignedDuration::from_secs(120)).unwrap();
    Approval { id: ApprovalId::new(when), asked: asked.into(), fate: Fate::open(Some(deadline)) }
}

pub(crate) fn call(call_id: &str, input: Value) -> Call {
    Call { call_id: Some(call_id.into()), run_id: Some("r1".into()), ..Call::new("send_mail", input) }
}

pub(crate) fn ask(call_id: &str, when: Timestamp) -> Approval {
    question(call(call_id, json!({ "to": call_id, "share": 0.1 + 0.2 })), Asker::here("me"), when)
}

pub(crate) fn opening(approval: &Approval, replica: ReplicaId) -> Opening {
    Opening { approval: approval.clone(), replica, record: record::opened(approval) }
}

pub(crate) fn admission(when: Timestamp, execution: Option<ExecutionId>) -> Admission {
    let (call, asker) = (Call::new("read", json!({ "path": "/w/a" })), Asker::here("me"));
    let verdict = judge(&Policy::compile(Layers::default()), &call, &Surroundings::at(when));
    let id = CallId::new(when);
    let record = record::judged(when, (id, &call), &asker, &verdict, execution);
    let call = KeptCall { id, digest: Digest::of(&call).unwrap(), call, asker };
    Admission { at: when, call, execution, record }
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
    Record { entry, change: Some(record::Change::RulesChanged) }
}
