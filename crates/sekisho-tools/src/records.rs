//! The audit records and events of executions, and the input that is stored with them.

use sekisho_gate::registered_records::{Component, ComponentError, ComponentRecord, Recorder};
use sekisho_gate::{Gate, Receipt};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

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
        "properties": { "input": {}, "sandbox": { "type": ["string", "null"] } },
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

/// The longest text of an input in a record, in bytes. Longer ones are replaced by their length and digest.
const MAX_TEXT: usize = 24 << 10;
/// The longest input in a record, as JSON text.
const MAX_INPUT: usize = 48 << 10;

/// An input for the record. A long text is left out as a whole: half of a secret would not be recognised and
/// masked. Its digest proves what it was. If the input is still too long, only that of its JSON text is left.
fn recorded_input(input: &Value) -> Value {
    let short = with_short_texts(input);
    if short.to_string().len() <= MAX_INPUT { short } else { json!(left_out(&input.to_string())) }
}

/// What stands for a text that is left out.
fn left_out(text: &str) -> String {
    let digest: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("({} bytes, SHA-256 {digest})", text.len())
}

/// A result for the execution's row. It repeats the command, which is in the row's input, where it is masked.
pub(crate) fn recorded_output(content: &str) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(content) else { return content.to_owned() };
    match fields.remove("command") {
        Some(_) => Value::Object(fields).to_string(),
        None => content.to_owned(),
    }
}

fn with_short_texts(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > MAX_TEXT => json!(left_out(text)),
        Value::Array(items) => items.iter().map(with_short_texts).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), with_short_texts(value))).collect()
        }
        other => other.clone(),
    }
}

impl ExecutionRecords {
    pub(crate) fn new(recorder: Recorder, credential: String) -> ExecutionRecords {
        ExecutionRecords { recorder, credential }
    }

    /// Records that a call begins: in the audit log, and with its masked input in the execution's row.
    /// `sandbox` is the level of the tool's programs, if it starts any.
    pub(crate) async fn started(
        &self,
        call: &PermittedCall,
        receipt: &Receipt,
        sandbox: Option<&str>,
    ) -> Result<(), ComponentError> {
        let tool = &call.call().tool;
        let body = json!({ "sandbox": sandbox, "input": recorded_input(call.input()) });
        let line = self.line(call, format!("`{tool}` started"), body);
        self.recorder.record_start("execution_started", line, receipt, sandbox).await
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
    pub(crate) fn line(&self, call: &PermittedCall, text: String, body: Value) -> ComponentRecord {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: Value, expected: Value) {
        assert_eq!(recorded_input(&input), expected);
    }

    #[test]
    fn long_texts_are_left_out_whole() {
        let long = "a".repeat(MAX_TEXT + 1);
        // `head -c 24577 /dev/zero | tr '\\0' a | sha256sum`
        let digest = "3a25c3a1c66a11193503fa926656f2c96fdec8c49820fdb48635559494ec1f50";
        let short = format!("(24577 bytes, SHA-256 {digest})");
        check(json!({ "path": "doc/a", "content": long }), json!({ "path": "doc/a", "content": short }));
        check(json!({ "args": { "files": [long] } }), json!({ "args": { "files": [short] } }));
        let kept = "a".repeat(MAX_TEXT);
        check(json!({ "content": kept }), json!({ "content": kept }));
    }

    #[test]
    fn input_of_many_texts_is_left_out() {
        let input = json!(vec!["a".repeat(MAX_TEXT); 5]);
        check(input.clone(), json!(left_out(&input.to_string())));
    }

    #[test]
    fn stored_output_does_not_repeat_the_command() {
        for (content, expected) in [
            (r#"{"command":"login --password x","exit_code":0}"#, r#"{"exit_code":0}"#),
            (r#"{"output":"x","success":true}"#, r#"{"output":"x","success":true}"#),
            ("Command timed out", "Command timed out"),
        ] {
            assert_eq!(recorded_output(content), expected);
        }
    }
}
