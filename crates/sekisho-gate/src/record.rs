//! Audit entries and events.
//!
//! Every write of the gate carries its [`Record`]s: an entry for the audit log, and the
//! [`EventPayload`] for devices, replicas and notifications. Both are stored in the same transaction as
//! the write.

use jiff::Timestamp;
use sekisho_policy::tools::ToolKind;
use sekisho_policy::{
    Call, CallTool, Decision, Facts, Reason, Verdict, command_names, questioned_commands, shell_text,
    shell_texts,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::{Actor, RememberChoice};
use crate::approval::{AbortReason, Approval, ApprovalState, EditedCall};
pub use crate::audit_message::AuditMessage;
use crate::caller::Caller;
use crate::display::{Layout, message, visible};
use crate::execution_outcome::ExecutionOutcome;
use crate::ids::{ApprovalId, CallId, ExecutionId};
use crate::memory_size::json_size;
pub use crate::record_kind::{ExtensionKind, RecordKind};

/// An audit entry, and the event it announces.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The entry for the audit log.
    pub entry: AuditEntry,
    /// The event for feeds, if any.
    pub event: Option<EventPayload>,
}

/// An entry of the audit log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// When it happened.
    pub at: Timestamp,
    /// The kind of record.
    #[serde(deserialize_with = "crate::record_kind::deserialize_stored")]
    pub kind: RecordKind,
    /// The call it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// The approval it is about.
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
    /// The credential of the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<String>,
    /// The decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Who decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Actor>,
    /// The sentence people read.
    pub text: String,
    /// Everything else, for programs.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
    /// The input that helps to find secrets in this entry.
    #[serde(skip)]
    pub context: SecretContext,
}

/// The input of the call an entry is about, if available. Secrets are recognised by the text next to
/// them there. It is not part of the entry and is not written.
#[derive(Clone, Debug, Default)]
pub struct SecretContext(pub Value);

impl SecretContext {
    /// The context of a call's input, unless it is too large to scan.
    pub(crate) fn of(input: &Value) -> SecretContext {
        SecretContext(Disclosure::of(input).context(input))
    }
}

impl PartialEq for SecretContext {
    fn eq(&self, _: &SecretContext) -> bool {
        true
    }
}

/// An event: a change that is announced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventPayload {
    /// An approval was opened.
    Opened {
        /// The id of the approval.
        id: ApprovalId,
    },
    /// An approval ended.
    Resolved {
        /// The id of the approval.
        id: ApprovalId,
        /// `approved`, `denied`, `expired` or `aborted`.
        state: String,
    },
    /// A tool was allowed to run.
    Started {
        /// The id of the execution.
        execution: ExecutionId,
        /// The tool.
        tool: String,
        /// The approval that allowed it, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalId>,
        /// The credential of the caller. Unknown for events stored by versions that did not record it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<String>,
        /// The run of the call, if it names one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
    },
    /// A tool finished.
    Finished {
        /// The id of the execution.
        execution: ExecutionId,
        /// Whether it failed.
        is_error: bool,
        /// The tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        /// The approval that allowed it, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approval: Option<ApprovalId>,
        /// The credential of the caller.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<String>,
        /// How long it ran, in milliseconds, if that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<i64>,
        /// The run of the call, if it names one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
    },
    /// A rule refused a call.
    Refused {
        /// The id of the call.
        call: CallId,
        /// The tool.
        tool: String,
    },
    /// Rules changed.
    RulesChanged,
    /// A token or link was created, used or revoked.
    TokensChanged,
    /// An event of another component.
    Part {
        /// The kind of record.
        kind: RecordKind,
        /// The body of the record, masked.
        #[serde(default)]
        data: Value,
        /// The credential it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        credential: Option<String>,
    },
    /// An event of a newer version. It is not delivered.
    #[serde(other)]
    Unknown,
}

impl EventPayload {
    /// The approval it is about.
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

/// An event with its number in the one order of all events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The event number, from 1 without gaps.
    pub seq: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    #[serde(flatten)]
    pub change: EventPayload,
}

/// The largest number of commands that a record names if it is unknown which of them runs.
const MAX_NAMES: usize = 16;

/// The largest input, in bytes, that is scanned for secrets to mask elsewhere in a row.
const MAX_CONTEXT_BYTES: usize = 256 << 10;

/// How much of a call its row may contain. Messages, reasons and facts repeat pieces of the input, and
/// a secret in them can be recognised only by the text next to it in the input.
#[derive(Clone, Copy, PartialEq)]
enum Disclosure {
    All,
    /// The call is too large to scan.
    CodesOnly,
}

