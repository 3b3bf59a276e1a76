//! Credentials: who may come in, and as what.
//!
//! A token's secret is told once, when it is made. What is kept is its SHA-256: the secret has 256 random bits, so there is
//! nothing to guess and nothing a slow hash would add. A link is good for one device, once, for a short while; following
//! it makes the device a token of its own.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::write_access::WriteAccess;
use crate::answer::{Actor, Role};
use crate::ids::TokenId;
use crate::ledger::LedgerFuture;
use crate::record::{EventPayload, AuditEntry, RecordKind, Record, AuditMessage};

/// What is kept of a secret.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretHash(pub [u8; 32]);

impl SecretHash {
    /// The hash of a secret.
    pub fn of(secret: &[u8]) -> SecretHash {
        SecretHash(Sha256::digest(secret).into())
    }
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretHash(…)")
    }
}

/// A credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its id; not secret.
    pub id: TokenId,
    /// What people call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// What it is for.
    pub kind: TokenKind,
    /// What is kept of its secret.
    pub hash: SecretHash,
    /// The one agent that asks with it: then its name is proven.
    pub agent: Option<String>,
    /// It belongs to a host application whose word about the MCP server of a call can be taken.
    pub vouches_for_server: bool,
    /// The workspace roots its calls may belong to; empty: any that is registered.
    pub roots: Vec<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: String,
    /// It counts until this moment.
    pub expires_at: Option<Timestamp>,
    /// It has not counted since this moment.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to within a minute.
    pub last_used_at: Option<Timestamp>,
}

impl Token {
    /// Whether it counts at a moment.
    pub fn is_valid_at(&self, at: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| at < end)
    }

    /// What it is called as an asking or answering credential.
    pub fn credential(&self) -> String {
        format!("token:{}", self.id)
    }
}

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// A program brings it with each request.
    Api,
    /// A browser holds it in a cookie; made by following a link.
    Device,
}

impl TokenKind {
    /// Its name in the store and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            TokenKind::Api => "api",
            TokenKind::Device => "device",
        }
    }
}

/// A way in for one device, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInLink {
    /// What is kept of its secret.
    pub hash: SecretHash,
    /// What the device will be called.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// When it was made.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: String,
    /// It can be followed until this moment.
    pub expires_at: Timestamp,
}

/// A device that follows a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDevice {
    /// The id of its token.
    pub id: TokenId,
    /// What is kept of its secret.
    pub hash: SecretHash,
    /// What it says it is; shown, never trusted.
    pub user_agent: Option<String>,
    /// Its token counts until this moment.
    pub expires_at: Option<Timestamp>,
}

impl SignInLink {
    /// The token of a device that follows the link, and the line for the record. Stores call this inside the transaction
    /// that removes the link.
    pub fn sign_in(&self, device: &NewDevice, at: Timestamp) -> (Token, Record) {
        let name = match &device.user_agent {
            Some(says) => format!("{} ({says})", self.name),
            None => self.name.clone(),
        };
        let token = Token {
            id: device.id,
            name,
            role: self.role,
            kind: TokenKind::Device,
            hash: device.hash,
            agent: None,
            vouches_for_server: false,
            roots: Vec::new(),
            created_at: at,
            created_by: self.created_by.clone(),
            expires_at: device.expires_at,
            revoked_at: None,
            last_used_at: Some(at),
        };
        let line = AuditMessage::SignedIn { name: token.name.clone() };
        let record = token_record(line, &token, None, at);
        (token, record)
    }
}

/// Keeps credentials. Every write carries its line for the record, in the same transaction.
pub trait TokenStore: Send + Sync {
    /// One of them, whether it counts or not.
    fn token(&self, id: TokenId) -> LedgerFuture<'_, Option<Token>>;

    /// All of them, in the order they were made, those that count no more included.
    fn tokens(&self) -> LedgerFuture<'_, Vec<Token>>;

    /// Adds one.
    fn add_token(&self, access: &WriteAccess, token: Token, record: Record) -> LedgerFuture<'_, ()>;

