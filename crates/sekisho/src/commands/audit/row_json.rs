//! Rows as JSON.

use std::io::Write;

use sekisho_gate::audit::ChainRow;
use serde::Serialize;
use serde_json::{Value, json};

use crate::failure::Failure;

/// A row for reading: what is not there is left out, and the rest of it is JSON inside JSON no more.
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

/// One on a line.
pub(super) fn write_json_line(out: &mut impl Write, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, value)?;
    Ok(writeln!(out)?)
}
