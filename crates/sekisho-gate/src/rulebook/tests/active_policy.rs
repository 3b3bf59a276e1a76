use sekisho_policy::Decision::{Allow, Confirm, Deny};
use sekisho_policy::Effect;

use super::*;
use crate::ledger::BoxFuture as Sleep;

#[tokio::test]
async fn nothing_is_allowed_before_stored_rules_are_read() {
    let harness = RulebookHarness::new();
    harness.files.say(Effect::Allow, &["a"]);
    harness.files.say(Effect::Deny, &["b"]);
    // Not even the built-in rules.
    assert_eq!(
        [harness.decide("a"), harness.decide("b"), harness.decide("todo_read")],
        [Confirm, Deny, Confirm]
    );
    harness.book.refresh(at(0)).await.unwrap();
    assert_eq!([harness.decide("a"), harness.decide("b"), harness.decide("todo_read")], [Allow, Deny, Allow]);
    assert_eq!(harness.book.problems(), []);
}

#[tokio::test]
async fn unreadable_rules_keep_denies_and_allow_nothing() {
    let harness = RulebookHarness::new();
    let mine = session("t", None, "run:1");
    harness.rules.put(vec![
        stored(Effect::Allow, tool("a"), None),
        stored(Effect::Deny, tool("b"), None),
        stored(Effect::Allow, tool("c"), Some(mine.clone())),
        stored(Effect::Deny, tool("d"), Some(mine.clone())),
    ]);
    harness.book.refresh(at(0)).await.unwrap();
    let decided = || ["a", "b", "c", "d"].map(|tool| harness.decide_in(Some(&mine), tool));
    assert_eq!(decided(), [Allow, Deny, Allow, Deny]);
    let generation = harness.book.generation();
    harness.rules.fail(Some("the disk is on fire"));
    assert!(harness.book.refresh(at(0)).await.is_err());
    assert_eq!(decided(), [Confirm, Deny, Confirm, Deny]);
    assert!(harness.book.generation() > generation);
    assert!(
        harness.book.problems()[0].error.contains("the disk is on fire"),
        "{:?}",
        harness.book.problems()
    );
    harness.rules.fail(None);
    harness.book.refresh(at(0)).await.unwrap();
    assert_eq!(decided(), [Allow, Deny, Allow, Deny]);
}

#[tokio::test]
async fn invalid_rule_is_reported_and_its_deny_stays() {
    let harness = RulebookHarness::new();
    let good = stored(Effect::Deny, tool("a"), None);
    let mut other = stored(Effect::Deny, tool("b"), None);
    let allow = stored(Effect::Allow, tool("c"), None);
    harness.rules.put(vec![good.clone(), other.clone(), allow.clone()]);
    harness.book.refresh(at(0)).await.unwrap();
    let decided = || ["a", "b", "c"].map(|tool| harness.decide(tool));
    assert_eq!(decided(), [Deny, Deny, Allow]);
    // A newer replica writes a rule that this one does not understand.
    other.rule.command = Some("rm".into());
    harness.rules.put(vec![good, other.clone(), allow]);
    harness.book.refresh(at(0)).await.unwrap();
    assert_eq!(decided(), [Deny, Deny, Confirm]);
    let [fault] = &harness.book.problems()[..] else { panic!("{:?}", harness.book.problems()) };
    assert!(
        fault.error.contains(&other.id.to_string()) && fault.error.contains("command"),
        "{}",
        fault.error
    );
    harness.book.remove(other.id, &me(), at(0)).await.unwrap();
    assert_eq!(decided(), [Deny, Confirm, Allow]);
}

#[tokio::test]
async fn invalid_session_rule_affects_only_its_session() {
    let harness = RulebookHarness::new();
    let (mine, yours) = (session("t", None, "run:1"), session("t", None, "run:2"));
    let broken = Rule { host: Some("x".into()), ..tool("b") };
    harness
        .rules
        .put(vec![stored(Effect::Allow, tool("a"), None), stored(Effect::Allow, broken, Some(mine.clone()))]);
    harness.book.refresh(at(0)).await.unwrap();
    assert_eq!(harness.decide_in(Some(&mine), "a"), Confirm);
    assert_eq!(harness.decide_in(Some(&yours), "a"), Allow);
}

