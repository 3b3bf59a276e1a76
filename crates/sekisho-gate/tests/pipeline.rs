//! The path of a call.

use sekisho_gate::Settings;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sekisho_gate::answer::{Answer, Role};
use sekisho_gate::ledger::ExecutionOutcome;
use sekisho_gate::record::RecordKind;
use sekisho_gate::refusal::RefusalCode;
use sekisho_policy::{Call, Decision, LayerKind};
use sekisho_testkit::{ManualClock, MemoryLedger};
use serde_json::json;

use crate::harness::{GateHarness, call, config, person, remote_request, request, rules_in_files, settle};

#[tokio::test]
async fn allowed_call_is_recorded_and_permitted() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let permit = harness.gate.pass(request()).await.unwrap();
    assert_eq!(permit.call(), &call());
    let entries = harness.ledger.entries();
    let entry = entries.last().unwrap();
    assert_eq!((entry.kind.clone(), entry.decision), (RecordKind::Verdict, Some(Decision::Allow)));
    assert_eq!(entry.execution, Some(permit.execution()));

    let (_, receipt) = permit.spend();
    let outcome = ExecutionOutcome {
        at: ManualClock::start(),
        is_error: false,
        output: Some("done".into()),
        duration_ms: Some(3),
        exit: None,
    };
    harness.gate.record_outcome(receipt, outcome).await.unwrap();
    let executions = harness.ledger.executions();
    assert_eq!(executions.len(), 1);
    assert_eq!(harness.ledger.entries().last().unwrap().kind, RecordKind::Execution);
}

#[tokio::test]
async fn denied_call_is_recorded_with_the_rules_note() {
    let harness =
        GateHarness::new(json!({ "deny": [{ "tool": "deploy", "note": "deploys go through CI" }] })).await;
    let refusal = harness.gate.pass(request()).await.unwrap_err();
    assert_eq!(refusal.message(), "Permission denied: deploys go through CI");
    assert_eq!(harness.ledger.entries().last().unwrap().decision, Some(Decision::Deny));
    assert!(harness.ledger.executions().is_empty());
}

#[tokio::test]
async fn approval_and_answer_are_stored_before_they_take_effect() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    assert!(!caller.is_finished());
    assert!(harness.ledger.executions().is_empty(), "nothing has run");
    harness.answer(question.id, Answer::approve()).await.unwrap();
    let permit = caller.await.unwrap().unwrap();
    assert_eq!((permit.call(), permit.approval()), (&call(), Some(question.id)));
    let kinds: Vec<RecordKind> = harness.ledger.entries().iter().map(|entry| entry.kind.clone()).collect();
    assert_eq!(kinds, [RecordKind::Question, RecordKind::Outcome, RecordKind::Claim]);
    assert_eq!(harness.approval(question.id).await.fate.claimed.unwrap().execution, Some(permit.execution()));
}

#[tokio::test]
async fn denial_has_a_reason_and_may_stop_the_run() {
    let harness = GateHarness::new(json!({})).await;
    for (answer, message, stop) in [
        (Answer::deny(), "Permission denied: User denied tool execution", false),
        (Answer::deny().with_reason("use staging"), "Permission denied: use staging", false),
        (Answer { interrupt: true, ..Answer::deny() }, "Permission denied: User denied tool execution", true),
        (Answer::deny().with_reason("  "), "Permission denied: User denied tool execution", false),
    ] {
        let caller = harness.pass(request());
        let question = harness.question().await;
        harness.answer(question.id, answer).await.unwrap();
        let refusal = caller.await.unwrap().unwrap_err();
        assert_eq!((refusal.message().as_str(), refusal.interrupt), (message, stop));
        assert_eq!(refusal.code, RefusalCode::Denied);
    }
    assert!(harness.ledger.executions().is_empty());
}

