//! Looking at the clock.

use sekisho_gate::approval::{Approval, State};
use sekisho_gate::ledger::{Opened, RETURN_S, Swept};
use sekisho_gate::record::Change;

use super::Backend;
use super::desk::Desk;
use crate::fixtures::{after, asker, call, question};

fn asked(call_id: &str, seconds: i64, timeout_s: Option<i64>) -> Approval {
    question(call(call_id), asker(), after(seconds), timeout_s)
}

pub(super) async fn nothing_is_nothing(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    assert_eq!(desk.sweep(1, after(0)).await, Swept::default());
    let approval = asked("1", 1, Some(5));
    desk.ask(&approval, 1).await;
    desk.leave(approval.id, 1, after(2)).await;
    assert_eq!(desk.sweep(1, after(10)).await, Swept::default(), "what has ended does not end again");
    assert_eq!(desk.changes().await.len(), 2);
}

pub(super) async fn what_is_due_expires(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let (short, long) = (asked("1", 0, Some(10)), asked("2", 1, Some(20)));
    let (same, parked) = (asked("3", 2, Some(8)), asked("4", 3, None));
    for approval in [&short, &long, &same, &parked] {
        desk.ask(approval, 1).await;
    }
    let early = desk.sweep(1, after(9)).await;
    assert_eq!(early, Swept { ended: vec![], next: Some(after(10)), pending: true });
    let due = desk.sweep(1, after(10)).await;
    assert_eq!(due, Swept { ended: vec![short.id, same.id], next: Some(after(21)), pending: true });
    assert_eq!(desk.get(short.id).await.fate.state, State::Expired { at: after(10) });
    let expired = |id| Change::Resolved { id, state: "expired".into() };
    assert_eq!(desk.changes().await[4..], [expired(short.id), expired(same.id)]);
    let last = desk.sweep(1, after(1000)).await;
    assert_eq!(last, Swept { ended: vec![long.id], next: None, pending: true });
    assert_eq!(desk.pending().await, [parked.id]);
}

pub(super) async fn the_next_moment_is_the_earliest(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    desk.ask(&asked("1", 0, Some(25)), 1).await;
    desk.ask(&asked("2", 1, Some(15)), 1).await;
    desk.ask(&asked("3", 2, Some(27)), 1).await;
    assert_eq!(desk.sweep(1, after(3)).await.next, Some(after(16)));
    assert_eq!(desk.sweep(1, after(16)).await.next, Some(after(25)));
}

pub(super) async fn what_a_lost_replica_left_is_ended_after_a_while(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = asked("1", 0, Some(120));
    desk.ask(&approval, 1).await;
    let early = desk.sweep(2, after(RETURN_S - 1)).await;
    assert_eq!(early, Swept { ended: vec![], next: Some(after(RETURN_S)), pending: true });
    // Looking at the moment that was named is enough: whoever sleeps until then does not spin.
    let swept = desk.sweep(2, after(RETURN_S)).await;
    assert_eq!(swept, Swept { ended: vec![approval.id], next: None, pending: false });
    assert_eq!(desk.state(approval.id).await, "aborted");
    assert_eq!(desk.changes().await.len(), 2);
}

pub(super) async fn a_replica_that_is_heard_of_abandons_nothing(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = asked("1", 0, Some(3600));
    desk.ask(&approval, 1).await;
    for seconds in [20, 40, 60] {
        desk.sweep(1, after(seconds)).await;
        assert_eq!(desk.sweep(2, after(seconds + 15)).await.ended, []);
    }
    // A replica that comes back to its own question after long silence has not lost it either.
    assert_eq!(desk.sweep(1, after(600)).await.ended, []);
    assert_eq!(desk.sweep(2, after(600 + RETURN_S)).await.ended, [approval.id]);
}

pub(super) async fn joining_again_saves_it(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let approval = asked("1", 0, Some(120));
    desk.ask(&approval, 1).await;
    assert_eq!(desk.open(&asked("1", 20, Some(120)), 2).await, Opened::Joined(approval.clone()));
    assert_eq!(desk.sweep(3, after(40)).await.ended, [], "its caller came back elsewhere");
    assert_eq!(desk.sweep(3, after(20 + RETURN_S)).await.ended, [approval.id]);
}

pub(super) async fn a_replica_that_asks_is_heard_of(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let first = asked("1", 0, Some(3600));
    desk.ask(&first, 1).await;
    let second = asked("2", 20, Some(3600));
    desk.ask(&second, 1).await;
    assert_eq!(desk.sweep(2, after(40)).await.ended, [], "it asked something new");
    assert_eq!(desk.open(&asked("2", 45, Some(3600)), 1).await, Opened::Joined(second.clone()));
    assert_eq!(desk.sweep(2, after(60)).await.ended, [], "it asked something again");
    assert_eq!(desk.sweep(2, after(45 + RETURN_S)).await.ended, [first.id, second.id]);
}

pub(super) async fn what_outlives_its_asker_is_never_abandoned(backend: &dyn Backend) {
    let desk = Desk::fresh(backend).await;
    let parked = asked("1", 0, None);
    let durable = question(call("2"), asker().durable(), after(1), Some(3600));
    desk.ask(&parked, 1).await;
    desk.ask(&durable, 1).await;
    let swept = desk.sweep(2, after(1000)).await;
    assert_eq!(swept, Swept { ended: vec![], next: Some(after(3601)), pending: true });
    assert_eq!(
        desk.sweep(2, after(3601)).await.ended,
        [durable.id],
        "a durable one with an end still expires"
    );
    assert_eq!(desk.pending().await, [parked.id]);
}
