//! Audit records of other components of the program.
//!
//! A component registers its kinds once, each with the JSON Schema of its body, and gets a [`Recorder`]
//! for them. Its records are masked, chained, searchable, exported and published to feeds like the
//! gate's own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::answer::Actor;
use crate::gate::{Gate, Inner};
use crate::ids::{ApprovalId, CallId, ExecutionId};
use crate::input_schema::{CheckError, InputSchema};
use crate::ledger::{ExecutionStart, LedgerError};
use crate::ledger_write_proof::WriteAccess;
use crate::permit::Receipt;
use crate::record::{AuditEntry, EventPayload, Record};
use crate::record_kind::RecordKind;
use crate::registered_record_kinds::{Kinds, Registration};

/// The maximum size of a body as JSON text, and of the other texts of a record together, in bytes.
pub const MAX_BODY_BYTES: usize = 64 << 10;

/// The maximum nesting depth of a body. Rows and events add levels around it, and JSON parsers stop at
/// 128 levels.
pub const MAX_BODY_DEPTH: usize = 64;

/// A component of the program with record kinds of its own.
#[derive(Clone, Debug)]
pub struct Component {
    area: String,
    kinds: Vec<ComponentKind>,
}

#[derive(Clone, Debug)]
struct ComponentKind {
    name: String,
    schema: Value,
    announced: bool,
}

impl Component {
    /// A component. Its kinds are named `area.kind`.
    pub fn new(area: &str) -> Component {
        Component { area: area.to_owned(), kinds: Vec::new() }
    }

    /// Adds a kind that is written to the audit log only.
    #[must_use]
    pub fn kind(self, name: &str, schema: Value) -> Component {
        self.with(name, schema, false)
    }

    /// Adds a kind that is also published to feeds.
    #[must_use]
    pub fn event(self, name: &str, schema: Value) -> Component {
        self.with(name, schema, true)
    }

    fn with(mut self, name: &str, schema: Value, announced: bool) -> Component {
        self.kinds.push(ComponentKind { name: name.to_owned(), schema, announced });
        self
    }
}

/// A record of a component.
#[derive(Clone, Debug, Default)]
pub struct ComponentRecord {
    /// The sentence people read.
    pub text: String,
    /// The data for programs, as the kind's schema requires. At most [`MAX_BODY_BYTES`].
    pub body: Value,
    /// Who did it.
    pub by: Option<Actor>,
    /// The call it is about.
    pub call: Option<CallId>,
    /// The approval it is about.
    pub approval: Option<ApprovalId>,
    /// The execution it is about.
    pub execution: Option<ExecutionId>,
    /// The tool.
    pub tool: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The credential it belongs to. An agent receives its own events only; people receive all.
    pub credential: Option<String>,
}

impl ComponentRecord {
    /// The size of all texts together, without the body.
    fn text_bytes(&self) -> usize {
        let names = [&self.tool, &self.agent, &self.credential];
        names.into_iter().flatten().map(String::len).sum::<usize>() + self.text.len()
    }
}

/// Whether a value is nested deeper than `max_depth` levels.
fn is_deeper(value: &Value, max_depth: usize) -> bool {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > max_depth {
            return true;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|value| (value, depth + 1))),
            _ => {}
        }
    }
    false
}

/// A record of a registered kind with a body that matches its schema. A store writes it together with the change that
/// it is about. Only a [`Recorder`] makes one:
///
/// ```compile_fail,E0423
/// fn forge(record: sekisho_gate::record::Record) -> sekisho_gate::registered_records::CheckedRecord {
///     sekisho_gate::registered_records::CheckedRecord(record)
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedRecord(Record);

impl CheckedRecord {
    /// The record.
    pub fn record(&self) -> &Record {
        &self.0
    }

    /// For tests of stores, which write without a gate.
    #[cfg(feature = "testing")]
    pub fn for_tests(record: Record) -> CheckedRecord {
        CheckedRecord(record)
    }
}

/// Why a component could not be registered, or a record could not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComponentError {
    /// The name of an area or kind is not a lowercase word.
    Name(String),
    /// The area, or the kind within it, is already registered.
    Taken(String),
    /// The schema is unusable.
    Schema {
        /// The kind the schema is for.
        kind: String,
        /// What is wrong with the schema.
        why: String,
    },
    /// The component did not register this kind.
    Unknown(String),
    /// The body does not match its schema, or is too large.
    Body {
        /// The kind the body is for.
        kind: String,
        /// What is wrong, with the field.
        why: String,
    },
    /// The execution has already begun or ended.
    NotWaiting(ExecutionId),
    /// The ledger could not write it.
    NotRecorded(LedgerError),
}

