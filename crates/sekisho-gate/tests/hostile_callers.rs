//! What an agent, a careless adapter or a changed clock could try. Each case was found once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::SignedDuration;
use sekisho_gate::answer::Answer;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Session;
use sekisho_gate::feed::Update;
use sekisho_gate::refusal::RefusalCode;
use sekisho_policy::{Call, Fact, FactQuery, LayerKind};
use serde_json::json;

use crate::harness::{GateHarness, config, remote_request, request, settle};

fn durable(call_id: &str) -> CallRequest {
    let mut request = remote_request();
    request.caller.durable = true;
    request.call.call_id = Some(call_id.into());
    request
}

#[tokio::test]
async fn approval_by_a_removed_rule_is_void() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass_remote(durable("c2"));
    let question = harness.question().await;
    caller.abort();
    settle().await;
    harness.files.set(LayerKind::Global, config(&json!({ "allow": [{ "tool": "deploy" }] })));
    settle().await;
    assert_eq!(harness.approval(question.id).await.fate.state.name(), "approved");
    // The author of the rule removes it before the caller is back.
    harness.files.set(LayerKind::Global, config(&json!({})));
    settle().await;
    let caller = harness.pass_remote(durable("c2"));
    let anew = harness.question().await;
    assert_ne!(anew.id, question.id);
    assert!(harness.ledger.executions().is_empty(), "no human approved it, and no rule allows it");
    harness.answer(anew.id, Answer::approve()).await.unwrap();
    assert_eq!(caller.await.unwrap().unwrap().approval, Some(anew.id));
}

#[tokio::test]
async fn redirected_path_needs_a_new_approval() {
    let harness = GateHarness::new(json!({})).await;
    let leads = |to: &str| {
        harness.files.set_fact(FactQuery::Resolve("/w/notes".into()), Fact::Resolved(to.into()));
    };
    leads("/w/drafts/new");
    let mut request = request();
    request.call = Call {
        call_id: Some("w1".into()),
        ..Call::new("write", json!({ "path": "/w/notes", "content": "ssh-ed25519 AAAA\n" }))
    };
    request.environment.root = Some("/w".into());
    request.environment.home = Some("/home/u".into());
    let caller = harness.pass(request);
    let first = harness.question().await;
    // The link had no file at its target before, and has none at its new target.
    leads("/home/u/.ssh/authorized_keys");
    harness.answer(first.id, Answer::approve()).await.unwrap();
    let second = harness.question().await;
    assert_ne!(second.id, first.id);
    assert!(!caller.is_finished());
    harness.answer(second.id, Answer::deny()).await.unwrap();
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::Denied);
}

#[tokio::test]
async fn empty_call_id_counts_as_none() {
    let harness = GateHarness::new(json!({})).await;
    let mut unnamed = remote_request();
    unnamed.call.call_id = Some(String::new());
    let caller = harness.pass_remote(unnamed.clone());
    let first = harness.question().await;
    harness.answer(first.id, Answer::approve()).await.unwrap();
    caller.await.unwrap().unwrap();
    // The next call looks exactly the same, but is a different one.
    let caller = harness.pass_remote(unnamed);
    let second = harness.question().await;
    assert_ne!(second.id, first.id);
    assert!(!caller.is_finished());

    let session = |run: Option<&str>, conversation: Option<&str>| {
        let call = Call {
            run_id: run.map(Into::into),
            conversation: conversation.map(Into::into),
            ..Call::new("deploy", json!({}))
        };
        Session::of(&request().caller, &call)
    };
    assert_eq!(session(Some(""), Some("talk")), session(None, Some("talk")));
    assert_ne!(session(Some(""), Some("talk")), session(Some(""), Some("other")));
    assert_eq!(session(Some(""), Some("")), None);
}

#[tokio::test]
async fn feed_accepts_any_position() {
    let harness = GateHarness::new(json!({})).await;
    let _caller = harness.pass(request());
    harness.question().await;
    for from in [u64::MAX, u64::MAX - 1] {
        let mut feed = harness.gate.subscribe(Some(from));
        assert!(matches!(feed.next().await.unwrap(), Update::Snapshot(_)), "{from}");
    }
}

#[tokio::test]
async fn clock_set_back_does_not_extend_rereading() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass_remote(remote_request());
    let question = harness.question().await;
    harness.answer(question.id, Answer::approve()).await.unwrap();
    caller.await.unwrap().unwrap();
    harness.advance(-24 * 60 * 60).await;
    let caller = harness.pass_remote(remote_request());
    assert_ne!(harness.question().await.id, question.id);
    assert!(!caller.is_finished());
}

#[tokio::test]
async fn rule_added_during_the_claim_still_denies() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass(request());
    let question = harness.question().await;
    let (ledger, files, done) = (harness.ledger.clone(), harness.files.clone(), AtomicBool::new(false));
    // Right after the claim is written, before the claiming caller knows.
    harness.ledger.pause_with(Arc::new(move || {
        if !ledger.executions().is_empty() && !done.swap(true, Ordering::Relaxed) {
            files.set(LayerKind::Global, config(&json!({ "deny": [{ "tool": "deploy" }] })));
        }
        Box::pin(std::future::ready(()))
    }));
    harness.answer(question.id, Answer::approve()).await.unwrap();
    assert_eq!(caller.await.unwrap().unwrap_err().code, RefusalCode::DeniedByRule);
    let executions = harness.ledger.executions();
    assert_eq!(executions.len(), 1);
    assert!(
        executions[0].ending.as_ref().is_some_and(|ending| ending.is_error),
        "the allowed call that did not run has ended"
    );
}

#[tokio::test]
async fn denied_answer_is_not_replayed() {
    let harness = GateHarness::new(json!({})).await;
    let caller = harness.pass_remote(remote_request());
    let question = harness.question().await;
    let edited = Answer::approve().with_input(json!({ "command": "git push" }));
    let mut shell = remote_request();
    shell.call.tool = "bash".into();
    shell.call.input = json!({ "command": "git fetch" });
    shell.call.call_id = Some("c9".into());
    harness.answer(question.id, Answer::deny()).await.unwrap();
    assert!(caller.await.unwrap().is_err());

    let caller = harness.pass_remote(shell.clone());
    let question = harness.question().await;
    harness.answer(question.id, edited).await.unwrap();
    assert_eq!(caller.await.unwrap().unwrap().call.input, json!({ "command": "git push" }));
    let deny = json!({ "deny": [{ "tool": "bash", "command": "git push" }] });
    harness.files.set(LayerKind::Global, config(&deny));
    harness.clock.advance(SignedDuration::from_secs(1));
    assert_eq!(harness.gate.pass_remote(shell).await.unwrap_err().code, RefusalCode::DeniedByRule);
}
