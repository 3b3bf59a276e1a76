//! Callers that poll, calls that run elsewhere, and gates of several machines on one ledger.

use std::sync::{Arc, Mutex, PoisonError};

use sekisho_gate::ledger::LedgerReader;

use sekisho_gate::answer::Answer;
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::host_ports::{
    CurrentFile, FileLayers, HostLookup, PolicyFiles, RuleEdit, RuleEditError, RuleWrite, RuleWriteError,
};
use sekisho_gate::refusal::RefusalCode;
use sekisho_gate::rulebook::Rulebook;
use sekisho_gate::{AllowedCall, ApprovalId, Gate, Ports, RemoteSubmission, Settings};
use sekisho_policy::{Call, Fact, FactQuery, Facts, LayerKind, Policy};
use sekisho_testkit::{FixedFiles, ManualClock, MemoryLedger};
use serde_json::json;
use tokio::sync::watch;

use crate::harness::{GateHarness, config, remote_request, settle};

async fn asked(gate: &Gate, request: CallRequest) -> ApprovalId {
    match gate.submit_remote(request).await.unwrap() {
        RemoteSubmission::Pending(id) => id,
        RemoteSubmission::Allowed(allowed) => {
            panic!("nobody has answered, but the call was allowed: {allowed:?}")
        }
    }
}

async fn allowed(gate: &Gate, request: CallRequest) -> AllowedCall {
    match gate.submit_remote(request).await.unwrap() {
        RemoteSubmission::Allowed(allowed) => allowed,
        RemoteSubmission::Pending(id) => panic!("a new approval `{id}` was opened"),
    }
}

#[tokio::test]
async fn decided_call_returns_at_once() {
    let harness =
        GateHarness::new(json!({ "allow": [{ "tool": "deploy" }], "deny": [{ "tool": "launch" }] })).await;
    assert_eq!(allowed(&harness.gate, remote_request()).await.approval, None);
    let mut launch = remote_request();
    launch.call.tool = "launch".into();
    assert_eq!(harness.gate.submit_remote(launch).await.unwrap_err().code, RefusalCode::DeniedByRule);
    assert_eq!(harness.ledger.executions().len(), 1);
}

#[tokio::test]
async fn approval_stays_open_without_waiters_until_its_deadline() {
    let harness = GateHarness::new(json!({})).await;
    let id = asked(&harness.gate, remote_request()).await;
    assert_eq!(harness.question().await.id, id);
    // Longer than waiting callers may be away.
    harness.advance(119).await;
    assert!(harness.approval(id).await.is_pending());
    assert_eq!(asked(&harness.gate, remote_request()).await, id, "polling finds the same approval");
    harness.advance(1).await;
    assert_eq!(harness.approval(id).await.fate.state.name(), "expired");
}

#[tokio::test]
async fn answer_is_taken_once_and_rereadable_for_a_minute() {
    let harness = GateHarness::new(json!({})).await;
    let id = asked(&harness.gate, remote_request()).await;
    harness.answer(id, Answer::approve().with_input(json!({ "to": "test" }))).await.unwrap();
    // The answer waits for its caller, even across a restart.
    let harness = harness.restart().await;
    harness.advance(3600).await;
    let first = allowed(&harness.gate, remote_request()).await;
    assert_eq!((first.approval, &first.updated_input), (Some(id), &Some(json!({ "to": "test" }))));
    harness.advance(60).await;
    assert_eq!(allowed(&harness.gate, remote_request()).await, first, "the same run, replayed");
    assert_eq!(harness.ledger.executions().len(), 1, "and allowed once");
    harness.advance(1).await;
    let anew = asked(&harness.gate, remote_request()).await;
    assert_ne!(anew, id);
    assert_eq!(harness.ledger.executions().len(), 1);
}

#[tokio::test]
async fn polling_caller_gets_the_denial() {
    let harness = GateHarness::new(json!({})).await;
    let id = asked(&harness.gate, remote_request()).await;
    harness.answer(id, Answer::deny().with_reason("not today")).await.unwrap();
    for _ in 0..2 {
        let refusal = harness.gate.submit_remote(remote_request()).await.unwrap_err();
        assert_eq!((refusal.code, refusal.reason.as_str()), (RefusalCode::Denied, "not today"));
        harness.advance(30).await;
    }
    assert!(harness.ledger.executions().is_empty());
}