impl fmt::Display for ComponentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComponentError::Name(name) => {
                write!(f, "invalid kind name `{name}`: use `area.kind` in lowercase words")
            }
            ComponentError::Taken(name) => write!(f, "`{name}` is already registered"),
            ComponentError::Schema { kind, why } => write!(f, "`{kind}`: {why}"),
            ComponentError::Unknown(kind) => write!(f, "kind `{kind}` is not registered"),
            ComponentError::Body { kind, why } => write!(f, "`{kind}`: {why}"),
            ComponentError::NotWaiting(execution) => {
                write!(f, "execution `{execution}` has already begun or ended")
            }
            ComponentError::NotRecorded(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ComponentError {}

/// A record kind, for searching the audit log.
#[derive(Clone, Debug, PartialEq)]
pub struct KindDescription {
    /// The kind itself.
    pub kind: RecordKind,
    /// The JSON Schema of its body, if a component registered it.
    pub schema: Option<Value>,
}

/// Writes records of one component's kinds. Cheap to clone.
#[derive(Clone)]
pub struct Recorder {
    inner: Arc<Inner>,
    area: Arc<str>,
    kinds: Kinds,
}

impl Gate {
    /// Registers a component with all its kinds. An area can be registered once.
    pub fn register(&self, part: Component) -> Result<Recorder, ComponentError> {
        let mut kinds = BTreeMap::new();
        for ComponentKind { name, schema, announced } in part.kinds {
            let whole = format!("{}.{name}", part.area);
            let kind = RecordKind::of_component(&part.area, &name)
                .ok_or_else(|| ComponentError::Name(whole.clone()))?;
            let schema = InputSchema::new(schema)
                .map_err(|error| ComponentError::Schema { kind: whole.clone(), why: error.to_string() })?;
            if kinds.insert(name, Registration { kind, schema, announced }).is_some() {
                return Err(ComponentError::Taken(whole));
            }
        }
        let kinds = Arc::new(kinds);
        if !self.inner.component_kinds.add(&part.area, Arc::clone(&kinds)) {
            return Err(ComponentError::Taken(part.area));
        }
        Ok(Recorder { inner: Arc::clone(&self.inner), area: part.area.into(), kinds })
    }

    /// All record kinds: the gate's own, then those of components by name.
    pub fn kinds(&self) -> Vec<KindDescription> {
        let parts = self.inner.component_kinds.all().into_iter();
        let parts = parts.map(|(kind, schema)| KindDescription { kind, schema: Some(schema) });
        RecordKind::BUILTIN
            .into_iter()
            .map(|kind| KindDescription { kind, schema: None })
            .chain(parts)
            .collect()
    }
}

impl Recorder {
    /// Writes a record, and publishes it to feeds if its kind requires that. `name` is the kind's name
    /// without the area.
    pub async fn record(&self, name: &str, line: ComponentRecord) -> Result<(), ComponentError> {
        let records = vec![self.checked(name, line)?];
        let written = self.inner.ports.ledger.append_records(&WriteAccess::GATE, records).await;
        written.map_err(ComponentError::NotRecorded)
    }

    /// A record to be written together with a change. The store that makes the change writes it.
    pub fn check(&self, name: &str, line: ComponentRecord) -> Result<CheckedRecord, ComponentError> {
        self.checked(name, line).map(CheckedRecord)
    }

    /// Records that the call of a spent permit is about to run, with the sandbox level of its programs, and
    /// writes the record in the same transaction. The `input` in its body is stored with the execution,
    /// masked. Fails if the execution has already begun.
    pub async fn record_start(
        &self,
        name: &str,
        line: ComponentRecord,
        receipt: &Receipt,
        sandbox: Option<&str>,
    ) -> Result<(), ComponentError> {
        let execution = receipt.execution();
        let record = self.checked(name, ComponentRecord { execution: Some(execution), ..line })?;
        let start = ExecutionStart { at: record.entry.at, sandbox: sandbox.map(str::to_owned), record };
        let begun = self.inner.ports.ledger.begin(&WriteAccess::GATE, execution, start).await;
        match begun.map_err(ComponentError::NotRecorded)? {
            true => Ok(()),
            false => Err(ComponentError::NotWaiting(execution)),
        }
    }

    /// The record, if it is one of a registered kind with a body that matches.
    fn checked(&self, name: &str, line: ComponentRecord) -> Result<Record, ComponentError> {
        let Some(registration) = self.kinds.get(name) else {
            return Err(ComponentError::Unknown(format!("{}.{name}", self.area)));
        };
        let kind = &registration.kind;
        let wrong = |why| ComponentError::Body { kind: kind.name().to_owned(), why };
        if is_deeper(&line.body, MAX_BODY_DEPTH) {
            return Err(wrong(format!("the body is nested deeper than {MAX_BODY_DEPTH} levels")));
        }
        for (what, length) in [("body", line.body.to_string().len()), ("text", line.text_bytes())] {
            if length > MAX_BODY_BYTES {
                return Err(wrong(format!("the {what} has {length} bytes; the maximum is {MAX_BODY_BYTES}")));
            }
        }
        registration.schema.check(&line.body).map_err(|error| match error {
            CheckError::Mismatch { path, why } => wrong(format!("`body{path}`: {why}")),
            CheckError::TooManySteps | CheckError::Schema(_) => wrong(error.to_string()),
        })?;
        let event = registration.announced.then(|| EventPayload::Part {
            kind: kind.clone(),
            data: Value::Null,
            credential: line.credential.clone(),
        });
        let entry = AuditEntry {
            call: line.call,
            approval: line.approval,
            execution: line.execution,
            tool: line.tool,
            agent: line.agent,
            credential: line.credential,
            ..AuditEntry::without_call(kind.clone(), self.inner.now(), line.by, line.text, line.body)
        };
        Ok(Record { entry, event })
    }
}
