//! Databases written by an earlier version, opened by this version's stores. `sekisho/tests/fixtures/make.sh`
//! made them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::ExecutionId;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::Answer;
use sekisho_gate::approval::{Approval, ApprovalState};
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, StepOutcome};
use sekisho_gate::audit::{AuditConfig, ChainHead, KeyRing, Verifier};
use sekisho_gate::ledger::{ApprovalQuery, LedgerReader};
use sekisho_gate::mask::Masks;
use sekisho_store::{Options, PostgresStore, SqliteStore, Store};
use sekisho_testkit::postgres::PgServer;
use serde::Deserialize;
use serde_json::json;

use crate::harness::{TempDatabase, answered, wait};
use crate::postgres::harness::{self, RUNTIME};

/// A copy of a database, its keys, and the heads of its chains.
struct Earlier {
    store: Box<dyn Store>,
    keys: Arc<KeyRing>,
    heads: Vec<ChainHead>,
    /// When its last approval was opened.
    last: Timestamp,
    _place: Option<TempDatabase>,
}

/// The output of `sekisho audit head`.
#[derive(Deserialize)]
struct Heads {
    heads: Vec<ChainHead>,
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../sekisho/tests/fixtures/0.1.0").join(path)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(fixture(path)).unwrap()
}

#[expect(clippy::disallowed_methods, reason = "gzip is on every machine that the tests run on")]
fn unpacked(path: &str) -> Vec<u8> {
    let output = Command::new("gzip").arg("-dc").arg(fixture(path)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

impl Earlier {
    fn file() -> Earlier {
        let place = TempDatabase::new();
        std::fs::write(&place.path, unpacked("sqlite/ledger.db.gz")).unwrap();
        Earlier::new("sqlite", Some(place))
    }

    fn server() -> Earlier {
        Earlier::new("postgres", None)
    }

    fn new(name: &str, place: Option<TempDatabase>) -> Earlier {
        let keys = Arc::new(KeyRing::parse(&text(&format!("{name}/audit.key"))).unwrap());
        let seal = AuditConfig { keys: Arc::clone(&keys), masks: Arc::new(Masks::new(Vec::new())) };
        let store: Box<dyn Store> = match &place {
            Some(place) => Box::new(SqliteStore::open(&place.path, Options::new(seal)).unwrap()),
            None => Box::new(RUNTIME.block_on(async {
                let url = PgServer::shared().restored(&text("postgres/dump.sql")).await;
                let options = sekisho_store::postgres::Options { audit: seal, ..harness::options() };
                PostgresStore::open(&url, options).await.unwrap()
            })),
        };
        let heads: Heads = serde_json::from_str(&text(&format!("{name}/heads.json"))).unwrap();
        let last = wait(store.pending(None, 99)).unwrap().last().unwrap().asked.at;
        Earlier { store, keys, heads: heads.heads, last, _place: place }
    }

    /// Verifies the whole audit log against the exported heads. Returns the number of rows.
    fn verify(&self) -> u64 {
        let mut verifier = Verifier::new(&self.keys, wait(self.store.cuts()).unwrap(), &self.heads).unwrap();
        let mut last = None;
        loop {
            let rows = wait(self.store.rows(last, 10)).unwrap();
            let Some(row) = rows.last() else { return verifier.finish().unwrap().rows };
            last = Some((row.writer, row.seq));
            for row in &rows {
                verifier.row(row).unwrap();
                assert_eq!(wait(self.store.row(row.writer, row.seq)).unwrap().as_ref(), Some(row));
            }
        }
    }

    /// Every approval, by its call id.
    fn questions(&self) -> BTreeMap<String, Approval> {
        let all = wait(self.store.approvals(ApprovalQuery::default())).unwrap();
        all.into_iter().map(|approval| (approval.asked.call.call_id.clone().unwrap(), approval)).collect()
    }

    fn question(&self, id: &str) -> Approval {
        self.questions().remove(id).unwrap()
    }

    fn step(&self, id: &str, happening: ApprovalTrigger) -> (StepOutcome, Approval) {
        let at = self.last + SignedDuration::from_secs(2);
        let step =
            wait(self.store.step(WriteAccess::TESTS, self.question(id).id, happening, at)).unwrap().unwrap();
        (step.outcome, self.question(id))
    }
}

fn everything_is_read(earlier: &Earlier) {
    assert_eq!(wait(earlier.store.cuts()).unwrap().len(), 1);
    let rows = earlier.verify();
    assert_eq!(wait(earlier.store.count()).unwrap(), rows);
    let states: BTreeMap<String, &str> =
        earlier.questions().iter().map(|(id, question)| (id.clone(), question.fate.state.name())).collect();
    let expected = [
        ("approved", "approved"),
        ("denied", "denied"),
        ("edited", "approved"),
        ("expired", "expired"),
        ("for-all", "approved"),
        ("for-project", "approved"),
        ("for-session", "approved"),
        ("mcp", "approved"),
        ("never-again", "denied"),
        ("overdue", "pending"),
        ("parked", "pending"),
        ("parked-too", "pending"),
        ("secret", "denied"),
        ("unclaimed", "approved"),
        ("withdrawn", "aborted"),
    ];
    assert_eq!(states, expected.into_iter().map(|(id, state)| (id.to_owned(), state)).collect());
    for question in earlier.questions().values() {
        assert_eq!(wait(earlier.store.approval(question.id)).unwrap().as_ref(), Some(question));
    }
    let past = wait(LedgerReader::past_calls(&*earlier.store, 99)).unwrap();
    assert_eq!(past.iter().filter(|past| past.approval.is_some()).count(), expected.len());
    let snapshot = wait(earlier.store.snapshot()).unwrap();
    assert_eq!(wait(earlier.store.events(0, 999)).unwrap().len() as u64, snapshot.seq);
    assert_eq!(snapshot.pending.len(), 3);
}

fn credentials_and_rules_are_read(earlier: &Earlier) {
    let store = &earlier.store;
    let rules = wait(store.all(earlier.last)).unwrap().rules;
    let (session, database): (Vec<_>, Vec<_>) = rules.iter().partition(|rule| rule.session.is_some());
    assert_eq!((session.len(), database.len()), (2, 4));
    let tokens = wait(store.tokens()).unwrap();
    let counts: Vec<(&str, bool)> =
        tokens.iter().map(|token| (token.name.as_str(), token.is_valid_at(earlier.last))).collect();
    let expected = [
        ("agent", true),
        ("viewer", true),
        ("approver", true),
        ("admin", true),
        ("bound", true),
        ("retired", false),
        ("brief", false),
    ];
    assert_eq!(counts, expected);
    assert_eq!(wait(store.open_links(earlier.last)).unwrap(), 1);
    let approver = tokens.iter().find(|token| token.name == "approver").unwrap();
    let wanted = wait(store.notifications(approver.id)).unwrap().unwrap();
    assert_eq!(wanted.pointer("/quietHours/timeZone"), Some(&json!("Europe/Vienna")));
}

fn open_questions_go_on(earlier: &Earlier) {
    let at = earlier.last;
    let (said, parked) = earlier.step("parked", answered(Answer::approve(), "Ann"));
    assert_eq!((said, parked.fate.state.name()), (StepOutcome::Changed, "approved"));
    let (said, _) = earlier.step("parked", answered(Answer::deny(), "Bob"));
    assert_eq!(said, StepOutcome::Conflict);
    for id in ["parked", "unclaimed"] {
        let (said, taken) = earlier.step(id, ApprovalTrigger::Claimed(Claim::Run(ExecutionId::new(at))));
        assert!(said == StepOutcome::Changed && taken.fate.claimed.is_some(), "{id}: {said:?}");
    }
    let (said, overdue) = earlier.step("overdue", ApprovalTrigger::TimePassed);
    assert!(
        said == StepOutcome::Changed && matches!(overdue.fate.state, ApprovalState::Expired { .. }),
        "{said:?}"
    );
    earlier.verify();
}

fn check(earlier: &Earlier) {
    everything_is_read(earlier);
    credentials_and_rules_are_read(earlier);
    open_questions_go_on(earlier);
}

#[test]
fn file_of_an_earlier_version_can_be_read_answered_and_verified() {
    check(&Earlier::file());
}

#[test]
fn server_of_an_earlier_version_can_be_read_answered_and_verified() {
    check(&Earlier::server());
}
