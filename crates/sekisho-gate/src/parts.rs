//! What other parts of the program put on the record.
//!
//! A part registers its kinds once, each with the JSON Schema of its body, and gets a [`Recorder`] for them. Its lines are
//! masked, chained, searched, exported and told to listeners like the gate's own.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::access::WriteAccess;
use crate::answer::By;
use crate::gate::{Gate, Inner};
use crate::ids::{ApprovalId, CallId, ExecutionId};
use crate::input_schema::{CheckError, InputSchema};
use crate::kind::Kind;
use crate::ledger::LedgerError;
use crate::part_kinds::{Kinds, Registration};
use crate::record::{Change, Entry, Record};

/// No body is longer than this, as JSON text, nor the texts of a line together.
pub const LARGEST_BODY: usize = 64 << 10;

/// No body is nested deeper: rows and events put more around it, and readers of JSON end at 128 levels.
pub const DEEPEST_BODY: usize = 64;

/// A part of the program that has something to record.
#[derive(Clone, Debug)]
pub struct Part {
    area: String,
    kinds: Vec<PartKind>,
}

#[derive(Clone, Debug)]
struct PartKind {
    name: String,
    schema: Value,
    told: bool,
}

impl Part {
    /// A part; its kinds are named `area.kind`.
    pub fn new(area: &str) -> Part {
        Part { area: area.to_owned(), kinds: Vec::new() }
    }

    /// A kind of line that is on the record only.
    #[must_use]
    pub fn kind(self, name: &str, schema: Value) -> Part {
        self.with(name, schema, false)
    }

    /// A kind of line that listeners are told of as well.
    #[must_use]
    pub fn event(self, name: &str, schema: Value) -> Part {
        self.with(name, schema, true)
    }

    fn with(mut self, name: &str, schema: Value, told: bool) -> Part {
        self.kinds.push(PartKind { name: name.to_owned(), schema, told });
        self
    }
}

/// Something a part records.
#[derive(Clone, Debug, Default)]
pub struct PartLine {
    /// What people read.
    pub text: String,
    /// Everything for programs, as the kind's schema says. Not longer than [`LARGEST_BODY`].
    pub body: Value,
    /// Who did it.
    pub by: Option<By>,
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

impl PartLine {
    /// How long its texts are together.
    fn texts(&self) -> usize {
        let names = [&self.tool, &self.agent, &self.credential];
        names.into_iter().flatten().map(String::len).sum::<usize>() + self.text.len()
    }
}

/// Whether a value is nested deeper than so many levels.
fn is_deeper(value: &Value, most: usize) -> bool {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > most {
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

/// Why a part could not register, or a line could not be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartError {
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

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartError::Name(name) => {
                write!(f, "`{name}` is no name for a kind: `area.kind`, lowercase words")
            }
            PartError::Taken(name) => write!(f, "`{name}` is registered already"),
            PartError::Schema { kind, why } => write!(f, "`{kind}`: {why}"),
            PartError::Unknown(kind) => write!(f, "`{kind}` was not registered"),
            PartError::Body { kind, why } => write!(f, "`{kind}`: {why}"),
            PartError::NotRecorded(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for PartError {}

/// A kind of line, for those who look for it.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownKind {
    /// The kind.
    pub kind: Kind,
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
    pub fn register(&self, part: Part) -> Result<Recorder, PartError> {
        let mut kinds = BTreeMap::new();
        for PartKind { name, schema, told } in part.kinds {
            let whole = format!("{}.{name}", part.area);
            let kind = Kind::of_part(&part.area, &name).ok_or_else(|| PartError::Name(whole.clone()))?;
            let schema = InputSchema::new(schema)
                .map_err(|error| PartError::Schema { kind: whole.clone(), why: error.to_string() })?;
            if kinds.insert(name, Registration { kind, schema, told }).is_some() {
                return Err(PartError::Taken(whole));
            }
        }
        let kinds = Arc::new(kinds);
        if !self.inner.part_kinds.add(&part.area, Arc::clone(&kinds)) {
            return Err(PartError::Taken(part.area));
        }
        Ok(Recorder { inner: Arc::clone(&self.inner), area: part.area.into(), kinds })
    }

    /// All kinds of lines: the gate's own, then those of parts by name.
    pub fn kinds(&self) -> Vec<KnownKind> {
        let parts = self.inner.part_kinds.all().into_iter();
        let parts = parts.map(|(kind, schema)| KnownKind { kind, schema: Some(schema) });
        Kind::OWN.into_iter().map(|kind| KnownKind { kind, schema: None }).chain(parts).collect()
    }
}

impl Recorder {
    /// Puts a line on the record, and tells listeners where its kind says so. `name` is the kind's without the area.
    pub async fn record(&self, name: &str, line: PartLine) -> Result<(), PartError> {
        let Some(registration) = self.kinds.get(name) else {
            return Err(PartError::Unknown(format!("{}.{name}", self.area)));
        };
        let kind = &registration.kind;
        let wrong = |why| PartError::Body { kind: kind.name().to_owned(), why };
        if is_deeper(&line.body, DEEPEST_BODY) {
            return Err(wrong(format!("the body is nested deeper than {DEEPEST_BODY} levels")));
        }
        for (what, length) in [("body", line.body.to_string().len()), ("text", line.texts())] {
            if length > LARGEST_BODY {
                return Err(wrong(format!("the {what} is {length} bytes long; the most is {LARGEST_BODY}")));
            }
        }
        registration.schema.check(&line.body).map_err(|error| match error {
            CheckError::Misfit { place, why } => wrong(format!("`body{place}`: {why}")),
            CheckError::TooManySteps | CheckError::Schema(_) => wrong(error.to_string()),
        })?;
        let change = registration.told.then(|| Change::Part {
            kind: kind.clone(),
            data: Value::Null,
            credential: line.credential.clone(),
        });
        let entry = Entry {
            call: line.call,
            approval: line.approval,
            execution: line.execution,
            tool: line.tool,
            agent: line.agent,
            credential: line.credential,
            ..Entry::plain(kind.clone(), self.inner.now(), line.by, line.text, line.body)
        };
        let records = vec![Record { entry, change }];
        let kept = self.inner.ports.ledger.note(&WriteAccess::GATE, records).await;
        kept.map_err(PartError::NotRecorded)
    }
}