#[tokio::test]
async fn nobody_to_answer_is_its_own_refusal() {
    let harness = GateHarness::new(json!({})).await;
    let mut request = request();
    request.environment.nobody_answers = true;
    let refusal = harness.gate.pass(request).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::NobodyCanAnswer);
    let message = "Permission denied: this call needs approval, and nobody is available to answer";
    assert_eq!(refusal.message(), message);
}

#[tokio::test]
async fn ambiguous_input_is_refused() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let mut request = request();
    request.call.input = json!({ "n": 9_007_199_254_740_993_u64 });
    let refusal = harness.gate.pass(request).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::InputNotExact);
    assert!(harness.ledger.entries().is_empty());
}

#[tokio::test]
async fn denies_and_records_remain_without_confirmations() {
    let settings = Settings { confirmations: false, ..Settings::default() };
    let files = rules_in_files(&config(&json!({ "deny": [{ "tool": "destroy" }] })));
    let harness = GateHarness::start(MemoryLedger::new(), files, ManualClock::new(), settings).await;
    let permit = harness.gate.pass(request()).await.unwrap();
    assert_eq!(permit.call(), &call());
    let destroy =
        sekisho_gate::call_request::CallRequest { call: Call::new("destroy", json!({})), ..request() };
    assert_eq!(harness.gate.pass(destroy).await.unwrap_err().code, RefusalCode::DeniedByRule);
    let decisions: Vec<_> = harness.ledger.entries().iter().map(|entry| entry.decision).collect();
    assert_eq!(decisions, [Some(Decision::Confirm), Some(Decision::Deny)]);
}

/// Which of the fields a tool reads is unknown, so a deny of any of them applies.
#[tokio::test]
async fn second_command_hides_no_deny_without_confirmations() {
    let settings = Settings { confirmations: false, ..Settings::default() };
    let files = rules_in_files(&config(&json!({ "deny": [{ "tool": "bash", "command": "curl" }] })));
    let harness = GateHarness::start(MemoryLedger::new(), files, ManualClock::new(), settings).await;
    let bash =
        |input| sekisho_gate::call_request::CallRequest { call: Call::new("Bash", input), ..request() };
    for input in [
        json!({ "command": "curl x" }),
        json!({ "command": "curl x", "cmd": "ls" }),
        json!({ "command": "curl x", "cmd": "" }),
        json!({ "command": ["curl", "x"], "cmd": "ls" }),
        json!({ "command": { "0": "curl x" } }),
    ] {
        let refusal = harness.gate.pass(bash(input.clone())).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::DeniedByRule, "{input}");
    }
    let harmless = json!({ "command": "make", "cmd": "ls" });
    assert!(harness.gate.pass(bash(harmless)).await.is_ok(), "calls that would need approval run");
}

#[tokio::test]
async fn new_rule_decides_pending_and_unclaimed_approvals() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness
        .files
        .set(LayerKind::Global, config(&json!({ "deny": [{ "tool": "deploy", "note": "not today" }] })));
    settle().await;
    let refusal = caller.await.unwrap().unwrap_err();
    assert_eq!((refusal.code, refusal.reason.as_str()), (RefusalCode::DeniedByRule, "not today"));
    assert_eq!(harness.approval(question.id).await.fate.state.name(), "denied");

    harness.files.set(LayerKind::Global, config(&json!({})));
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness.files.set(LayerKind::Global, config(&json!({ "allow": [{ "tool": "deploy" }] })));
    settle().await;
    assert_eq!(caller.await.unwrap().unwrap().approval(), Some(question.id));

    // Approved while its caller was away. When it comes back, a rule denies the call.
    harness.files.set(LayerKind::Global, config(&json!({})));
    let away = remote_request();
    let mut durable = away.clone();
    durable.caller.durable = true;
    durable.call.call_id = Some("c2".into());
    let caller = harness.pass_remote(durable.clone());
    let question = harness.question().await;
    caller.abort();
    settle().await;
    harness.answer(question.id, Answer::approve()).await.unwrap();
    harness.files.set(LayerKind::Global, config(&json!({ "deny": [{ "tool": "deploy" }] })));
    assert_eq!(harness.gate.pass_remote(durable).await.unwrap_err().code, RefusalCode::DeniedByRule);
    assert_eq!(harness.ledger.executions().len(), 1, "only the call that a rule allowed");
}

