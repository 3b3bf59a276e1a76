//! What listeners are told.

use sekisho_gate::answer::Answer;
use sekisho_gate::feed::{Feed, Update};
use sekisho_gate::ledger::Ledger;
use sekisho_gate::record::Change;
use serde_json::json;

use crate::world::{World, ask, settle};

async fn snapshot(feed: &mut Feed) -> (u64, usize) {
    match feed.next().await.unwrap() {
        Update::Snapshot(snapshot) => (snapshot.seq, snapshot.pending.len()),
        Update::Change(changed) => panic!("a change: {changed:?}"),
    }
}

async fn change(feed: &mut Feed) -> (u64, Change) {
    match feed.next().await.unwrap() {
        Update::Change(changed) => (changed.event.seq, changed.event.change.clone()),
        Update::Snapshot(snapshot) => panic!("a snapshot: {snapshot:?}"),
    }
}

#[tokio::test]
async fn how_things_stand_then_every_change_without_a_gap() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    let mut feed = world.gate.subscribe(None);
    let (mut seq, pending) = snapshot(&mut feed).await;
    assert_eq!(pending, 1);
    world.answer(question.id, Answer::approve()).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
    for expected in ["resolved", "started"] {
        let (next, change) = change(&mut feed).await;
        assert_eq!(next, seq + 1);
        seq = next;
        assert_eq!(serde_json::to_value(&change).unwrap()["type"], expected);
    }
}

#[tokio::test]
async fn a_listener_goes_on_from_where_it_was() {
    let world = World::new(json!({})).await;
    let caller = world.pass(ask());
    let question = world.question().await;
    world.answer(question.id, Answer::deny()).await.unwrap();
    let _ = caller.await;
    settle().await;
    let mut feed = world.gate.subscribe(Some(1));
    assert!(matches!(change(&mut feed).await, (2, Change::Resolved { .. })));
    let mut unknown = world.gate.subscribe(Some(1_000));
    assert_eq!(snapshot(&mut unknown).await.1, 0, "a number from another life begins anew");
}

#[tokio::test]
async fn one_who_falls_behind_is_told_how_things_stand_and_slows_nobody() {
    let world = World::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let mut slow = world.gate.subscribe(None);
    let mut quick = world.gate.subscribe(None);
    let (start, _) = snapshot(&mut slow).await;
    snapshot(&mut quick).await;
    for n in 1..=3_000_u64 {
        assert!(world.gate.pass(ask()).await.is_ok());
        settle().await;
        assert_eq!(change(&mut quick).await.0, start + n);
    }
    let head = *world.ledger.head().borrow();
    assert_eq!(snapshot(&mut slow).await.0, head);
    assert!(world.gate.pass(ask()).await.is_ok());
    settle().await;
    assert_eq!(change(&mut slow).await.0, head + 1);
}
