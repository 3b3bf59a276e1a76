use sekisho_policy::Decision::{Allow, Confirm, Deny};
use sekisho_policy::Effect;

use super::*;
use crate::answer::RuleScope;
use crate::ids::ApprovalId;

fn remember_request(scope: RuleScope, rules: &[&str]) -> RememberRequest {
    RememberRequest {
        scope,
        effect: Effect::Allow,
        rules: rules.iter().map(|name| tool(name)).collect(),
        session: Some(session("t", Some("claude"), "run:1")),
        around: CallerEnvironment { root: Some("/work".into()), ..CallerEnvironment::default() },
        by: "mia".into(),
        now: at(0),
        approval: ApprovalId::new(at(0)),
        context: crate::record::SecretContext::default(),
    }
}

async fn harness() -> RulebookHarness {
    let harness = RulebookHarness::new();
    harness.book.refresh(at(0)).await.unwrap();
    harness
}

#[tokio::test]
async fn session_rule_applies_to_its_session_and_expires() {
    let harness = harness().await;
    let generation = harness.book.generation();
    let request = remember_request(RuleScope::Session, &["a"]);
    let kept = harness.book.remember(request.clone()).await.unwrap();
    assert!(harness.book.generation() > generation);
    assert_eq!((kept.scope, &kept.untrusted_file, &kept.record), (RuleScope::Session, &None, &None));
    let record = harness.recorded();
    assert_eq!(record.entry.approval, Some(request.approval));
    assert!(kept.rules[0].id.is_some());

    let cases = [
        (Some(session("t", Some("claude"), "run:1")), Allow),
        (Some(session("u", Some("claude"), "run:1")), Confirm),
        (Some(session("t", Some("codex"), "run:1")), Confirm),
        (Some(session("t", None, "run:1")), Confirm),
        (Some(session("t", Some("claude"), "run:2")), Confirm),
        (Some(session("t", Some("claude"), "conversation:1")), Confirm),
        (None, Confirm),
    ];
    for (session, expected) in cases {
        assert_eq!(harness.decide_in(session.as_ref(), "a"), expected, "{session:?}");
    }
    let mine = request.session.as_ref();
    assert_eq!(harness.decide_at(at(0) + SESSION_RULE_TTL - SignedDuration::from_secs(1), mine, "a"), Allow);
    assert_eq!(harness.decide_at(at(0) + SESSION_RULE_TTL, mine, "a"), Confirm);
}

#[tokio::test]
async fn remembering_is_idempotent() {
    let harness = harness().await;
    let mut request = remember_request(RuleScope::Session, &["a", "a"]);
    harness.book.remember(request.clone()).await.unwrap();
    let first = harness.book.stored();
    // An interrupted attempt is completed later, with one more rule.
    request.now = at(1);
    request.rules.push(tool("b"));
    let kept = harness.book.remember(request.clone()).await.unwrap();
    assert_eq!(kept.rules.len(), 3);
    assert_eq!(harness.book.stored().len(), first.len() + 1);
    // Expired rules are created again, and a deny is not an allow.
    request.now = at(14);
    harness.book.remember(request.clone()).await.unwrap();
    assert_eq!(harness.decide_at(at(14), request.session.as_ref(), "a"), Allow);
    request.effect = Effect::Deny;
    harness.book.remember(request.clone()).await.unwrap();
    assert_eq!(harness.decide_at(at(14), request.session.as_ref(), "a"), Deny);
}

#[tokio::test]
async fn file_rules_have_no_id_and_leave_a_record() {
    let harness = harness().await;
    for scope in [RuleScope::Project, RuleScope::Global] {
        let mut request = remember_request(scope, &["a"]);
        request.rules[0].id = Some(v7(at(0)));
        let generation = harness.book.generation();
        let kept = harness.book.remember(request).await.unwrap();
        assert_eq!((kept.scope, kept.rules), (scope, vec![tool("a")]));
        assert_eq!(kept.record.unwrap().entry.body["rules"], json!([{ "tool": "a" }]));
        let keep = harness.files.kept.lock().unwrap().pop().unwrap();
        assert_eq!((keep.scope, keep.rules, &*keep.by), (scope, vec![tool("a")], "mia"));
        assert!(harness.book.generation() > generation);
        assert_eq!(*harness.book.watch_generation().borrow(), harness.book.generation());
        assert_eq!(harness.decide("a"), Allow);
    }
    assert!(harness.book.stored().is_empty());
}

#[tokio::test]
async fn untrusted_file_falls_back_to_the_session() {
    let harness = harness().await;
    let refusal =
        RuleWriteError::NotTrusted { path: "/work/.sekisho/config.json".into(), diff: "+ evil".into() };
    *harness.files.refuses.lock().unwrap() = Some(refusal);
    let mut request = remember_request(RuleScope::Project, &["a"]);
    let kept = harness.book.remember(request.clone()).await.unwrap();
    let moved = UntrustedFile { path: "/work/.sekisho/config.json".into(), diff: "+ evil".into() };
    assert_eq!((kept.scope, kept.untrusted_file.as_ref()), (RuleScope::Session, Some(&moved)));
    assert_eq!(harness.decide_in(request.session.as_ref(), "a"), Allow);
    assert_eq!(harness.decide("a"), Confirm);
    request.session = None;
    let error = harness.book.remember(request).await.unwrap_err();
    assert!(error.to_string().contains("sekisho trust"), "{error}");
    assert_eq!(error, RememberError::NotTrusted(moved));
}

#[tokio::test]
async fn failed_remembering_changes_nothing() {
    let harness = harness().await;
    let check = async |request: RememberRequest, expected: &str| {
        let error = harness.book.remember(request).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let session = remember_request(RuleScope::Session, &["a"]);
    check(RememberRequest { session: None, ..session.clone() }, "no session").await;
    check(RememberRequest { rules: Vec::new(), ..session.clone() }, "no rule").await;
    check(RememberRequest { rules: vec![Rule::default()], ..session.clone() }, "no condition").await;
    let faulty = Rule { command: Some("rm".into()), ..tool("read") };
    check(RememberRequest { rules: vec![tool("a"), faulty], ..session.clone() }, "command").await;
    let nowhere = CallerEnvironment::default();
    check(RememberRequest { around: nowhere, ..remember_request(RuleScope::Project, &["a"]) }, "no project")
        .await;
    *harness.files.refuses.lock().unwrap() =
        Some(RuleWriteError::Failed("config.json: the disk is full".into()));
    check(remember_request(RuleScope::Global, &["a"]), "config.json: the disk is full").await;
    harness.rules.fail(Some("the ledger is gone"));
    check(session, "the ledger is gone").await;
    harness.rules.fail(None);
    harness.book.refresh(at(0)).await.unwrap();
    assert!(harness.book.stored().is_empty() && harness.rules.records.lock().unwrap().is_empty());
    assert_eq!(harness.decide("a"), Confirm);
}