#[tokio::test]
async fn deny_between_approval_and_permit_wins() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    harness.gate.answer(question.id, Answer::approve(), person("ann", Role::Approver)).await.unwrap();
    harness
        .files
        .set(LayerKind::Global, config(&json!({ "deny": [{ "tool": "deploy", "note": "too late" }] })));
    let refusal = caller.await.unwrap().unwrap_err();
    assert_eq!((refusal.code, refusal.reason.as_str()), (RefusalCode::DeniedByRule, "too late"));
    let approval = harness.approval(question.id).await;
    assert_eq!(approval.fate.state.name(), "approved", "the answer stays recorded");
    assert!(approval.fate.claimed.unwrap().void.is_some());
    assert!(harness.ledger.executions().is_empty());
}

#[tokio::test]
async fn deny_between_verdict_and_approval_wins() {
    let harness = GateHarness::new(json!({})).await;
    let armed = Arc::new(AtomicBool::new(true));
    let files = harness.files.clone();
    harness.ledger.pause_with(Arc::new(move || {
        let (armed, files) = (Arc::clone(&armed), files.clone());
        Box::pin(async move {
            // The first ledger operation is to store the approval.
            if armed.swap(false, Ordering::SeqCst) {
                files.set(LayerKind::Global, config(&json!({ "deny": [{ "tool": "deploy" }] })));
                settle().await;
            }
        })
    }));
    assert_eq!(harness.gate.pass(request()).await.unwrap_err().code, RefusalCode::DeniedByRule);
}

#[tokio::test]
async fn deny_between_allow_and_record_wins() {
    let harness = GateHarness::new(json!({ "allow": [{ "tool": "deploy" }] })).await;
    let armed = Arc::new(AtomicBool::new(true));
    let files = harness.files.clone();
    harness.ledger.pause_with(Arc::new(move || {
        let (armed, files) = (Arc::clone(&armed), files.clone());
        Box::pin(async move {
            if armed.swap(false, Ordering::SeqCst) {
                files.set(LayerKind::Global, config(&json!({ "deny": [{ "tool": "deploy" }] })));
            }
        })
    }));
    assert_eq!(harness.gate.pass(request()).await.unwrap_err().code, RefusalCode::DeniedByRule);
    let executions = harness.ledger.executions();
    assert!(
        executions.iter().all(|execution| execution.ending.as_ref().is_some_and(|outcome| outcome.is_error))
    );
}

#[tokio::test]
async fn changed_file_needs_a_new_approval() {
    let harness = GateHarness::new(json!({})).await;
    harness.files.write("/w/a.txt", "one\n");
    let mut request = request();
    request.call = Call {
        call_id: Some("w1".into()),
        ..Call::new("write", json!({ "path": "/w/a.txt", "content": "two\n" }))
    };
    request.environment.root = Some("/w".into());
    let caller = harness.pass(request);
    let first = harness.question().await;
    assert_eq!(first.asked.shown.files.len(), 1);
    harness.files.write("/w/a.txt", "somebody else\n");
    harness.answer(first.id, Answer::approve()).await.unwrap();
    let second = harness.question().await;
    assert_ne!(second.id, first.id);
    assert!(harness.approval(first.id).await.fate.claimed.unwrap().void.unwrap().contains("/w/a.txt"));
    assert!(!caller.is_finished());
    harness.answer(second.id, Answer::approve()).await.unwrap();
    assert_eq!(caller.await.unwrap().unwrap().approval(), Some(second.id));
}