impl Disclosure {
    fn of(input: &Value) -> Disclosure {
        if json_size(input, MAX_CONTEXT_BYTES) <= MAX_CONTEXT_BYTES {
            Disclosure::All
        } else {
            Disclosure::CodesOnly
        }
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

    /// The text and body of an entry whose reasons describe it.
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

    /// Rules that remember an answer contain the command, path or address they match.
    fn remember(self, remember: &RememberChoice) -> Value {
        match self {
            Disclosure::All => json!(remember),
            Disclosure::CodesOnly => json!({ "scope": remember.scope }),
        }
    }
}

impl AuditEntry {
    /// A minimal entry about a call.
    fn for_call(
        kind: RecordKind,
        at: Timestamp,
        call: &Call,
        caller: &Caller,
        disclosure: Disclosure,
    ) -> AuditEntry {
        AuditEntry {
            at,
            kind,
            call: None,
            approval: None,
            execution: None,
            tool: Some(call.tool.clone()),
            server: call.server.as_ref().map(|server| server.id.clone()),
            agent: call.agent.as_ref().map(|agent| agent.id.clone()),
            credential: Some(caller.credential.clone()),
            decision: None,
            by: None,
            text: String::new(),
            body: Value::Null,
            context: SecretContext(disclosure.context(&call.input)),
        }
    }

