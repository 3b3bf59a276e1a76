//! What other parts of the program put on the record.
//!
//! A part registers its kinds once, each with the JSON Schema of its body, and gets a [`Recorder`] for them. Its lines are
//! masked, chained, searched, exported and told to listeners like the gate's own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::write_access::WriteAccess;
use crate::answer::Actor;
use crate::gate::{Gate, Inner};
use crate::ids::{ApprovalId, CallId, ExecutionId};
use crate::input_schema::InputSchema;
use crate::record_kind::RecordKind;
use crate::ledger::LedgerError;
use crate::component_kinds::{Kinds, Registration};
use crate::record::{EventPayload, AuditEntry, Record};

/// No body is longer than this, as JSON text.
pub const MAX_BODY_BYTES: usize = 64 << 10;

/// A part of the program that has something to record.
#[derive(Clone, Debug)]
pub struct Component {
    area: String,
    kinds: Vec<ComponentKind>,
}

#[derive(Clone, Debug)]
struct ComponentKind {
    name: String,
    schema: Value,
    told: bool,
}

impl Component {
    /// A part; its kinds are named `area.kind`.
    pub fn new(area: &str) -> Component {
        Component { area: area.to_owned(), kinds: Vec::new() }
    }

    /// A kind of line that is on the record only.
    #[must_use]
    pub fn kind(self, name: &str, schema: Value) -> Component {
        self.with(name, schema, false)
    }

    /// A kind of line that listeners are told of as well.
    #[must_use]
    pub fn event(self, name: &str, schema: Value) -> Component {
        self.with(name, schema, true)
    }

    fn with(mut self, name: &str, schema: Value, told: bool) -> Component {
        self.kinds.push(ComponentKind { name: name.to_owned(), schema, told });
        self
    }
}

/// Something a part records.
#[derive(Clone, Debug, Default)]
pub struct ComponentRecord {
    /// What people read.
    pub text: String,
    /// Everything for programs, as the kind's schema says. Not longer than [`LARGEST_BODY`].
    pub body: Value,
    /// Who did it.
    pub by: Option<Actor>,
    /// The call it is about.
    pub call: Option<CallId>,
    /// The question it is about.
    pub approval: Option<ApprovalId>,
    /// The execution it is about.
    pub execution: Option<ExecutionId>,
    /// The tool.
    pub tool: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// Whose it is: an agent is told of its own alone, people of all.
    pub credential: Option<String>,
}

/// Why a part could not register, or a line could not be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComponentError {
    /// The name of an area or of a kind is no lowercase word.
    Name(String),
    /// The area, or the kind within it, is there already.
    Taken(String),
    /// A schema that bodies cannot be checked by.
    Schema {
        /// The kind.
        kind: String,
        /// What is wrong with it.
        why: String,
    },
    /// A kind that the part did not register.
    Unknown(String),
    /// A body that is not as its schema says, or too long.
    Body {
        /// The kind.
        kind: String,
        /// What is wrong, with the field.
        why: String,
    },
    /// It could not be written.
    NotRecorded(LedgerError),
}

impl fmt::Display for ComponentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComponentError::Name(name) => {
                write!(f, "`{name}` is no name for a kind: `area.kind`, lowercase words")
            }
            ComponentError::Taken(name) => write!(f, "`{name}` is registered already"),
            ComponentError::Schema { kind, why } => write!(f, "`{kind}`: {why}"),
            ComponentError::Unknown(kind) => write!(f, "`{kind}` was not registered"),
            ComponentError::Body { kind, why } => write!(f, "`{kind}`: {why}"),
            ComponentError::NotRecorded(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ComponentError {}

/// A kind of line, for those who look for it.
#[derive(Clone, Debug, PartialEq)]
pub struct KindDescription {
    /// The kind.
    pub kind: RecordKind,
    /// The JSON Schema of its body, where a part registered it.
    pub schema: Option<Value>,
}

/// The one way to record a part's kinds. Cheap to clone.
#[derive(Clone)]
pub struct Recorder {
    inner: Arc<Inner>,
    area: Arc<str>,
    kinds: Kinds,
}

impl Gate {
    /// Registers a part with all its kinds. An area is registered once.
    pub fn register(&self, part: Component) -> Result<Recorder, ComponentError> {
        let mut kinds = BTreeMap::new();
        for ComponentKind { name, schema, told } in part.kinds {
            let whole = format!("{}.{name}", part.area);
            let kind = RecordKind::of_component(&part.area, &name).ok_or_else(|| ComponentError::Name(whole.clone()))?;
            let schema =
                InputSchema::new(schema).map_err(|why| ComponentError::Schema { kind: whole.clone(), why })?;
            if kinds.insert(name, Registration { kind, schema, announced: told }).is_some() {
                return Err(ComponentError::Taken(whole));
            }
        }
        let kinds = Arc::new(kinds);
        if !self.inner.component_kinds.add(&part.area, Arc::clone(&kinds)) {
            return Err(ComponentError::Taken(part.area));
        }
        Ok(Recorder { inner: Arc::clone(&self.inner), area: part.area.into(), kinds })
    }

    /// All kinds of lines: the gate's own, then those of parts by name.
    pub fn kinds(&self) -> Vec<KindDescription> {
        let parts = self.inner.component_kinds.all().into_iter();
        let parts = parts.map(|(kind, schema)| KindDescription { kind, schema: Some(schema) });
        RecordKind::BUILTIN.into_iter().map(|kind| KindDescription { kind, schema: None }).chain(parts).collect()
    }
}

impl Recorder {
    /// Puts a line on the record, and tells listeners where its kind says so. `name` is the kind's without the area.
    pub async fn record(&self, name: &str, line: ComponentRecord) -> Result<(), ComponentError> {
        let Some(registration) = self.kinds.get(name) else {
            return Err(ComponentError::Unknown(format!("{}.{name}", self.area)));
        };
        let kind = &registration.kind;
        let wrong = |why| ComponentError::Body { kind: kind.name().to_owned(), why };
        let length = line.body.to_string().len();
        if length > MAX_BODY_BYTES {
            return Err(wrong(format!("the body is {length} bytes long; the most is {MAX_BODY_BYTES}")));
        }
        if let Some((place, why)) = registration.schema.first_mismatch(&line.body).map_err(wrong)? {
            return Err(wrong(format!("`body{place}`: {why}")));
        }
        let change = registration.announced.then(|| EventPayload::Part {
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
        let records = vec![Record { entry, event }];
        let kept = self.inner.ports.ledger.append_records(&WriteAccess::GATE, records).await;
        kept.map_err(ComponentError::NotRecorded)
    }
}
