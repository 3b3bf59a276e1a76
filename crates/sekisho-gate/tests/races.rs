//! Two answers, a timeout, an abort, a spend and a restart, in every order the scheduler can find.
//!
//! The gate runs unchanged: it needs no runtime, so shuttle can be its runtime. Every ledger operation
//! yields before and after its transaction, as a real one would.

use std::sync::{Arc, Mutex};

use jiff::SignedDuration;
use sekisho_gate::answer::{Answer, Role};
use sekisho_gate::approval::ApprovalState;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::LedgerReader;
use sekisho_gate::record::RecordKind;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::{ApprovalId, Gate, Permit, Settings};
use sekisho_policy::LayerKind;
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::json;
use shuttle::future::{JoinHandle, block_on, spawn, yield_now};
use shuttle::scheduler::{DfsScheduler, PctScheduler, RandomScheduler};

use crate::harness::{call, config, person, ports, rules_in_files};

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
    background: JoinHandle<()>,
}

impl Track {
    fn new() -> Track {
        let ledger = MemoryLedger::new();
        Track::on(ledger, rules_in_files(&config(&json!({}))), ManualClock::new())
    }

    fn on(ledger: MemoryLedger, files: FixedFiles, clock: ManualClock) -> Track {
        let (gate, background) = Gate::new(ports(&ledger, &files, &clock), Settings::default());
        Track { ledger, files, clock, gate, background: spawn(background.run()) }
    }
}

type Outcome = Result<Permit, Refusal>;

/// Runs one race and checks that there was exactly one outcome, the recorded one.
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
                        files.set(LayerKind::Global, config(&json!({ "deny": [{ "tool": "deploy" }] })));
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
            track.background.abort();
            Track::on(track.ledger, track.files, track.clock)
        } else {
            track
        };
        for runner in runners {
            let _ = runner.await;
        }
        if restart {
            // Waiters of the process that died are gone.
            outcomes.iter().for_each(JoinHandle::abort);
        }
        let permits = ended(&track, outcomes).await;
        look(&track, id, permits).await;
    });
}

/// Lets everything finish; open approvals expire. Returns how many permits were given.
async fn ended(track: &Track, outcomes: Vec<JoinHandle<Outcome>>) -> usize {
    let mut head = track.ledger.head();
    let mut permits = 0;
    for mut outcome in outcomes {
        let ended = loop {
            track.clock.advance(SignedDuration::from_secs(500));
            tokio::select! {
                biased;
                ended = &mut outcome => break ended,
                _ = head.changed() => {}
            }
        };
        match ended {
            Ok(Ok(_)) => permits += 1,
            // A waiter that leaves does not end the approval for another that stays.
            Ok(Err(refusal)) => {
                assert!(
                    !matches!(refusal.code, RefusalCode::NotRecorded | RefusalCode::Aborted),
                    "{refusal}"
                );
            }
            Err(_) => {}
        }
    }
    permits
}

/// Checks the ledger: one outcome, run at most once, and only if it was approved.
async fn look(track: &Track, id: ApprovalId, permits: usize) {
    let mut head = track.ledger.head();
    let approval = loop {
        head.borrow_and_update();
        let approval = track.ledger.approval(id).await.unwrap().unwrap();
        if !approval.is_pending() {
            break approval;
        }
        track.clock.advance(SignedDuration::from_secs(500));
        head.changed().await.unwrap();
    };
    let executions: Vec<_> = track.ledger.executions();
    assert!(permits <= executions.len(), "no permit without its row");
    let runs = executions.iter().filter(|execution| execution.approval == Some(id)).count();
    let approved = matches!(approval.fate.state, ApprovalState::Approved(_));
    assert!(runs <= usize::from(approved), "{runs} runs of what was {}", approval.fate.state.name());
    let outcomes = track.ledger.entries().into_iter();
    let outcomes =
        outcomes.filter(|entry| entry.kind == RecordKind::Outcome && entry.approval == Some(id)).count();
    assert_eq!(outcomes, 1, "one recorded outcome");
}

fn waiter(gate: &Gate) -> JoinHandle<Outcome> {
    let gate = gate.clone();
    spawn(async move { gate.pass(CallRequest::new(call(), Caller::in_process("agent-1"))).await })
}

fn answer(gate: &Gate, id: ApprovalId, answer: Answer) -> JoinHandle<()> {
    let gate = gate.clone();
    spawn(async move {
        let _ = gate.answer(id, answer, person("ann", Role::Admin)).await;
    })
}

async fn asked(ledger: &MemoryLedger) -> ApprovalId {
    ledger.head().wait_for(|seq| *seq > 0).await.unwrap();
    ledger.pending(None, 1).await.unwrap()[0].id
}

const RACES: &[&[Racer]] = &[
    &[Racer::Yes, Racer::No],
    &[Racer::Yes, Racer::Timeout],
    &[Racer::Yes, Racer::Abort],
    &[Racer::Yes, Racer::Restart],
    &[Racer::Yes, Racer::SecondWaiter],
    &[Racer::Abort, Racer::SecondWaiter],
    &[Racer::Yes, Racer::DenyRule],
    &[Racer::Yes, Racer::No, Racer::Timeout, Racer::Abort, Racer::SecondWaiter],
    &[
        Racer::Yes,
        Racer::No,
        Racer::Timeout,
        Racer::Abort,
        Racer::SecondWaiter,
        Racer::Restart,
        Racer::DenyRule,
    ],
];

/// How far each race is explored: `usual` schedules, or `SEKISHO_RACES` in the long form.
#[expect(clippy::disallowed_methods, reason = "an environment variable selects the long form")]
fn schedules(usual: usize) -> usize {
    std::env::var("SEKISHO_RACES").map_or(usual, |text| text.parse().unwrap())
}

#[test]
fn every_order_up_to_a_bound() {
    let explored = Mutex::new(0);
    for racers in &RACES[..7] {
        let scheduler = DfsScheduler::new(Some(schedules(400)), false);
        *explored.lock().unwrap() += run(scheduler, racers);
    }
    println!("{} orders explored one after another", explored.lock().unwrap());
}

#[test]
fn random_orders() {
    let mut explored = 0;
    for racers in RACES {
        explored += run(RandomScheduler::new(schedules(150)), racers);
        explored += run(PctScheduler::new(3, schedules(150)), racers);
    }
    println!("{explored} orders drawn at random");
}

fn run(scheduler: impl shuttle::scheduler::Scheduler + 'static, racers: &'static [Racer]) -> usize {
    let mut config = shuttle::Config::new();
    // Judging a call needs more stack than the explorer's default.
    config.stack_size = 1 << 20;
    shuttle::Runner::new(scheduler, config).run(move || race(racers))
}
