//! A separate machine for each test: a rulebook over its files, with stored rules in memory.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use sekisho::host_ports::HostFiles;
use sekisho_gate::ApprovalId;
use sekisho_gate::WriteAccess;
use sekisho_gate::answer::RuleScope;
use sekisho_gate::caller::{CallerEnvironment, Session};
use sekisho_gate::host_ports::PolicyFiles;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::Record;
use sekisho_gate::rule_store::{RuleStore, StoredRule, StoredRules};
use sekisho_gate::rulebook::{RememberError, RememberOutcome, RememberRequest, Rulebook};
use sekisho_host::{Locations, TrustStore, Workspace};
use sekisho_policy::{Call, Decision, Effect, JudgeContext, Rule, judge};
use serde_json::json;
use tokio::sync::watch;
use uuid::Uuid;

/// Stored rules in memory, for sessions.
#[derive(Default)]
struct MemoryRules(Mutex<Vec<StoredRule>>);

impl RuleStore for MemoryRules {
    fn all(&self, _at: Timestamp) -> LedgerFuture<'_, StoredRules> {
        let rules = self.0.lock().unwrap().clone();
        Box::pin(async { Ok(StoredRules { revision: 1, rules }) })
    }

    fn add(&self, _: &WriteAccess, rules: Vec<StoredRule>, _record: Record) -> LedgerFuture<'_, ()> {
        self.0.lock().unwrap().extend(rules);
        Box::pin(async { Ok(()) })
    }

    fn replace(&self, _: &WriteAccess, _rule: StoredRule, _record: Record) -> LedgerFuture<'_, bool> {
        Box::pin(async { Ok(false) })
    }

    fn remove(&self, _: &WriteAccess, _id: Uuid, _record: Record) -> LedgerFuture<'_, bool> {
        Box::pin(async { Ok(false) })
    }

    fn revision(&self) -> watch::Receiver<u64> {
        watch::Sender::new(1).subscribe()
    }
}

pub(crate) fn now<T>(later: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(later)
}

pub(crate) struct RulebookFixture {
    _directory: Option<tempfile::TempDir>,
    base: PathBuf,
    pub(crate) locations: Locations,
    pub(crate) premises: Arc<HostFiles>,
    pub(crate) book: Rulebook,
}

impl RulebookFixture {
    /// A new machine with a registered project.
    pub(crate) fn new() -> RulebookFixture {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(base.join("project/sub")).unwrap();
        let fixture = RulebookFixture { _directory: Some(directory), ..RulebookFixture::at(&base) };
        fixture.premises.register(&fixture.root()).unwrap();
        fixture
    }

    /// The machine in a directory that exists.
    pub(crate) fn at(base: &Path) -> RulebookFixture {
        let locations = Locations {
            managed: base.join("etc/config.json"),
            global: base.join("home/.config/sekisho/config.json"),
            global_is_named: false,
            state: base.join("home/.local/state/sekisho"),
            home: Some(base.join("home")),
            doors: Vec::new(),
        };
        let premises = Arc::new(HostFiles::new(locations.clone()).unwrap());
        let book =
            Rulebook::new(Arc::clone(&premises) as Arc<dyn PolicyFiles>, Arc::new(MemoryRules::default()));
        now(book.refresh(Timestamp::now())).unwrap();
        RulebookFixture { _directory: None, base: base.into(), locations, premises, book }
    }

    pub(crate) fn base(&self) -> &Path {
        &self.base
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.join("project")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.root().join(".sekisho/config.json")
    }

    pub(crate) fn write(path: &Path, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Trusts the project file as it is.
    pub(crate) fn trust(&self) {
        let trust = TrustStore::at(&self.locations.state);
        trust.accept(&trust.propose(&self.workspace()).unwrap(), "me", Timestamp::now()).unwrap();
    }

    fn workspace(&self) -> Workspace {
        Workspace::find(Some(&self.root()), None, &self.root()).unwrap()
    }

    /// The trust file as it is on disk.
    pub(crate) fn record(&self) -> String {
        std::fs::read_to_string(self.locations.state.join("trust.json")).unwrap_or_default()
    }

    pub(crate) fn around(&self) -> CallerEnvironment {
        CallerEnvironment { root: Some(self.root().to_str().unwrap().into()), ..CallerEnvironment::default() }
    }

    pub(crate) fn session() -> Session {
        Session { credential: "t".into(), agent: Some("claude".into()), scope: "run:1".into() }
    }

    pub(crate) fn remember(
        &self,
        scope: RuleScope,
        effect: Effect,
        tools: &[&str],
    ) -> Result<RememberOutcome, RememberError> {
        let rules = tools.iter().map(|tool| Rule { tool: Some((*tool).into()), ..Rule::default() }).collect();
        let at = Timestamp::now();
        now(self.book.remember(RememberRequest {
            scope,
            effect,
            rules,
            session: Some(RulebookFixture::session()),
            around: self.around(),
            by: "mia".into(),
            now: at,
            approval: ApprovalId::new(at),
            context: sekisho_gate::record::SecretContext::default(),
        }))
    }

    pub(crate) fn decide(&self, tool: &str) -> Decision {
        self.decide_in(&self.around(), None, None, tool)
    }

    pub(crate) fn decide_in(
        &self,
        around: &CallerEnvironment,
        cwd: Option<&Path>,
        session: Option<&Session>,
        tool: &str,
    ) -> Decision {
        let cwd = cwd.map(|cwd| cwd.to_str().unwrap());
        let policy = self.book.active_policy(around, cwd, session).policy;
        judge(&policy, &Call::new(tool, json!({})), &JudgeContext::at(Timestamp::now())).decision
    }
}
