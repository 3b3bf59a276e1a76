//! What hooks read of kept rules is never older than what the database says.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use sekisho::rule_publisher::RulePublisher;
use sekisho_gate::WriteAccess;
use sekisho_gate::caller::Session;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::Record;
use sekisho_gate::rule_store::{RuleStore, StoredRule, StoredRules};
use sekisho_host::PublishedRulesFile;
use sekisho_policy::Effect;
use sekisho_testkit::{MemoryLedger, fixtures};
use tokio::sync::{Semaphore, watch};
use uuid::Uuid;

/// Kept rules whose changes wait until they are let go.
struct SlowRules {
    rules: MemoryLedger,
    go: Semaphore,
}

impl RuleStore for SlowRules {
    fn all(&self, at: Timestamp) -> LedgerFuture<'_, StoredRules> {
        self.rules.all(at)
    }
    fn add(&self, _: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> LedgerFuture<'_, ()> {
        Box::pin(async move {
            self.go.acquire().await.unwrap().forget();
            self.rules.add(WriteAccess::TESTS, rules, record).await
        })
    }
    fn replace(&self, access: &WriteAccess, rule: StoredRule, record: Record) -> LedgerFuture<'_, bool> {
        self.rules.replace(access, rule, record)
    }
    fn remove(&self, access: &WriteAccess, id: Uuid, record: Record) -> LedgerFuture<'_, bool> {
        self.rules.remove(access, id, record)
    }
    fn revision(&self) -> watch::Receiver<u64> {
        self.rules.revision()
    }
}

struct PublisherFixture {
    _directory: tempfile::TempDir,
    slow: Arc<SlowRules>,
    publishing: Arc<RulePublisher>,
    published: PublishedRulesFile,
}

fn desk() -> PublisherFixture {
    let directory = tempfile::tempdir().unwrap();
    let slow = Arc::new(SlowRules { rules: MemoryLedger::new(), go: Semaphore::new(0) });
    let published = PublishedRulesFile::at(directory.path());
    let publishing = Arc::new(RulePublisher::new(Arc::clone(&slow) as _, published.clone(), false));
    PublisherFixture { _directory: directory, slow, publishing, published }
}

impl PublisherFixture {
    fn tools(&self) -> Option<Vec<String>> {
        let rules = self.published.read().unwrap()?.rules;
        Some(rules.into_iter().filter_map(|(_, rule)| rule.tool).collect())
    }

    fn add(&self, tool: &str) -> impl Future<Output = ()> + use<> {
        let now = fixtures::seconds_after_start(0);
        let rule = fixtures::stored_rule(tool, Effect::Deny, now);
        let publishing = Arc::clone(&self.publishing);
        async move {
            publishing
                .add(WriteAccess::TESTS, vec![rule], fixtures::rules_changed_record(now, "a test"))
                .await
                .unwrap()
        }
    }
}

#[tokio::test]
async fn nothing_is_published_while_rules_change_and_everything_is_afterwards() {
    let desk = desk();
    desk.publishing.publish(fixtures::seconds_after_start(0)).await.unwrap();
    assert_eq!(desk.tools(), Some(vec![]));
    let (one, other) = (tokio::spawn(desk.add("a")), tokio::spawn(desk.add("b")));
    while desk.tools().is_some() {
        tokio::task::yield_now().await;
    }
    // Whoever publishes in between publishes nothing.
    desk.publishing.publish(fixtures::seconds_after_start(0)).await.unwrap();
    assert_eq!(desk.tools(), None);
    desk.slow.go.add_permits(1);
    while !one.is_finished() && !other.is_finished() {
        tokio::task::yield_now().await;
    }
    assert_eq!(desk.tools(), None, "one change is still under way");
    desk.slow.go.add_permits(1);
    one.await.unwrap();
    other.await.unwrap();
    let mut tools = desk.tools().unwrap();
    tools.sort();
    assert_eq!(tools, ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_change_whose_caller_went_away_may_still_happen() {
    let desk = desk();
    let publishing = Arc::clone(&desk.publishing);
    let following = tokio::spawn(async move { publishing.follow().await });
    while desk.tools().is_none() {
        tokio::task::yield_now().await;
    }
    let caller = tokio::spawn(desk.add("a"));
    while desk.tools().is_some() {
        tokio::task::yield_now().await;
    }
    caller.abort();
    drop(caller.await);
    // Another replica's change is heard of, but what may still be under way is not forgotten.
    let rule = fixtures::stored_rule("b", Effect::Deny, fixtures::seconds_after_start(0));
    let record = fixtures::rules_changed_record(fixtures::seconds_after_start(0), "elsewhere");
    desk.slow.rules.add(WriteAccess::TESTS, vec![rule], record).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(desk.tools(), None);
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(desk.tools(), Some(vec!["b".to_owned()]));
    following.abort();
}

#[tokio::test]
async fn rules_of_sessions_are_named_by_their_session_only() {
    let desk = desk();
    let now = fixtures::seconds_after_start(0);
    let session = Session { credential: "socket:0".into(), agent: None, scope: "run:r1".into() };
    let rule = StoredRule { session: Some(session), ..fixtures::stored_rule("a", Effect::Deny, now) };
    desk.slow
        .rules
        .add(WriteAccess::TESTS, vec![rule], fixtures::rules_changed_record(now, "a test"))
        .await
        .unwrap();
    desk.publishing.publish(now).await.unwrap();
    let read = desk.published.read().unwrap().unwrap();
    assert_eq!((read.rules.len(), read.sessions), (0, vec!["run:r1".to_owned()]));
}
