//! What an agent wants to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::descriptor::{Descriptor, DescriptorKind, DescriptorSource, SourcedDescriptor};

/// A name, and whether it can be taken at its word.
///
/// An allow that names an agent or a server counts only where the name is proven by the credential; what is only claimed
/// can still match a deny or a confirm.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct IdClaim {
    /// The agent's or server's id.
    pub id: String,
    /// Known by the credential, not only said in the request.
    pub proven: bool,
}

impl IdClaim {
    /// A name known by the credential.
    pub fn proven(id: impl Into<String>) -> IdClaim {
        IdClaim { id: id.into(), proven: true }
    }

    /// A name the request merely says.
    pub fn claimed(id: impl Into<String>) -> IdClaim {
        IdClaim { id: id.into(), proven: false }
    }
}

/// One tool call, before it runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// The tool's name, as the agent says it.
    pub tool: String,
    /// The MCP server the tool belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<IdClaim>,
    /// The tool's input.
    #[serde(default)]
    pub input: Value,
    /// Who is asking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<IdClaim>,
    /// A label for the workspace; never a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The conversation the call belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The run, conversation or agent session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The call's own id, unique within the asker's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The directory the call would run in, absolute. Without it relative paths are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the tool does, where somebody says so. Without it the table of known tools tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<Box<SourcedDescriptor>>,
}

impl Call {
    /// A call of `tool` with `input` and nothing else known.
    pub fn new(tool: impl Into<String>, input: Value) -> Call {
        Call { tool: tool.into(), input, ..Call::default() }
    }

    /// The same call in a directory.
    #[must_use]
    pub fn in_directory(mut self, cwd: impl Into<String>) -> Call {
        self.cwd = Some(cwd.into());
        self
    }

    /// The same call to a tool of an MCP server whose name is proven.
    #[must_use]
    pub fn on_server(mut self, server: impl Into<String>) -> Call {
        self.server = Some(IdClaim::proven(server));
        self
    }

    /// The same call by an agent whose name is proven.
    #[must_use]
    pub fn by_agent(mut self, agent: impl Into<String>) -> Call {
        self.agent = Some(IdClaim::proven(agent));
        self
    }

    /// The same call to a tool that somebody describes.
    #[must_use]
    pub fn with_descriptor(mut self, descriptor: SourcedDescriptor) -> Call {
        self.descriptor = Some(Box::new(descriptor));
        self
    }

    /// What the tool does, where that is said at all; nothing for a descriptor that says nothing.
    pub(crate) fn descriptor(&self) -> Option<&SourcedDescriptor> {
        self.descriptor.as_deref().filter(|described| described.tool().kind() != DescriptorKind::Unknown)
    }

    /// What the tool is proven to do. A registry speaks for the tools that run here, a pinned server for its own.
    pub fn proven_descriptor(&self) -> Option<&Descriptor> {
        let described = self.descriptor()?;
        let proven = match described.by() {
            DescriptorSource::Caller => false,
            DescriptorSource::Registry => self.server.is_none(),
            DescriptorSource::PinnedServer => self.server.as_ref().is_some_and(|server| server.proven),
        };
        proven.then(|| described.tool())
    }
}
