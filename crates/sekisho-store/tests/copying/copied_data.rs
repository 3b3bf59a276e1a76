//! A copy holds what was there, and continues from it.

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Answer;
use sekisho_gate::approval_machine::StepOutcome;
use sekisho_gate::audit::{AuditLog, Verifier};
use sekisho_gate::ledger::{ApprovalQuery, Ledger, OpenOutcome};
use sekisho_gate::rule_store::RuleStore;
use sekisho_gate::token_store::{TokenStore, token_created_record};
use sekisho_store::PostgresStore;
use sekisho_store::postgres::copy::{Progress, copy};
use sekisho_testkit::fixtures::{
    answer_trigger, audit_config, call, caller, new_approval, pending_approval, replica, seconds_after_start,
};

use crate::comparison::{in_file, on_server, tables};
use crate::harness::{RUNTIME, other, store};
use crate::sample_data::File;
use sekisho_testkit::postgres::PgServer;

async fn copied() -> (File, String) {
    let (file, url) = (File::filled().await, PgServer::shared().database().await);
    let mut told = Vec::new();
    let copied =
        copy(&file.path, &url, &audit_config().keys, &mut |progress| told.push(progress)).await.unwrap();
    let all = copied.rows();
    assert!(told.contains(&Progress::Written { rows: all, of: all }), "{all} {told:?}");
    assert!(
        matches!(told.last(), Some(Progress::Verified { rows, of }) if rows == of && *rows > 2000),
        "{told:?}"
    );
    assert!(copied.tables.iter().all(|(_, rows)| *rows > 0), "every table is tried: {copied:?}");
    assert_eq!(copied.chains, 3);
    (file, url)
}

#[test]
fn every_table_arrives_value_by_value() {
    RUNTIME.block_on(async {
        let (file, url) = copied().await;
        let server = other(&url).await;
        let mut seen = 0;
        for (table, mut columns) in tables(&server).await {
            match table.as_str() {
                // Waiters are not copied.
                "replicas" | "holds" => {
                    assert_eq!(on_server(&server, &table, &columns).await, [""; 0], "{table}");
                    continue;
                }
                // The first process to open the new database brings the keys, and they are checked against
                // the rows.
                "key_prints" => continue,
                // The server stores the event counter under a name.
                "meta" => {
                    let events = file.other().query_row("SELECT max(seq) FROM events", [], |row| row.get(0));
                    let mut expected = in_file(&file, &table, &columns);
                    expected.push(format!(
                        "{:?}",
                        [Some("events"), Some(&events.map(|n: i64| n.to_string()).unwrap())]
                    ));
                    expected.sort();
                    assert_eq!(on_server(&server, &table, &columns).await, expected);
                    continue;
                }
                // Only the server has the key hash; joining below needs it.
                "approvals" => columns.retain(|(name, _)| name != "key"),
                _ => {}
            }
            let (there, here) =
                (on_server(&server, &table, &columns).await, in_file(&file, &table, &columns));
            assert!(!here.is_empty() && there == here, "{table}: {} and {} rows", there.len(), here.len());
            seen += 1;
        }
        assert_eq!(seen, 25);
    });
}

#[test]
fn both_stores_give_the_same_results() {
    RUNTIME.block_on(async {
        let (file, url) = copied().await;
        let (old, new) = (file.store(), store(&url).await);
        assert_eq!(new.snapshot().await, old.snapshot().await);
        assert_eq!(new.snapshot().await.unwrap().pending.len(), 3);
        assert_eq!(new.all(seconds_after_start(500)).await, old.all(seconds_after_start(500)).await);
        assert_eq!(new.tokens().await, old.tokens().await);
        assert_eq!(new.open_links(seconds_after_start(0)).await, Ok(1));
        assert_eq!(new.past_calls(9999).await, old.past_calls(9999).await);
        assert!(new.past_calls(9999).await.unwrap().len() > 5);
        let query = || ApprovalQuery { credential: Some(caller().credential), ..ApprovalQuery::default() };
        assert_eq!(new.approvals(query()).await, old.approvals(query()).await);
        assert_eq!(new.events(0, 9999).await, old.events(0, 9999).await);
        assert_eq!(AuditLog::heads(&new).await, AuditLog::heads(&old).await);
        assert_eq!((new.cuts().await, new.count().await), (old.cuts().await, old.count().await));
        assert_eq!(new.cuts().await.unwrap().len(), 1);
        let call = file.pending.asked.call_id;
        assert_eq!(new.raw_input(call).await, old.raw_input(call).await);
        assert!(new.raw_input(call).await.unwrap().is_some());
    });
}

#[test]
fn server_continues_where_the_file_ended() {
    RUNTIME.block_on(async {
        let (file, url) = copied().await;
        let heads = AuditLog::heads(&file.store()).await.unwrap();
        let store = store(&url).await;
        let last = store.snapshot().await.unwrap().seq;
        // Found by its key, unusual as it is.
        let again = pending_approval(call("pending\0"), caller(), seconds_after_start(310), Some(60));
        assert_eq!(
            store.open(WriteAccess::TESTS, new_approval(&again, replica(2))).await,
            Ok(OpenOutcome::Joined(file.pending.clone()))
        );
        let yes = answer_trigger(&file.pending, Answer::approve(), None, seconds_after_start(311));
        assert_eq!(
            store
                .step(WriteAccess::TESTS, file.pending.id, yes, seconds_after_start(311))
                .await
                .unwrap()
                .unwrap()
                .outcome,
            StepOutcome::Changed
        );
        let new = pending_approval(call("new"), caller(), seconds_after_start(312), Some(60));
        assert_eq!(
            store.open(WriteAccess::TESTS, new_approval(&new, replica(2))).await,
            Ok(OpenOutcome::New)
        );
        let pending = store.pending(None, 9).await.unwrap();
        assert_eq!(pending.last(), Some(&new), "asked after all that were copied");
        let events: Vec<u64> = store.events(last, 99).await.unwrap().iter().map(|event| event.seq).collect();
        assert_eq!(events, [last + 1, last + 2]);
        let made = crate::sample_data::token("new", 314);
        store
            .add_token(
                WriteAccess::TESTS,
                made.clone(),
                token_created_record(&made, None, seconds_after_start(314)),
            )
            .await
            .unwrap();
        assert_eq!(store.tokens().await.unwrap().last(), Some(&made), "made after all that were copied");
        store.checkpoint(seconds_after_start(313)).await.unwrap();
        assert_eq!(verified(&store, &heads).await, heads.len() + 1);
    });
}

/// How many chains verify.
async fn verified(store: &PostgresStore, heads: &[sekisho_gate::audit::ChainHead]) -> usize {
    let keys = audit_config().keys;
    let mut verifier = Verifier::new(&keys, store.cuts().await.unwrap(), heads).unwrap();
    for row in store.rows(None, 99_999).await.unwrap() {
        verifier.row(&row).unwrap();
    }
    verifier.finish().unwrap().heads.len()
}
