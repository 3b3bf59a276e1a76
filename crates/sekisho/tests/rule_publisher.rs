//! The published copy of stored rules is never older than the database.

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

/// Stored rules whose changes wait until they are released.
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

fn fixture() -> PublisherFixture {
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
async fn rules_are_published_only_after_changes_end() {
    let fixture = fixture();
    fixture.publishing.publish(fixtures::seconds_after_start(0)).await.unwrap();
    assert_eq!(fixture.tools(), Some(vec![]));
    let (one, other) = (tokio::spawn(fixture.add("a")), tokio::spawn(fixture.add("b")));
    while fixture.tools().is_some() {
        tokio::task::yield_now().await;
    }
    // Publishing in between publishes nothing.
    fixture.publishing.publish(fixtures::seconds_after_start(0)).await.unwrap();
    assert_eq!(fixture.tools(), None);
    fixture.slow.go.add_permits(1);
    while !one.is_finished() && !other.is_finished() {
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.tools(), None, "one change is still in progress");
    fixture.slow.go.add_permits(1);
    one.await.unwrap();
    other.await.unwrap();
    let mut tools = fixture.tools().unwrap();
    tools.sort();
    assert_eq!(tools, ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn abandoned_change_may_still_happen() {
    let fixture = fixture();
    let publishing = Arc::clone(&fixture.publishing);
    let following = tokio::spawn(async move { publishing.follow().await });
    while fixture.tools().is_none() {
        tokio::task::yield_now().await;
    }
    let caller = tokio::spawn(fixture.add("a"));
    while fixture.tools().is_some() {
        tokio::task::yield_now().await;
    }
    caller.abort();
    drop(caller.await);
    // A change by another replica is noticed, but the change that may still happen is not forgotten.
    let rule = fixtures::stored_rule("b", Effect::Deny, fixtures::seconds_after_start(0));
    let record = fixtures::rules_changed_record(fixtures::seconds_after_start(0), "elsewhere");
    fixture.slow.rules.add(WriteAccess::TESTS, vec![rule], record).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(fixture.tools(), None);
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(fixture.tools(), Some(vec!["b".to_owned()]));
    following.abort();
}

#[tokio::test]
async fn session_rules_are_published_as_session_names_only() {
    let fixture = fixture();
    let now = fixtures::seconds_after_start(0);
    let session = Session { credential: "socket:0".into(), agent: None, scope: "run:r1".into() };
    let rule = StoredRule { session: Some(session), ..fixtures::stored_rule("a", Effect::Deny, now) };
    fixture
        .slow
        .rules
        .add(WriteAccess::TESTS, vec![rule], fixtures::rules_changed_record(now, "a test"))
        .await
        .unwrap();
    fixture.publishing.publish(now).await.unwrap();
    let read = fixture.published.read().unwrap().unwrap();
    assert_eq!((read.rules.len(), read.sessions), (0, vec!["run:r1".to_owned()]));
}
