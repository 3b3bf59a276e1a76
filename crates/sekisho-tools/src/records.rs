//! The audit records and events of executions.

use sekisho_gate::Gate;
use sekisho_gate::registered_records::{Component, ComponentError, ComponentRecord, Recorder};
use serde_json::json;

use crate::permitted_call::PermittedCall;
use crate::tool_result::{ProcessEnd, ToolResult};

/// Records the start and the end of executions.
#[derive(Clone)]
pub(crate) struct ExecutionRecords {
    recorder: Recorder,
    credential: String,
}

/// Registers the kinds `tool.execution_started` and `tool.execution_completed`. Both are published to feeds.
pub(crate) fn register(gate: &Gate) -> Result<Recorder, ComponentError> {
    let started = json!({
        "type": "object",
        "properties": { "input": {}, "sandbox": { "type": "string" } },
        "required": ["sandbox"],
        "additionalProperties": false,
    });
    let completed = json!({
        "type": "object",
        "properties": {
            "is_error": { "type": "boolean" },
            "duration_ms": { "type": "integer" },
            "exit_code": { "type": ["integer", "null"] },
            "signal": { "type": ["integer", "null"] },
            "sandbox": { "type": ["string", "null"] },
        },
        "required": ["is_error", "duration_ms"],
        "additionalProperties": false,
    });
    let component = Component::new("tool");
    gate.register(component.event("execution_started", started).event("execution_completed", completed))
}

/// The longest input in a record, as JSON text.
const MAX_INPUT: usize = 16 << 10;

impl ExecutionRecords {
    pub(crate) fn new(recorder: Recorder, credential: String) -> ExecutionRecords {
        ExecutionRecords { recorder, credential }
    }

    pub(crate) async fn started(&self, call: &PermittedCall, sandbox: &str) -> Result<(), ComponentError> {
        let tool = &call.call().tool;
        let input = Some(call.input()).filter(|input| input.to_string().len() <= MAX_INPUT);
        let body = match input {
            Some(input) => json!({ "sandbox": sandbox, "input": input }),
            None => json!({ "sandbox": sandbox }),
        };
        let line = self.line(call, format!("`{tool}` started"), body);
        self.recorder.record("execution_started", line).await
    }

    pub(crate) async fn completed(
        &self,
        about: ComponentRecord,
        result: &ToolResult,
    ) -> Result<(), ComponentError> {
        let tool = about.tool.clone().unwrap_or_default();
        let millis = result.duration.as_millis();
        let how = match (result.is_error, result.exit) {
            (true, _) => "failed".to_owned(),
            (false, Some(ProcessEnd::Exited(code))) => format!("exited with {code}"),
            (false, Some(ProcessEnd::Signalled(signal))) => format!("was ended by signal {signal}"),
            (false, None) => "completed".to_owned(),
        };
        let (code, signal) = match result.exit {
            Some(ProcessEnd::Exited(code)) => (Some(code), None),
            Some(ProcessEnd::Signalled(signal)) => (None, Some(signal)),
            None => (None, None),
        };
        let body = json!({
            "is_error": result.is_error,
            "duration_ms": i64::try_from(millis).unwrap_or(i64::MAX),
            "exit_code": code,
            "signal": signal,
            "sandbox": result.sandbox.map(|level| level.name()),
        });
        let line = ComponentRecord { text: format!("`{tool}` {how} after {millis} ms"), body, ..about };
        self.recorder.record("execution_completed", line).await
    }

    /// A record about a call.
    pub(crate) fn line(
        &self,
        call: &PermittedCall,
        text: String,
        body: serde_json::Value,
    ) -> ComponentRecord {
        ComponentRecord {
            text,
            body,
            by: None,
            call: None,
            approval: call.approval(),
            execution: Some(call.execution()),
            tool: Some(call.call().tool.clone()),
            agent: call.call().agent.as_ref().map(|agent| agent.id.clone()),
            credential: Some(self.credential.clone()),
        }
    }
}
