//! The import of spools: lines that hooks wrote while no server ran.

use jiff::Timestamp;
use serde_json::json;

use super::audit_log::AuditLog;
use super::chain_row::WriterId;
use crate::ledger::LedgerFuture;
use crate::ledger_write_proof::WriteAccess;
use crate::record::{AuditEntry, AuditMessage, RecordKind};

/// Imports lines that a hook wrote while no server ran, with [`AuditLog::import_spool`]. A line that
/// cannot be read keeps its position and is recorded as unreadable, so nothing disappears.
pub fn import_spool<'a>(
    audit: &'a dyn AuditLog,
    spool: WriterId,
    first: u64,
    lines: &[String],
    now: Timestamp,
) -> LedgerFuture<'a, u64> {
    let entries = lines.iter().map(|line| spooled(line, now)).collect();
    audit.import_spool(&WriteAccess::GATE, spool, first, entries)
}

fn spooled(line: &str, now: Timestamp) -> AuditEntry {
    let entry = serde_json::from_str(line).map_err(|error| error.to_string());
    let entry = entry.and_then(|entry: AuditEntry| match forgery_reason(&entry) {
        Some(why) => Err(why.to_owned()),
        None => Ok(entry),
    });
    entry.unwrap_or_else(|error| {
        let (text, body) =
            AuditMessage::SpoolUnread.into_text_and_body(json!({ "line": line, "error": error }));
        AuditEntry::without_call(RecordKind::Upkeep, now, None, text, body)
    })
}

/// Why a line cannot come from a hook. Spools are files of the user that agents run as, so a line there
/// may not claim a person, an approval, another credential, or maintenance of the log.
fn forgery_reason(entry: &AuditEntry) -> Option<&'static str> {
    let own = |credential: &String| credential.starts_with("hook:");
    match &entry.kind {
        RecordKind::Verdict | RecordKind::Execution => {}
        _ => return Some("a hook writes only verdicts and executions"),
    }
    if entry.by.is_some() || entry.approval.is_some() {
        return Some("a hook cannot record an answer");
    }
    (!entry.credential.as_ref().is_none_or(own)).then_some("a hook cannot use another credential")
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn spool_cannot_forge_gate_records() {
        let line = |kind: &str, more: Value| {
            let mut line = json!({ "at": "2026-11-03T12:00:00Z", "kind": kind, "text": "x" });
            if let (Some(line), Value::Object(more)) = (line.as_object_mut(), more) {
                line.extend(more);
            }
            spooled(&line.to_string(), Timestamp::UNIX_EPOCH)
        };
        for kind in ["verdict", "execution"] {
            assert_eq!(line(kind, json!({})).kind.name(), kind);
            assert_eq!(line(kind, json!({ "credential": "hook:1000" })).kind.name(), kind);
        }
        let forged = RecordKind::BUILTIN
            .iter()
            .map(RecordKind::name)
            .filter(|kind| !["verdict", "execution"].contains(kind));
        for kind in forged.chain(["agent.run_started", "quota"]) {
            let entry = line(kind, json!({}));
            assert_eq!((entry.kind, entry.at), (RecordKind::Upkeep, Timestamp::UNIX_EPOCH), "{kind}");
            assert!(entry.body.to_string().contains(kind), "the original line is kept");
        }
        for more in [
            json!({ "by": { "rule": "x" } }),
            json!({ "approval": "01933b2c-0000-7000-8000-000000000000" }),
            json!({ "credential": "token:ann" }),
        ] {
            assert_eq!(line("verdict", more.clone()).kind, RecordKind::Upkeep, "{more}");
        }
    }
}
