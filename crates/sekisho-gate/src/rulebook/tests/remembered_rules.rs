use sekisho_policy::Decision::{Allow, Confirm, Deny};
use sekisho_policy::Effect;

use super::*;
use crate::answer::RuleScope;
use crate::ids::ApprovalId;

fn remembering(scope: RuleScope, rules: &[&str]) -> RememberRequest {
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

async fn desk() -> RulebookHarness {
    let desk = RulebookHarness::new();
    desk.book.refresh(at(0)).await.unwrap();
    desk
}

#[tokio::test]
async fn session_rule_applies_to_its_session_and_expires() {
    let desk = desk().await;
    let generation = desk.book.generation();
    let wanted = remembering(RuleScope::Session, &["a"]);
    let kept = desk.book.remember(wanted.clone()).await.unwrap();
    assert!(desk.book.generation() > generation);
    assert_eq!((kept.scope, &kept.untrusted_file, &kept.record), (RuleScope::Session, &None, &None));
    let record = desk.recorded();
    assert_eq!(record.entry.approval, Some(wanted.approval));
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
        assert_eq!(desk.decide_in(session.as_ref(), "a"), expected, "{session:?}");
    }
    let mine = wanted.session.as_ref();
    assert_eq!(desk.decide_at(at(0) + SESSION_RULE_TTL - SignedDuration::from_secs(1), mine, "a"), Allow);
    assert_eq!(desk.decide_at(at(0) + SESSION_RULE_TTL, mine, "a"), Confirm);
}

#[tokio::test]
async fn remembering_is_idempotent() {
    let desk = desk().await;
    let mut wanted = remembering(RuleScope::Session, &["a", "a"]);
    desk.book.remember(wanted.clone()).await.unwrap();
    let first = desk.book.stored();
    // An interrupted attempt is completed later, with one more rule.
    wanted.now = at(1);
    wanted.rules.push(tool("b"));
    let kept = desk.book.remember(wanted.clone()).await.unwrap();
    assert_eq!(kept.rules.len(), 3);
    assert_eq!(desk.book.stored().len(), first.len() + 1);
    // Expired rules are created again, and a deny is not an allow.
    wanted.now = at(14);
    desk.book.remember(wanted.clone()).await.unwrap();
    assert_eq!(desk.decide_at(at(14), wanted.session.as_ref(), "a"), Allow);
    wanted.effect = Effect::Deny;
    desk.book.remember(wanted.clone()).await.unwrap();
    assert_eq!(desk.decide_at(at(14), wanted.session.as_ref(), "a"), Deny);
}

#[tokio::test]
async fn file_rules_have_no_id_and_leave_a_record() {
    let desk = desk().await;
    for scope in [RuleScope::Project, RuleScope::Global] {
        let mut wanted = remembering(scope, &["a"]);
        wanted.rules[0].id = Some(v7(at(0)));
        let generation = desk.book.generation();
        let kept = desk.book.remember(wanted).await.unwrap();
        assert_eq!((kept.scope, kept.rules), (scope, vec![tool("a")]));
        assert_eq!(kept.record.unwrap().entry.body["rules"], json!([{ "tool": "a" }]));
        let keep = desk.files.kept.lock().unwrap().pop().unwrap();
        assert_eq!((keep.scope, keep.rules, &*keep.by), (scope, vec![tool("a")], "mia"));
        assert!(desk.book.generation() > generation);
        assert_eq!(*desk.book.watch_generation().borrow(), desk.book.generation());
        assert_eq!(desk.decide("a"), Allow);
    }
    assert!(desk.book.stored().is_empty());
}

#[tokio::test]
async fn untrusted_file_falls_back_to_the_session() {
    let desk = desk().await;
    let refusal = RuleWriteError::NotTrusted { path: "/work/.sekisho/config.json".into(), diff: "+ evil".into() };
    *desk.files.refuses.lock().unwrap() = Some(refusal);
    let mut wanted = remembering(RuleScope::Project, &["a"]);
    let kept = desk.book.remember(wanted.clone()).await.unwrap();
    let moved = UntrustedFile { path: "/work/.sekisho/config.json".into(), diff: "+ evil".into() };
    assert_eq!((kept.scope, kept.untrusted_file.as_ref()), (RuleScope::Session, Some(&moved)));
    assert_eq!(desk.decide_in(wanted.session.as_ref(), "a"), Allow);
    assert_eq!(desk.decide("a"), Confirm);
    wanted.session = None;
    let error = desk.book.remember(wanted).await.unwrap_err();
    assert!(error.to_string().contains("sekisho trust"), "{error}");
    assert_eq!(error, RememberError::NotTrusted(moved));
}

#[tokio::test]
async fn failed_remembering_changes_nothing() {
    let desk = desk().await;
    let check = async |wanted: RememberRequest, expected: &str| {
        let error = desk.book.remember(wanted).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    let session = remembering(RuleScope::Session, &["a"]);
    check(RememberRequest { session: None, ..session.clone() }, "no session").await;
    check(RememberRequest { rules: Vec::new(), ..session.clone() }, "no rule").await;
    check(RememberRequest { rules: vec![Rule::default()], ..session.clone() }, "nothing in particular").await;
    let faulty = Rule { command: Some("rm".into()), ..tool("read") };
    check(RememberRequest { rules: vec![tool("a"), faulty], ..session.clone() }, "command").await;
    let nowhere = CallerEnvironment::default();
    check(RememberRequest { around: nowhere, ..remembering(RuleScope::Project, &["a"]) }, "no project").await;
    *desk.files.refuses.lock().unwrap() = Some(RuleWriteError::Failed("config.json: the disk is full".into()));
    check(remembering(RuleScope::Global, &["a"]), "config.json: the disk is full").await;
    desk.rules.fail(Some("the ledger is gone"));
    check(session, "the ledger is gone").await;
    desk.rules.fail(None);
    desk.book.refresh(at(0)).await.unwrap();
    assert!(desk.book.stored().is_empty() && desk.rules.records.lock().unwrap().is_empty());
    assert_eq!(desk.decide("a"), Confirm);
}
