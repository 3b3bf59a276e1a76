//! An audit entry whose secrets are masked; the only form that a chain writer accepts.
//!
//! Searching long text for secrets takes long, and a store has one writer that everybody waits for. So
//! entries are masked before they reach the writer, and a [`ChainWriter`](super::ChainWriter) takes
//! only masked ones.

use serde_json::json;
use uuid::Uuid;

use super::chain_row::{ChainRow, WriterId};
use super::mac::Mac;
use crate::TokenId;
use crate::answer::{Actor, Approver};
use crate::mask::{Masks, RowMasks};
use crate::memory_size::json_size;
use crate::record::AuditEntry;

/// Masking more than this many bytes may take too long for a thread that serves others.
const LIGHT: usize = 8 << 10;

/// An entry without secrets, each field on one line. Untrusted text gets in only through
/// [`MaskedEntry::new`].
#[derive(Clone, Debug)]
pub struct MaskedEntry {
    entry: AuditEntry,
    /// The row without its position in a chain.
    row: ChainRow,
}

impl MaskedEntry {
    /// Masks the secrets of an entry.
    pub fn new(entry: AuditEntry, masks: &Masks) -> MaskedEntry {
        let masks = masks.of_named_row(names(&entry), [entry.text.as_str()], [&entry.body, &entry.context.0]);
        let row = row(&entry, &masks);
        MaskedEntry { entry, row }
    }

    /// An entry of our own codes and numbers, which must stay unchanged.
    pub(super) fn trusted(entry: AuditEntry) -> MaskedEntry {
        let row =
            ChainRow { text: entry.text.clone(), body: entry.body.to_string(), ..row_without_text(&entry) };
        MaskedEntry { entry, row }
    }

    /// Whether this was made from exactly this entry, including its secret context.
    pub fn matches(&self, entry: &AuditEntry) -> bool {
        self.entry == *entry && self.entry.context.0 == entry.context.0
    }

    /// Whether masking these entries is faster than handing them to another thread.
    pub fn is_quick<'e>(entries: impl IntoIterator<Item = &'e AuditEntry>) -> bool {
        let mut left = LIGHT;
        entries.into_iter().all(|entry| {
            let heavy = json_size(&(&entry.text, &entry.body, &entry.context.0), left);
            let fits = heavy <= left;
            left = left.saturating_sub(heavy);
            fits
        })
    }

    pub(super) fn row(&self) -> &ChainRow {
        &self.row
    }
}

/// The masked entries of one request to a store's writer.
#[derive(Clone, Debug, Default)]
pub struct MaskedEntries(Vec<MaskedEntry>);

impl MaskedEntries {
    /// Masks these entries too.
    pub fn add(&mut self, entries: Vec<AuditEntry>, masks: &Masks) {
        self.0.extend(entries.into_iter().map(|entry| MaskedEntry::new(entry, masks)));
    }

    /// The masked form of this entry. Looks at the given index first.
    pub fn get(&self, index: usize, entry: &AuditEntry) -> Option<&MaskedEntry> {
        let there = self.0.get(index).filter(|masked| masked.matches(entry));
        there.or_else(|| self.0.iter().find(|masked| masked.matches(entry)))
    }
}

fn row(entry: &AuditEntry, masks: &RowMasks<'_>) -> ChainRow {
    let name = |text: &String| masks.name(text);
    let body = masks.value(&entry.body);
    ChainRow {
        tool: entry.tool.as_ref().map(name),
        server: entry.server.as_ref().map(name),
        agent: entry.agent.as_ref().map(name),
        credential: entry.credential.as_ref().map(|text| credential(text, masks)),
        approver: entry.by.as_ref().map(|by| match by {
            Actor::Person(person) => name(&person.name),
            Actor::Rule(_) => "rule".into(),
        }),
        text: masks.line(&entry.text),
        body: match (&entry.by, body) {
            (None, body) => body.to_string(),
            (Some(by), body) => {
                // Field by field: the name of a credential is not a secret and identifies the person.
                let by = match by {
                    Actor::Rule(rule) => Actor::Rule(name(rule)),
                    Actor::Person(person) => Actor::Person(Approver {
                        credential: credential(&person.credential, masks),
                        name: name(&person.name),
                        role: person.role,
                        device: person.device.as_ref().map(name),
                        how: name(&person.how),
                    }),
                };
                json!({ "by": by, "about": body }).to_string()
            }
        },
        ..row_without_text(entry)
    }
}

/// The fields of a row that hold no free text.
fn row_without_text(entry: &AuditEntry) -> ChainRow {
    ChainRow {
        writer: WriterId(Uuid::nil()),
        seq: 0,
        key: 0,
        at_us: entry.at.as_microsecond(),
        kind: entry.kind.name().into(),
        call: entry.call.map(|call| call.0),
        approval: entry.approval.map(|approval| approval.0),
        execution: entry.execution.map(|execution| execution.0),
        tool: None,
        server: None,
        agent: None,
        credential: None,
        decision: entry.decision.map(|decision| decision.name().into()),
        approver: None,
        text: String::new(),
        body: String::new(),
        previous: Mac::ZERO,
        code: Mac::ZERO,
    }
}

/// The credential of a caller or approver. `token:` with a token id identifies a token and is not a
/// secret. Any other text is untrusted.
fn credential(text: &str, masks: &RowMasks<'_>) -> String {
    let token = text.strip_prefix("token:").is_some_and(|id| id.parse::<TokenId>().is_ok());
    if token { text.to_owned() } else { masks.name(text) }
}

/// Who and what an entry is about. The caller does not choose these, so they stay readable even if it
/// passes one of them as a secret.
fn names(entry: &AuditEntry) -> impl Iterator<Item = &str> {
    let AuditEntry { tool, server, agent, credential, by, .. } = entry;
    let (rule, name, device, how) = match by {
        Some(Actor::Rule(rule)) => (Some(rule), None, None, None),
        Some(Actor::Person(person)) => (None, Some(&person.name), person.device.as_ref(), Some(&person.how)),
        None => (None, None, None, None),
    };
    let named = [tool.as_ref(), server.as_ref(), agent.as_ref(), credential.as_ref()];
    named.into_iter().chain([rule, name, device, how]).flatten().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;
    use crate::record::{RecordKind, SecretContext};

    fn entry(text: &str, context: Value) -> AuditEntry {
        let plain =
            AuditEntry::without_call(RecordKind::Upkeep, Timestamp::UNIX_EPOCH, None, text.into(), json!({}));
        AuditEntry { context: SecretContext(context), ..plain }
    }

    #[test]
    fn masked_entry_matches_only_its_own_entry() {
        let mut masked = MaskedEntries::default();
        let masks = Masks::new([]);
        masked.add(vec![entry("a", Value::Null), entry("b", json!("x"))], &masks);
        for index in 0..3 {
            assert!(masked.get(index, &entry("b", json!("x"))).is_some_and(|line| line.row.text == "b"));
            assert!(masked.get(index, &entry("c", Value::Null)).is_none());
        }
        // Entries are masked with regard to their input, so the same entry with a different input does
        // not match.
        assert!(masked.get(1, &entry("b", json!("y"))).is_none());
    }

    #[test]
    fn many_small_entries_are_not_quick() {
        let line = entry(&"a".repeat(1000), Value::Null);
        assert!(MaskedEntry::is_quick([&line, &line]));
        assert!(!MaskedEntry::is_quick([&line; 9]));
        assert!(!MaskedEntry::is_quick([&entry("a", json!("b".repeat(9000)))]));
    }
}
