//! What goes on the record, and what is announced.
//!
//! Every write of the gate carries its [`Record`]s: a line for the audit log, and the [`Change`] that devices, replicas
//! and notifications are told. Both are stored in the transaction of the write itself.

use jiff::Timestamp;
use sekisho_policy::{Call, Decision, Facts, Reason, Verdict, asked_commands, shell_text};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::{By, Remember};
use crate::approval::{Approval, Edited, State, Why};
use crate::asker::Asker;
use crate::display::{Layout, visible};
use crate::ending::Ending;
use crate::ids::{ApprovalId, CallId, ExecutionId};
pub use crate::kind::{Kind, OtherKind};
pub use crate::record_line::RecordLine;
use crate::weight::weight;

/// One line of the record, and the change it tells of.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// For the audit log.
    pub entry: Entry,
    /// For everyone who listens.
    pub change: Option<Change>,
}

/// A line of the audit log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// When.
    pub at: Timestamp,
    /// What kind of thing happened.
    #[serde(deserialize_with = "crate::kind::kept")]
    pub kind: Kind,
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
    pub by: Option<By>,
    /// What a person reads.
    pub text: String,
    /// Everything else.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub body: Value,
    /// What its secrets are known by.
    #[serde(skip)]
    pub context: Context,
}

/// The input of the call that a line is about, where that is at hand: secrets are known by what stands beside them there. It
/// is not written, and no part of the line.
#[derive(Clone, Debug, Default)]
pub struct Context(pub Value);

impl Context {
    /// That of a call, unless it is too large to be looked through.
    pub(crate) fn of(input: &Value) -> Context {
        Context(Told::of(input).context(input))
    }
}

impl PartialEq for Context {
    fn eq(&self, _: &Context) -> bool {
        true
    }
}

/// A change, as it is announced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Change {
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
        kind: Kind,
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

impl Change {
    /// The question it is about.
    pub fn approval(&self) -> Option<ApprovalId> {
        match self {
            Change::Opened { id } | Change::Resolved { id, .. } => Some(*id),
            Change::Started { .. }
            | Change::Finished { .. }
            | Change::Refused { .. }
            | Change::RulesChanged
            | Change::TokensChanged
            | Change::Part { .. }
            | Change::Unknown => None,
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
    pub change: Change,
}

/// The largest input whose secrets are looked for to find them elsewhere in a row.
const LARGEST_CONTEXT: usize = 256 << 10;

/// How much of a call its row may tell. A message, reasons and facts hold pieces of the input, and a secret among them is
/// known only by what stands beside it there.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    All,
    /// The call is too large to be looked through.
    CodesAlone,
}

impl Told {
    fn of(input: &Value) -> Told {
        if weight(input, LARGEST_CONTEXT) <= LARGEST_CONTEXT { Told::All } else { Told::CodesAlone }
    }

    fn context(self, input: &Value) -> Value {
        if self == Told::All { input.clone() } else { Value::Null }
    }

    fn text(self, text: String) -> String {
        match self {
            Told::All => text,
            Told::CodesAlone => RecordLine::TooLarge.sentence(),
        }
    }

    /// The text and the body of a line that reasons speak for.
    fn line(self, text: String, body: Value) -> (String, Value) {
        if self == Told::All { (text, body) } else { RecordLine::TooLarge.told(body) }
    }

    fn facts(self, facts: &Facts) -> Value {
        if self == Told::All { json!(facts) } else { Value::Null }
    }

    fn reasons(self, reasons: &[Reason]) -> Value {
        match self {
            Told::All => json!(reasons),
            Told::CodesAlone => {
                reasons.iter().map(|reason| json!({ "code": json!(reason).get("code") })).collect()
            }
        }
    }

    fn edited(self, edited: &Edited) -> Value {
        match self {
            Told::All => json!({ "digest": edited.digest, "verdict": edited.verdict }),
            Told::CodesAlone => {
                let reasons = self.reasons(&edited.verdict.reasons);
                json!({ "digest": edited.digest, "verdict": { "decision": edited.verdict.decision, "reasons": reasons } })
            }
        }
    }

