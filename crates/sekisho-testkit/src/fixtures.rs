//! Test fixtures, made by the same functions the gate uses.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::approval::{Approval, ApprovalProgress, ApprovalRequest, EditedCall};
use sekisho_gate::approval_machine::ApprovalTrigger;
use sekisho_gate::audit::{AuditConfig, KeyRing, MaskedEntry, SigningKey};
use sekisho_gate::caller::{Caller, CallerEnvironment};
use sekisho_gate::display::{CallView, FileFingerprint, Form, TitleCode};
use sekisho_gate::ledger::{Admission, NewApproval, StoredCall};
use sekisho_gate::mask::Masks;
use sekisho_gate::proposals::Proposal;
use sekisho_gate::record::{self, AuditEntry, EventPayload, Record, RecordKind};
use sekisho_gate::rule_store::StoredRule;
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId, ReplicaId};
use sekisho_policy::{Call, Effect, JudgeContext, Layer, LayerKind, Layers, Policy, Rule, Verdict, judge};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::ManualClock;

/// The time this many seconds after the start of every [`ManualClock`].
pub fn seconds_after_start(seconds: i64) -> Timestamp {
    ManualClock::start() + SignedDuration::from_secs(seconds)
}

/// A well-known key, and no secrets to mask.
pub fn audit_config() -> AuditConfig {
    AuditConfig { keys: Arc::new(KeyRing::of(SigningKey::new(1, [7; 32]))), masks: Arc::new(Masks::new([])) }
}

/// An entry as the writer takes it.
pub fn masked(entry: AuditEntry) -> MaskedEntry {
    MaskedEntry::new(entry, &audit_config().masks)
}

/// A replica with a number as its id.
pub fn replica(number: u128) -> ReplicaId {
    ReplicaId(Uuid::from_u128(number))
}

/// A call that no rule matches, with an input that is easily damaged.
pub fn call(call_id: &str) -> Call {
    let input = json!({
        "target": "production", "count": 3, "ratio": 0.1, "large": 9_007_199_254_740_992_u64,
        "dry": false, "nothing": null, "text": "a \"quoted\" line\nand é, 関所, \u{202e}\u{0}", "list": [[], {}, -1],
    });
    Call {
        agent: Some(sekisho_policy::IdClaim::claimed("builder")),
        conversation: Some("conversation-1".into()),
        call_id: Some(call_id.into()),
        cwd: Some("/work/project".into()),
        ..Call::new("deploy", input)
    }
}

/// A caller whose call runs in this process.
pub fn caller() -> Caller {
    Caller::in_process("token-1")
}

/// An approver with a role.
pub fn approver(role: Role) -> Approver {
    let (credential, name) = ("token-2".into(), "Ada".into());
    Approver { credential, name, role, device: Some("phone".into()), how: "web".into() }
}

/// The verdict of a rule that names the call's tool, or of no rule.
pub fn verdict(call: &Call, effect: Option<Effect>, at: Timestamp) -> Verdict {
    judge(&policy(&call.tool, effect), call, &JudgeContext::at(at))
}

/// Compiled once: suites judge thousands of times, and the built-in list is long.
fn policy(tool: &str, effect: Option<Effect>) -> Arc<Policy> {
    type Compiled = BTreeMap<(String, Option<Effect>), Arc<Policy>>;
    static COMPILED: Mutex<Compiled> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = compiled.entry((tool.to_owned(), effect));
    let policy = entry.or_insert_with(|| {
        let rule = |effect| (effect, Rule { tool: Some(tool.to_owned()), ..Rule::default() });
        let rules = effect.map(rule).into_iter().collect();
        let layer = Layer::from_rules(LayerKind::Database, "fixtures", rules).expect("a rule that holds");
        Arc::new(Policy::compile(Layers::from(vec![layer])))
    });
    policy.clone()
}