    /// Takes one out of use, for good. `false`: there is none with that id, or it was revoked before.
    fn revoke_token(
        &self,
        access: &WriteAccess,
        id: TokenId,
        at: Timestamp,
        record: Record,
    ) -> LedgerFuture<'_, bool>;

    /// Notes that one was used. Not on the record.
    fn token_used(&self, id: TokenId, at: Timestamp) -> LedgerFuture<'_, ()>;

    /// Adds a link, and forgets those that ended before it was made.
    fn add_link(&self, access: &WriteAccess, link: SignInLink, record: Record) -> LedgerFuture<'_, ()>;

    /// How many links can still be followed at a moment.
    fn open_links(&self, at: Timestamp) -> LedgerFuture<'_, u64>;

    /// Follows a link: [`Link::admit`], with the link gone. `None`: there is none, it has ended, or it was followed before.
    fn follow_link(&self, hash: SecretHash, device: NewDevice, at: Timestamp) -> LedgerFuture<'_, Option<Token>>;

    /// What a token's holder wants to be notified of; none where it never said.
    fn notifications(&self, id: TokenId) -> LedgerFuture<'_, Option<Value>>;

    /// Keeps what a token's holder wants to be notified of. `false`: there is no such token.
    fn set_notifications(&self, id: TokenId, wanted: Value) -> LedgerFuture<'_, bool>;
}

/// Adds a token, which is on the record.
pub fn add(tokens: &dyn TokenStore, token: Token, by: Option<Actor>) -> LedgerFuture<'_, ()> {
    let record = token_created_record(&token, by, token.created_at);
    tokens.add_token(&WriteAccess::GATE, token, record)
}

/// Takes a token out of use for good, which is on the record. `false`: there is none with that id, or it was revoked before.
pub fn revoke<'a>(tokens: &'a dyn TokenStore, token: &Token, by: Option<Actor>, at: Timestamp) -> LedgerFuture<'a, bool> {
    tokens.revoke_token(&WriteAccess::GATE, token.id, at, token_revoked_record(token, by, at))
}

/// The same for a token whose holder signs out.
pub fn sign_out<'a>(tokens: &'a dyn TokenStore, token: &Token, by: Option<Actor>, at: Timestamp) -> LedgerFuture<'a, bool> {
    let line = AuditMessage::SignedOut { name: token.name.clone() };
    tokens.revoke_token(&WriteAccess::GATE, token.id, at, token_record(line, token, by, at))
}

/// Adds a link, which is on the record.
pub fn add_link(tokens: &dyn TokenStore, link: SignInLink, by: Option<Actor>) -> LedgerFuture<'_, ()> {
    let record = link_created_record(&link, by);
    tokens.add_link(&WriteAccess::GATE, link, record)
}

/// The line for the record about a new token.
pub fn token_created_record(token: &Token, by: Option<Actor>, at: Timestamp) -> Record {
    token_record(AuditMessage::TokenMade { name: token.name.clone() }, token, by, at)
}

/// The line for the record about a token that is revoked.
pub fn token_revoked_record(token: &Token, by: Option<Actor>, at: Timestamp) -> Record {
    token_record(AuditMessage::TokenRevoked { name: token.name.clone() }, token, by, at)
}

/// The line for the record about a new link.
pub fn link_created_record(link: &SignInLink, by: Option<Actor>) -> Record {
    let line = AuditMessage::LinkMade { name: link.name.clone(), role: link.role };
    let (text, body) =
        line.into_text_and_body(json!({ "name": link.name, "role": link.role, "expiresAt": link.expires_at }));
    let entry = AuditEntry::without_call(RecordKind::Token, link.created_at, by, text, body);
    Record { entry, event: Some(EventPayload::TokensChanged) }
}

fn token_record(line: AuditMessage, token: &Token, by: Option<Actor>, at: Timestamp) -> Record {
    let (text, body) = line.into_text_and_body(json!({
        "id": token.id,
        "name": token.name,
        "role": token.role,
        "kind": token.kind,
        "agent": token.agent,
        "vouches": token.vouches_for_server,
        "roots": token.roots,
        "expiresAt": token.expires_at,
    }));
    Record { entry: AuditEntry::without_call(RecordKind::Token, at, by, text, body), event: Some(EventPayload::TokensChanged) }
}
