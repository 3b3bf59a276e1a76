//! Many audit searches at once.

use std::sync::{Arc, Mutex};

use axum::http::Method;
use futures_util::future::join_all;
use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{
    AuditLog, AuditQuery, CallKey, ChainCut, ChainHead, ChainRow, KeyRing, Stats, WriterId,
};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::AuditEntry;
use sekisho_testkit::MemoryLedger;
use tokio::sync::Semaphore;

use crate::harness::in_process::{TestServer, settle};

/// An audit log whose searches wait until they are released.
#[derive(Clone)]
struct Slow {
    ledger: MemoryLedger,
    /// The searches, in the order they began.
    begun: Arc<Mutex<Vec<String>>>,
    may_end: Arc<Semaphore>,
}

impl AuditLog for Slow {
    fn search(&self, query: AuditQuery) -> LedgerFuture<'_, Vec<ChainRow>> {
        Box::pin(async move {
            self.begun.lock().unwrap().push(query.text.clone().unwrap_or_default());
            self.may_end.acquire().await.unwrap().forget();
            self.ledger.search(query).await
        })
    }
    fn call_rows(&self, calls: Vec<CallKey>) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.ledger.call_rows(calls)
    }
    fn rows(&self, after: Option<(WriterId, u64)>, limit: usize) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.ledger.rows(after, limit)
    }
    fn row(&self, writer: WriterId, seq: u64) -> LedgerFuture<'_, Option<ChainRow>> {
        self.ledger.row(writer, seq)
    }
    fn count(&self) -> LedgerFuture<'_, u64> {
        self.ledger.count()
    }
    fn heads(&self) -> LedgerFuture<'_, Vec<ChainHead>> {
        self.ledger.heads()
    }
    fn cuts(&self) -> LedgerFuture<'_, Vec<ChainCut>> {
        self.ledger.cuts()
    }
    fn earliest_activity(&self) -> LedgerFuture<'_, Option<Timestamp>> {
        self.ledger.earliest_activity()
    }
    fn stats(&self, from: Timestamp, to: Timestamp) -> LedgerFuture<'_, Stats> {
        self.ledger.stats(from, to)
    }
    fn checkpoint(&self, at: Timestamp) -> LedgerFuture<'_, Option<ChainHead>> {
        self.ledger.checkpoint(at)
    }
    fn prune(&self, before: Timestamp, at: Timestamp) -> LedgerFuture<'_, u64> {
        self.ledger.prune(before, at)
    }
    fn purge(&self, before: Timestamp) -> LedgerFuture<'_, u64> {
        self.ledger.purge(before)
    }
    fn raw_input(&self, call: CallId) -> LedgerFuture<'_, Option<serde_json::Value>> {
        self.ledger.raw_input(call)
    }
    fn import_spool(
        &self,
        access: &WriteAccess,
        spool: WriterId,
        first: u64,
        lines: Vec<AuditEntry>,
    ) -> LedgerFuture<'_, u64> {
        self.ledger.import_spool(access, spool, first, lines)
    }
    fn set_keys(&self, keys: Arc<KeyRing>) -> LedgerFuture<'_, ()> {
        self.ledger.set_keys(keys)
    }
}

/// A server with a slow audit log, and the log.
async fn slow() -> (TestServer, Slow) {
    let (begun, may_end) = (Arc::default(), Arc::new(Semaphore::new(0)));
    let mut slow = None;
    let server = TestServer::with_audit(|ledger| {
        Arc::new(slow.insert(Slow { ledger: ledger.clone(), begun, may_end }).clone())
    });
    (server.await, slow.unwrap())
}

#[tokio::test]
async fn searches_alternate_between_credentials_and_waiters_are_limited() {
    let (server, slow) = slow().await;
    let search = |role, path| server.send(role, Method::GET, path, None);
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
    // Credentials with one search wait for one search of the busy credential, not for all.
    assert_eq!(slow.begun.lock().unwrap()[..4], ["many", "many", "one", "whole"]);
}

#[tokio::test]
async fn abandoned_search_still_occupies_its_slot() {
    let (server, slow) = slow().await;
    let first = server.get("/api/audit?text=first");
    tokio::select! {
        _ = first => panic!("it ended by itself"),
        () = settle() => {}
    }
    let second = server.get("/api/audit?text=second");
    let letting = async {
        settle().await;
        assert_eq!(*slow.begun.lock().unwrap(), ["first"]);
        slow.may_end.add_permits(2);
    };
    assert_eq!(tokio::join!(second, letting).0.status, 200);
}
