//! What a tool does, as somebody describes it, and whether that can be taken at its word.
//!
//! The table of tools knows the names of known agents' tools. A descriptor says the same of any other tool: what it does,
//! and where in its input the commands, paths and addresses stand. A registry of tools or a pinned MCP server proves one;
//! what a caller sends is only a claim.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input_field::InputField;

/// How many fields one descriptor may name.
pub const MAX_FIELDS: usize = 32;

/// What a tool does.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DescriptorKind {
    /// Runs bash text.
    Shell,
    /// Reads the files it is given.
    ReadFiles,
    /// Reads or lists whatever lies below the directories it is given.
    SearchFiles,
    /// Writes, edits or deletes the files it is given.
    WriteFiles,
    /// Fetches the addresses it is given.
    Web,
    /// Does several of these.
    Composite,
    /// Nothing is said of what it does.
    #[default]
    Unknown,
}

impl DescriptorKind {
    /// The name it has on the wire.
    pub fn name(self) -> &'static str {
        match self {
            DescriptorKind::Shell => "shell",
            DescriptorKind::ReadFiles => "read_files",
            DescriptorKind::SearchFiles => "search_files",
            DescriptorKind::WriteFiles => "write_files",
            DescriptorKind::Web => "web",
            DescriptorKind::Composite => "composite",
            DescriptorKind::Unknown => "unknown",
        }
    }
}

/// A descriptor as it is written. Each list holds fields of the input: a name (`script`) or a JSON pointer
/// (`/steps/*/run`, where `*` stands for each element of a list).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ToolDescriptor")]
pub struct UncheckedDescriptor {
    /// What the tool does.
    pub kind: DescriptorKind,
    /// Where commands stand: each a text, or the words of one command as a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub commands: Vec<String>,
    /// Where paths of files stand that are read: each a text or a list of texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub reads: Vec<String>,
    /// Where paths of directories stand that are searched or read with everything below them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub searches: Vec<String>,
    /// Where paths of files stand that are written, edited or deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub writes: Vec<String>,
    /// Where addresses stand that are fetched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub addresses: Vec<String>,
    /// The tool changes nothing. It lets nothing through.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

/// What is wrong with a descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescriptorError {
    /// The field of the descriptor.
    pub field: &'static str,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.field, self.message)
    }
}

impl std::error::Error for DescriptorError {}

/// What a tool does, and where in its input it finds what it acts on. Its lists suit its kind, and no field stands in one
/// list twice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "UncheckedDescriptor", into = "UncheckedDescriptor")]
#[schemars(with = "UncheckedDescriptor")]
pub struct Descriptor {
    kind: DescriptorKind,
    commands: Vec<InputField>,
    reads: Vec<InputField>,
    searches: Vec<InputField>,
    writes: Vec<InputField>,
    addresses: Vec<InputField>,
    read_only: bool,
}

impl Descriptor {
    /// What the tool does.
    pub fn kind(&self) -> DescriptorKind {
        self.kind
    }

    /// Whether the tool is said to change nothing.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Where commands stand.
    pub fn commands(&self) -> &[InputField] {
        &self.commands
    }

    /// Where paths stand that are read.
    pub fn reads(&self) -> &[InputField] {
        &self.reads
    }

    /// Where directories stand that are searched.
    pub fn searches(&self) -> &[InputField] {
        &self.searches
    }

    /// Where paths stand that are written.
    pub fn writes(&self) -> &[InputField] {
        &self.writes
    }

    /// Where addresses stand.
    pub fn addresses(&self) -> &[InputField] {
        &self.addresses
    }
}

impl TryFrom<UncheckedDescriptor> for Descriptor {
    type Error = DescriptorError;

    fn try_from(written: UncheckedDescriptor) -> Result<Descriptor, DescriptorError> {
        let named = [
            ("commands", &written.commands),
            ("reads", &written.reads),
            ("searches", &written.searches),
            ("writes", &written.writes),
            ("addresses", &written.addresses),
        ];
        let count: usize = named.iter().map(|(_, list)| list.len()).sum();
        if count > MAX_FIELDS {
            let message = format!("{count} fields are named; {MAX_FIELDS} are the most");
            return Err(DescriptorError { field: "kind", message });
        }
        check_lists(written.kind, &named)?;
        if written.read_only && !written.writes.is_empty() {
            let message = "a tool that writes files is not read-only".into();
            return Err(DescriptorError { field: "readOnly", message });
        }
        Ok(Descriptor {
            kind: written.kind,
            commands: fields("commands", &written.commands)?,
            reads: fields("reads", &written.reads)?,
            searches: fields("searches", &written.searches)?,
            writes: fields("writes", &written.writes)?,
            addresses: fields("addresses", &written.addresses)?,
            read_only: written.read_only,
        })
    }
}

