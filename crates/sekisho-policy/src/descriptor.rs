//! Descriptors: what a tool does, and whether this is proven.
//!
//! The table of tools has the names of known agents' tools. A descriptor gives the same information for any
//! other tool: what it does, and which input fields contain commands, paths and addresses. A tool registry or
//! a pinned MCP server proves a descriptor; a descriptor from a caller is only a claim.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input_field::InputField;

/// The largest number of fields in one descriptor.
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
    /// Reads or lists everything below the directories it is given.
    SearchFiles,
    /// Writes, edits or deletes the files it is given.
    WriteFiles,
    /// Fetches the addresses it is given.
    Web,
    /// Loads a skill. The field `source` says where from: `listed` is a directory that an administrator listed.
    Skill,
    /// Makes, runs or reads sub-agents, each call of which is judged by itself.
    SubAgents,
    /// Does several of these.
    Composite,
    /// Nothing is known about it.
    #[default]
    Unknown,
}

impl DescriptorKind {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            DescriptorKind::Shell => "shell",
            DescriptorKind::ReadFiles => "read_files",
            DescriptorKind::SearchFiles => "search_files",
            DescriptorKind::WriteFiles => "write_files",
            DescriptorKind::Web => "web",
            DescriptorKind::Skill => "skill",
            DescriptorKind::SubAgents => "sub_agents",
            DescriptorKind::Composite => "composite",
            DescriptorKind::Unknown => "unknown",
        }
    }
}

/// A descriptor as written. Each list contains fields of the input: a name (`script`) or a JSON pointer
/// (`/steps/*/run`, where `*` stands for each element of a list).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ToolDescriptor")]
pub struct UncheckedDescriptor {
    /// What the tool does.
    pub kind: DescriptorKind,
    /// Fields with commands: each a text, or one command as a list of words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub commands: Vec<String>,
    /// Fields with paths of files that are read: each a text or a list of texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub reads: Vec<String>,
    /// Fields with directories that are searched, or read with everything below them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub searches: Vec<String>,
    /// Fields with paths of files that are written, edited or deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub writes: Vec<String>,
    /// Fields with addresses that are fetched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32))]
    pub addresses: Vec<String>,
    /// The tool changes nothing. This alone does not allow anything.
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

/// What a tool does, and which input fields contain its targets. Its lists match its kind, and no field is in
/// a list twice.
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

    /// Whether the descriptor declares that the tool changes nothing.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Fields with commands.
    pub fn commands(&self) -> &[InputField] {
        &self.commands
    }

    /// Fields with paths that are read.
    pub fn reads(&self) -> &[InputField] {
        &self.reads
    }

    /// Fields with directories that are searched.
    pub fn searches(&self) -> &[InputField] {
        &self.searches
    }

    /// Fields with paths that are written.
    pub fn writes(&self) -> &[InputField] {
        &self.writes
    }

