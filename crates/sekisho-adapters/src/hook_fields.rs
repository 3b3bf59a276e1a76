//! Typed access to an agent's JSON. Errors name the field that is missing or has the wrong type.

use sekisho_policy::{Call, IdClaim};
use serde_json::{Map, Value};

use crate::agent::Agent;
use crate::hook_request::HookRequestError;
use crate::mcp_tool_name::ToolName;

/// The object an agent sent.
pub(crate) struct HookFields<'a> {
    pub(crate) agent: Agent,
    fields: &'a Map<String, Value>,
}

impl<'a> HookFields<'a> {
    pub(crate) fn new(agent: Agent, fields: &'a Map<String, Value>) -> HookFields<'a> {
        HookFields { agent, fields }
    }

    pub(crate) fn error(&self, fault: impl AsRef<str>) -> HookRequestError {
        HookRequestError(format!("the request of {} cannot be used: {}", self.agent.title(), fault.as_ref()))
    }

    /// A field's value; null counts as missing.
    pub(crate) fn value(&self, field: &str) -> Option<&'a Value> {
        self.fields.get(field).filter(|value| !value.is_null())
    }

    /// A required string.
    pub(crate) fn text(&self, field: &str) -> Result<&'a str, HookRequestError> {
        self.maybe_text(field)?.ok_or_else(|| self.error(format!("`{field}` is missing or empty")))
    }

    /// An optional string. An empty string counts as missing.
    pub(crate) fn maybe_text(&self, field: &str) -> Result<Option<&'a str>, HookRequestError> {
        match self.value(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str()).filter(|text| !text.is_empty())),
            Some(_) => Err(self.error(format!("`{field}` is not a string"))),
        }
    }

    /// An optional object.
    pub(crate) fn maybe_object(&self, field: &str) -> Result<Option<HookFields<'a>>, HookRequestError> {
        match self.value(field) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(HookFields::new(self.agent, fields))),
            Some(_) => Err(self.error(format!("`{field}` is not an object"))),
        }
    }

    /// A directory. A relative path is rejected, because its base is unknown.
    pub(crate) fn directory(&self, field: &str) -> Result<Option<String>, HookRequestError> {
        match self.maybe_text(field)? {
            Some(path) if !path.starts_with('/') => {
                Err(self.error(format!("`{field}` is not an absolute path")))
            }
            path => Ok(path.map(str::to_owned)),
        }
    }

    /// The whole input of a tool.
    pub(crate) fn input(&self, field: &str) -> Result<Value, HookRequestError> {
        match self.value(field) {
            Some(input @ Value::Object(_)) => Ok(input.clone()),
            Some(_) => Err(self.error(format!("`{field}` is not an object"))),
            None => Err(self.error(format!("`{field}` is missing"))),
        }
    }

    /// A duration in milliseconds. Anything but a whole number is ignored: no decision depends on it.
    pub(crate) fn duration(&self, field: &str) -> Option<i64> {
        self.value(field).and_then(Value::as_i64)
    }

    /// The call, read from Claude Code's field names, which other agents adopted.
    pub(crate) fn call(&self, name: ToolName, input: Value) -> Result<Call, HookRequestError> {
        Ok(Call {
            tool: name.tool,
            server: name.server.map(IdClaim::claimed),
            input,
            agent: Some(IdClaim::claimed(self.agent.name())),
            run_id: Some(self.text("session_id")?.to_owned()),
            call_id: self.maybe_text("tool_use_id")?.map(str::to_owned),
            cwd: self.directory("cwd")?,
            ..Call::default()
        })
    }
}
