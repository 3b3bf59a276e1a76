//! What is old goes, and what is left still verifies.

use super::Backend;
use super::auditing::{SPOOL, all_rows, line, mixed_work, verify};
use super::desk::Desk;
use crate::fixtures::{after, rules_changed, seal};

pub(super) async fn what_is_old_is_cut_and_the_rest_verifies(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let (audit, keys) = (desk.0.audit.clone(), seal().keys);
    mixed_work(&desk).await;
    audit.take_in(SPOOL, 1, vec![line(1, "a"), line(9, "b")]).await.expect("taking in works");
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

    desk.0.ledger.note(vec![rules_changed(after(6000), "it goes on")]).await.expect("noting works");
    audit.take_in(SPOOL, 3, vec![line(6000, "c")]).await.expect("taking in works");
    audit.checkpoint(after(6001)).await.expect("a checkpoint works").expect("both grew");
    verify(&desk, &keys, &exported).await.expect("it verifies as it goes on");
    assert!(audit.prune(after(6001), after(7000)).await.expect("pruning again works") > 0);
    drop(audit);
    let desk = Desk(backend.reopen(desk.0).await);
    verify(&desk, &keys, &[]).await.expect("a chain that was cut twice verifies");
}

pub(super) async fn a_chain_never_disappears(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let audit = desk.0.audit.clone();
    let many = (0..2500).map(|second| line(second, "old")).collect();
    audit.take_in(SPOOL, 1, many).await.expect("taking in works");
    let head = audit.heads().await.expect("heads are read");
    assert_eq!(audit.prune(after(100_000), after(100_000)).await, Ok(2499));
    assert_eq!(audit.prune(after(100_000), after(100_000)).await, Ok(0));
    assert_eq!((audit.count().await, audit.heads().await), (Ok(1), Ok(head.clone())));
    assert_eq!(audit.take_in(SPOOL, 2500, vec![line(1, "old"), line(2, "new")]).await, Ok(1));
    let report = verify(&desk, &seal().keys, &head).await.expect("it verifies");
    assert_eq!(report.rows, 2);
}