    /// Rules that remember an answer hold the command, path or address they are for.
    fn remember(self, remember: &Remember) -> Value {
        match self {
            Told::All => json!(remember),
            Told::CodesAlone => json!({ "scope": remember.scope }),
        }
    }
}

impl Entry {
    /// A line about a call and nothing else yet.
    fn about(kind: Kind, at: Timestamp, call: &Call, asker: &Asker, told: Told) -> Entry {
        Entry {
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
            context: Context(told.context(&call.input)),
        }
    }

    /// A line about no call.
    pub fn plain(kind: Kind, at: Timestamp, by: Option<By>, text: String, body: Value) -> Entry {
        Entry {
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
            context: Context::default(),
        }
    }
}

/// What to record when a call runs or is turned back without a question.
pub fn judged(
    at: Timestamp,
    (call_id, call): (CallId, &Call),
    asker: &Asker,
    verdict: &Verdict,
    execution: Option<ExecutionId>,
) -> Record {
    let change = match execution {
        Some(execution) => {
            let (tool, credential) = (call.tool.clone(), Some(asker.credential.clone()));
            Change::Started { execution, tool, approval: None, credential }
        }
        None => Change::Refused { call: call_id, tool: call.tool.clone() },
    };
    let told = Told::of(&call.input);
    let body = json!({
        "reasons": told.reasons(&verdict.reasons),
        "rules": verdict.rules,
        "danger": verdict.danger,
        "facts": told.facts(&verdict.facts),
    });
    let (text, body) = told.line(verdict.sentence(), body);
    let entry = Entry {
        call: Some(call_id),
        execution,
        decision: Some(verdict.decision),
        text,
        body: with_descriptor(call, body),
        ..Entry::about(Kind::Verdict, at, call, asker, told)
    };
    Record { entry, change: Some(change) }
}

/// The body of a line about a call, with what the tool was said to do and who said so.
fn with_descriptor(call: &Call, mut body: Value) -> Value {
    if let (Some(described), Some(fields)) = (&call.descriptor, body.as_object_mut()) {
        fields.insert("descriptor".into(), json!(described));
    }
    body
}

/// What to record when a question is asked; of a shell text also which of its commands were the reason.
pub fn opened(approval: &Approval) -> Record {
    let asked = &approval.asked;
    let told = Told::of(&asked.call.input);
    let mut body = json!({
        "message": told.text(asked.shown.message.clone()),
        "danger": asked.shown.danger,
        "reasons": told.reasons(&asked.verdict.reasons),
        "rules": asked.verdict.rules,
        "facts": told.facts(&asked.verdict.facts),
        "deadline": approval.fate.deadline,
    });
    let tells_commands = told == Told::All && shell_text(&asked.call).is_some();
    if let Some(fields) = body.as_object_mut().filter(|_| tells_commands) {
        let names = asked_commands(&asked.verdict);
        let names = names.iter().map(|name| visible(name, Layout::Line).into());
        fields.insert("commands".into(), Value::Array(names.collect()));
    }
    let (text, body) = told.line(asked.verdict.sentence(), body);
    let entry = Entry {
        approval: Some(approval.id),
        call: Some(asked.call_id),
        decision: Some(asked.verdict.decision),
        text,
        body: with_descriptor(&asked.call, body),
        ..Entry::about(Kind::Question, asked.at, &asked.call, &asked.asker, told)
    };
    Record { entry, change: Some(Change::Opened { id: approval.id }) }
}

/// What to record after a step of a question: nothing if it changed nothing.
pub fn stepped(before: &Approval, after: &Approval, at: Timestamp) -> Vec<Record> {
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
fn asked_and_edited(approval: &Approval) -> (Told, Context) {
    let asked = &approval.asked.call.input;
    let edited = approval.fate.state.answered().and_then(|answered| answered.answer.updated_input.as_ref());
    let inputs = || std::iter::once(asked).chain(edited);
    let is_large = inputs().any(|input| Told::of(input) == Told::CodesAlone);
    let told = if is_large { Told::CodesAlone } else { Told::All };
    (told, Context(inputs().map(|input| told.context(input)).collect()))
}

fn resolved(approval: &Approval, at: Timestamp) -> Record {
    let asked = &approval.asked;
    let state = &approval.fate.state;
    let answered = state.answered();
    let decision = match state {
        State::Approved(_) => Decision::Allow,
        State::Pending | State::Denied(_) | State::Expired { .. } | State::Aborted { .. } => Decision::Deny,
    };
    let line = match state {
        State::Approved(answered) => RecordLine::Approved { by: answered.by.to_string() },
        State::Denied(answered) => RecordLine::Denied { by: answered.by.to_string() },
        State::Aborted { why: Why::CallerLeft, .. } => RecordLine::CallerLeft,
        State::Aborted { why: Why::CalledOff(why), .. } => RecordLine::CalledOff { why: why.clone() },
        State::Pending | State::Expired { .. } => RecordLine::Expired,
    };
    let edited = answered.and_then(|answered| answered.edited.as_ref());
    let (told, context) = asked_and_edited(approval);
    let remember = answered.and_then(|answered| answered.answer.remember.as_ref());
    let (text, body) = line.told(json!({
        "state": state.name(),
        "reason": answered.and_then(|answered| answered.answer.reason.clone()),
        "interrupt": answered.is_some_and(|answered| answered.answer.interrupt),
        "edited": edited.map(|edited| told.edited(edited)),
        "remember": remember.map(|remember| told.remember(remember)),
        "waitedMs": at.duration_since(asked.at).as_millis(),
    }));
    let entry = Entry {
        approval: Some(approval.id),
        call: edited.map(|edited| edited.call_id).or(Some(asked.call_id)),
        decision: Some(decision),
        by: answered.map(|answered| answered.by.clone()),
        text,
        body,
        context,
        ..Entry::about(Kind::Outcome, at, &asked.call, &asked.asker, told)
    };
    let change = Change::Resolved { id: approval.id, state: state.name().into() };
    Record { entry, change: Some(change) }
}

fn claimed(approval: &Approval, at: Timestamp) -> Record {
    let asked = &approval.asked;
    let claimed = approval.fate.claimed.as_ref();
    let execution = claimed.and_then(|claimed| claimed.execution);
    let void = claimed.and_then(|claimed| claimed.void.clone());
    let (told, context) = asked_and_edited(approval);
    let line = match (&execution, void) {
        (Some(_), _) => RecordLine::LetThrough,
        (None, Some(why)) => RecordLine::TurnedBack { why: told.text(why) },
        (None, None) => RecordLine::Told,
    };
    let (text, body) = line.told(Value::Null);
    let (tool, credential) = (asked.call.tool.clone(), Some(asked.asker.credential.clone()));
    let change = execution.map(|execution| Change::Started {
        execution,
        tool,
        approval: Some(approval.id),
        credential,
    });
    let entry = Entry {
        approval: Some(approval.id),
        call: Some(asked.call_id),
        execution,
        text,
        body,
        context,
        ..Entry::about(Kind::Claim, at, &asked.call, &asked.asker, told)
    };
    Record { entry, change }
}

/// What to record when an execution ends; `about` says which call it was of. The output stays out of the log.
pub fn finished(execution: ExecutionId, ending: &Ending, about: Entry) -> Record {
    let line = if ending.is_error { RecordLine::Failed } else { RecordLine::Finished };
    let (text, body) = line.told(json!({ "isError": ending.is_error, "durationMs": ending.duration_ms }));
    let change = Change::Finished {
        execution,
        is_error: ending.is_error,
        tool: about.tool.clone(),
        approval: about.approval,
        credential: about.credential.clone(),
    };
    let entry =
        Entry { at: ending.at, kind: Kind::Execution, execution: Some(execution), text, body, ..about };
    Record { entry, change: Some(change) }
}
