//! What goes on the record, and what is announced.
//!
//! Every write of the gate carries its [`Record`]s: a line for the audit log, and the [`Change`] that devices, replicas
//! and notifications are told. Both are stored in the transaction of the write itself.

use jiff::Timestamp;
use sekisho_policy::{Call, Decision, Facts, Reason, Verdict, questioned_commands, shell_text};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::{Actor, RememberChoice};
use crate::approval::{Approval, EditedCall, ApprovalState, AbortReason};
use crate::caller::Caller;
use crate::display::{Layout, visible};
use crate::execution_outcome::ExecutionOutcome;
use crate::ids::{ApprovalId, CallId, ExecutionId};
pub use crate::record_kind::{RecordKind, ExtensionKind};
pub use crate::audit_message::AuditMessage;
use crate::memory_size::json_size;

/// One line of the record, and the change it tells of.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// For the audit log.
    pub entry: AuditEntry,
    /// For everyone who listens.
    pub event: Option<EventPayload>,
}

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// When.
    pub at: Timestamp,
    /// What kind of thing happened.
    #[serde(deserialize_with = "crate::kind::kept")]
    pub kind: RecordKind,
    /// The call it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The question it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalId>,
    /// The execution it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<ExecutionId>,
    /// The tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whose credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// What was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Who decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Actor>,
    /// What a person reads.
    pub text: String,
    /// Everything else.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
    /// What its secrets are known by.
    #[serde(skip)]
    pub context: SecretContext,
}

/// The input of the call that a line is about, where that is at hand: secrets are known by what stands beside them there. It
/// is not written, and no part of the line.
#[derive(Clone, Debug, Default)]
pub struct SecretContext(pub Value);

impl SecretContext {
    /// That of a call, unless it is too large to be looked through.
    pub(crate) fn of(input: &Value) -> SecretContext {
        SecretContext(Disclosure::of(input).context(input))
    }
}

impl PartialEq for SecretContext {
    fn eq(&self, _: &SecretContext) -> bool {
        true
    }
}

/// A change, as it is announced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventPayload {
    /// A question was asked.
    Opened {
        /// Which.
        id: ApprovalId,
    },
    /// A question ended.
    Resolved {
        /// Which.
        id: ApprovalId,
        /// `approved`, `denied`, `expired` or `aborted`.
        state: String,
    },
    /// A tool was let through.
    Started {
        /// Its run.
        execution: ExecutionId,
        /// The tool.
        tool: String,
        /// The question that let it through, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalId>,
        /// Whose call it is; not known of what was kept before this was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<String>,
    },
    /// A tool finished.
    Finished {
        /// Its run.
        execution: ExecutionId,
        /// Whether it failed.
        is_error: bool,
        /// The tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        /// The question that let it through, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalId>,
        /// Whose call it was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<String>,
    },
    /// A call was turned back by a rule.
    Refused {
        /// Which.
        call: CallId,
        /// The tool.
        tool: String,
    },
    /// Rules changed.
    RulesChanged,
    /// A token or link was made, used up or revoked.
    TokensChanged,
    /// Something that another part of the program tells of.
    Part {
        /// What kind of thing.
        kind: RecordKind,
        /// The body of its line, masked.
        #[serde(default)]
        data: Value,
        /// Whose it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<String>,
    },
    /// Something of a newer version. Nobody is told of it here.
    #[serde(other)]
    Unknown,
}

impl EventPayload {
    /// The question it is about.
    pub fn approval(&self) -> Option<ApprovalId> {
        match self {
            EventPayload::Opened { id } | EventPayload::Resolved { id, .. } => Some(*id),
            EventPayload::Started { .. }
            | EventPayload::Finished { .. }
            | EventPayload::Refused { .. }
            | EventPayload::RulesChanged
            | EventPayload::TokensChanged
            | EventPayload::Part { .. }
            | EventPayload::Unknown => None,
        }
    }
}

/// A change with its place in the one order of all changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Counted from 1 without a gap.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub change: EventPayload,
}

/// The largest input whose secrets are looked for to find them elsewhere in a row.
const LARGEST_CONTEXT: usize = 256 << 10;

/// How much of a call its row may tell. A message, reasons and facts hold pieces of the input, and a secret among them is
/// known only by what stands beside it there.
#[derive(Clone, Copy, PartialEq)]
enum Disclosure {
    All,
    /// The call is too large to be looked through.
    CodesOnly,
}

impl Disclosure {
    fn of(input: &Value) -> Disclosure {
        if json_size(input, LARGEST_CONTEXT) <= LARGEST_CONTEXT { Disclosure::All } else { Disclosure::CodesOnly }
    }

    fn context(self, input: &Value) -> Value {
        if self == Disclosure::All { input.clone() } else { Value::Null }
    }

    fn text(self, text: String) -> String {
        match self {
            Disclosure::All => text,
            Disclosure::CodesOnly => AuditMessage::TooLarge.sentence(),
        }
    }

    /// The text and the body of a line that reasons speak for.
    fn line(self, text: String, body: Value) -> (String, Value) {
        if self == Disclosure::All { (text, body) } else { AuditMessage::TooLarge.into_text_and_body(body) }
    }

