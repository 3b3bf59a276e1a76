//! Records of key rotation, pruning and purging.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::answer::Actor;
use crate::ledger::{Ledger, LedgerFuture};
use crate::ledger_write_proof::WriteAccess;
use crate::record::{AuditEntry, AuditMessage, Record, RecordKind};

/// Records that a new key signs the audit log.
pub fn record_new_key(
    ledger: &dyn Ledger,
    key: u32,
    by: Option<Actor>,
    at: Timestamp,
) -> LedgerFuture<'_, ()> {
    note(ledger, AuditMessage::KeyAdded { key }, json!({ "action": "rotate-key", "key": key }), by, at)
}

/// Records that rows from before the given time are removed.
pub fn record_prune(
    ledger: &dyn Ledger,
    before: Timestamp,
    by: Option<Actor>,
    at: Timestamp,
) -> LedgerFuture<'_, ()> {
    note(ledger, AuditMessage::RowsRemoved { before }, json!({ "action": "prune", "before": before }), by, at)
}

/// Records that raw inputs from before the given time are deleted, and how many, if known.
pub fn record_purge(
    ledger: &dyn Ledger,
    before: Timestamp,
    inputs: Option<u64>,
    by: Option<Actor>,
    at: Timestamp,
) -> LedgerFuture<'_, ()> {
    let mut body = json!({ "action": "purge", "before": before });
    if let (Some(inputs), Some(fields)) = (inputs, body.as_object_mut()) {
        fields.insert("inputs".into(), inputs.into());
    }
    note(ledger, AuditMessage::InputsForgotten { before, inputs }, body, by, at)
}

fn note(
    ledger: &dyn Ledger,
    line: AuditMessage,
    body: Value,
    by: Option<Actor>,
    at: Timestamp,
) -> LedgerFuture<'_, ()> {
    let (text, body) = line.into_text_and_body(body);
    let entry = AuditEntry::without_call(RecordKind::Upkeep, at, by, text, body);
    ledger.append_records(&WriteAccess::GATE, vec![Record { entry, event: None }])
}