    /// Fields with addresses.
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
            let message = format!("{count} fields are named; the limit is {MAX_FIELDS}");
            return Err(DescriptorError { field: "kind", message });
        }
        check_lists(written.kind, &named)?;
        if written.read_only && !written.writes.is_empty() {
            let message = "a tool that writes files cannot be read-only".into();
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

/// Checks that the lists match the kind and contain at least one field.
fn check_lists(kind: DescriptorKind, named: &[(&'static str, &Vec<String>)]) -> Result<(), DescriptorError> {
    let own: &[&str] = match kind {
        DescriptorKind::Shell => &["commands"],
        DescriptorKind::ReadFiles => &["reads"],
        DescriptorKind::SearchFiles => &["searches"],
        DescriptorKind::WriteFiles => &["writes"],
        DescriptorKind::Web => &["addresses"],
        DescriptorKind::Composite => &["commands", "reads", "searches", "writes", "addresses"],
        DescriptorKind::Skill | DescriptorKind::SubAgents | DescriptorKind::Unknown => &[],
    };
    let filled = |field: &str| named.iter().any(|(name, list)| *name == field && !list.is_empty());
    if let Some((field, _)) = named.iter().find(|(name, list)| !list.is_empty() && !own.contains(name)) {
        let message =
            format!("a tool of kind `{}` cannot have this list; `composite` can have all lists", kind.name());
        return Err(DescriptorError { field, message });
    }
    if let Some(first) = own.first().filter(|_| !own.iter().any(|field| filled(field))) {
        let message = format!("a tool of kind `{}` must name a field of its input", kind.name());
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
            return Err(DescriptorError { field, message: format!("`{read}` is listed twice") });
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

/// Where a descriptor comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "DescribedBy")]
pub enum DescriptorSource {
    /// The caller: a claim, which can make a verdict stricter but never looser.
    Caller,
    /// The registry of tools that run here.
    Registry,
    /// The MCP server that provides the tool, with pinned tools.
    PinnedServer,
}

/// A descriptor and its source.
///
/// Nothing in a request is deserialized as this type: requests contain an [`UncheckedDescriptor`], which
/// becomes a claim. The serde form is used for stored calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Described")]
pub struct SourcedDescriptor {
    tool: Descriptor,
    by: DescriptorSource,
}

impl SourcedDescriptor {
    /// A descriptor claimed by the caller.
    pub fn claimed(tool: Descriptor) -> SourcedDescriptor {
        SourcedDescriptor { tool, by: DescriptorSource::Caller }
    }

    /// A descriptor from the registry. It applies to calls without an MCP server.
    pub fn by_registry(tool: Descriptor) -> SourcedDescriptor {
        SourcedDescriptor { tool, by: DescriptorSource::Registry }
    }

    /// A pinned descriptor of an MCP server's tool. It applies to calls with a proven server.
    pub fn by_pinned_server(tool: Descriptor) -> SourcedDescriptor {
        SourcedDescriptor { tool, by: DescriptorSource::PinnedServer }
    }

    /// The descriptor.
    pub fn tool(&self) -> &Descriptor {
        &self.tool
    }

    /// Its source.
    pub fn by(&self) -> DescriptorSource {
        self.by
    }
}

#[cfg(test)]
mod tests {
    use super::{Descriptor, SourcedDescriptor};
    use serde_json::{Value, json};

    #[track_caller]
    fn check(written: Value, expected: &str) {
        let error = serde_json::from_value::<Descriptor>(written.clone()).unwrap_err().to_string();
        assert!(error.contains(expected), "{written}: {error}");
    }

    #[test]
    fn invalid_descriptors_are_refused() {
        check(json!({ "kind": "shell" }), "`commands`: a tool of kind `shell` must name a field");
        check(json!({ "kind": "composite" }), "`commands`: a tool of kind `composite` must name");
        check(
            json!({ "kind": "shell", "commands": ["a"], "reads": ["b"] }),
            "`reads`: a tool of kind `shell`",
        );
        check(json!({ "kind": "unknown", "reads": ["b"] }), "`reads`: a tool of kind `unknown`");
        check(json!({ "kind": "web", "addresses": ["url", "/url"] }), "`/url` is listed twice");
        check(json!({ "kind": "web", "addresses": [""] }), "`addresses`: a field is empty");
        check(json!({ "kind": "web", "addresses": ["/a~"] }), "not a JSON pointer");
        check(json!({ "kind": "write_files", "writes": ["a"], "readOnly": true }), "`readOnly`");
        check(json!({ "kind": "shell", "commands": ["a"], "by": "registry" }), "unknown field `by`");
        check(json!({ "kind": "magic" }), "unknown variant");
        let many: Vec<String> = (0..33).map(|at| at.to_string()).collect();
        check(json!({ "kind": "web", "addresses": many }), "33 fields are named");
    }

    #[test]
    fn descriptor_is_stored_with_its_source() {
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
