//! A gate with all its ports: a ledger in memory, files as text, and a manual clock.

use std::sync::Arc;

use jiff::SignedDuration;
use proptest::test_runner::Config;
use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::answer_handler::{AnswerError, AnswerOutcome};
use sekisho_gate::approval::Approval;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::LedgerReader;
use sekisho_gate::refusal::Refusal;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{AllowedCall, ApprovalId, Gate, Permit, Ports, Settings};
use sekisho_policy::{Call, LayerKind};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::json;
use tokio::task::JoinHandle;

/// A gate and its background task.
pub(crate) struct GateHarness {
    pub(crate) gate: Gate,
    pub(crate) ledger: MemoryLedger,
    pub(crate) files: FixedFiles,
    pub(crate) clock: ManualClock,
    pub(crate) settings: Settings,
    background: JoinHandle<()>,
}

/// A config with these rules.
pub(crate) fn config(permissions: &serde_json::Value) -> String {
    json!({ "version": 1, "permissions": permissions }).to_string()
}

/// Files where the user's own has this text.
pub(crate) fn rules_in_files(text: &str) -> FixedFiles {
    let files = FixedFiles::new();
    files.set(LayerKind::Global, text);
    files
}

impl GateHarness {
    /// A gate with these rules and an empty ledger.
    pub(crate) async fn new(permissions: serde_json::Value) -> GateHarness {
        let files = rules_in_files(&config(&permissions));
        GateHarness::start(MemoryLedger::new(), files, ManualClock::new(), Settings::default()).await
    }

    /// A gate on existing data.
    pub(crate) async fn start(
        ledger: MemoryLedger,
        files: FixedFiles,
        clock: ManualClock,
        settings: Settings,
    ) -> GateHarness {
        let ports = ports(&ledger, &files, &clock);
        let (gate, background) = Gate::new(ports, settings.clone());
        let background = tokio::spawn(background.run());
        settle().await;
        GateHarness { gate, ledger, files, clock, settings, background }
    }

    /// Kills the process and starts it again: everything in memory is lost.
    pub(crate) async fn restart(self) -> GateHarness {
        self.background.abort();
        let GateHarness { ledger, files, clock, settings, .. } = self;
        settle().await;
        GateHarness::start(ledger, files, clock, settings).await
    }

    /// Submits a call and waits.
    pub(crate) fn pass(&self, request: CallRequest) -> JoinHandle<Result<Permit, Refusal>> {
        let gate = self.gate.clone();
        tokio::spawn(async move { gate.pass(request).await })
    }

    /// The same for a remote caller.
    pub(crate) fn pass_remote(&self, request: CallRequest) -> JoinHandle<Result<AllowedCall, Refusal>> {
        let gate = self.gate.clone();
        tokio::spawn(async move { gate.pass_remote(request).await })
    }

    /// Everything that is pending.
    pub(crate) async fn pending(&self) -> Vec<Approval> {
        settle().await;
        self.ledger.pending(None, 1_000_000).await.unwrap()
    }

    /// The only pending approval.
    pub(crate) async fn question(&self) -> Approval {
        let mut pending = self.pending().await;
        assert_eq!(pending.len(), 1, "one approval is open");
        pending.remove(0)
    }

    /// The current state of an approval.
    pub(crate) async fn approval(&self, id: ApprovalId) -> Approval {
        self.ledger.approval(id).await.unwrap().unwrap()
    }

    /// Answers as an approver.
    pub(crate) async fn answer(&self, id: ApprovalId, answer: Answer) -> Result<AnswerOutcome, AnswerError> {
        let outcome = self.gate.answer(id, answer, person("ann", Role::Approver)).await;
        settle().await;
        outcome
    }

    /// Advances the clock.
    pub(crate) async fn advance(&self, seconds: i64) {
        settle().await;
        self.clock.advance(SignedDuration::from_secs(seconds));
        settle().await;
    }
}

pub(crate) fn ports(ledger: &MemoryLedger, files: &FixedFiles, clock: &ManualClock) -> Ports {
    let rulebook = Rulebook::new(Arc::new(files.clone()), Arc::new(ledger.clone()));
    Ports {
        ledger: Arc::new(ledger.clone()),
        rulebook: Arc::new(rulebook),
        lookup: Arc::new(files.clone()),
        clock: Arc::new(clock.clone()),
    }
}

/// Lets all tasks run as far as they can.
pub(crate) async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

/// A person with a role.
pub(crate) fn person(name: &str, role: Role) -> Approver {
    Approver {
        credential: format!("token-{name}"),
        name: name.into(),
        role,
        device: None,
        how: "test".into(),
    }
}

/// A call that no rule matches.
pub(crate) fn call() -> Call {
    Call {
        call_id: Some("c1".into()),
        conversation: Some("talk".into()),
        ..Call::new("deploy", json!({ "to": "stage" }))
    }
}

/// A request for it by a caller in this process.
pub(crate) fn request() -> CallRequest {
    CallRequest::new(call(), Caller::in_process("agent-1"))
}

/// A request for it by a remote caller.
pub(crate) fn remote_request() -> CallRequest {
    CallRequest::new(call(), Caller::remote("agent-1"))
}

/// How many cases to run: `usual`, or that many for every 20 000 of `SEKISHO_PROOF_CASES`.
#[expect(clippy::disallowed_methods, reason = "an environment variable selects the long form")]
pub(crate) fn cases(usual: u32) -> Config {
    let requested = std::env::var("SEKISHO_PROOF_CASES").ok().map(|text| text.parse::<u64>().unwrap());
    let cases = requested
        .map_or(usual, |requested| u32::try_from(u64::from(usual) * requested / 20_000).unwrap().max(1));
    Config { cases, failure_persistence: None, ..Config::default() }
}
