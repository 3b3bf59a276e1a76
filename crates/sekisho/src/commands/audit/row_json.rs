//! Records as JSON.

use std::io::Write;

use sekisho_gate::audit::ChainRow;
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;

/// A record for reading: absent fields are left out, and the body is nested JSON instead of a string.
pub(super) fn row_json(row: &ChainRow) -> Value {
    let body = serde_json::from_str(&row.body).unwrap_or_else(|_| Value::String(row.body.clone()));
    let mut value = json!({
        "at": row.at(),
        "writer": row.writer,
        "seq": row.seq,
        "kind": row.kind,
        "decision": row.decision,
        "tool": row.tool,
        "server": row.server,
        "agent": row.agent,
        "credential": row.credential,
        "approver": row.approver,
        "text": row.text,
        "call": row.call,
        "approval": row.approval,
        "execution": row.execution,
        "body": body,
        "key": row.key,
        "previous": row.previous,
        "code": row.code,
    });
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

/// Writes a value as one line of JSON.
pub(super) fn write_json_line(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value)?;
    Ok(writeln!(out)?)
}