    fn facts(self, facts: &Facts) -> Value {
        if self == Disclosure::All { json!(facts) } else { Value::Null }
    }

    fn reasons(self, reasons: &[Reason]) -> Value {
        match self {
            Disclosure::All => json!(reasons),
            Disclosure::CodesOnly => {
                reasons.iter().map(|reason| json!({ "code": json!(reason).get("code") })).collect()
            }
        }
    }

    fn edited(self, edited: &EditedCall) -> Value {
        match self {
            Disclosure::All => json!({ "digest": edited.digest, "verdict": edited.verdict }),
            Disclosure::CodesOnly => {
                let reasons = self.reasons(&edited.verdict.reasons);
                json!({ "digest": edited.digest, "verdict": { "decision": edited.verdict.decision, "reasons": reasons } })
            }
        }
    }

    /// Rules that remember an answer hold the command, path or address they are for.
    fn remember(self, remember: &RememberChoice) -> Value {
        match self {
            Disclosure::All => json!(remember),
            Disclosure::CodesOnly => json!({ "scope": remember.scope }),
        }
    }
}

impl AuditEntry {
    /// A line about a call and nothing else yet.
    fn for_call(kind: RecordKind, at: Timestamp, call: &Call, asker: &Caller, told: Disclosure) -> AuditEntry {
        AuditEntry {
            at,
            kind,
            call: None,
            approval: None,
            execution: None,
            tool: Some(call.tool.clone()),
            server: call.server.as_ref().map(|server| server.id.clone()),
            agent: call.agent.as_ref().map(|agent| agent.id.clone()),
            credential: Some(asker.credential.clone()),
            decision: None,
            by: None,
            text: String::new(),
            body: Value::Null,
            context: SecretContext(told.context(&call.input)),
        }
    }

    /// A line about no call.
    pub fn without_call(kind: RecordKind, at: Timestamp, by: Option<Actor>, text: String, body: Value) -> AuditEntry {
        AuditEntry {
            at,
            kind,
            call: None,
            approval: None,
            execution: None,
            tool: None,
            server: None,
            agent: None,
            credential: None,
            decision: None,
            by,
            text,
            body,
            context: SecretContext::default(),
        }
    }
}

/// What to record when a call runs or is turned back without a question.
pub fn verdict_record(
    at: Timestamp,
    (call_id, call): (CallId, &Call),
    asker: &Caller,
    verdict: &Verdict,
    execution: Option<ExecutionId>,
) -> Record {
    let change = match execution {
        Some(execution) => {
            let (tool, credential) = (call.tool.clone(), Some(asker.credential.clone()));
            EventPayload::Started { execution, tool, approval: None, credential }
        }
        None => EventPayload::Refused { call: call_id, tool: call.tool.clone() },
    };
    let told = Disclosure::of(&call.input);
    let body = json!({
        "reasons": told.reasons(&verdict.reasons),
        "rules": verdict.rules,
        "danger": verdict.danger,
        "facts": told.facts(&verdict.facts),
    });
    let (text, body) = told.line(verdict.sentence(), body);
    let entry = AuditEntry {
        call: Some(call_id),
        execution,
        decision: Some(verdict.decision),
        text,
        body: with_descriptor(call, body),
        ..AuditEntry::for_call(RecordKind::Verdict, at, call, asker, told)
    };
    Record { entry, event: Some(change) }
}

/// The body of a line about a call, with what the tool was said to do and who said so.
fn with_descriptor(call: &Call, mut body: Value) -> Value {
    if let (Some(described), Some(fields)) = (&call.descriptor, body.as_object_mut()) {
        fields.insert("descriptor".into(), json!(described));
    }
    body
}

/// What to record when a question is asked; of a shell text also which of its commands were the reason.
pub fn opening_record(approval: &Approval) -> Record {
    let asked = &approval.asked;
    let told = Disclosure::of(&asked.call.input);
    let mut body = json!({
        "message": told.text(asked.shown.message.clone()),
        "danger": asked.shown.danger,
        "reasons": told.reasons(&asked.verdict.reasons),
        "rules": asked.verdict.rules,
        "facts": told.facts(&asked.verdict.facts),
        "deadline": approval.fate.deadline,
    });
    let tells_commands = told == Disclosure::All && shell_text(&asked.call).is_some();
    if let Some(fields) = body.as_object_mut().filter(|_| tells_commands) {
        let names = questioned_commands(&asked.verdict);
        let names = names.iter().map(|name| visible(name, Layout::Line).into());
        fields.insert("commands".into(), Value::Array(names.collect()));
    }
    let (text, body) = told.line(asked.verdict.sentence(), body);
    let entry = AuditEntry {
        approval: Some(approval.id),
        call: Some(asked.call_id),
        decision: Some(asked.verdict.decision),
        text,
        body: with_descriptor(&asked.call, body),
        ..AuditEntry::for_call(RecordKind::Question, asked.at, &asked.call, &asked.asker, told)
    };
    Record { entry, event: Some(EventPayload::Opened { id: approval.id }) }
}

