//! Requests about calls, and their responses.

use schemars::JsonSchema;
use sekisho_gate::ExecutionId;
use sekisho_gate::refusal::RefusalCode;
use sekisho_policy::{
    Call, ConsideredRule, Danger, Decision, Descriptor, IdClaim, OnTimeout, SourcedDescriptor,
    UncheckedDescriptor, Verdict,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::access::Access;
use crate::auth::Identity;
use crate::error::ApiError;

/// Defines a request body that names a call: its own fields, and those that identify the call. `flatten`
/// would do the same, but accepts unknown fields.
macro_rules! body_with_call {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// The tool's name, as the agent calls it.
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
            /// The agent's id. It counts for an allow only if the token is bound to it.
            #[serde(default)]
            #[schemars(length(min = 1, max = 512))]
            pub agent_id: Option<String>,
            /// The directory the call would run in, absolute.
            #[serde(default)]
            #[schemars(length(max = 4096))]
            pub cwd: Option<String>,
            /// `false`: nobody can be asked, so a question is denied.
            #[serde(default)]
            pub supports_confirm: Option<bool>,
            /// What the tool does, and where its input holds commands, paths and addresses. It is only a
            /// claim: the verdict is never looser with it than without.
            #[serde(default)]
            pub descriptor: Option<UncheckedDescriptor>,
            $($own)*
        }

        impl $name {
            /// The call. Names are proven only as far as the caller's credential proves them.
            pub(crate) fn call(self, who: &Identity) -> Result<Call, ApiError> {
                let (tool_use_id, names_proven) = self.id_and_proof()?;
                let named = CallFields {
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
        /// The call's own id. A request with the same id joins the open question, or reads its answer.
        #[schemars(length(min = 1, max = 512))]
        pub tool_use_id: String,
        /// How long to wait for a human, in milliseconds; rounded up to whole seconds. Default: the timeout
        /// of the rule that asks, or 120 s.
        #[serde(default)]
        #[schemars(range(min = 1, max = 86_400_000))]
        pub timeout_ms: Option<u64>,
        /// What happens if nobody answers in time: the call is denied, or the question stays open.
        #[serde(default)]
        pub on_timeout: Option<OnTimeout>,
        /// `true`: ask a human even where questions are switched off (`TOOL_APPROVAL_ENABLED=false`). Hooks
        /// set this.
        #[serde(default)]
        pub always_ask: bool,
        /// The root of the project the session began in, absolute. Only this project's rules may loosen, and
        /// only if the project is registered.
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
        /// The call's own id; it has no effect here.
        #[serde(default)]
        #[schemars(length(min = 1, max = 512))]
        pub tool_use_id: Option<String>,
        /// `true`: judge as if the server and agent ids were proven. Not for agents.
        #[serde(default)]
        pub names_proven: bool,
    }
}

impl CanUseTool {
    /// The call's id, and whether its names are proven.
    fn id_and_proof(&self) -> Result<(Option<String>, bool), ApiError> {
        if self.project_root.as_deref().is_some_and(|root| root.chars().count() > 4096) {
            return Err(ApiError::invalid("`projectRoot` must be 0 to 4096 characters long"));
        }
        Ok((Some(self.tool_use_id.clone()), false))
    }
}

impl Decide {
    /// The call's id, and whether its names are proven.
    fn id_and_proof(&self) -> Result<(Option<String>, bool), ApiError> {
        Ok((self.tool_use_id.clone(), self.names_proven))
    }
}

/// A call as a request body names it.
struct CallFields {
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
    descriptor: Option<UncheckedDescriptor>,
}

impl CallFields {
    fn call(self, who: &Identity) -> Result<Call, ApiError> {
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
                let message = format!("`{field}` must be {least} to {most} characters long");
                return Err(ApiError::invalid(message));
            }
        }
        if self.cwd.as_deref().is_some_and(|cwd| !cwd.starts_with('/')) {
            return Err(ApiError::invalid("`cwd` must be an absolute path"));
        }
        if self.names_proven && !Access::READ.admits(who.role) {
            return Err(ApiError::forbidden("`namesProven` is not for agents").with_hint("leave it out"));
        }
        let descriptor = self.descriptor.map(Descriptor::try_from).transpose();
        let descriptor = descriptor.map_err(|error| {
            ApiError::invalid(format!("`descriptor.{}`: {}", error.field, error.message))
                .with_hint("leave `descriptor` out to have the call judged by its name")
        })?;
        let proven = |named: IdClaim| IdClaim { proven: named.proven || self.names_proven, ..named };
        Ok(Call {
            tool: self.tool_name,
            server: who.mcp_server(self.server_id).map(proven),
            input: Value::Object(self.input),
            agent: who.agent(self.agent_id)?.map(proven),
            workspace: self.workspace_id,
            conversation: self.conversation_id,
            run_id: self.run_id,
            call_id: self.tool_use_id,
            cwd: self.cwd,
            // Whatever a request says about a tool is only a claim.
            descriptor: descriptor.map(|tool| Box::new(SourcedDescriptor::claimed(tool))),
        })
    }
}

/// The response to a caller, in the form of the Claude Agent SDK's `canUseTool`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "behavior", rename_all = "snake_case")]
#[schemars(rename = "Permission")]
pub enum CanUseToolResponse {
    /// The call may run.
    #[serde(rename_all = "camelCase")]
    Allow {
        /// The input to run with, if a human changed it.
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_input: Option<Value>,
        /// The execution; report its end with `POST /api/executions/{id}`.
        execution_id: ExecutionId,
    },
    /// The call may not run.
    Deny {
        /// The reason, for the model.
        message: String,
        /// The kind of refusal.
        code: RefusalCode,
        /// Details of this refusal, if there are any.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// Whether to stop the run as well.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        interrupt: bool,
    },
}

/// How an allowed call ended.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Ended")]
pub struct ReportExecutionRequest {
    /// Whether it failed.
    pub is_error: bool,
    /// Its output. It is kept out of the audit log, and deleted with the call's input.
    #[serde(default)]
    pub output: Option<String>,
    /// How long it took, in milliseconds.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub duration_ms: Option<i64>,
}

/// What the verdict on a call would be. Advisory: it does not permit the call to run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Decided")]
pub struct DecideResponse {
    /// The decision.
    pub decision: Decision,
    /// The reason, in one sentence.
    pub reason: String,
    /// How dangerous the call is.
    pub danger: Danger,
    /// The whole verdict; not for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The rules that were considered, and the outcome of each; not for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub considered: Option<Vec<ConsideredRule>>,
}
