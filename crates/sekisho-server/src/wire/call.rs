//! Calls as they are asked about.

use schemars::JsonSchema;
use sekisho_gate::ExecutionId;
use sekisho_gate::refusal::RefusalCode;
use sekisho_policy::{
    Call, Considered, Danger, Decision, Described, Descriptor, Named, OnTimeout, Verdict, WrittenDescriptor,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::access::Access;
use crate::auth::Identity;
use crate::error::Fault;

/// Writes a body that names a call: its own fields, and those that say which call it is. `flatten` would do the same, but
/// lets unknown fields pass.
macro_rules! body_with_call {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// The tool's name, as the agent says it.
            #[schemars(length(min = 1, max = 256))]
            pub tool_name: String,
            /// The MCP server the tool belongs to.
            #[serde(default)]
            #[schemars(length(min = 1, max = 512))]
            pub server_id: Option<String>,
            /// A label for the workspace; never a path.
            #[serde(default)]
            #[schemars(length(max = 512))]
            pub workspace_id: Option<String>,
            /// The conversation the call belongs to.
            #[serde(default)]
            #[schemars(length(max = 512))]
            pub conversation_id: Option<String>,
            /// The run the call belongs to.
            #[serde(default)]
            #[schemars(length(max = 512))]
            pub run_id: Option<String>,
            /// Who is asking. Counts for an allow only where the token is bound to it.
            #[serde(default)]
            #[schemars(length(min = 1, max = 512))]
            pub agent_id: Option<String>,
            /// The directory the call would run in, absolute.
            #[serde(default)]
            #[schemars(length(max = 4096))]
            pub cwd: Option<String>,
            /// `false`: nobody can be asked, so a question is a no.
            #[serde(default)]
            pub supports_confirm: Option<bool>,
            /// What the tool does and where in its input the commands, paths and addresses stand. A claim: the verdict is
            /// never looser with it than without.
            #[serde(default)]
            pub descriptor: Option<WrittenDescriptor>,
            $($own)*
        }

        impl $name {
            /// The call, with names as far as they can be taken from whoever asks.
            pub(crate) fn call(self, who: &Identity) -> Result<Call, Fault> {
                let (tool_use_id, names_proven) = self.id_and_proof()?;
                let named = NamedCall {
                    tool_name: self.tool_name,
                    input: self.input,
                    tool_use_id,
                    server_id: self.server_id,
                    workspace_id: self.workspace_id,
                    conversation_id: self.conversation_id,
                    run_id: self.run_id,
                    agent_id: self.agent_id,
                    cwd: self.cwd,
                    names_proven,
                    descriptor: self.descriptor,
                };
                named.call(who)
            }
        }
    };
}

body_with_call! {
    /// A call that wants to run.
    pub struct CanUseTool {
        /// The tool's input.
        pub input: Map<String, Value>,
        /// The call's own id. Asking again under it joins the question, or reads its answer.
        #[schemars(length(min = 1, max = 512))]
        pub tool_use_id: String,
        /// How long to wait for a human, in milliseconds; rounded up to whole seconds. Without it the rule that asks says so, or 120 s.
        #[serde(default)]
        #[schemars(range(min = 1, max = 86_400_000))]
        pub timeout_ms: Option<u64>,
        /// What happens when nobody answers in time: turned back, or the question stays open without an end.
        #[serde(default)]
        pub on_timeout: Option<OnTimeout>,
        /// `true`: a human is asked even where questions are switched off (`TOOL_APPROVAL_ENABLED=false`). Hooks say so.
        #[serde(default)]
        pub always_ask: bool,
        /// The root of the project the session began in, absolute. Its rules loosen only where it is registered here; no other
        /// project's do.
        #[serde(default)]
        #[schemars(length(max = 4096))]
        pub project_root: Option<String>,
        /// The JSON Schema of the tool's input, up to 64 KiB. Where a human edits the input, it is checked by this first.
        #[serde(default)]
        pub input_schema: Option<Map<String, Value>>,
    }
}

body_with_call! {
    /// A call to judge, without asking anyone.
    pub struct Decide {
        /// The tool's input.
        #[serde(default)]
        pub input: Map<String, Value>,
        /// The call's own id; nothing depends on it here.
        #[serde(default)]
        #[schemars(length(min = 1, max = 512))]
        pub tool_use_id: Option<String>,
        /// `true`: what it would be for somebody whose server and agent are proven to be what they say. Not for agents.
        #[serde(default)]
        pub names_proven: bool,
    }
}

