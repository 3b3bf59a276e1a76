//! The audit records of agents and their runs.

use sekisho_gate::Gate;
use sekisho_gate::answer::Actor;
use sekisho_gate::registered_records::{Component, ComponentError, ComponentRecord, Recorder};
use serde_json::{Value, json};

/// The longest body of a record, as JSON text. The gate takes a little more.
const LONGEST_BODY: usize = 48 << 10;

/// A record about an agent. If the body is too long, only its field `agent` is recorded.
pub fn line(agent: &str, text: String, body: Value, by: Actor) -> ComponentRecord {
    let body = match body.to_string().len() > LONGEST_BODY {
        true => json!({ "agent": body.get("agent") }),
        false => body,
    };
    ComponentRecord { text, body, by: Some(by), agent: Some(agent.to_owned()), ..ComponentRecord::default() }
}

/// Registers the kinds `agent.created` and so on. A gate takes them once.
pub fn register(gate: &Gate) -> Result<Recorder, ComponentError> {
    let about = |more: &[&str]| {
        let mut fields = json!({ "agent": { "type": "string" } });
        for name in more {
            if let Some(fields) = fields.as_object_mut() {
                fields.insert((*name).to_owned(), json!({}));
            }
        }
        json!({ "type": "object", "properties": fields, "required": ["agent"], "additionalProperties": false })
    };
    let component = Component::new("agent")
        .kind("created", about(&["settings"]))
        .kind("updated", about(&["settings"]))
        .kind("deleted", about(&[]))
        .kind("tools_changed", about(&["tools"]))
        .kind("run_started", about(&["run"]))
        .kind("run_interrupted", about(&["run"]))
        .kind("run_aborted", about(&["run"]))
        .kind("run_ended", about(&["run", "reason", "replies", "usage", "cost_usd"]));
    gate.register(component)
}