    /// An entry that is not about a call.
    pub fn without_call(
        kind: RecordKind,
        at: Timestamp,
        by: Option<Actor>,
        text: String,
        body: Value,
    ) -> AuditEntry {
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

/// The record of a call that runs or is refused without an approval.
pub fn verdict_record(
    at: Timestamp,
    (call_id, call): (CallId, &Call),
    caller: &Caller,
    verdict: &Verdict,
    execution: Option<ExecutionId>,
) -> Record {
    let change = match execution {
        Some(execution) => {
            let (tool, credential) = (call.tool.clone(), Some(caller.credential.clone()));
            EventPayload::Started { execution, tool, approval: None, credential, run: call.run_id.clone() }
        }
        None => EventPayload::Refused { call: call_id, tool: call.tool.clone() },
    };
    let disclosure = Disclosure::of(&call.input);
    let body = json!({
        "message": disclosure.text(message(call)),
        "reasons": disclosure.reasons(&verdict.reasons),
        "rules": verdict.rules,
        "danger": verdict.danger.without_spans(),
        "facts": disclosure.facts(&verdict.facts),
    });
    let (text, body) = disclosure.line(verdict.sentence(), body);
    let entry = AuditEntry {
        call: Some(call_id),
        execution,
        decision: Some(verdict.decision),
        text,
        body: with_descriptor(call, body),
        ..AuditEntry::for_call(RecordKind::Verdict, at, call, caller, disclosure)
    };
    Record { entry, event: Some(change) }
}

/// Adds the tool's descriptor and its source to the body.
fn with_descriptor(call: &Call, mut body: Value) -> Value {
    if let (Some(described), Some(fields)) = (&call.descriptor, body.as_object_mut()) {
        fields.insert("descriptor".into(), json!(described));
    }
    body
}

/// The names of the commands that required an approval. If it is unknown which text of the input runs,
/// the names of all that could.
fn listed_commands(call: &Call, verdict: &Verdict) -> Vec<String> {
    let mut names = questioned_commands(verdict);
    if shell_text(call).is_none() {
        for name in shell_texts(call).iter().take(MAX_NAMES).flat_map(|text| command_names(text)) {
            if names.len() < MAX_NAMES && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The record of an opened approval. For a shell command, also names the commands that required it.
pub fn opening_record(approval: &Approval) -> Record {
    let asked = &approval.asked;
    let disclosure = Disclosure::of(&asked.call.input);
    let mut body = json!({
        "message": disclosure.text(asked.shown.message.clone()),
        "danger": asked.shown.danger.without_spans(),
        "reasons": disclosure.reasons(&asked.verdict.reasons),
        "rules": asked.verdict.rules,
        "facts": disclosure.facts(&asked.verdict.facts),
        "deadline": approval.fate.deadline,
    });
    let is_shell = CallTool::of(&asked.call).is_some_and(|tool| tool.kind() == ToolKind::Shell);
    if let Some(fields) = body.as_object_mut().filter(|_| is_shell && disclosure == Disclosure::All) {
        let names = listed_commands(&asked.call, &asked.verdict);
        let names = names.iter().map(|name| visible(name, Layout::Line).into());
        fields.insert("commands".into(), Value::Array(names.collect()));
    }
    let (text, body) = disclosure.line(asked.verdict.sentence(), body);
    let entry = AuditEntry {
        approval: Some(approval.id),
        call: Some(asked.call_id),
        decision: Some(asked.verdict.decision),
        text,
        body: with_descriptor(&asked.call, body),
        ..AuditEntry::for_call(RecordKind::Question, asked.at, &asked.call, &asked.asker, disclosure)
    };
    Record { entry, event: Some(EventPayload::Opened { id: approval.id }) }
}

/// The records of a step; none if it changed nothing.
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

/// How much of a call and its edited version may be disclosed, and the secret context of both.
fn disclosure_with_edit(approval: &Approval) -> (Disclosure, SecretContext) {
    let asked = &approval.asked.call.input;
    let edited = approval.fate.state.answered().and_then(|answered| answered.answer.updated_input.as_ref());
    let inputs = || std::iter::once(asked).chain(edited);
    let is_large = inputs().any(|input| Disclosure::of(input) == Disclosure::CodesOnly);
    let disclosure = if is_large { Disclosure::CodesOnly } else { Disclosure::All };
    (disclosure, SecretContext(inputs().map(|input| disclosure.context(input)).collect()))
}

fn resolved(approval: &Approval, at: Timestamp) -> Record {
    let asked = &approval.asked;
    let state = &approval.fate.state;
    let answered = state.answered();
    let decision = match state {
        ApprovalState::Approved(_) => Decision::Allow,
        ApprovalState::Pending
        | ApprovalState::Denied(_)
        | ApprovalState::Expired { .. }
        | ApprovalState::Aborted { .. } => Decision::Deny,
    };
    let line = match state {
        ApprovalState::Approved(answered) => AuditMessage::Approved { by: answered.by.to_string() },
        ApprovalState::Denied(answered) => AuditMessage::Denied { by: answered.by.to_string() },
        ApprovalState::Aborted { why: AbortReason::CallerLeft, .. } => AuditMessage::CallerLeft,
        ApprovalState::Aborted { why: AbortReason::CalledOff(why), .. } => {
            AuditMessage::CalledOff { why: why.clone() }
        }
        ApprovalState::Pending | ApprovalState::Expired { .. } => AuditMessage::Expired,
    };
    let edited = answered.and_then(|answered| answered.edited.as_ref());
    let (disclosure, context) = disclosure_with_edit(approval);
    let remember = answered.and_then(|answered| answered.answer.remember.as_ref());
    let (text, body) = line.into_text_and_body(json!({
        "state": state.name(),
        "reason": answered.and_then(|answered| answered.answer.reason.clone()),
        "interrupt": answered.is_some_and(|answered| answered.answer.interrupt),
        "edited": edited.map(|edited| disclosure.edited(edited)),
        "remember": remember.map(|remember| disclosure.remember(remember)),
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
        ..AuditEntry::for_call(RecordKind::Outcome, at, &asked.call, &asked.asker, disclosure)
    };
    let change = EventPayload::Resolved { id: approval.id, state: state.name().into() };
    Record { entry, event: Some(change) }
}

fn claimed(approval: &Approval, at: Timestamp) -> Record {
    let asked = &approval.asked;
    let claimed = approval.fate.claimed.as_ref();
    let execution = claimed.and_then(|claimed| claimed.execution);
    let void = claimed.and_then(|claimed| claimed.void.clone());
    let (disclosure, context) = disclosure_with_edit(approval);
    let line = match (&execution, void) {
        (Some(_), _) => AuditMessage::LetThrough,
        (None, Some(why)) => AuditMessage::TurnedBack { why: disclosure.text(why) },
        (None, None) => AuditMessage::Told,
    };
    let (text, body) = line.into_text_and_body(Value::Null);
    let (tool, credential) = (asked.call.tool.clone(), Some(asked.asker.credential.clone()));
    let change = execution.map(|execution| EventPayload::Started {
        execution,
        tool,
        approval: Some(approval.id),
        credential,
        run: asked.call.run_id.clone(),
    });
    let entry = AuditEntry {
        approval: Some(approval.id),
        call: Some(asked.call_id),
        execution,
        text,
        body,
        context,
        ..AuditEntry::for_call(RecordKind::Claim, at, &asked.call, &asked.asker, disclosure)
    };
    Record { entry, event: change }
}

/// The record of an execution that ended. `about` describes its call, and `run` is the run of the call. The output is
/// not written to the audit log.
pub fn execution_record(
    execution: ExecutionId,
    outcome: &ExecutionOutcome,
    about: AuditEntry,
    run: Option<String>,
) -> Record {
    let line = if outcome.is_error { AuditMessage::Failed } else { AuditMessage::Finished };
    let (text, body) =
        line.into_text_and_body(json!({ "isError": outcome.is_error, "durationMs": outcome.duration_ms }));
    let change = EventPayload::Finished {
        execution,
        is_error: outcome.is_error,
        tool: about.tool.clone(),
        approval: about.approval,
        credential: about.credential.clone(),
        duration_ms: outcome.duration_ms,
        run,
    };
    let entry = AuditEntry {
        at: outcome.at,
        kind: RecordKind::Execution,
        execution: Some(execution),
        text,
        body,
        ..about
    };
    Record { entry, event: Some(change) }
}
