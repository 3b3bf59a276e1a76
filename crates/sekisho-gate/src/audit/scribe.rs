//! Turns entries into rows: masked, on one line, and chained.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::json;

use super::chain::{Head, Row, WriterId};
use super::code::Code;
use super::keys::Keys;
use super::port::Seal;
use crate::TokenId;
use crate::answer::{Approver, By};
use crate::mask::{Masks, RowMasks};
use crate::record::{Entry, Kind, RecordLine};

/// Writes one chain. A store clones it before a transaction and goes back to the clone if that fails, so a row that was
/// not kept leaves no gap.
#[derive(Clone)]
pub struct Scribe {
    keys: Arc<Keys>,
    masks: Arc<Masks>,
    writer: WriterId,
    seq: u64,
    last: Code,
}

impl Scribe {
    /// A writer that has written nothing yet.
    pub fn new(writer: WriterId, seal: Seal) -> Scribe {
        Scribe { keys: seal.keys, masks: seal.masks, writer, seq: 0, last: Code::NOTHING }
    }

    /// A writer that goes on where a chain ends: a spool's, whose lines come in bit by bit.
    pub fn resume(head: Head, seal: Seal) -> Scribe {
        Scribe { keys: seal.keys, masks: seal.masks, writer: head.writer, seq: head.seq, last: head.code }
    }

    /// Where its chain ends; none before the first row.
    pub fn head(&self) -> Option<Head> {
        (self.seq > 0).then_some(Head { writer: self.writer, seq: self.seq, code: self.last })
    }

    /// Signs with other keys from now on.
    pub fn take_keys(&mut self, keys: Arc<Keys>) {
        self.keys = keys;
    }

    /// The next row. `None`: there is no key to sign with, and then nothing may be written at all.
    pub fn write(&mut self, entry: &Entry) -> Option<Row> {
        // A checkpoint holds codes and numbers of our own making, and must stay what it is.
        let ours = entry.kind == Kind::Checkpoint;
        let masks =
            self.masks.of_row(texts(entry), [&entry.body, &entry.context.0].into_iter().filter(|_| !ours));
        let masked = |text: &String| masks.line(text);
        let body = if ours { entry.body.clone() } else { masks.value(&entry.body) };
        let row = Row {
            writer: self.writer,
            seq: self.seq + 1,
            key: 0,
            at_us: entry.at.as_microsecond(),
            kind: entry.kind.name().into(),
            call: entry.call.map(|call| call.0),
            approval: entry.approval.map(|approval| approval.0),
            execution: entry.execution.map(|execution| execution.0),
            tool: entry.tool.as_ref().map(masked),
            server: entry.server.as_ref().map(masked),
            agent: entry.agent.as_ref().map(masked),
            credential: entry.credential.as_ref().map(|text| credential(text, &masks)),
            decision: entry.decision.map(|decision| decision.name().into()),
            approver: entry.by.as_ref().map(|by| match by {
                By::Person(person) => masked(&person.name),
                By::Rule(_) => "rule".into(),
            }),
            text: masked(&entry.text),
            body: match (&entry.by, body) {
                (None, body) => body.to_string(),
                (Some(by), body) => {
                    // Word by word: the name of a credential is no secret, and says who it was.
                    let by = match by {
                        By::Rule(rule) => By::Rule(masked(rule)),
                        By::Person(person) => By::Person(Approver {
                            credential: credential(&person.credential, &masks),
                            name: masked(&person.name),
                            role: person.role,
                            device: person.device.as_ref().map(masked),
                            how: masked(&person.how),
                        }),
                    };
                    json!({ "by": by, "about": body }).to_string()
                }
            },
            previous: self.last,
            code: Code::NOTHING,
        };
        self.sign(row)
    }

    /// A row that tells of the heads of all chains.
    pub fn checkpoint(&mut self, heads: &[Head], at: Timestamp) -> Option<Row> {
        let line = RecordLine::Checkpoint { chains: heads.len() };
        let (text, body) = line.told(json!({ "heads": heads }));
        self.write(&Entry::plain(Kind::Checkpoint, at, None, text, body))
    }

    fn sign(&mut self, mut row: Row) -> Option<Row> {
        row.key = self.keys.signing()?.id;
        row.code = row.expected(&self.keys)?;
        self.seq = row.seq;
        self.last = row.code;
        Some(row)
    }
}

/// Who asked or answered. `token:` and the id of a token say which one it was, and open nothing; any other text is somebody's.
fn credential(text: &str, masks: &RowMasks<'_>) -> String {
    let token = text.strip_prefix("token:").is_some_and(|id| id.parse::<TokenId>().is_ok());
    if token { text.to_owned() } else { masks.line(text) }
}

/// The texts of an entry besides its body.
fn texts(entry: &Entry) -> impl Iterator<Item = &str> {
    let Entry { tool, server, agent, credential, text, by, .. } = entry;
    let (rule, name, device, how) = match by {
        Some(By::Rule(rule)) => (Some(rule), None, None, None),
        Some(By::Person(person)) => (None, Some(&person.name), person.device.as_ref(), Some(&person.how)),
        None => (None, None, None, None),
    };
    let named = [tool.as_ref(), server.as_ref(), agent.as_ref(), credential.as_ref()];
    let texts = named.into_iter().chain([rule, name, device, how, Some(text)]);
    texts.flatten().map(String::as_str)
}
