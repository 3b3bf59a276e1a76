//! A tool call, as the policy sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::descriptor::{Descriptor, DescriptorKind, DescriptorSource, SourcedDescriptor};

/// An agent or server id, and whether it is proven.
///
/// An allow rule that names an agent or a server matches only if the id is proven by the credential. A
/// claimed id can still match a deny or confirm rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct IdClaim {
    /// The agent's or server's id.
    pub id: String,
    /// The credential proves the id; it is not only claimed in the request.
    pub proven: bool,
}

impl IdClaim {
    /// An id proven by the credential.
    pub fn proven(id: impl Into<String>) -> IdClaim {
        IdClaim { id: id.into(), proven: true }
    }

    /// An id that the request only claims.
    pub fn claimed(id: impl Into<String>) -> IdClaim {
        IdClaim { id: id.into(), proven: false }
    }
}

/// One tool call, before it runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// The tool's name, as the agent gives it.
    pub tool: String,
    /// The MCP server the tool belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<IdClaim>,
    /// The tool's input.
    #[serde(default)]
    pub input: Value,
    /// The calling agent.
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
    /// The call's own id, unique within the caller's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The absolute directory the call would run in. Without it, relative paths are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the tool does, if a descriptor is known. Without it, the table of known tools is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor: Option<Box<SourcedDescriptor>>,
}

impl Call {
    /// A call of `tool` with `input` and no other information.
    pub fn new(tool: impl Into<String>, input: Value) -> Call {
        Call { tool: tool.into(), input, ..Call::default() }
    }

    /// The same call with a working directory.
    #[must_use]
    pub fn in_directory(mut self, cwd: impl Into<String>) -> Call {
        self.cwd = Some(cwd.into());
        self
    }

    /// The same call to a tool of an MCP server with a proven id.
    #[must_use]
    pub fn on_server(mut self, server: impl Into<String>) -> Call {
        self.server = Some(IdClaim::proven(server));
        self
    }

    /// The same call by an agent with a proven id.
    #[must_use]
    pub fn by_agent(mut self, agent: impl Into<String>) -> Call {
        self.agent = Some(IdClaim::proven(agent));
        self
    }

    /// The same call with a descriptor.
    #[must_use]
    pub fn with_descriptor(mut self, descriptor: SourcedDescriptor) -> Call {
        self.descriptor = Some(Box::new(descriptor));
        self
    }

    /// The descriptor, unless it is empty.
    pub(crate) fn descriptor(&self) -> Option<&SourcedDescriptor> {
        self.descriptor.as_deref().filter(|described| described.tool().kind() != DescriptorKind::Unknown)
    }

    /// Whether the call loads a skill that an administrator listed. Only a proven descriptor can tell.
    pub(crate) fn loads_listed_skill(&self) -> bool {
        let proven = self.proven_descriptor().is_some_and(|tool| tool.kind() == DescriptorKind::Skill);
        proven && self.input.get("source").and_then(Value::as_str) == Some("listed")
    }

    /// Whether the call is one of our own registry for sub-agents. Another agent's tool with such a name is not.
    pub(crate) fn manages_sub_agents(&self) -> bool {
        self.proven_descriptor().is_some_and(|tool| tool.kind() == DescriptorKind::SubAgents)
    }

    /// The descriptor, if it is proven. The registry proves descriptors of local tools, a pinned server those
    /// of its own tools.
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