#[tokio::test]
async fn equal_policies_are_compiled_once() {
    let harness = RulebookHarness::new();
    let (mine, yours) = (session("t", None, "run:1"), session("t", None, "run:2"));
    harness.rules.put(vec![stored(Effect::Allow, tool("a"), Some(mine.clone()))]);
    harness.book.refresh(at(0)).await.unwrap();
    let (all, my) = (harness.force(None), harness.force(Some(&mine)));
    assert!(Arc::ptr_eq(&all.policy, &harness.force(Some(&yours)).policy));
    assert!(!Arc::ptr_eq(&all.policy, &my.policy));
    // Reading the same rules again changes nothing.
    harness.book.refresh(at(0)).await.unwrap();
    assert!(Arc::ptr_eq(&my.policy, &harness.force(Some(&mine)).policy));
    assert_eq!(all.generation, harness.book.generation());
    harness.files.say(Effect::Deny, &["a"]);
    assert!(harness.book.generation() > all.generation);
    assert_eq!(harness.decide_in(Some(&mine), "a"), Deny);
    // A policy that was taken stays unchanged.
    let context = JudgeContext::at(at(0));
    assert_eq!(judge(&my.policy, &Call::new("a", json!({})), &context).decision, Allow);
}

#[test]
fn judgement_uses_one_policy_while_rules_change() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let harness = RulebookHarness::new();
    let one = [stored(Effect::Allow, tool("a"), None), stored(Effect::Deny, tool("b"), None)];
    let two = [stored(Effect::Deny, tool("a"), None), stored(Effect::Allow, tool("b"), None)];
    harness.rules.put(one.to_vec());
    runtime.block_on(harness.book.refresh(at(0))).unwrap();
    // Ends the swapping by being dropped, however the judging ends.
    let (judging, judged) = std::sync::mpsc::channel::<()>();
    let (harness, runtime) = (&harness, &runtime);
    let seen =
        std::thread::scope(move |scope| {
            scope.spawn(move || {
                let mut swaps = 0_u64;
                while judged.try_recv() != Err(std::sync::mpsc::TryRecvError::Disconnected) {
                    harness.rules.put(if swaps.is_multiple_of(2) { two.to_vec() } else { one.to_vec() });
                    runtime.block_on(harness.book.refresh(at(0))).unwrap();
                    swaps += 1;
                }
            });
            let mut seen = std::collections::BTreeSet::new();
            for turn in 0..1_000_000 {
                let policy = harness.force(None).policy;
                seen.insert(["a", "b"].map(|tool| {
                    judge(&policy, &Call::new(tool, json!({})), &JudgeContext::at(at(0))).decision
                }));
                if turn >= 200 && seen.len() > 1 {
                    break;
                }
            }
            drop(judging);
            seen
        });
    assert_eq!(seen, std::collections::BTreeSet::from([[Allow, Deny], [Deny, Allow]]));
}

/// A clock that is set by hand.
struct Hand(watch::Sender<Timestamp>);

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        *self.0.borrow()
    }

    fn sleep_until(&self, moment: Timestamp) -> Sleep<'_, ()> {
        let mut time = self.0.subscribe();
        Box::pin(async move { drop(time.wait_for(|now| *now >= moment).await) })
    }
}

#[tokio::test]
async fn refresh_loop_follows_changes_and_retries() {
    let harness = RulebookHarness::new();
    harness.rules.fail(Some("gone"));
    let clock = Hand(watch::Sender::new(at(0)));
    let mut changed = harness.book.watch_generation();
    let story = async {
        // Not read yet: tried in a second, and again.
        tokio::task::yield_now().await;
        clock.0.send_replace(at(0) + SignedDuration::from_secs(1));
        changed.changed().await.unwrap();
        assert!(harness.book.problems()[0].error.contains("gone"));
        harness.rules.fail(None);
        tokio::task::yield_now().await;
        clock.0.send_replace(at(0) + SignedDuration::from_secs(2));
        changed.changed().await.unwrap();
        assert_eq!(harness.book.problems(), []);
        harness.files.say(Effect::Allow, &["a"]);
        changed.changed().await.unwrap();
        assert_eq!(harness.decide("a"), Allow);
        harness.rules.put(vec![stored(Effect::Deny, tool("a"), None)]);
        changed.changed().await.unwrap();
        assert_eq!(harness.decide("a"), Deny);
        assert_eq!(*changed.borrow(), harness.book.generation());
    };
    tokio::select! {
        () = story => {}
        () = harness.book.run_refresh_loop(&clock) => panic!("it ended"),
    }
}
