//! Whether anybody but the demo has ever asked: it has no place in a real inbox.

use std::collections::HashSet;
use std::time::Duration;

use sekisho_gate::asker::is_demo;
use sekisho_gate::audit::Query;
use sekisho_gate::ledger::ApprovalQuery;
use sekisho_gate::record::Kind;
use sekisho_host::Spools;
use sekisho_store::Store;
use uuid::Uuid;

/// Calls and rows that are looked at. A demo makes a handful; with more than this it has been seen often enough.
const MANY: usize = 4096;
/// How often the record is looked at where nobody tells that it grew: what hooks wrote, what other processes did.
const LOOK: Duration = Duration::from_secs(2);

/// Whether anybody else has asked. What cannot be read, or was removed, may have been somebody.
pub(super) async fn have_asked(store: &dyn Store, spools: &Spools) -> Result<bool, String> {
    for spool in spools.all().map_err(|error| error.to_string())? {
        if !spool.lines(0, 1).map_err(|error| error.to_string())?.is_empty() {
            return Ok(true);
        }
    }
    if !store.cuts().await.map_err(|error| error.message)?.is_empty() {
        return Ok(true);
    }
    // The log does not tell credentials apart, but it tells which calls it is about. It is read first: what is asked while
    // it is read is then among the calls.
    let mut logged = Vec::new();
    for kind in [Kind::Question, Kind::Verdict] {
        let query = Query { kind: Some(kind.name().into()), limit: MANY, ..Query::default() };
        logged.extend(store.search(query).await.map_err(|error| error.message)?);
    }
    let calls = store.past(MANY).await.map_err(|error| error.message)?;
    let ours: HashSet<Uuid> =
        calls.iter().filter(|past| is_demo(&past.credential)).map(|past| past.id.0).collect();
    let all = logged.iter().all(|row| row.call.is_some_and(|call| ours.contains(&call)));
    Ok(!all || ours.len() < calls.len() || logged.len() >= MANY)
}

/// Waits until somebody else asks, or until it cannot be known any more.
pub(super) async fn ask(store: &dyn Store, spools: &Spools) -> Result<(), String> {
    let mut head = store.head();
    loop {
        if have_asked(store, spools).await? {
            return Ok(());
        }
        tokio::select! {
            changed = head.changed() => changed.map_err(|_| "the record was closed".to_owned())?,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Whether questions of a demo are open.
pub(super) async fn demo_is_on(store: &dyn Store) -> Result<bool, String> {
    let query = ApprovalQuery { state: Some("pending".into()), limit: MANY, ..ApprovalQuery::default() };
    let open = store.approvals(query).await.map_err(|error| error.message)?;
    Ok(open.iter().any(|approval| is_demo(&approval.asked.asker.credential)))
}