#[tokio::test]
async fn answer_takes_precedence_over_a_later_rule() {
    let allow = config(&json!({ "allow": [{ "tool": "deploy" }] }));
    let harness = GateHarness::new(json!({})).await;
    let id = asked(&harness.gate, remote_request()).await;
    harness.answer(id, Answer::deny().with_reason("not today")).await.unwrap();
    harness.files.set(LayerKind::Global, allow.clone());
    settle().await;
    assert_eq!(harness.gate.submit_remote(remote_request()).await.unwrap_err().reason, "not today");
    assert!(harness.ledger.executions().is_empty());

    let harness = GateHarness::new(json!({})).await;
    let id = asked(&harness.gate, remote_request()).await;
    harness.answer(id, Answer::approve().with_input(json!({ "to": "test" }))).await.unwrap();
    harness.files.set(LayerKind::Global, allow);
    settle().await;
    let first = allowed(&harness.gate, remote_request()).await;
    assert_eq!((first.approval, &first.updated_input), (Some(id), &Some(json!({ "to": "test" }))));
    harness.advance(60).await;
    assert_eq!(allowed(&harness.gate, remote_request()).await, first, "the same run, replayed");
    harness.advance(1).await;
    assert_ne!(allowed(&harness.gate, remote_request()).await, first, "by then it is another call");
}

#[tokio::test]
async fn different_key_or_input_takes_no_answer() {
    let harness = GateHarness::new(json!({})).await;
    let id = asked(&harness.gate, remote_request()).await;
    let mut other = remote_request();
    other.call.input = json!({ "to": "production" });
    assert_eq!(harness.gate.submit_remote(other.clone()).await.unwrap_err().code, RefusalCode::OtherInput);
    harness.answer(id, Answer::approve()).await.unwrap();
    assert_ne!(asked(&harness.gate, other).await, id);
    let mut stranger = remote_request();
    stranger.caller.credential = "agent-2".into();
    assert_ne!(asked(&harness.gate, stranger).await, id);
    assert!(harness.ledger.executions().is_empty());
}

/// Files that record what was read.
#[derive(Clone)]
struct Watched {
    files: FixedFiles,
    reads: Arc<Mutex<Vec<String>>>,
}

impl Watched {
    fn note(&self, what: String) {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// What was read since the last time.
    fn reads(&self) -> String {
        std::mem::take(&mut *self.reads.lock().unwrap_or_else(PoisonError::into_inner)).join("; ")
    }
}

impl PolicyFiles for Watched {
    fn layers(&self, root: Option<&str>, cwd: Option<&str>) -> FileLayers {
        self.note(format!("layers of {root:?} at {cwd:?}"));
        self.files.layers(root, cwd)
    }

    fn generation(&self) -> watch::Receiver<u64> {
        self.files.generation()
    }

    fn remember(&self, keep: RuleWrite) -> Result<(), RuleWriteError> {
        self.files.remember(keep)
    }

    fn edit(&self, edit: RuleEdit) -> Result<(), RuleEditError> {
        self.files.edit(edit)
    }
}

impl HostLookup for Watched {
    fn facts(&self, policy: &Policy, needs: &[FactQuery], root: Option<&str>, home: Option<&str>) -> Facts {
        self.note(format!("facts for {home:?}"));
        self.files.facts(policy, needs, root, home)
    }

