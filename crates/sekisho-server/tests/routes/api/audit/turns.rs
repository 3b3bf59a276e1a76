//! Many who look through the record at once.

use std::sync::{Arc, Mutex};

use axum::http::Method;
use futures_util::future::join_all;
use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{Audit, Cut, Head, Keys, Query, Row, Stats, WriterId};
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::Entry;
use sekisho_testkit::MemoryLedger;
use tokio::sync::Semaphore;

use crate::harness::in_process::{House, settle};

/// A record that is looked through only when it is let to.
#[derive(Clone)]
struct Slow {
    ledger: MemoryLedger,
    /// What was looked for, in the order it began.
    begun: Arc<Mutex<Vec<String>>>,
    may_end: Arc<Semaphore>,
}

impl Audit for Slow {
    fn search(&self, query: Query) -> Kept<'_, Vec<Row>> {
        Box::pin(async move {
            self.begun.lock().unwrap().push(query.text.clone().unwrap_or_default());
            self.may_end.acquire().await.unwrap().forget();
            self.ledger.search(query).await
        })
    }
    fn rows(&self, after: Option<(WriterId, u64)>, limit: usize) -> Kept<'_, Vec<Row>> {
        self.ledger.rows(after, limit)
    }
    fn row(&self, writer: WriterId, seq: u64) -> Kept<'_, Option<Row>> {
        self.ledger.row(writer, seq)
    }
    fn count(&self) -> Kept<'_, u64> {
        self.ledger.count()
    }
    fn heads(&self) -> Kept<'_, Vec<Head>> {
        self.ledger.heads()
    }
    fn cuts(&self) -> Kept<'_, Vec<Cut>> {
        self.ledger.cuts()
    }
    fn first_trace(&self) -> Kept<'_, Option<Timestamp>> {
        self.ledger.first_trace()
    }
    fn stats(&self, from: Timestamp, to: Timestamp) -> Kept<'_, Stats> {
        self.ledger.stats(from, to)
    }
    fn checkpoint(&self, at: Timestamp) -> Kept<'_, Option<Head>> {
        self.ledger.checkpoint(at)
    }
    fn prune(&self, before: Timestamp, at: Timestamp) -> Kept<'_, u64> {
        self.ledger.prune(before, at)
    }
    fn purge(&self, before: Timestamp) -> Kept<'_, u64> {
        self.ledger.purge(before)
    }
    fn raw_input(&self, call: CallId) -> Kept<'_, Option<serde_json::Value>> {
        self.ledger.raw_input(call)
    }
    fn take_in(&self, access: &WriteAccess, spool: WriterId, first: u64, lines: Vec<Entry>) -> Kept<'_, u64> {
        self.ledger.take_in(access, spool, first, lines)
    }
    fn take_keys(&self, keys: Arc<Keys>) -> Kept<'_, ()> {
        self.ledger.take_keys(keys)
    }
}

/// A house with a record that is slow, and the record.
async fn slow() -> (House, Slow) {
    let (begun, may_end) = (Arc::default(), Arc::new(Semaphore::new(0)));
    let mut slow = None;
    let house = House::reading(|ledger| {
        Arc::new(slow.insert(Slow { ledger: ledger.clone(), begun, may_end }).clone())
    });
    (house.await, slow.unwrap())
}

#[tokio::test]
async fn those_who_search_take_turns_and_few_wait() {
    let (house, slow) = slow().await;
    let search = |role, path| house.send(role, Method::GET, path, None);
    let many = join_all((0..40).map(|_| search(Role::Viewer, "/api/audit?text=many")));
    let one = search(Role::Approver, "/api/audit?text=one");
    let whole = search(Role::Admin, "/api/audit/export?text=whole");
    let letting = async {
        settle().await;
        assert_eq!(*slow.begun.lock().unwrap(), ["many"]);
        slow.may_end.add_permits(100);
    };
    let (many, one, whole, ()) = tokio::join!(many, one, whole, letting);
    let refused: Vec<_> = many.iter().filter(|reply| reply.status != 200).collect();
    assert_eq!(refused.len(), 40 - 1 - 32);
    for reply in refused {
        assert_eq!((reply.status.as_u16(), reply.json()["error"]["code"].as_str()), (503, Some("NoRoom")));
        assert!(reply.headers.contains_key("retry-after"));
    }
    assert!(one.status == 200 && whole.status == 200);
    // Those with one search wait for one of those with many, and not for all.
    assert_eq!(slow.begun.lock().unwrap()[..4], ["many", "many", "one", "whole"]);
}

#[tokio::test]
async fn a_search_that_nobody_waits_for_is_still_one() {
    let (house, slow) = slow().await;
    let first = house.get("/api/audit?text=first");
    tokio::select! {
        _ = first => panic!("it ended by itself"),
        () = settle() => {}
    }
    let second = house.get("/api/audit?text=second");
    let letting = async {
        settle().await;
        assert_eq!(*slow.begun.lock().unwrap(), ["first"]);
        slow.may_end.add_permits(2);
    };
    assert_eq!(tokio::join!(second, letting).0.status, 200);
}
