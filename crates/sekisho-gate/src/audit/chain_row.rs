//! One row of a chain, and what its code is made of.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::mac::Mac;
use super::keys::KeyRing;

/// One writer: a process from its start to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WriterId(pub Uuid);

impl fmt::Display for WriterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where a chain ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainHead {
    /// Whose.
    pub writer: WriterId,
    /// The number of its last row.
    pub seq: u64,
    /// That row's code.
    pub code: Mac,
}

/// A row of the log, every field as the store keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainRow {
    /// Whose chain.
    pub writer: WriterId,
    /// Counted from 1 without a gap.
    pub seq: u64,
    /// Which key signed it.
    pub key: u32,
    /// Microseconds since 1970.
    pub at_us: i64,
    /// The kind of entry.
    pub kind: String,
    /// The call, question and execution it is about.
    pub call: Option<Uuid>,
    /// The question.
    pub approval: Option<Uuid>,
    /// The execution.
    pub execution: Option<Uuid>,
    /// The tool.
    pub tool: Option<String>,
    /// The MCP server.
    pub server: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// Whose credential.
    pub credential: Option<String>,
    /// What was decided.
    pub decision: Option<String>,
    /// Who decided it: a name to search for.
    pub approver: Option<String>,
    /// One line for people.
    pub text: String,
    /// Everything else, as JSON text. Kept byte for byte.
    pub body: String,
    /// The code of the row before.
    pub previous: Mac,
    /// The code of this one.
    pub code: Mac,
}

/// A place up to which a chain was removed, signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainCut {
    /// The last row that was removed.
    pub head: ChainHead,
    /// When, in microseconds since 1970.
    pub at_us: i64,
    /// Which key signed the cut.
    pub key: u32,
    /// Its own code.
    pub code: Mac,
}

impl ChainRow {
    /// Where the chain would end with this row.
    pub fn head(&self) -> ChainHead {
        ChainHead { writer: self.writer, seq: self.seq, code: self.code }
    }

    /// When.
    pub fn at(&self) -> Timestamp {
        Timestamp::from_microsecond(self.at_us).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// The code this row should have. `None`: its key is not known.
    pub fn expected_mac(&self, keys: &KeyRing) -> Option<Mac> {
        Some(keys.get(self.key)?.code(&self.message()))
    }

    /// Every field with its length before it, so that no two rows have the same message.
    fn message(&self) -> Vec<u8> {
        let mut message = Message::new(b"sekisho audit row 1", 256 + self.text.len() + self.body.len());
        message.bytes(self.writer.0.as_bytes());
        message.bytes(&self.seq.to_be_bytes());
        message.bytes(&self.key.to_be_bytes());
        message.bytes(&self.at_us.to_be_bytes());
        message.bytes(self.kind.as_bytes());
        for id in [&self.call, &self.approval, &self.execution] {
            message.optional(id.as_ref().map(|id| id.as_bytes().as_slice()));
        }
        for text in [&self.tool, &self.server, &self.agent, &self.credential, &self.decision, &self.approver]
        {
            message.optional(text.as_ref().map(String::as_bytes));
        }
        message.bytes(self.text.as_bytes());
        message.bytes(self.body.as_bytes());
        message.bytes(&self.previous.0);
        message.0
    }
}

impl ChainCut {
    /// A signed cut after a row.
    pub fn sign(head: ChainHead, at: Timestamp, keys: &KeyRing) -> Option<ChainCut> {
        let key = keys.signing()?;
        let mut cut = ChainCut { head, at_us: at.as_microsecond(), key: key.id, code: Mac::ZERO };
        cut.code = key.code(&cut.message());
        Some(cut)
    }

    /// Whether it was signed with one of our keys.
    pub fn is_signed(&self, keys: &KeyRing) -> bool {
        keys.get(self.key).is_some_and(|key| key.code(&self.message()) == self.code)
    }

    fn message(&self) -> Vec<u8> {
        let mut message = Message::new(b"sekisho audit cut 1", 160);
        message.bytes(self.head.writer.0.as_bytes());
        message.bytes(&self.head.seq.to_be_bytes());
        message.bytes(&self.head.code.0);
        message.bytes(&self.at_us.to_be_bytes());
        message.bytes(&self.key.to_be_bytes());
        message.0
    }
}

/// Fields put one after another so that they can be told apart.
struct Message(Vec<u8>);

impl Message {
    fn new(purpose: &[u8], capacity: usize) -> Message {
        let mut message = Message(Vec::with_capacity(capacity));
        message.bytes(purpose);
        message
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        self.0.extend_from_slice(bytes);
    }

    fn optional(&mut self, bytes: Option<&[u8]>) {
        self.0.push(u8::from(bytes.is_some()));
        self.bytes(bytes.unwrap_or_default());
    }
}
