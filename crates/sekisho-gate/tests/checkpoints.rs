//! Checkpoints are written after activity, at most once a second.

use jiff::SignedDuration;
use sekisho_gate::WriteAccess;
use sekisho_gate::audit::{AuditLog, AuditQuery, run_checkpoint_loop};
use sekisho_gate::clock::Clock;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::ledger::LedgerReader;
use sekisho_testkit::fixtures::rules_changed_record;
use sekisho_testkit::{ManualClock, MemoryLedger};
use tokio::task::JoinHandle;

use crate::harness::settle;

struct CheckpointHarness {
    ledger: MemoryLedger,
    clock: ManualClock,
    keeping: JoinHandle<()>,
}

impl CheckpointHarness {
    async fn start(ledger: MemoryLedger) -> CheckpointHarness {
        let clock = ManualClock::new();
        let (audit, time, head) = (ledger.clone(), clock.clone(), ledger.head());
        let keeping = tokio::spawn(async move { run_checkpoint_loop(&audit, &time, head).await });
        settle().await;
        CheckpointHarness { ledger, clock, keeping }
    }

    async fn write(&self) {
        self.ledger
            .append_records(WriteAccess::TESTS, vec![rules_changed_record(self.clock.now(), "a line")])
            .await
            .unwrap();
        settle().await;
    }

    async fn pass(&self, millis: i64) {
        self.clock.advance(SignedDuration::from_millis(millis));
        settle().await;
    }

    async fn checkpoints(&self) -> usize {
        let query = AuditQuery { kind: Some("checkpoint".into()), ..AuditQuery::default() };
        self.ledger.search(query).await.unwrap().len()
    }
}

#[tokio::test]
async fn at_most_one_a_second_and_only_after_activity() {
    let harness = CheckpointHarness::start(MemoryLedger::new()).await;
    assert_eq!(harness.checkpoints().await, 0, "there is nothing to vouch for");
    harness.write().await;
    assert_eq!(harness.checkpoints().await, 0, "the second is not over");
    harness.pass(1000).await;
    assert_eq!(harness.checkpoints().await, 1);
    for _ in 0..5 {
        harness.pass(10_000).await;
    }
    assert_eq!(harness.checkpoints().await, 1, "nothing happened");
    harness.write().await;
    assert_eq!(harness.checkpoints().await, 2, "the last one is long ago");
    for _ in 0..10 {
        harness.write().await;
        harness.pass(99).await;
    }
    assert_eq!(harness.checkpoints().await, 2, "the second is not over");
    harness.pass(10).await;
    assert_eq!(harness.checkpoints().await, 3);
    harness.keeping.abort();
}

#[tokio::test]
async fn earlier_chains_are_covered_at_once() {
    let ledger = MemoryLedger::new();
    ledger
        .append_records(WriteAccess::TESTS, vec![rules_changed_record(ManualClock::start(), "before")])
        .await
        .unwrap();
    let harness = CheckpointHarness::start(ledger).await;
    assert_eq!(harness.checkpoints().await, 1);
    harness.keeping.abort();
}

#[tokio::test]
async fn failed_checkpoint_is_retried_without_activity() {
    let ledger = MemoryLedger::new();
    ledger
        .append_records(WriteAccess::TESTS, vec![rules_changed_record(ManualClock::start(), "before")])
        .await
        .unwrap();
    ledger.fail_all();
    let harness = CheckpointHarness::start(ledger).await;
    harness.pass(1000).await;
    harness.ledger.stop_failing();
    assert_eq!(harness.checkpoints().await, 0);
    harness.pass(1000).await;
    assert_eq!(harness.checkpoints().await, 1);
    harness.keeping.abort();
}
