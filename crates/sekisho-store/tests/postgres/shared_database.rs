//! Two stores on one database, as two processes would open them.

use std::time::Duration;

use sekisho_gate::WriteAccess;

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Answer;
use sekisho_gate::approval_machine::StepOutcome;
use sekisho_gate::audit::{AuditLog, Verifier};
use sekisho_gate::ledger::{Ledger, OpenOutcome};
use sekisho_gate::rule_store::RuleStore;
use sekisho_policy::Effect;
use sekisho_store::postgres::Options;
use sekisho_testkit::fixtures::{
    admission, answer_trigger, audit_config, call, caller, new_approval, pending_approval, replica,
    rules_changed_record, seconds_after_start,
};
use tokio::time::timeout;

use super::harness::{RUNTIME, count, fresh, options, store};
use sekisho_testkit::postgres::PgServer;

/// Anything that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

#[test]
fn one_of_two_answers_wins() {
    RUNTIME.block_on(async {
        let (here, url) = fresh().await;
        let there = store(&url).await;
        for round in 0..30 {
            let asked =
                pending_approval(call(&round.to_string()), caller(), seconds_after_start(round), Some(120));
            here.open(WriteAccess::TESTS, new_approval(&asked, replica(1))).await.unwrap();
            let yes = answer_trigger(&asked, Answer::approve(), None, seconds_after_start(round));
            let no = answer_trigger(&asked, Answer::deny(), None, seconds_after_start(round));
            let (yes, no) = tokio::join!(
                here.step(WriteAccess::TESTS, asked.id, yes, seconds_after_start(round)),
                there.step(WriteAccess::TESTS, asked.id, no, seconds_after_start(round))
            );
            let said = [yes.unwrap().unwrap().outcome, no.unwrap().unwrap().outcome];
            assert!(
                said == [StepOutcome::Changed, StepOutcome::Conflict]
                    || said == [StepOutcome::Conflict, StepOutcome::Changed],
                "{said:?}"
            );
            let mine = here.approval(asked.id).await.unwrap().unwrap();
            assert_eq!(there.approval(asked.id).await.unwrap().unwrap(), mine);
            assert_eq!(
                mine.fate.state.name(),
                if said[0] == StepOutcome::Changed { "approved" } else { "denied" }
            );
        }
    });
}

#[test]
fn many_requests_with_one_key_open_one_approval() {
    RUNTIME.block_on(async {
        let (here, url) = fresh().await;
        let there = store(&url).await;
        for round in 0..10 {
            let (name, at) = (round.to_string(), seconds_after_start(round));
            let ask = || pending_approval(call(&name), caller(), at, Some(120));
            let asks: Vec<_> = (0..10_usize).map(|_| ask()).collect();
            let all = asks.iter().enumerate().map(|(number, ask)| {
                [&here, &there][number % 2]
                    .open(WriteAccess::TESTS, new_approval(ask, replica(number as u128)))
            });
            let mut all: Vec<_> = all.collect();
            let mut opened = Vec::new();
            // All are sent before any is awaited.
            let sent = std::future::poll_fn(|context| {
                all.retain_mut(|future| match future.as_mut().poll(context) {
                    std::task::Poll::Ready(done) => {
                        opened.push(done.unwrap());
                        false
                    }
                    std::task::Poll::Pending => true,
                });
                if all.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
            });
            sent.await;
            assert_eq!(opened.iter().filter(|opened| **opened == OpenOutcome::New).count(), 1);
            assert_eq!(opened.iter().filter(|opened| matches!(opened, OpenOutcome::Joined(_))).count(), 9);
        }
        assert_eq!(count(&url, "approvals").await, 10);
        assert_eq!(count(&url, "holds").await, 100);
    });
}

#[test]
fn listeners_see_commits_of_other_processes() {
    RUNTIME.block_on(async {
        let url = PgServer::shared().database().await;
        // It learns of changes by notifications only.
        let only_told = Options { poll_interval: Duration::from_secs(3600), ..options() };
        let here = sekisho_store::PostgresStore::open(&url, only_told).await.unwrap();
        let there = store(&url).await;
        let (mut head, mut revision) = (here.head(), here.revision());
        there
            .admit(WriteAccess::TESTS, admission(call("1"), caller(), seconds_after_start(0), Effect::Deny))
            .await
            .unwrap();
        timeout(PATIENCE, head.wait_for(|head| *head == 1)).await.unwrap().unwrap();
        there
            .add(WriteAccess::TESTS, Vec::new(), rules_changed_record(seconds_after_start(1), "nothing new"))
            .await
            .unwrap();
        timeout(PATIENCE, revision.wait_for(|revision| *revision == 1)).await.unwrap().unwrap();
        timeout(PATIENCE, head.wait_for(|head| *head == 2)).await.unwrap().unwrap();
    });
}

#[test]
fn events_and_chains_of_many_processes_have_no_gap() {
    RUNTIME.block_on(async {
        let url = PgServer::shared().database().await;
        // All of them create the tables at once.
        let opening: Vec<_> = (0..4)
            .map(|_| {
                let url = url.clone();
                tokio::spawn(async move { sekisho_store::PostgresStore::open(&url, options()).await })
            })
            .collect();
        let mut writing = Vec::new();
        for (number, store) in opening.into_iter().enumerate() {
            let store = std::sync::Arc::new(store.await.unwrap().unwrap());
            for _ in 0..5 {
                let store = store.clone();
                writing.push(tokio::spawn(async move {
                    for round in 0..10 {
                        let call = call(&format!("{number}.{round}"));
                        store
                            .admit(
                                WriteAccess::TESTS,
                                admission(call, caller(), seconds_after_start(round), Effect::Allow),
                            )
                            .await
                            .unwrap();
                    }
                }));
            }
        }
        for one in writing {
            one.await.unwrap();
        }
        let store = store(&url).await;
        let events = store.events(0, 1000).await.unwrap();
        assert!(events.iter().map(|event| event.seq).eq(1..=200));
        assert_eq!(*store.head().borrow(), 200);
        let keys = audit_config().keys;
        let mut verifier = Verifier::new(&keys, store.cuts().await.unwrap(), &[]).unwrap();
        for row in store.rows(None, 1000).await.unwrap() {
            verifier.row(&row).unwrap();
        }
        let report = verifier.finish().unwrap();
        assert_eq!((report.rows, report.heads.len()), (200, 4));
    });
}
