//! The tools that exist here.

use std::collections::BTreeMap;
use std::fmt;

use sekisho_gate::input_schema::InputSchema;

use crate::tool::{Tool, ToolDefinition};

/// A registered tool, with what was made of its definition once.
struct Entry {
    tool: Box<dyn Tool>,
    schema: InputSchema,
    /// The schema of a completed input.
    completed: InputSchema,
}

/// Why a tool could not be registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryError {
    /// A tool with this name is registered.
    Taken(String),
    /// The schema of its input is unusable.
    Schema {
        /// The tool.
        tool: String,
        /// What is wrong.
        why: String,
    },
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegistryError::Taken(name) => write!(f, "a tool named `{name}` is already registered"),
            RegistryError::Schema { tool, why } => {
                write!(f, "the input schema of `{tool}` is unusable: {why}")
            }
        }
    }
}

impl std::error::Error for RegistryError {}

/// The tools that exist here, by name.
#[derive(Default)]
pub struct ToolRegistry {
    tools: BTreeMap<String, Entry>,
}

impl ToolRegistry {
    /// An empty registry.
    pub fn new() -> ToolRegistry {
        ToolRegistry::default()
    }

    /// Adds a tool. A name is taken once.
    pub fn register(&mut self, tool: Box<dyn Tool>) -> Result<(), RegistryError> {
        let name = tool.name().to_owned();
        if self.tools.contains_key(&name) {
            return Err(RegistryError::Taken(name));
        }
        let usable = |schema| {
            InputSchema::new(schema)
                .map_err(|error| RegistryError::Schema { tool: name.clone(), why: error.to_string() })
        };
        let schema = usable(tool.definition().input_schema)?;
        let completed = tool.completed_schema().map(usable).transpose()?;
        let completed = completed.unwrap_or_else(|| schema.clone());
        self.tools.insert(name, Entry { tool, schema, completed });
        Ok(())
    }

    /// The tool with this name.
    pub fn get(&self, name: &str) -> Option<&dyn Tool> {
        self.tools.get(name).map(|entry| &*entry.tool)
    }

    /// The schema of the input that a tool runs with: what the model gives, and what the tool adds.
    pub fn completed_schema(&self, name: &str) -> Option<&InputSchema> {
        self.tools.get(name).map(|entry| &entry.completed)
    }

    /// The schema of the input that the model gives.
    pub fn schema(&self, name: &str) -> Option<&InputSchema> {
        self.tools.get(name).map(|entry| &entry.schema)
    }

    /// The definitions of these tools, in this order. Unknown names are left out.
    pub fn definitions_for(&self, enabled: &[String]) -> Vec<ToolDefinition> {
        enabled.iter().filter_map(|name| self.get(name)).map(|tool| tool.definition()).collect()
    }

    /// All tools, by name.
    pub fn tools(&self) -> impl Iterator<Item = &dyn Tool> {
        self.tools.values().map(|entry| &*entry.tool)
    }

    /// All names, sorted.
    pub fn names(&self) -> Vec<String> {
        self.tools.keys().cloned().collect()
    }
}
