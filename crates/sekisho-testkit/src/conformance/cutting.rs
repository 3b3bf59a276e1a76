//! What is old goes, and what is left still verifies.

use sekisho_gate::WriteAccess;

use super::Backend;
use super::auditing::{SPOOL, all_rows, line, mixed_work, verify};
use super::desk::Desk;
use crate::fixtures::{after, rules_changed, seal};

pub(super) async fn what_is_old_is_cut_and_the_rest_verifies(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let (audit, keys) = (desk.0.audit.clone(), seal().keys);
    mixed_work(&desk).await;
    audit
        .take_in(WriteAccess::TESTS, SPOOL, 1, vec![line(1, "a"), line(9, "b")])
        .await
        .expect("taking in works");
    audit.checkpoint(after(3702)).await.expect("a checkpoint works").expect("something grew");
    let before = all_rows(&desk).await;
    let exported = audit.heads().await.expect("heads are read");
    assert_eq!(audit.prune(after(0), after(5000)).await, Ok(0), "nothing is that old");
    assert_eq!(audit.cuts().await, Ok(vec![]));

    let old =
        |row: &&sekisho_gate::audit::Row| row.at() < after(3000) && (row.writer != SPOOL || row.seq < 2);
    let removed = before.iter().filter(old).count() as u64;
    assert_eq!(audit.prune(after(3000), after(5000)).await, Ok(removed));
    let left: Vec<_> = before.iter().filter(|row| !old(row)).cloned().collect();
    assert_eq!(all_rows(&desk).await, left);
    assert_eq!(audit.count().await, Ok(left.len() as u64));
    let cuts = audit.cuts().await.expect("cuts are read");
    assert_eq!(cuts.len(), 2);
    assert!(cuts.iter().all(|cut| cut.holds(&keys)));
    assert_eq!(audit.heads().await.as_ref(), Ok(&exported), "the ends are where they were");
    verify(&desk, &keys, &exported).await.expect("what is left verifies");
    assert_eq!(audit.prune(after(3000), after(5001)).await, Ok(0), "it is gone already");
}

pub(super) async fn a_chain_goes_on_after_its_cut(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let keys = seal().keys;
    for round in 1..=3 {
        let seconds = 1000 * round;
        let note = vec![rules_changed(after(seconds), "it goes on")];
        desk.0.ledger.note(WriteAccess::TESTS, note.clone()).await.expect("noting works");
        desk.0.ledger.note(WriteAccess::TESTS, note).await.expect("noting works");
        let first = 2 * u64::try_from(round).expect("it is positive") - 1;
        let lines = vec![line(seconds, "a"), line(seconds, "b")];
        desk.0.audit.take_in(WriteAccess::TESTS, SPOOL, first, lines).await.expect("taking in works");
        desk.0.audit.checkpoint(after(seconds)).await.expect("a checkpoint works").expect("both grew");
        let exported = desk.0.audit.heads().await.expect("heads are read");
        let removed = desk.0.audit.prune(after(seconds + 1), after(seconds + 2)).await;
        assert!(removed.expect("pruning works") > 0, "round {round}");
        let report = verify(&desk, &keys, &exported).await.expect("what is left verifies");
        assert_eq!((report.rows, report.heads), (2, exported), "the last row of each chain stays");
    }
    let desk = Desk(backend.reopen(desk.0).await);
    verify(&desk, &keys, &[]).await.expect("chains that were cut three times verify");
}

pub(super) async fn a_chain_never_disappears(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let audit = desk.0.audit.clone();
    let many = (0..2500).map(|second| line(second, "old")).collect();
    audit.take_in(WriteAccess::TESTS, SPOOL, 1, many).await.expect("taking in works");
    let head = audit.heads().await.expect("heads are read");
    assert_eq!(audit.prune(after(100_000), after(100_000)).await, Ok(2499));
    assert_eq!(audit.prune(after(100_000), after(100_000)).await, Ok(0));
    assert_eq!((audit.count().await, audit.heads().await), (Ok(1), Ok(head.clone())));
    assert_eq!(
        audit.take_in(WriteAccess::TESTS, SPOOL, 2500, vec![line(1, "old"), line(2, "new")]).await,
        Ok(1)
    );
    let report = verify(&desk, &seal().keys, &head).await.expect("it verifies");
    assert_eq!(report.rows, 2);
}
