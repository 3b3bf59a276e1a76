//! Old rows are removed, and the rest still verifies.

use sekisho_gate::WriteAccess;

use super::Backend;
use super::audit_chains::{SPOOL, all_rows, line, mixed_work, verify};
use super::harness::StoreHarness;
use crate::fixtures::{audit_config, rules_changed_record, seconds_after_start};

pub(super) async fn old_rows_are_pruned_and_the_rest_verifies(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (audit, keys) = (harness.0.audit.clone(), audit_config().keys);
    mixed_work(&harness).await;
    audit
        .import_spool(WriteAccess::TESTS, SPOOL, 1, vec![line(1, "a"), line(9, "b")])
        .await
        .expect("taking in works");
    audit.checkpoint(seconds_after_start(3702)).await.expect("a checkpoint works").expect("something grew");
    let before = all_rows(&harness).await;
    let exported = audit.heads().await.expect("heads are read");
    assert_eq!(
        audit.prune(seconds_after_start(0), seconds_after_start(5000)).await,
        Ok(0),
        "nothing is that old"
    );
    assert_eq!(audit.cuts().await, Ok(vec![]));

    let old = |row: &&sekisho_gate::audit::ChainRow| {
        row.at() < seconds_after_start(3000) && (row.writer != SPOOL || row.seq < 2)
    };
    let removed = before.iter().filter(old).count() as u64;
    assert_eq!(audit.prune(seconds_after_start(3000), seconds_after_start(5000)).await, Ok(removed));
    let left: Vec<_> = before.iter().filter(|row| !old(row)).cloned().collect();
    assert_eq!(all_rows(&harness).await, left);
    assert_eq!(audit.count().await, Ok(left.len() as u64));
    let cuts = audit.cuts().await.expect("cuts are read");
    assert_eq!(cuts.len(), 2);
    assert!(cuts.iter().all(|cut| cut.is_signed(&keys)));
    assert_eq!(audit.heads().await.as_ref(), Ok(&exported), "the ends are where they were");
    verify(&harness, &keys, &exported).await.expect("what is left verifies");
    assert_eq!(
        audit.prune(seconds_after_start(3000), seconds_after_start(5001)).await,
        Ok(0),
        "it is gone already"
    );
}

pub(super) async fn chain_continues_after_its_cut(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let keys = audit_config().keys;
    for round in 1..=3 {
        let seconds = 1000 * round;
        let note = vec![rules_changed_record(seconds_after_start(seconds), "it goes on")];
        harness.0.ledger.append_records(WriteAccess::TESTS, note.clone()).await.expect("noting works");
        harness.0.ledger.append_records(WriteAccess::TESTS, note).await.expect("noting works");
        let first = 2 * u64::try_from(round).expect("it is positive") - 1;
        let lines = vec![line(seconds, "a"), line(seconds, "b")];
        harness.0.audit.import_spool(WriteAccess::TESTS, SPOOL, first, lines).await.expect("taking in works");
        harness
            .0
            .audit
            .checkpoint(seconds_after_start(seconds))
            .await
            .expect("a checkpoint works")
            .expect("both grew");
        let exported = harness.0.audit.heads().await.expect("heads are read");
        let removed =
            harness.0.audit.prune(seconds_after_start(seconds + 1), seconds_after_start(seconds + 2)).await;
        assert!(removed.expect("pruning works") > 0, "round {round}");
        let report = verify(&harness, &keys, &exported).await.expect("what is left verifies");
        assert_eq!((report.rows, report.heads), (2, exported), "the last row of each chain stays");
    }
    let harness = StoreHarness(backend.reopen(harness.0).await);
    verify(&harness, &keys, &[]).await.expect("chains that were cut three times verify");
}

pub(super) async fn chain_never_disappears(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let audit = harness.0.audit.clone();
    let many = (0..2500).map(|second| line(second, "old")).collect();
    audit.import_spool(WriteAccess::TESTS, SPOOL, 1, many).await.expect("taking in works");
    let head = audit.heads().await.expect("heads are read");
    assert_eq!(audit.prune(seconds_after_start(100_000), seconds_after_start(100_000)).await, Ok(2499));
    assert_eq!(audit.prune(seconds_after_start(100_000), seconds_after_start(100_000)).await, Ok(0));
    assert_eq!((audit.count().await, audit.heads().await), (Ok(1), Ok(head.clone())));
    assert_eq!(
        audit.import_spool(WriteAccess::TESTS, SPOOL, 2500, vec![line(1, "old"), line(2, "new")]).await,
        Ok(1)
    );
    let report = verify(&harness, &audit_config().keys, &head).await.expect("it verifies");
    assert_eq!(report.rows, 2);
}