/// What to record after a step of a question: nothing if it changed nothing.
pub fn step_records(before: &Approval, after: &Approval, at: Timestamp) -> Vec<Record> {
    let mut records = Vec::new();
    if before.fate.state != after.fate.state {
        records.push(resolved(after, at));
    }
    if before.fate.claimed != after.fate.claimed {
        records.push(claimed(after, at));
    }
    records
}

/// How much may be told of a call and of what it was edited to, and the context of both.
fn asked_and_edited(approval: &Approval) -> (Disclosure, SecretContext) {
    let asked = &approval.asked.call.input;
    let edited = approval.fate.state.answered().and_then(|answered| answered.answer.updated_input.as_ref());
    let inputs = || std::iter::once(asked).chain(edited);
    let is_large = inputs().any(|input| Disclosure::of(input) == Disclosure::CodesOnly);
    let told = if is_large { Disclosure::CodesOnly } else { Disclosure::All };
    (told, SecretContext(inputs().map(|input| told.context(input)).collect()))
}

fn resolved(approval: &Approval, at: Timestamp) -> Record {
    let asked = &approval.asked;
    let state = &approval.fate.state;
    let answered = state.answered();
    let decision = match state {
        ApprovalState::Approved(_) => Decision::Allow,
        ApprovalState::Pending | ApprovalState::Denied(_) | ApprovalState::Expired { .. } | ApprovalState::Aborted { .. } => Decision::Deny,
    };
    let line = match state {
        ApprovalState::Approved(answered) => AuditMessage::Approved { by: answered.by.to_string() },
        ApprovalState::Denied(answered) => AuditMessage::Denied { by: answered.by.to_string() },
        ApprovalState::Aborted { why: AbortReason::CallerLeft, .. } => AuditMessage::CallerLeft,
        ApprovalState::Aborted { why: AbortReason::CalledOff(why), .. } => AuditMessage::CalledOff { why: why.clone() },
        ApprovalState::Pending | ApprovalState::Expired { .. } => AuditMessage::Expired,
    };
    let edited = answered.and_then(|answered| answered.edited.as_ref());
    let (told, context) = asked_and_edited(approval);
    let remember = answered.and_then(|answered| answered.answer.remember.as_ref());
    let (text, body) = line.into_text_and_body(json!({
        "state": state.name(),
        "reason": answered.and_then(|answered| answered.answer.reason.clone()),
        "interrupt": answered.is_some_and(|answered| answered.answer.interrupt),
        "edited": edited.map(|edited| told.edited(edited)),
        "remember": remember.map(|remember| told.remember(remember)),
        "waitedMs": at.duration_since(asked.at).as_millis(),
    }));
    let entry = AuditEntry {
        approval: Some(approval.id),
        call: edited.map(|edited| edited.call_id).or(Some(asked.call_id)),
        decision: Some(decision),
        by: answered.map(|answered| answered.by.clone()),
        text,
        body,
        context,
        ..AuditEntry::for_call(RecordKind::Outcome, at, &asked.call, &asked.asker, told)
    };
    let change = EventPayload::Resolved { id: approval.id, state: state.name().into() };
    Record { entry, event: Some(change) }
}

fn claimed(approval: &Approval, at: Timestamp) -> Record {
    let asked = &approval.asked;
    let claimed = approval.fate.claimed.as_ref();
    let execution = claimed.and_then(|claimed| claimed.execution);
    let void = claimed.and_then(|claimed| claimed.void.clone());
    let (told, context) = asked_and_edited(approval);
    let line = match (&execution, void) {
        (Some(_), _) => AuditMessage::LetThrough,
        (None, Some(why)) => AuditMessage::TurnedBack { why: told.text(why) },
        (None, None) => AuditMessage::Told,
    };
    let (text, body) = line.into_text_and_body(Value::Null);
    let (tool, credential) = (asked.call.tool.clone(), Some(asked.asker.credential.clone()));
    let change = execution.map(|execution| EventPayload::Started {
        execution,
        tool,
        approval: Some(approval.id),
        credential,
    });
    let entry = AuditEntry {
        approval: Some(approval.id),
        call: Some(asked.call_id),
        execution,
        text,
        body,
        context,
        ..AuditEntry::for_call(RecordKind::Claim, at, &asked.call, &asked.asker, told)
    };
    Record { entry, event: change }
}

/// What to record when an execution ends; `about` says which call it was of. The output stays out of the log.
pub fn execution_record(execution: ExecutionId, ending: &ExecutionOutcome, about: AuditEntry) -> Record {
    let line = if ending.is_error { AuditMessage::Failed } else { AuditMessage::Finished };
    let (text, body) = line.into_text_and_body(json!({ "isError": ending.is_error, "durationMs": ending.duration_ms }));
    let change = EventPayload::Finished {
        execution,
        is_error: ending.is_error,
        tool: about.tool.clone(),
        approval: about.approval,
        credential: about.credential.clone(),
    };
    let entry =
        AuditEntry { at: ending.at, kind: RecordKind::Execution, execution: Some(execution), text, body, ..about };
    Record { entry, event: Some(change) }
}