/// A pending approval for a call, with this many seconds to answer it; or parked.
pub fn pending_approval(call: Call, asker: Caller, at: Timestamp, timeout_s: Option<i64>) -> Approval {
    let verdict = verdict(&call, None, at);
    let rule = Rule { tool: Some(call.tool.clone()), note: Some("remembered".into()), ..Rule::default() };
    let asked = ApprovalRequest {
        call_id: CallId::new(at),
        digest: Digest::of(&call).expect("an input that can be told exactly"),
        shown: call_view(&call, &verdict),
        around: CallerEnvironment {
            root: Some("/work/project".into()),
            home: Some("/home/ada".into()),
            ..CallerEnvironment::default()
        },
        proposals: vec![proposal(vec![rule])],
        call,
        asker,
        verdict,
        schema: None,
        at,
    };
    let deadline = timeout_s.map(|seconds| at + SignedDuration::from_secs(seconds));
    Approval { id: ApprovalId::new(at), asked: Arc::new(asked), fate: ApprovalProgress::open(deadline) }
}

/// The only place where tests make up a call's display.
pub fn call_view(call: &Call, verdict: &Verdict) -> CallView {
    CallView {
        title: "Run tool?".into(),
        title_code: Some(TitleCode::RunTool),
        message: call.tool.clone(),
        danger: verdict.danger.clone(),
        why: verdict.sentence(),
        form: Form::Json,
        besides: Vec::new(),
        directory: None,
        json: call.input.to_string(),
        whole: true,
        left_out: Vec::new(),
        left_out_codes: Vec::new(),
        hidden: Vec::new(),
        files: vec![FileFingerprint { path: "/work/project/notes.txt".into(), mark: "absent".into() }],
    }
}

/// The only place where tests make up a proposal.
pub fn proposal(rules: Vec<Rule>) -> Proposal {
    Proposal { rules, also: "every deployment".into(), also_codes: Vec::new() }
}

/// The request to open an approval, by a caller that waits at a replica.
pub fn new_approval(approval: &Approval, replica: ReplicaId) -> NewApproval {
    NewApproval {
        approval: approval.clone(),
        replica,
        schema: None,
        record: record::opening_record(approval),
    }
}

/// A call that a rule allows or denies without an approval.
pub fn admission(call: Call, asker: Caller, at: Timestamp, effect: Effect) -> Admission {
    let execution = (effect == Effect::Allow).then(|| ExecutionId::new(at));
    let id = CallId::new(at);
    let verdict = verdict(&call, Some(effect), at);
    let record = record::verdict_record(at, (id, &call), &asker, &verdict, execution);
    let digest = Digest::of(&call).expect("an input that can be told exactly");
    let facts = verdict.facts;
    Admission { at, call: StoredCall { id, call, digest, asker, facts }, execution, record }
}

/// A human's answer. If it edits the input, the edited call is judged as `effect` says.
pub fn answer_trigger(
    approval: &Approval,
    answer: Answer,
    effect: Option<Effect>,
    at: Timestamp,
) -> ApprovalTrigger {
    let edited = answer.updated_input.clone().map(|input| Box::new(edited(approval, input, effect, at)));
    ApprovalTrigger::Answered { answer, by: approver(Role::Approver), edited }
}

fn edited(approval: &Approval, input: Value, effect: Option<Effect>, at: Timestamp) -> EditedCall {
    let call = Call { input, ..approval.asked.call.clone() };
    let digest = Digest::of(&call).expect("an input that can be told exactly");
    EditedCall { call_id: CallId::new(at), digest, verdict: verdict(&call, effect, at) }
}

/// A stored rule about a tool, for all calls.
pub fn stored_rule(tool: &str, effect: Effect, at: Timestamp) -> StoredRule {
    let id = ApprovalId::new(at).0;
    let rule = Rule { id: Some(id), tool: Some(tool.into()), ..Rule::default() };
    let created_by = "Ada".into();
    StoredRule { id, effect, rule, session: None, created_at: at, updated_at: at, created_by }
}

/// The record of a change of rules.
pub fn rules_changed_record(at: Timestamp, text: &str) -> Record {
    let body = json!({ "by": "a test" });
    Record {
        entry: AuditEntry::without_call(RecordKind::Rules, at, None, text.into(), body),
        event: Some(EventPayload::RulesChanged),
    }
}
