//! Two answers, a timeout, an abort, a spend and a restart, in every order the scheduler can find.
//!
//! The gate runs unchanged: it needs no runtime, so shuttle can be its runtime. Every ledger operation gives way before and
//! after its transaction, which is where a real one would.

use std::sync::{Arc, Mutex};

use jiff::SignedDuration;
use sekisho_gate::answer::{Answer, Role};
use sekisho_gate::approval::State;
use sekisho_gate::asker::{Ask, Asker};
use sekisho_gate::ledger::Ledger;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::{ApprovalId, Gate, Permit, Settings};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::json;
use shuttle::future::{JoinHandle, block_on, spawn, yield_now};
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler};

use crate::world::{call, config, person, ports};

/// What takes part in a race.
#[derive(Clone, Copy, PartialEq)]
enum Racer {
    Yes,
    No,
    Timeout,
    Abort,
    SecondWaiter,
    Restart,
    DenyRule,
}

struct Track {
    ledger: MemoryLedger,
    files: FixedFiles,
    clock: ManualClock,
    gate: Gate,
    keeper: JoinHandle<()>,
}

impl Track {
    fn new() -> Track {
        let ledger = MemoryLedger::new();
        Track::on(ledger, FixedFiles::new(&config(&json!({}))), ManualClock::new())
    }

    fn on(ledger: MemoryLedger, files: FixedFiles, clock: ManualClock) -> Track {
        let (gate, keeper) = Gate::new(ports(&ledger, &files, &clock), Settings::default());
        Track { ledger, files, clock, gate, keeper: spawn(keeper.run()) }
    }
}

type Outcome = Result<Permit, Refusal>;

/// Runs one race and checks that there was one outcome, and that it is the recorded one.
fn race(racers: &'static [Racer]) {
    block_on(async move {
        let track = Track::new();
        let caller = waiter(&track.gate);
        let id = asked(&track.ledger).await;
        track.ledger.pause_with(Arc::new(|| Box::pin(yield_now())));
        let mut outcomes = vec![caller];
        let mut runners = Vec::new();
        let mut abort = false;
        let mut restart = false;
        for racer in racers {
            match racer {
                Racer::Yes => runners.push(answer(&track.gate, id, Answer::approve())),
                Racer::No => runners.push(answer(&track.gate, id, Answer::deny())),
                Racer::Timeout => {
                    let clock = track.clock.clone();
                    runners.push(spawn(async move { clock.advance(SignedDuration::from_secs(120)) }));
                }
                Racer::DenyRule => {
                    let files = track.files.clone();
                    runners.push(spawn(async move {
                        files.set(&config(&json!({ "deny": [{ "tool": "deploy" }] })));
                    }));
                }
                Racer::SecondWaiter => outcomes.push(waiter(&track.gate)),
                Racer::Abort => abort = true,
                Racer::Restart => restart = true,
            }
        }
        if abort {
            yield_now().await;
            outcomes[0].abort();
        }
        let track = if restart {
            yield_now().await;
            track.keeper.abort();
            Track::on(track.ledger, track.files, track.clock)
        } else {
            track
        };
        for runner in runners {
            let _ = runner.await;
        }
        finish(&track, id, outcomes, abort).await;
    });
}

/// Lets everything come to its end, then looks at the record.
async fn finish(track: &Track, id: ApprovalId, outcomes: Vec<JoinHandle<Outcome>>, abort: bool) {
    // Whatever is still open runs out.
    for _ in 0..3 {
        track.clock.advance(SignedDuration::from_secs(500));
        for _ in 0..20 {
            yield_now().await;
        }
    }
    let mut permits = 0;
    for outcome in outcomes {
        // With a dead keeper a waiter of the old process may wait for ever: that is what dying means.
        outcome.abort();
        match outcome.await {
            Ok(Ok(permit)) => {
                permits += 1;
                assert!(matches!(track.ledger.approval(id).await, Ok(Some(found)) if found.fate.claimed.is_some())
                    || permit.approval() != Some(id));
            }
            Ok(Err(refusal)) => assert_ne!(refusal.code, RefusalCode::NotRecorded),
            Err(_) => {}
        }
    }
    let approval = track.ledger.approval(id).await.unwrap().unwrap();
    assert!(abort || !approval.is_pending(), "it came to an end");
    let executions = track.ledger.executions().len();
    assert!(executions <= 1, "run once at most");
    assert!(permits <= executions, "no permit without its row");
    if executions == 1 {
        assert!(matches!(approval.fate.state, State::Approved(_)), "only what was approved runs");
    }
    let outcomes = track.ledger.entries().iter().filter(|entry| {
        entry.kind == sekisho_gate::record::Kind::Outcome && entry.approval == Some(id)
    }).count();
    assert_eq!(outcomes, usize::from(!approval.is_pending()), "one outcome on record");
}

fn waiter(gate: &Gate) -> JoinHandle<Outcome> {
    let gate = gate.clone();
    spawn(async move { gate.pass(Ask::new(call(), Asker::here("agent-1"))).await })
}

fn answer(gate: &Gate, id: ApprovalId, answer: Answer) -> JoinHandle<()> {
    let gate = gate.clone();
    spawn(async move {
        let _ = gate.answer(id, answer, person("ann", Role::Admin)).await;
    })
}

async fn asked(ledger: &MemoryLedger) -> ApprovalId {
    loop {
        if let Some(first) = ledger.pending(None, 1).await.unwrap().first() {
            return first.id;
        }
        yield_now().await;
    }
}

const RACES: &[&[Racer]] = &[
    &[Racer::Yes, Racer::No],
    &[Racer::Yes, Racer::Timeout],
    &[Racer::Yes, Racer::Abort],
    &[Racer::Yes, Racer::Restart],
    &[Racer::Yes, Racer::SecondWaiter],
    &[Racer::Yes, Racer::DenyRule],
    &[Racer::Yes, Racer::No, Racer::Timeout, Racer::Abort, Racer::SecondWaiter],
    &[Racer::Yes, Racer::No, Racer::Timeout, Racer::Abort, Racer::SecondWaiter, Racer::Restart, Racer::DenyRule],
];

/// How far each race is explored: `usual` schedules, or `SEKISHO_RACES` in the long form.
#[expect(clippy::disallowed_methods, reason = "the long form of the proof is asked for by the environment")]
fn schedules(usual: usize) -> usize {
    std::env::var("SEKISHO_RACES").map_or(usual, |text| text.parse().unwrap())
}

#[test]
fn every_order_up_to_a_bound() {
    let explored = Mutex::new(0);
    for racers in &RACES[..6] {
        let scheduler = DfsScheduler::new(Some(schedules(3_000)), false);
        *explored.lock().unwrap() += run(scheduler, racers);
    }
    println!("{} orders explored one after another", explored.lock().unwrap());
}

#[test]
fn random_orders() {
    let mut explored = 0;
    for racers in RACES {
        explored += run(RandomScheduler::new(schedules(1_500)), racers);
        explored += run(PctScheduler::new(3, schedules(1_500)), racers);
    }
    println!("{explored} orders drawn at random");
}

fn run(scheduler: impl shuttle::scheduler::Scheduler + 'static, racers: &'static [Racer]) -> usize {
    shuttle::Runner::new(scheduler, shuttle::Config::default()).run(move || race(racers))
}
