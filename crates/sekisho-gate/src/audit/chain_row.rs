//! A row, head and cut of a chain, and the bytes that are signed.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::keys::KeyRing;
use super::mac::Mac;

/// A writer: one process from start to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WriterId(pub Uuid);

impl fmt::Display for WriterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainHead {
    /// The writer of the chain.
    pub writer: WriterId,
    /// The number of its last row.
    pub seq: u64,
    /// The code (MAC) of that row.
    pub code: Mac,
}

/// A row of the log, every field as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainRow {
    /// The writer of the chain.
    pub writer: WriterId,
    /// The row number, from 1 without gaps.
    pub seq: u64,
    /// The number of the key that signed it.
    pub key: u32,
    /// Microseconds since 1970.
    pub at_us: i64,
    /// The kind of record.
    pub kind: String,
    /// The call it is about.
    pub call: Option<Uuid>,
    /// The approval it is about.
    pub approval: Option<Uuid>,
    /// The execution it is about.
    pub execution: Option<Uuid>,
    /// The tool.
    pub tool: Option<String>,
    /// The MCP server.
    pub server: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The credential of the caller.
    pub credential: Option<String>,
    /// The decision.
    pub decision: Option<String>,
    /// The name of the person or rule that decided, for searching.
    pub approver: Option<String>,
    /// The sentence people read, on one line.
    pub text: String,
    /// Everything else, as JSON text. Stored byte for byte.
    pub body: String,
    /// The code of the previous row.
    pub previous: Mac,
    /// The code of this row.
    pub code: Mac,
}

/// The numbers, ids and codes of a row.
const FIXED_SIZE: usize = 512;

/// A signed mark of the point up to which a chain was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainCut {
    /// The last row that was removed.
    pub head: ChainHead,
    /// When it was removed, in microseconds since 1970.
    pub at_us: i64,
    /// The number of the key that signed the cut.
    pub key: u32,
    /// The code of the cut.
    pub code: Mac,
}

impl ChainRow {
    /// About as many bytes as the row takes in memory and as JSON.
    pub fn size(&self) -> usize {
        let names = [&self.tool, &self.server, &self.agent, &self.credential, &self.decision, &self.approver];
        let names: usize = names.into_iter().flatten().map(String::len).sum();
        FIXED_SIZE + self.kind.len() + self.text.len() + self.body.len() + names
    }

    /// The head of the chain if this is its last row.
    pub fn head(&self) -> ChainHead {
        ChainHead { writer: self.writer, seq: self.seq, code: self.code }
    }

    /// When the row was written.
    pub fn at(&self) -> Timestamp {
        Timestamp::from_microsecond(self.at_us).unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// The code this row should have. `None` if its key is unknown.
    pub fn expected_mac(&self, keys: &KeyRing) -> Option<Mac> {
        Some(keys.get(self.key)?.code(&self.message()))
    }

    /// Every field prefixed with its length, so that no two rows have the same message.
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

    /// Whether one of our keys signed it.
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

/// Concatenated fields, each with its length, so that they cannot be confused.
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