impl CanUseTool {
    /// The call's id, and whether its names are proven.
    fn id_and_proof(&self) -> Result<(Option<String>, bool), Fault> {
        if self.project_root.as_deref().is_some_and(|root| root.chars().count() > 4096) {
            return Err(Fault::invalid("`projectRoot` has to be 0 to 4096 characters long"));
        }
        Ok((Some(self.tool_use_id.clone()), false))
    }
}

impl Decide {
    /// The call's id, and whether its names are proven.
    fn id_and_proof(&self) -> Result<(Option<String>, bool), Fault> {
        Ok((self.tool_use_id.clone(), self.names_proven))
    }
}

/// A call as a body names it.
struct NamedCall {
    tool_name: String,
    input: Map<String, Value>,
    tool_use_id: Option<String>,
    server_id: Option<String>,
    workspace_id: Option<String>,
    conversation_id: Option<String>,
    run_id: Option<String>,
    agent_id: Option<String>,
    cwd: Option<String>,
    names_proven: bool,
    descriptor: Option<WrittenDescriptor>,
}

impl NamedCall {
    fn call(self, who: &Identity) -> Result<Call, Fault> {
        let limits: [(&str, Option<&str>, usize, usize); 8] = [
            ("toolName", Some(&self.tool_name), 1, 256),
            ("toolUseId", self.tool_use_id.as_deref(), 1, 512),
            ("serverId", self.server_id.as_deref(), 1, 512),
            ("workspaceId", self.workspace_id.as_deref(), 0, 512),
            ("conversationId", self.conversation_id.as_deref(), 0, 512),
            ("runId", self.run_id.as_deref(), 0, 512),
            ("agentId", self.agent_id.as_deref(), 1, 512),
            ("cwd", self.cwd.as_deref(), 0, 4096),
        ];
        for (field, value, least, most) in limits {
            let length = value.map(|value| value.chars().count());
            if length.is_some_and(|length| length < least || length > most) {
                let message = format!("`{field}` has to be {least} to {most} characters long");
                return Err(Fault::invalid(message));
            }
        }
        if self.cwd.as_deref().is_some_and(|cwd| !cwd.starts_with('/')) {
            return Err(Fault::invalid("`cwd` has to be an absolute path"));
        }
        if self.names_proven && !Access::READ.admits(who.role) {
            return Err(Fault::forbidden("`namesProven` is not for agents").hint("leave it out"));
        }
        let descriptor = self.descriptor.map(Descriptor::try_from).transpose();
        let descriptor = descriptor.map_err(|error| {
            Fault::invalid(format!("`descriptor.{}`: {}", error.field, error.message))
                .hint("leave `descriptor` out to have the call judged by its name")
        })?;
        let proven = |named: Named| Named { proven: named.proven || self.names_proven, ..named };
        Ok(Call {
            tool: self.tool_name,
            server: who.server(self.server_id).map(proven),
            input: Value::Object(self.input),
            agent: who.agent(self.agent_id)?.map(proven),
            workspace: self.workspace_id,
            conversation: self.conversation_id,
            run_id: self.run_id,
            call_id: self.tool_use_id,
            cwd: self.cwd,
            // Whatever a request says of a tool, it only says it.
            descriptor: descriptor.map(|tool| Box::new(Described::claimed(tool))),
        })
    }
}

/// What a caller is told, in the form of the Claude Agent SDK's `canUseTool`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "behavior", rename_all = "snake_case")]
pub enum Permission {
    /// The call may run.
    #[serde(rename_all = "camelCase")]
    Allow {
        /// The input to run with, where a human changed it.
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_input: Option<Value>,
        /// The run of the tool; `POST /api/executions/{id}` tells how it ended.
        execution_id: ExecutionId,
    },
    /// It may not.
    Deny {
        /// Why, for the model.
        message: String,
        /// Which kind of refusal it is.
        code: RefusalCode,
        /// What is special about this one, where something is.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// Stop the run as well.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        interrupt: bool,
    },
}

/// How a call ended that was let through.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ended {
    /// Whether it failed.
    pub is_error: bool,
    /// What it gave; kept out of the log, forgotten with the call's input.
    #[serde(default)]
    pub output: Option<String>,
    /// How long it took.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub duration_ms: Option<i64>,
}

/// What the verdict on a call would be. Advisory: nothing may run on its word.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decided {
    /// What was decided.
    pub decision: Decision,
    /// Why, in a sentence.
    pub reason: String,
    /// How much care the call wants.
    pub danger: Danger,
    /// All of it; not for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The rules that were looked at, and what came of each; not for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub considered: Option<Vec<Considered>>,
}
