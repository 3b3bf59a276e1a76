//! Tests that need internals: an operation that panics.

use sekisho_gate::WriteAccess;

use sekisho_gate::audit::{AuditLog, Verifier};
use sekisho_gate::ledger::Ledger;
use sekisho_testkit::fixtures::{audit_config, rules_changed_record, seconds_after_start};
use sekisho_testkit::postgres::PgServer;

use crate::postgres::open_transaction::OpenTransaction;
use crate::postgres::write_operation::WriteOperation;
use crate::postgres::{Options, PostgresStore};
use crate::transaction_error::TransactionResult;

/// Writes an entry and then panics.
struct Panics;

impl WriteOperation for Panics {
    type Outcome = ();

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<()> {
        tx.append(&rules_changed_record(seconds_after_start(1), "never committed"))?;
        tx.db.batch_execute("INSERT INTO meta (name, value) VALUES ('never', 1)").await?;
        panic!("a script that panics, as the test wants it")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn panicking_operation_permits_nothing() {
    let server = PgServer::start(&[], |_| {});
    let store = PostgresStore::open(&server.database().await, Options::new(audit_config())).await.unwrap();
    let note = |seconds, text| {
        store.append_records(
            WriteAccess::TESTS,
            vec![rules_changed_record(seconds_after_start(seconds), text)],
        )
    };
    note(0, "before").await.unwrap();
    for _ in 0..3 {
        let error = store.write(Panics).await.unwrap_err();
        assert!(error.transient && error.message.contains("did not answer"), "{error}");
    }
    note(2, "after").await.unwrap();
    let rows = store.rows(None, 99).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["before", "after"]);
    let counters = store.read(|db| Box::pin(db.rows("SELECT 1 FROM meta WHERE name = 'never'", &[])));
    assert!(counters.await.unwrap().is_empty(), "nothing of it was kept");
    let keys = audit_config().keys;
    let mut verifier = Verifier::new(&keys, Vec::new(), &[]).unwrap();
    rows.iter().for_each(|row| verifier.row(row).unwrap());
    assert_eq!(verifier.finish().unwrap().heads.len(), 1, "the chain goes on where it ended");
}
