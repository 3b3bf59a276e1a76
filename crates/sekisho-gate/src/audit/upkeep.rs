//! What is done to the record is on the record.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::chain::WriterId;
use super::port::Audit;
use crate::access::WriteAccess;
use crate::answer::By;
use crate::ledger::{Kept, Ledger};
use crate::record::{Entry, Kind, Record, RecordLine};

/// Records that another key signs the record.
pub fn note_key(ledger: &dyn Ledger, key: u32, by: Option<By>, at: Timestamp) -> Kept<'_, ()> {
    note(ledger, RecordLine::KeyAdded { key }, json!({ "action": "rotate-key", "key": key }), by, at)
}

/// Records that rows from before a moment are removed.
pub fn note_prune(ledger: &dyn Ledger, before: Timestamp, by: Option<By>, at: Timestamp) -> Kept<'_, ()> {
    note(ledger, RecordLine::RowsRemoved { before }, json!({ "action": "prune", "before": before }), by, at)
}

/// Records that raw inputs from before a moment are forgotten: how many, where that is known.
pub fn note_purge(
    ledger: &dyn Ledger,
    before: Timestamp,
    inputs: Option<u64>,
    by: Option<By>,
    at: Timestamp,
) -> Kept<'_, ()> {
    let mut body = json!({ "action": "purge", "before": before });
    if let (Some(inputs), Some(fields)) = (inputs, body.as_object_mut()) {
        fields.insert("inputs".into(), inputs.into());
    }
    note(ledger, RecordLine::InputsForgotten { before, inputs }, body, by, at)
}

fn note(ledger: &dyn Ledger, line: RecordLine, body: Value, by: Option<By>, at: Timestamp) -> Kept<'_, ()> {
    let (text, body) = line.told(body);
    let entry = Entry::plain(Kind::Upkeep, at, by, text, body);
    ledger.note(&WriteAccess::GATE, vec![Record { entry, change: None }])
}

/// Takes in lines that a hook wrote while no server ran: [`Audit::take_in`]. One that cannot be read keeps its place, and
/// says so: nothing vanishes.
pub fn take_in_spool<'a>(
    audit: &'a dyn Audit,
    spool: WriterId,
    first: u64,
    lines: &[String],
    now: Timestamp,
) -> Kept<'a, u64> {
    let entries = lines.iter().map(|line| spooled(line, now)).collect();
    audit.take_in(&WriteAccess::GATE, spool, first, entries)
}

fn spooled(line: &str, now: Timestamp) -> Entry {
    let entry = serde_json::from_str(line).map_err(|error| error.to_string());
    let entry = entry.and_then(|entry: Entry| match not_a_hooks(&entry) {
        Some(why) => Err(why.to_owned()),
        None => Ok(entry),
    });
    entry.unwrap_or_else(|error| {
        let (text, body) = RecordLine::SpoolUnread.told(json!({ "line": line, "error": error }));
        Entry::plain(Kind::Upkeep, now, None, text, body)
    })
}

/// Why a line is none that a hook writes. Agents run as the user whose files spools are: a line there speaks for no person, no
/// question, no other credential, and not for the record itself.
fn not_a_hooks(entry: &Entry) -> Option<&'static str> {
    let own = |credential: &String| credential.starts_with("hook:");
    match &entry.kind {
        Kind::Verdict | Kind::Execution => {}
        _ => return Some("a hook tells of verdicts and executions alone"),
    }
    if entry.by.is_some() || entry.approval.is_some() {
        return Some("a hook tells of no answers");
    }
    (!entry.credential.as_ref().is_none_or(own)).then_some("a hook speaks for no other credential")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spool_forges_no_line_of_the_gate() {
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
        let forged = Kind::OWN.iter().map(Kind::name).filter(|kind| !["verdict", "execution"].contains(kind));
        for kind in forged.chain(["agent.run_started", "quota"]) {
            let entry = line(kind, json!({}));
            assert_eq!((entry.kind, entry.at), (Kind::Upkeep, Timestamp::UNIX_EPOCH), "{kind}");
            assert!(entry.body.to_string().contains(kind), "what stood there is kept");
        }
        for more in [
            json!({ "by": { "rule": "x" } }),
            json!({ "approval": "01933b2c-0000-7000-8000-000000000000" }),
            json!({ "credential": "token:ann" }),
        ] {
            assert_eq!(line("verdict", more.clone()).kind, Kind::Upkeep, "{more}");
        }
    }
}
