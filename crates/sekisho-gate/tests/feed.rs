//! What feeds deliver.

use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Answer;
use sekisho_gate::clock::Clock;
use sekisho_gate::feed::{Feed, Update};
use sekisho_gate::ledger::LedgerReader;
use sekisho_gate::ledger::{Ledger, LedgerFuture};
use sekisho_gate::record::{EventPayload, Record};
use sekisho_gate::rule_store::{RuleStore, StoredRule, StoredRules};
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{Gate, Ports, Settings};
use sekisho_policy::Effect;
use sekisho_testkit::fixtures::{rules_changed_record, stored_rule};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::json;
use tokio::sync::watch;
use uuid::Uuid;

use crate::harness::{GateHarness, ports, request, settle};

async fn snapshot(feed: &mut Feed) -> (u64, usize) {
    match feed.next().await.unwrap() {
        Update::Snapshot(snapshot) => (snapshot.seq, snapshot.pending.len()),
        Update::Event(changed) => panic!("a change: {changed:?}"),
    }
}

async fn change(feed: &mut Feed) -> (u64, EventPayload) {
    match feed.next().await.unwrap() {
        Update::Event(changed) => (changed.event.seq, changed.event.change.clone()),
        Update::Snapshot(snapshot) => panic!("a snapshot: {snapshot:?}"),
    }
}

#[tokio::test]
async fn snapshot_then_every_event_without_a_gap() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    let mut feed = harness.gate.subscribe(None);
    let (mut seq, pending) = snapshot(&mut feed).await;
    assert_eq!(pending, 1);
    harness.answer(question.id, Answer::approve()).await.unwrap();
    assert!(caller.await.unwrap().is_ok());
    for expected in ["resolved", "started"] {
        let (next, change) = change(&mut feed).await;
        assert_eq!(next, seq + 1);
        seq = next;
        assert_eq!(serde_json::to_value(&change).unwrap()["type"], expected);
    }
}

#[tokio::test]
async fn feed_resumes_from_its_position() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness.answer(question.id, Answer::deny()).await.unwrap();
    let _ = caller.await;
    settle().await;
    let mut feed = harness.gate.subscribe(Some(1));
    assert!(matches!(change(&mut feed).await, (2, EventPayload::Resolved { .. })));
    let mut unknown = harness.gate.subscribe(Some(1_000));
    assert_eq!(snapshot(&mut unknown).await.1, 0, "an unknown event number starts with a snapshot");
}

#[tokio::test]
async fn slow_feed_gets_a_snapshot_and_delays_nobody() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let mut slow = harness.gate.subscribe(None);
    let mut quick = harness.gate.subscribe(None);
    let (start, _) = snapshot(&mut slow).await;
    snapshot(&mut quick).await;
    for n in 1..=3_000_u64 {
        assert!(harness.gate.pass(request()).await.is_ok());
        settle().await;
        assert_eq!(change(&mut quick).await.0, start + n);
    }
    let head = *harness.ledger.head().borrow();
    assert_eq!(snapshot(&mut slow).await.0, head);
    assert!(harness.gate.pass(request()).await.is_ok());
    settle().await;
    assert_eq!(change(&mut slow).await.0, head + 1);
}

/// Rules whose changes are announced in no other way.
struct Unheard(MemoryLedger, watch::Sender<u64>);

impl RuleStore for Unheard {
    fn all(&self, at: Timestamp) -> LedgerFuture<'_, StoredRules> {
        self.0.all(at)
    }

    fn add(&self, access: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> LedgerFuture<'_, ()> {
        self.0.add(access, rules, record)
    }

    fn replace(&self, access: &WriteAccess, rule: StoredRule, record: Record) -> LedgerFuture<'_, bool> {
        self.0.replace(access, rule, record)
    }

    fn remove(&self, access: &WriteAccess, id: Uuid, record: Record) -> LedgerFuture<'_, bool> {
        self.0.remove(access, id, record)
    }

    fn revision(&self) -> watch::Receiver<u64> {
        self.1.subscribe()
    }
}

