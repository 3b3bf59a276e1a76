//! Small things to test with, each made by the functions the gate itself makes them with.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::{Answer, Approver, Role};
use sekisho_gate::approval::{Approval, Asked, Edited, Fate};
use sekisho_gate::asker::{Around, Asker};
use sekisho_gate::audit::{Key, Keys, MaskedEntry, Seal};
use sekisho_gate::display::{FileMark, Form, Shown, TitleCode};
use sekisho_gate::ledger::{Admission, KeptCall, Opening};
use sekisho_gate::machine::Happening;
use sekisho_gate::mask::Masks;
use sekisho_gate::proposals::Proposal;
use sekisho_gate::record::{self, Change, Entry, Kind, Record};
use sekisho_gate::rules::StoredRule;
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId, ReplicaId};
use sekisho_policy::{Call, Effect, Layer, LayerKind, Layers, Policy, Rule, Surroundings, Verdict, judge};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::ManualClock;

/// The moment so many seconds after the start of every [`ManualClock`].
pub fn after(seconds: i64) -> Timestamp {
    ManualClock::start() + SignedDuration::from_secs(seconds)
}

/// A key that everybody knows, and no secrets.
pub fn seal() -> Seal {
    Seal { keys: Arc::new(Keys::of(Key::new(1, [7; 32]))), masks: Arc::new(Masks::new([])) }
}

/// A line as the writer takes it.
pub fn masked(entry: Entry) -> MaskedEntry {
    MaskedEntry::new(entry, &seal().masks)
}

/// A replica known by a number.
pub fn replica(number: u128) -> ReplicaId {
    ReplicaId(Uuid::from_u128(number))
}

/// A call that no rule speaks of, with an input that is easily damaged.
pub fn call(call_id: &str) -> Call {
    let input = json!({
        "target": "production", "count": 3, "ratio": 0.1, "large": 9_007_199_254_740_992_u64,
        "dry": false, "nothing": null, "text": "a \"quoted\" line\nand é, 関所, \u{202e}\u{0}", "list": [[], {}, -1],
    });
    Call {
        agent: Some(sekisho_policy::Named::claimed("builder")),
        conversation: Some("conversation-1".into()),
        call_id: Some(call_id.into()),
        cwd: Some("/work/project".into()),
        ..Call::new("deploy", input)
    }
}

/// One whose call runs in this process.
pub fn asker() -> Asker {
    Asker::here("token-1")
}

/// A human with a role.
pub fn approver(role: Role) -> Approver {
    let (credential, name) = ("token-2".into(), "Ada".into());
    Approver { credential, name, role, device: Some("phone".into()), how: "web".into() }
}

/// What rules say to a call: one that names its tool, or none.
pub fn verdict(call: &Call, effect: Option<Effect>, at: Timestamp) -> Verdict {
    judge(&policy(&call.tool, effect), call, &Surroundings::at(at))
}

/// Compiled once: suites ask thousands of times, and the built-in list is long.
fn policy(tool: &str, effect: Option<Effect>) -> Arc<Policy> {
    type Compiled = BTreeMap<(String, Option<Effect>), Arc<Policy>>;
    static COMPILED: Mutex<Compiled> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let entry = compiled.entry((tool.to_owned(), effect));
    let policy = entry.or_insert_with(|| {
        let rule = |effect| (effect, Rule { tool: Some(tool.to_owned()), ..Rule::default() });
        let rules = effect.map(rule).into_iter().collect();
        let layer = Layer::of_rules(LayerKind::Database, "fixtures", rules).expect("a rule that holds");
        Arc::new(Policy::compile(Layers::from(vec![layer])))
    });
    policy.clone()
}

/// A question about a call, pending, with so many seconds to answer it; or parked.
pub fn question(call: Call, asker: Asker, at: Timestamp, timeout_s: Option<i64>) -> Approval {
    let verdict = verdict(&call, None, at);
    let rule = Rule { tool: Some(call.tool.clone()), note: Some("remembered".into()), ..Rule::default() };
    let asked = Asked {
        call_id: CallId::new(at),
        digest: Digest::of(&call).expect("an input that can be told exactly"),
        shown: shown(&call, &verdict),
        around: Around {
            root: Some("/work/project".into()),
            home: Some("/home/ada".into()),
            ..Around::default()
        },
        proposals: vec![proposal(vec![rule])],
        call,
        asker,
        verdict,
        schema: None,
        at,
    };
    let deadline = timeout_s.map(|seconds| at + SignedDuration::from_secs(seconds));
    Approval { id: ApprovalId::new(at), asked: Arc::new(asked), fate: Fate::open(deadline) }
}

/// The one place where tests make up what a person sees.
pub fn shown(call: &Call, verdict: &Verdict) -> Shown {
    Shown {
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
        files: vec![FileMark { path: "/work/project/notes.txt".into(), mark: "absent".into() }],
    }
}

/// The one place where tests make up a proposal.
pub fn proposal(rules: Vec<Rule>) -> Proposal {
    Proposal { rules, also: "every deployment".into(), also_codes: Vec::new() }
}

/// The asking of a question, by a caller that waits at a replica.
pub fn opening(approval: &Approval, replica: ReplicaId) -> Opening {
    Opening { approval: approval.clone(), replica, schema: None, record: record::opened(approval) }
}

/// A call that a rule lets through or turns back without a question.
pub fn admission(call: Call, asker: Asker, at: Timestamp, effect: Effect) -> Admission {
    let execution = (effect == Effect::Allow).then(|| ExecutionId::new(at));
    let id = CallId::new(at);
    let verdict = verdict(&call, Some(effect), at);
    let record = record::judged(at, (id, &call), &asker, &verdict, execution);
    let digest = Digest::of(&call).expect("an input that can be told exactly");
    let facts = verdict.facts;
    Admission { at, call: KeptCall { id, call, digest, asker, facts }, execution, record }
}

/// A human answers; where the answer has another input, that call is judged as `effect` says.
pub fn answered(approval: &Approval, answer: Answer, effect: Option<Effect>, at: Timestamp) -> Happening {
    let edited = answer.updated_input.clone().map(|input| Box::new(edited(approval, input, effect, at)));
    Happening::Answered { answer, by: approver(Role::Approver), edited }
}

fn edited(approval: &Approval, input: Value, effect: Option<Effect>, at: Timestamp) -> Edited {
    let call = Call { input, ..approval.asked.call.clone() };
    let digest = Digest::of(&call).expect("an input that can be told exactly");
    Edited { call_id: CallId::new(at), digest, verdict: verdict(&call, effect, at) }
}

/// A kept rule about a tool, for all calls.
pub fn stored_rule(tool: &str, effect: Effect, at: Timestamp) -> StoredRule {
    let id = ApprovalId::new(at).0;
    let rule = Rule { id: Some(id), tool: Some(tool.into()), ..Rule::default() };
    let created_by = "Ada".into();
    StoredRule { id, effect, rule, session: None, created_at: at, updated_at: at, created_by }
}

/// What goes on the record with a change of rules.
pub fn rules_changed(at: Timestamp, text: &str) -> Record {
    let body = json!({ "by": "a test" });
    Record {
        entry: Entry::plain(Kind::Rules, at, None, text.into(), body),
        change: Some(Change::RulesChanged),
    }
}
