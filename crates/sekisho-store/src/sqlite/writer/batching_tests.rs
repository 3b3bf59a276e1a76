//! Tests that need internals: which requests share a transaction, and how failures affect them.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};

use sekisho_testkit::fixtures;

use super::*;
use crate::sqlite::{Options, SqliteStore};

type Answer<T> = oneshot::Receiver<Result<T, LedgerError>>;

fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => return value,
            Poll::Pending => thread::yield_now(),
        }
    }
}

fn send<T, F>(store: &SqliteStore, script: F) -> Answer<T>
where
    T: Send + 'static,
    F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
{
    send_with(store, Vec::new(), script)
}

fn send_with<T, F>(store: &SqliteStore, lines: Vec<AuditEntry>, script: F) -> Answer<T>
where
    T: Send + 'static,
    F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
{
    let (answer, answered) = oneshot::channel();
    let inbox = store.writer.inbox.clone().unwrap();
    let way = RequestRoute { inbox, masks: fixtures::audit_config().masks, runtime: None };
    let request = WriteRequest { script, masked: MaskedEntries::default(), result: None, answer, way };
    request.send_masked(lines);
    answered
}

/// A store whose writer is blocked until released, so that requests sent meanwhile form one batch.
fn held(directory: &Path) -> (SqliteStore, PathBuf, mpsc::Sender<()>, Answer<()>) {
    let path = directory.join("ledger.db");
    let store = SqliteStore::open(&path, Options::new(fixtures::audit_config())).unwrap();
    let (begun, has_begun) = mpsc::channel();
    let (go_on, going_on) = mpsc::channel();
    let first = send(&store, move |_| {
        begun.send(()).unwrap();
        going_on.recv().unwrap();
        Ok(())
    });
    has_begun.recv().unwrap();
    (store, path, go_on, first)
}

fn put(name: &'static str) -> impl Fn(&OpenTransaction<'_>) -> TransactionResult<usize> + Send {
    move |db| Ok(db.execute("INSERT INTO meta (name, value) VALUES (?1, 1)", [name])?)
}

fn names(path: &Path) -> i64 {
    let sql = "SELECT count(*) FROM meta WHERE name NOT LIKE 'rules_%'";
    Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn waiting_requests_are_committed_together_then_answered() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path, go_on, first) = held(directory.path());
    let before = send(&store, put("a"));
    let there = path.clone();
    let mut between = send(&store, move |db: &OpenTransaction<'_>| {
        let here: i64 = db.query_row("SELECT count(*) FROM meta", [], |row| row.get(0))?;
        Ok((here, names(&there)))
    });
    let bad = send(&store, put("a"));
    let after = send(&store, put("b"));
    assert!(between.try_recv().is_err());
    go_on.send(()).unwrap();
    assert_eq!(wait(first).unwrap(), Ok(()));
    assert_eq!(wait(between).unwrap(), Ok((3, 0)));
    assert_eq!((wait(before).unwrap(), wait(after).unwrap()), (Ok(1), Ok(1)));
    assert!(!wait(bad).unwrap().unwrap_err().transient);
    assert_eq!(names(&path), 2);
}

#[test]
fn failed_commit_fails_every_request() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path, go_on, first) = held(directory.path());
    let note = || fixtures::rules_changed_record(fixtures::seconds_after_start(0), "a line");
    let before = send(&store, put("a"));
    let line = || vec![note().entry];
    let noted = send_with(&store, line(), move |tx| tx.append(&note()));
    // Detected by the commit, not by the statement.
    let dangling = send(&store, |db| {
        db.execute_batch("PRAGMA defer_foreign_keys = on")?;
        Ok(db.execute("INSERT INTO holds (approval, replica) VALUES (zeroblob(16), zeroblob(16))", [])?)
    });
    let after = send(&store, put("b"));
    go_on.send(()).unwrap();
    assert_eq!(wait(first).unwrap(), Ok(()));
    for answer in [before, dangling, after] {
        let error = wait(answer).unwrap().unwrap_err();
        assert!(error.transient && error.message.contains("FOREIGN KEY"), "{error}");
    }
    assert_eq!(names(&path), 0);
    assert!(wait(noted).unwrap().unwrap_err().transient);
    assert_eq!(wait(store.write(put("a"))), Ok(1));
    assert_eq!(names(&path), 1);
    // The entry that was undone with it leaves no gap in the chain.
    let undone = send_with(&store, line(), move |tx| {
        tx.append(&note()).and(Err::<(), _>(TransactionError::inconsistent("undone")))
    });
    assert!(!wait(undone).unwrap().unwrap_err().transient);
    wait(store.record(line(), move |tx| tx.append(&note()))).unwrap();
    let chain = "SELECT group_concat(seq) || ' of ' || (SELECT seq FROM writers) FROM audit_log";
    let chain: String = Connection::open(&path).unwrap().query_row(chain, [], |row| row.get(0)).unwrap();
    assert_eq!(chain, "1 of 1");
}

