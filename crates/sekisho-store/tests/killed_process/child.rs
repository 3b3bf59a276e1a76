//! The process that is killed: a gate on a database, with callers and approvers.

use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::answer_handler::AnswerError;
use sekisho_gate::approval::Approval;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::clock::SystemClock;
use sekisho_gate::feed::Update;
use sekisho_gate::ledger::ExecutionOutcome;
use sekisho_gate::record::EventPayload;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{ApprovalId, ExecutionId, Gate, Ports, Settings, Submission};
use sekisho_policy::{Call, LayerKind, OnTimeout};
use sekisho_testkit::FixedFiles;
use serde_json::json;

use super::random;
use super::report_line::ReportLine;
use crate::test_database::opened;

/// The file, or the URL of a database.
pub(super) const LEDGER: &str = "SEKISHO_TEST_LEDGER";
/// How many processes were killed before this one.
pub(super) const GENERATION: &str = "SEKISHO_TEST_GENERATION";

const ALLOWED: u64 = 3;
const HERE: u64 = 18;
const REMOTE: u64 = 8;
const DURABLE: u64 = 6;
const ANSWERERS: u64 = 3;

/// Does nothing by itself: [`super::started`] runs it.
#[test]
#[expect(clippy::disallowed_methods, reason = "whoever starts this process says so in its environment")]
fn lives_until_it_is_killed() {
    let Some(ledger) = std::env::var(LEDGER).ok() else { return };
    let generation = super::number(GENERATION).unwrap();
    // A panic ends the process, which is noticed.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        std::process::exit(1);
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(live(&ledger, generation));
    // It was not killed in time.
    std::process::exit(1);
}

async fn live(ledger: &str, generation: u64) {
    let store = opened(ledger).await;
    let files = FixedFiles::new();
    let rules = json!({ "allow": [{ "tool": "status" }], "deny": [{ "tool": "erase" }] });
    files.set(LayerKind::Global, json!({ "version": 1, "permissions": rules }).to_string());
    let rulebook = Arc::new(Rulebook::new(Arc::new(files.clone()), store.clone()));
    rulebook.refresh(jiff::Timestamp::now()).await.unwrap();
    let ports = Ports { ledger: store, rulebook, lookup: Arc::new(files), clock: Arc::new(SystemClock) };
    let (gate, keeper) = Gate::new(ports, Settings::default());
    tokio::spawn(keeper.run());
    // Starts a new line, whatever the harness has printed.
    println!();
    ReportLine::Begun.say();
    for slot in 0..ALLOWED {
        tokio::spawn(allowed(gate.clone(), slot));
    }
    for slot in 0..HERE {
        tokio::spawn(here(gate.clone(), slot));
    }
    for slot in 0..REMOTE {
        tokio::spawn(remote(gate.clone(), slot, generation));
    }
    for slot in 0..DURABLE {
        tokio::spawn(durable(gate.clone(), slot, generation));
    }
    for number in 0..ANSWERERS {
        tokio::spawn(answer(gate.clone(), number, generation));
    }
    tokio::spawn(leave(gate.clone(), generation));
    tokio::spawn(take_up(gate, generation));
    // Until the parent process is gone.
    tokio::task::spawn_blocking(|| std::io::stdin().lines().for_each(drop)).await.unwrap();
}

fn ask(tool: &str, asker: Caller, call_id: String) -> CallRequest {
    let input = json!({ "to": call_id, "text": "x".repeat(200) });
    let conversation = Some("talk".into());
    CallRequest::new(Call { call_id: Some(call_id), conversation, ..Call::new(tool, input) }, asker)
}

/// Makes calls that rules allow or deny.
async fn allowed(gate: Gate, slot: u64) {
    for round in 0.. {
        let tool = if round % 4 == 3 { "erase" } else { "status" };
        by_rule(&gate, tool, format!("rule-{slot}-{round}")).await;
    }
}

async fn by_rule(gate: &Gate, tool: &str, call_id: String) {
    let passed = gate.pass(ask(tool, Caller::in_process("agent"), call_id.clone())).await;
    let passed = passed.map(|permit| (permit.execution(), permit.approval()));
    assert!(tool == "status" || passed.is_err());
    say(call_id, passed);
}

/// Makes calls that need an approval and run here. There are few keys: two callers share one, and after a
/// kill each is used again.
async fn here(gate: Gate, slot: u64) {
    for round in 0_u64.. {
        let call_id = format!("here-{}-{}", slot / 2, round % 3);
        let mut ask = ask("deploy", Caller::in_process("agent"), call_id.clone());
        ask.timeout.timeout_s = Some(1 + u32::try_from(slot % 3).unwrap());
        // Some callers leave again.
        let patience = Duration::from_millis(if slot % 6 == 5 { 10 } else { 60_000 });
        if let Ok(passed) = tokio::time::timeout(patience, gate.pass(ask)).await {
            say(call_id, passed.map(|permit| (permit.execution(), permit.approval())));
        } else {
            // A caller that left returns only after the store has recorded that, to bound the work.
            by_rule(&gate, "status", format!("away-{slot}-{round}")).await;
        }
    }
}

/// Makes calls that need an approval and run elsewhere. After a kill it reads the last answers again.
async fn remote(gate: Gate, slot: u64, generation: u64) {
    let first = generation * 1000;
    for round in first.saturating_sub(1000)..first.saturating_sub(996) {
        told(&gate, format!("remote-{slot}-{round}")).await;
    }
    for round in first.. {
        told(&gate, format!("remote-{slot}-{round}")).await;
    }
}

