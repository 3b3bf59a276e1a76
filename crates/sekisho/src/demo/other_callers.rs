//! Finds out whether any agent other than the demo has ever asked. The demo does not mix with real questions.

use std::collections::HashSet;
use std::time::Duration;

use sekisho_gate::audit::AuditQuery;
use sekisho_gate::caller::is_demo;
use sekisho_gate::ledger::ApprovalQuery;
use sekisho_gate::record::RecordKind;
use sekisho_host::Spools;
use sekisho_store::Store;
use uuid::Uuid;

/// Maximum number of calls and records to check. A demo makes a handful; with more than this, it does not
/// run.
const MANY: usize = 4096;
/// How often to check for records that hooks or other processes wrote, which are not announced.
const LOOK: Duration = Duration::from_secs(2);

/// Whether another agent has asked. Anything unreadable or removed counts as another agent.
pub(super) async fn others_have_asked(store: &dyn Store, spools: &Spools) -> Result<bool, String> {
    for spool in spools.all().map_err(|error| error.to_string())? {
        if !spool.lines(0, 1).map_err(|error| error.to_string())?.is_empty() {
            return Ok(true);
        }
    }
    if !store.cuts().await.map_err(|error| error.message)?.is_empty() {
        return Ok(true);
    }
    // Records do not name credentials, but they name their calls. The log is read first, so that calls made
    // during the read are among the calls read after it.
    let mut logged = Vec::new();
    for kind in [RecordKind::Question, RecordKind::Verdict] {
        let query = AuditQuery { kind: Some(kind.name().into()), limit: MANY, ..AuditQuery::default() };
        logged.extend(store.search(query).await.map_err(|error| error.message)?);
    }
    let calls = store.past_calls(MANY).await.map_err(|error| error.message)?;
    let ours: HashSet<Uuid> =
        calls.iter().filter(|past| is_demo(&past.credential)).map(|past| past.id.0).collect();
    let all = logged.iter().all(|row| row.call.is_some_and(|call| ours.contains(&call)));
    Ok(!all || ours.len() < calls.len() || logged.len() >= MANY)
}

/// Waits until another agent asks, or until this can no longer be known.
pub(super) async fn wait_for_others(store: &dyn Store, spools: &Spools) -> Result<(), String> {
    let mut head = store.head();
    loop {
        if others_have_asked(store, spools).await? {
            return Ok(());
        }
        tokio::select! {
            changed = head.changed() => changed.map_err(|_| "the audit log was closed".to_owned())?,
            () = tokio::time::sleep(LOOK) => {}
        }
    }
}

/// Whether questions of a demo are open.
pub(super) async fn demo_questions_open(store: &dyn Store) -> Result<bool, String> {
    let query = ApprovalQuery { state: Some("pending".into()), limit: MANY, ..ApprovalQuery::default() };
    let open = store.approvals(query).await.map_err(|error| error.message)?;
    Ok(open.iter().any(|approval| is_demo(&approval.asked.asker.credential)))
}