fn texts(path: &Path) -> String {
    let sql = "SELECT coalesce(group_concat(text, '|'), '') FROM audit_log";
    Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

/// The writer has no masks: it sends back a closure whose entry was not masked, and writes the others
/// meanwhile.
#[test]
fn writer_masks_nothing_itself() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path, go_on, first) = held(directory.path());
    let note = |text: &str| fixtures::rules_changed_record(fixtures::seconds_after_start(0), text);
    let (ran, running) = mpsc::channel();
    let there = path.clone();
    let unmasked = send(&store, move |tx| {
        ran.send(texts(&there)).unwrap();
        tx.append(&note("--token hunter2hunter2"))
    });
    let masked =
        send_with(&store, vec![note("masked before").entry], move |tx| tx.append(&note("masked before")));
    go_on.send(()).unwrap();
    wait(first).unwrap().unwrap();
    assert_eq!((wait(masked).unwrap(), wait(unmasked).unwrap()), (Ok(()), Ok(())));
    // It ran twice: the first time its entry was not masked and nothing of it was written, while the other
    // entry was.
    assert_eq!(running.try_iter().collect::<Vec<_>>(), ["", "masked before"]);
    assert_eq!(texts(&path), "masked before|--token [masked:secret-value]");
}

/// Entries are masked even while the writer is blocked.
#[test]
fn entries_are_masked_while_the_writer_is_busy() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path, go_on, first) = held(directory.path());
    let text = format!("{}--token hunter2hunter2", "word ".repeat(4000));
    let note = fixtures::rules_changed_record(fixtures::seconds_after_start(0), &text);
    let (answer, answered) = oneshot::channel();
    let (inbox, messages) = channel();
    let way = RequestRoute { inbox, masks: fixtures::audit_config().masks, runtime: None };
    let line = note.entry.clone();
    let script = move |tx: &OpenTransaction<'_>| tx.append(&note);
    WriteRequest { script, masked: MaskedEntries::default(), result: None, answer, way }
        .send_masked(vec![line]);
    // It reaches the writer already masked, although the writer has done nothing yet.
    let message = messages.recv().unwrap();
    store.writer.inbox.as_ref().unwrap().send(message).unwrap();
    assert_eq!(texts(&path), "");
    go_on.send(()).unwrap();
    wait(first).unwrap().unwrap();
    assert_eq!(wait(answered).unwrap(), Ok(()));
    assert!(texts(&path).ends_with("--token [masked:secret-value]"));
}

#[test]
fn panicking_operation_permits_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path, go_on, first) = held(directory.path());
    let before = send(&store, put("a"));
    let panicking = send::<(), _>(&store, |_| panic!("a script that panics, as the test wants it"));
    go_on.send(()).unwrap();
    assert_eq!(wait(first).unwrap(), Ok(()));
    assert!(wait(before).is_err() && wait(panicking).is_err());
    assert_eq!(names(&path), 0);
    assert_eq!(wait(store.write(put("a"))), Ok(1));

    let panicking =
        |_: &Connection| -> TransactionResult<()> { panic!("a reader's script, as the test wants it") };
    for _ in 0..4 {
        assert!(wait(store.read(panicking)).unwrap_err().transient);
    }
    assert_eq!(wait(store.read(|_| Ok(7))), Ok(7));
}

#[test]
fn rolled_back_transaction_fails() {
    let directory = tempfile::tempdir().unwrap();
    let (store, path, go_on, first) = held(directory.path());
    let before = send(&store, put("a"));
    let ending = send(&store, |db| Ok(db.execute_batch("ROLLBACK")?));
    let after = send(&store, put("b"));
    go_on.send(()).unwrap();
    wait(first).unwrap().unwrap();
    assert!(wait(before).unwrap().unwrap_err().transient);
    assert!(wait(ending).unwrap().unwrap_err().transient);
    assert!(wait(after).unwrap().unwrap_err().transient);
    assert_eq!(names(&path), 0);
}

#[test]
fn readers_cannot_write() {
    let directory = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(directory.path().join("ledger.db"), Options::new(fixtures::audit_config()))
        .unwrap();
    let put = |db: &Connection| Ok(db.execute("INSERT INTO meta (name, value) VALUES ('a', 1)", [])?);
    let error = wait(store.read(put)).unwrap_err();
    assert!(error.message.contains("readonly"), "{error}");
}