/// Makes calls of a run that outlives this process. Those of the previous process are submitted again: a key
/// it was permitted to use is spent, whether or not that was reported.
async fn durable(gate: Gate, slot: u64, generation: u64) {
    for round in generation.saturating_sub(1) * 1000.. {
        let last = generation * 1000;
        if (last.saturating_sub(980)..last).contains(&round) {
            continue;
        }
        // Half of them need no approval.
        let tool = if slot.is_multiple_of(2) { "status" } else { "deploy" };
        let ask = ask(tool, Caller::in_process("agent"), format!("durable-{slot}-{round}"));
        submitted(&gate, ask.clone()).await;
        // Some are submitted again in the same process.
        if round.is_multiple_of(4) {
            submitted(&gate, ask).await;
        }
    }
}

async fn submitted(gate: &Gate, ask: CallRequest) {
    let call_id = ask.call.call_id.clone().unwrap_or_default();
    let mut submission = gate.submit(ask).await;
    loop {
        match submission {
            Ok(Submission::Pending(id)) => {
                gate.wait_until_ended(id).await.unwrap();
                submission = gate.redeem(id).await;
            }
            Ok(Submission::Permit(permit)) => {
                let (execution, approval) = (permit.execution(), permit.approval());
                ReportLine::Permitted { call_id, execution, approval }.say();
                let (_, receipt) = permit.spend();
                let at = jiff::Timestamp::now();
                let ending =
                    ExecutionOutcome { at, is_error: false, output: None, duration_ms: Some(0), exit: None };
                return gate.record_outcome(receipt, ending).await.unwrap();
            }
            Ok(Submission::Spent(execution)) => return ReportLine::Spent { call_id, execution }.say(),
            Err(refusal) => return say(call_id, Err(refusal)),
        }
    }
}

/// Opens an approval that stays unanswered until this process is killed.
async fn leave(gate: Gate, generation: u64) {
    told(&gate, left(generation)).await;
}

/// Returns for what earlier processes left open.
async fn take_up(gate: Gate, generation: u64) {
    for earlier in generation.saturating_sub(super::A_LEDGER)..generation {
        told(&gate, left(earlier)).await;
    }
}

/// The call whose approval a process leaves open.
fn left(generation: u64) -> String {
    format!("left-{generation}")
}

async fn told(gate: &Gate, call_id: String) {
    let mut ask = ask("deploy", Caller::remote("agent").durable(), call_id.clone());
    // However long it takes until the next process starts.
    ask.timeout.on_timeout = call_id.starts_with("left-").then_some(OnTimeout::Park);
    say(call_id, gate.pass_remote(ask).await.map(|told| (told.execution, told.approval)));
}

fn say(call_id: String, passed: Result<(ExecutionId, Option<ApprovalId>), Refusal>) {
    match passed {
        Ok((execution, approval)) => ReportLine::Permitted { call_id, execution, approval }.say(),
        Err(refusal) => {
            assert_ne!(refusal.code, RefusalCode::NotRecorded, "{refusal}");
            ReportLine::Refused { call_id }.say();
        }
    }
}

/// Answers the approvals it sees, not always as the others do.
async fn answer(gate: Gate, number: u64, generation: u64) {
    let by = Approver {
        credential: format!("token-{number}"),
        name: format!("answerer {number}"),
        role: Role::Approver,
        device: None,
        how: "test".into(),
    };
    let mut feed = gate.subscribe(None);
    loop {
        match feed.next().await.unwrap() {
            Update::Snapshot(snapshot) => {
                for approval in &snapshot.pending {
                    answer_one(&gate, approval, &by, number, generation).await;
                }
            }
            Update::Event(changed) => {
                if let (EventPayload::Opened { .. }, Some(approval)) =
                    (&changed.event.change, &changed.approval)
                {
                    answer_one(&gate, approval, &by, number, generation).await;
                }
            }
        }
    }
}

async fn answer_one(gate: &Gate, approval: &Approval, by: &Approver, number: u64, generation: u64) {
    ReportLine::opened(approval).say();
    let call_id = approval.asked.call.call_id.as_deref().unwrap_or_default();
    let chance = random(number + generation, u64::try_from(approval.id.0.as_u128() & 0xffff_ffff).unwrap());
    let answer = match chance % 16 {
        _ if call_id == left(generation) => return ReportLine::Left { id: approval.id }.say(),
        _ if call_id.starts_with("left-") => Answer::approve(),
        // Durable runs have no deadline, so an approver must answer.
        0..8 if call_id.starts_with("durable-") => Answer::approve(),
        // Leaves it to another approver.
        0..4 => return,
        4..7 => Answer::deny(),
        7 => Answer::approve().with_input(json!({ "to": "somewhere else" })),
        _ => Answer::approve(),
    };
    let known = match gate.answer(approval.id, answer, by.clone()).await {
        Ok(given) => ReportLine::answered(&given.approval),
        Err(AnswerError::Conflict(_) | AnswerError::Gone(_)) => {
            let found = gate.ledger().approval(approval.id).await.unwrap().expect("it was there");
            ReportLine::answered(&found)
        }
        Err(error) => panic!("{error}"),
    };
    if let Some(known) = known {
        known.say();
    }
}