/// Each kind has the lists that belong to it, and at least one field.
fn check_lists(kind: DescriptorKind, named: &[(&'static str, &Vec<String>)]) -> Result<(), DescriptorError> {
    let own: &[&str] = match kind {
        DescriptorKind::Shell => &["commands"],
        DescriptorKind::ReadFiles => &["reads"],
        DescriptorKind::SearchFiles => &["searches"],
        DescriptorKind::WriteFiles => &["writes"],
        DescriptorKind::Web => &["addresses"],
        DescriptorKind::Composite => &["commands", "reads", "searches", "writes", "addresses"],
        DescriptorKind::Unknown => &[],
    };
    let filled = |field: &str| named.iter().any(|(name, list)| *name == field && !list.is_empty());
    if let Some((field, _)) = named.iter().find(|(name, list)| !list.is_empty() && !own.contains(name)) {
        let message = format!("a tool of kind `{}` has none; `composite` has all lists", kind.name());
        return Err(DescriptorError { field, message });
    }
    if let Some(first) = own.first().filter(|_| !own.iter().any(|field| filled(field))) {
        let message = format!("a tool of kind `{}` has to name a field of its input", kind.name());
        return Err(DescriptorError { field: first_of(named, first), message });
    }
    Ok(())
}

fn first_of(named: &[(&'static str, &Vec<String>)], field: &str) -> &'static str {
    named.iter().map(|(name, _)| *name).find(|name| *name == field).unwrap_or("kind")
}

fn fields(field: &'static str, texts: &[String]) -> Result<Vec<InputField>, DescriptorError> {
    let mut fields: Vec<InputField> = Vec::with_capacity(texts.len());
    for text in texts {
        let read = InputField::new(text).map_err(|message| DescriptorError { field, message })?;
        if fields.contains(&read) {
            return Err(DescriptorError { field, message: format!("`{read}` stands there twice") });
        }
        fields.push(read);
    }
    Ok(fields)
}

impl From<Descriptor> for UncheckedDescriptor {
    fn from(descriptor: Descriptor) -> UncheckedDescriptor {
        let texts = |fields: Vec<InputField>| fields.iter().map(InputField::to_string).collect();
        UncheckedDescriptor {
            kind: descriptor.kind,
            commands: texts(descriptor.commands),
            reads: texts(descriptor.reads),
            searches: texts(descriptor.searches),
            writes: texts(descriptor.writes),
            addresses: texts(descriptor.addresses),
            read_only: descriptor.read_only,
        }
    }
}

/// Who describes a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DescriptorSource {
    /// Whoever asks: a claim, which can tighten and never loosen.
    Caller,
    /// The registry of the tools that run here.
    Registry,
    /// The MCP server the tool belongs to, whose tools were pinned.
    PinnedServer,
}

/// A descriptor, and who gave it.
///
/// Nothing that arrives in a request is read as one of these: requests hold a [`WrittenDescriptor`], which becomes a claim.
/// The serde form is that of stored calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SourcedDescriptor {
    tool: Descriptor,
    by: DescriptorSource,
}

impl SourcedDescriptor {
    /// What a caller says of the tool it calls.
    pub fn claimed(tool: Descriptor) -> SourcedDescriptor {
        SourcedDescriptor { tool, by: DescriptorSource::Caller }
    }

    /// What the registry says of a tool that runs here. It counts for calls without an MCP server.
    pub fn by_registry(tool: Descriptor) -> SourcedDescriptor {
        SourcedDescriptor { tool, by: DescriptorSource::Registry }
    }

    /// What was pinned of an MCP server's tool. It counts for calls whose server is proven.
    pub fn by_pinned_server(tool: Descriptor) -> SourcedDescriptor {
        SourcedDescriptor { tool, by: DescriptorSource::PinnedServer }
    }

    /// What the tool does.
    pub fn tool(&self) -> &Descriptor {
        &self.tool
    }

    /// Who says so.
    pub fn by(&self) -> DescriptorSource {
        self.by
    }
}

#[cfg(test)]
mod tests {
    use super::{SourcedDescriptor, Descriptor};
    use serde_json::{Value, json};

    #[track_caller]
    fn check(written: Value, expected: &str) {
        let error = serde_json::from_value::<Descriptor>(written.clone()).unwrap_err().to_string();
        assert!(error.contains(expected), "{written}: {error}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        check(json!({ "kind": "shell" }), "`commands`: a tool of kind `shell` has to name a field");
        check(json!({ "kind": "composite" }), "`commands`: a tool of kind `composite` has to name");
        check(
            json!({ "kind": "shell", "commands": ["a"], "reads": ["b"] }),
            "`reads`: a tool of kind `shell`",
        );
        check(json!({ "kind": "unknown", "reads": ["b"] }), "`reads`: a tool of kind `unknown`");
        check(json!({ "kind": "web", "addresses": ["url", "/url"] }), "`/url` stands there twice");
        check(json!({ "kind": "web", "addresses": [""] }), "`addresses`: a field is empty");
        check(json!({ "kind": "web", "addresses": ["/a~"] }), "no JSON pointer");
        check(json!({ "kind": "write_files", "writes": ["a"], "readOnly": true }), "`readOnly`");
        check(json!({ "kind": "shell", "commands": ["a"], "by": "registry" }), "unknown field `by`");
        check(json!({ "kind": "magic" }), "unknown variant");
        let many: Vec<String> = (0..33).map(|at| at.to_string()).collect();
        check(json!({ "kind": "web", "addresses": many }), "33 fields are named");
    }

    #[test]
    fn it_is_stored_with_who_gave_it() {
        let tool: Descriptor =
            serde_json::from_value(json!({ "kind": "read_files", "reads": ["a", "/b/*"], "readOnly": true }))
                .unwrap();
        for (described, by) in [
            (SourcedDescriptor::claimed(tool.clone()), "caller"),
            (SourcedDescriptor::by_registry(tool.clone()), "registry"),
            (SourcedDescriptor::by_pinned_server(tool.clone()), "pinned_server"),
        ] {
            let stored = serde_json::to_value(&described).unwrap();
            let tool = json!({ "kind": "read_files", "reads": ["/a", "/b/*"], "readOnly": true });
            assert_eq!(stored, json!({ "tool": tool, "by": by }));
            assert_eq!(serde_json::from_value::<SourcedDescriptor>(stored).unwrap(), described);
        }
    }
}