#[tokio::test]
async fn announced_rule_is_active() {
    let (ledger, files, clock) = (MemoryLedger::new(), FixedFiles::new(), ManualClock::new());
    let rules = Arc::new(Unheard(ledger.clone(), watch::Sender::new(0)));
    let rulebook = Arc::new(Rulebook::new(Arc::new(files.clone()), rules));
    let ports = Ports { rulebook, ..ports(&ledger, &files, &clock) };
    let (gate, background) = Gate::new(ports, Settings::default());
    tokio::spawn(background.run());
    settle().await;
    let mut feed = gate.subscribe(None);
    snapshot(&mut feed).await;
    let now = clock.now();
    let stored = stored_rule("deploy", Effect::Allow, now);
    ledger.add(WriteAccess::TESTS, vec![stored], rules_changed_record(now, "added")).await.unwrap();
    assert_eq!(change(&mut feed).await.1, EventPayload::RulesChanged);
    assert_eq!(gate.rulebook().stored().len(), 1);
}

#[tokio::test]
async fn events_before_the_background_task_are_in_the_snapshot() {
    let (ledger, clock) = (MemoryLedger::new(), ManualClock::new());
    let (gate, background) = Gate::new(ports(&ledger, &FixedFiles::new(), &clock), Settings::default());
    let mut early = gate.subscribe(None);
    assert_eq!(snapshot(&mut early).await.0, 0);
    ledger
        .append_records(WriteAccess::TESTS, vec![rules_changed_record(ManualClock::start(), "by another")])
        .await
        .unwrap();
    tokio::spawn(background.run());
    assert_eq!(snapshot(&mut early).await.0, 1, "the background task starts after it");
    assert_eq!(gate.events_since(1), Some(0));
    assert_eq!(gate.events_since(0), None);
}

#[tokio::test]
async fn feeds_can_share_a_snapshot() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let shared = harness.ledger.snapshot().await.unwrap().seq;
    for _ in 0..3 {
        assert!(harness.gate.pass(request()).await.is_ok());
    }
    settle().await;
    assert_eq!(harness.gate.events_since(shared), Some(3));
    let mut feed = harness.gate.subscribe(None);
    assert_eq!(feed.next_event().await, Ok(None), "first how things stand");
    feed.resume_after(shared);
    for n in 1..=3 {
        assert_eq!(feed.next_event().await.unwrap().unwrap().event.seq, shared + n);
    }
    assert_eq!(harness.gate.events_since(shared + 4), None, "a number that is not there yet");
}

/// Opens and cancels approvals of an input. Returns the memory size of the first, and whether it is
/// buffered.
async fn at_hand(input: serde_json::Value) -> (Option<usize>, bool) {
    let harness = GateHarness::new(json!({})).await;
    let start = harness.ledger.snapshot().await.unwrap().seq;
    for n in 1..=3_u64 {
        let mut one = request();
        one.call.call_id = Some(format!("one-{n}"));
        one.call.input = input.clone();
        assert!(harness.gate.submit_remote(one).await.is_ok());
        let question = harness.question().await;
        harness.gate.cancel(question.id, "enough").await.unwrap();
        settle().await;
    }
    let mut behind = harness.gate.subscribe(Some(start));
    let Update::Event(changed) = behind.next().await.unwrap() else { panic!("the events are buffered") };
    assert!(matches!(changed.event.change, EventPayload::Opened { .. }));
    let whole = harness.gate.approval_of(&changed).await.unwrap().unwrap();
    assert_eq!(whole.asked.call.input, input, "it can still be read");
    let about = changed.summary.as_ref().unwrap();
    assert_eq!((about.id, &about.credential), (whole.id, &whole.asked.asker.credential));
    (changed.summary.as_ref().map(|about| about.memory_size), changed.approval.is_some())
}

#[tokio::test]
async fn large_approvals_are_not_buffered() {
    let (weight, kept) = at_hand(json!({ "text": "x".repeat(4 << 20) })).await;
    assert!(weight.unwrap() > 4 << 20 && !kept, "{weight:?}");
    let (weight, kept) = at_hand(json!({ "text": "x".repeat(1000) })).await;
    assert!(weight.unwrap() < 10_000 && kept, "{weight:?}");
}

#[tokio::test]
async fn dense_approvals_are_not_buffered() {
    let (weight, kept) = at_hand(json!({ "a": vec![json!({ "": 0 }); 200] })).await;
    assert!(weight.unwrap() > 100_000 && !kept, "{weight:?}");
}