    fn file(&self, path: &str) -> CurrentFile {
        self.note(format!("file {path}"));
        self.files.file(path)
    }
}

fn watched(machine: Option<&str>) -> (Gate, Watched, MemoryLedger) {
    let files = Watched { files: FixedFiles::new(), reads: Arc::default() };
    files.files.set_fact(FactQuery::Resolve("/w/notes".into()), Fact::Resolved("/w/notes".into()));
    files.files.write("/w/notes", "what is here\n");
    let ledger = MemoryLedger::new();
    let ports = Ports {
        ledger: Arc::new(ledger.clone()),
        rulebook: Arc::new(Rulebook::new(Arc::new(files.clone()), Arc::new(ledger.clone()))),
        lookup: Arc::new(files.clone()),
        clock: Arc::new(ManualClock::new()),
    };
    let settings = Settings { machine: machine.map(Into::into), ..Settings::default() };
    let (gate, background) = Gate::new(ports, settings);
    tokio::spawn(background.run());
    (gate, files, ledger)
}

/// A call that writes a file in a project.
fn writing(call_id: &str) -> CallRequest {
    let mut request = remote_request();
    request.call = Call {
        call_id: Some(call_id.into()),
        cwd: Some("/w/src".into()),
        ..Call::new("write", json!({ "path": "/w/notes", "content": "anew\n" }))
    };
    request.environment.root = Some("/w".into());
    request.environment.home = Some("/home/u".into());
    request
}

#[tokio::test]
async fn remote_call_triggers_no_lookups() {
    for (machine, elsewhere, here) in [
        (None, false, true),
        (None, true, false),
        (Some("desk"), false, true),
        (Some("desk"), true, false),
        (Some("laptop"), false, false),
    ] {
        let (gate, files, ledger) = watched(Some("desk"));
        settle().await;
        files.reads();
        let mut request = writing("w1");
        request.environment.machine = machine.map(Into::into);
        request.environment.elsewhere = elsewhere;
        let id = asked(&gate, request.clone()).await;
        let reads = files.reads();
        assert_eq!(reads.contains("facts"), here, "{machine:?} {elsewhere}: {reads}");
        assert_eq!(reads.contains("file /w/notes"), here, "{reads}");
        let layers =
            if here { "layers of Some(\"/w\") at Some(\"/w/src\")" } else { "layers of None at None" };
        assert!(reads.contains(layers), "{reads}");
        let question = ledger.approval(id).await.unwrap().unwrap();
        assert_eq!(question.asked.verdict.facts == Facts::default(), !here);
        assert_eq!(question.asked.shown.files.is_empty(), !here);
        assert_eq!(format!("{:?}", question.asked.shown).contains("what is here"), here, "no preview of it");
        // A local change does not void an approval of a call that runs elsewhere.
        files.files.write("/w/notes", "something else\n");
        let yes = gate.answer(
            id,
            Answer::approve(),
            crate::harness::person("ann", sekisho_gate::answer::Role::Admin),
        );
        yes.await.unwrap();
        match gate.submit_remote(request).await.unwrap() {
            RemoteSubmission::Allowed(allowed) => assert!(!here && allowed.approval == Some(id)),
            RemoteSubmission::Pending(anew) => assert!(here && anew != id, "the displayed file has changed"),
        }
    }
}

/// The gates of two machines on one ledger, each with its own files.
async fn two_machines() -> (GateHarness, GateHarness) {
    let (ledger, clock) = (MemoryLedger::new(), ManualClock::new());
    let named = |name: &str| Settings { machine: Some(name.into()), ..Settings::default() };
    let desk = GateHarness::start(ledger.clone(), FixedFiles::new(), clock.clone(), named("desk")).await;
    let laptop = GateHarness::start(ledger, FixedFiles::new(), clock, named("laptop")).await;
    (desk, laptop)
}

fn on_the_desk() -> CallRequest {
    let mut request = remote_request();
    request.environment.machine = Some("desk".into());
    request
}

async fn rule(harness: &GateHarness, effect: &str) {
    harness.files.set(LayerKind::Global, config(&json!({ effect: [{ "tool": "deploy" }] })));
    settle().await;
}

#[tokio::test]
async fn rules_of_another_machine_only_deny() {
    let (desk, laptop) = two_machines().await;
    let id = asked(&desk.gate, on_the_desk()).await;
    rule(&laptop, "allow").await;
    assert!(desk.approval(id).await.is_pending(), "its own gate has not allowed it");
    rule(&laptop, "deny").await;
    assert_eq!(desk.approval(id).await.fate.state.name(), "denied");
    assert_eq!(desk.gate.submit_remote(on_the_desk()).await.unwrap_err().code, RefusalCode::DeniedByRule);
}

#[tokio::test]
async fn rules_of_its_own_machine_allow_and_deny() {
    for (effect, state) in [("allow", "approved"), ("deny", "denied")] {
        let (desk, _laptop) = two_machines().await;
        let id = asked(&desk.gate, on_the_desk()).await;
        rule(&desk, effect).await;
        assert_eq!(desk.approval(id).await.fate.state.name(), state);
    }
}

#[tokio::test]
async fn call_without_machine_belongs_to_every_gate() {
    let (desk, laptop) = two_machines().await;
    let id = asked(&desk.gate, remote_request()).await;
    rule(&laptop, "allow").await;
    assert_eq!(desk.approval(id).await.fate.state.name(), "approved");
}
