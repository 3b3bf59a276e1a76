//! The port for API tokens and sign-in links, and their audit records.
//!
//! A token's secret is shown once, when it is created. Only its SHA-256 is stored: the secret has 256
//! random bits, so it cannot be guessed and a slow hash would add nothing. A link works for one device,
//! once, for a short time. Following it creates a token for the device.

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::answer::{Actor, Role};
use crate::ids::TokenId;
use crate::ledger::LedgerFuture;
use crate::ledger_write_proof::WriteAccess;
use crate::record::{AuditEntry, AuditMessage, EventPayload, Record, RecordKind};

/// The stored hash of a secret.
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
    /// The display name.
    pub name: String,
    /// The role of the token.
    pub role: Role,
    /// What the token is for.
    pub kind: TokenKind,
    /// The hash of its secret.
    pub hash: SecretHash,
    /// The only agent that uses it. The agent's name is then proven.
    pub agent: Option<String>,
    /// Whether it belongs to a host application that is trusted to name the MCP server of a call.
    pub vouches_for_server: bool,
    /// The workspace roots its calls may belong to. Empty: any registered root.
    pub roots: Vec<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: String,
    /// Valid until this time.
    pub expires_at: Option<Timestamp>,
    /// Invalid since this time.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to within a minute.
    pub last_used_at: Option<Timestamp>,
}

impl Token {
    /// Whether it is valid at the given time.
    pub fn is_valid_at(&self, at: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| at < end)
    }

    /// The credential that callers and approvers with this token have.
    pub fn credential(&self) -> String {
        format!("token:{}", self.id)
    }
}

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TokenKind {
    /// A program sends it with each request.
    Api,
    /// A browser holds it in a cookie; created by a sign-in link.
    Device,
}

impl TokenKind {
    /// The name in the store and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            TokenKind::Api => "api",
            TokenKind::Device => "device",
        }
    }
}

/// A sign-in link: it creates a token for one device, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInLink {
    /// The hash of its secret.
    pub hash: SecretHash,
    /// The name of the new token.
    pub name: String,
    /// The role of the new token.
    pub role: Role,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: String,
    /// Usable until this time.
    pub expires_at: Timestamp,
}

/// A device that follows a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDevice {
    /// The id of its token.
    pub id: TokenId,
    /// The hash of its secret.
    pub hash: SecretHash,
    /// The user agent it claims; shown, never trusted.
    pub user_agent: Option<String>,
    /// Its token is valid until this time.
    pub expires_at: Option<Timestamp>,
}

impl SignInLink {
    /// The token of a device that follows the link, and the audit record. Stores call this inside the
    /// transaction that removes the link.
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

/// Stores credentials. Every write carries its audit record, in the same transaction.
pub trait TokenStore: Send + Sync {
    /// Reads a token, valid or not.
    fn token(&self, id: TokenId) -> LedgerFuture<'_, Option<Token>>;

    /// All tokens in order of creation, including expired and revoked ones.
    fn tokens(&self) -> LedgerFuture<'_, Vec<Token>>;

    /// Adds a token.
    fn add_token(&self, access: &WriteAccess, token: Token, record: Record) -> LedgerFuture<'_, ()>;

    /// Revokes a token for good. Returns `false` if there is none with that id, or it was already
    /// revoked.
    fn revoke_token(
        &self,
        access: &WriteAccess,
        id: TokenId,
        at: Timestamp,
        record: Record,
    ) -> LedgerFuture<'_, bool>;

    /// Stores that a token was used. Not audited.
    fn token_used(&self, id: TokenId, at: Timestamp) -> LedgerFuture<'_, ()>;

    /// Adds a link, and deletes links that had expired when it was created.
    fn add_link(&self, access: &WriteAccess, link: SignInLink, record: Record) -> LedgerFuture<'_, ()>;

    /// How many links are usable at the given time.
    fn open_links(&self, at: Timestamp) -> LedgerFuture<'_, u64>;

    /// Follows a link with [`SignInLink::sign_in`] and removes it. `None` if there is none, it has
    /// expired, or it was already followed.
    fn follow_link(
        &self,
        hash: SecretHash,
        device: NewDevice,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Token>>;

    /// The notification settings of a token's holder. None if never set.
    fn notifications(&self, id: TokenId) -> LedgerFuture<'_, Option<Value>>;

    /// Stores the notification settings of a token's holder. Returns `false` if there is no such token.
    fn set_notifications(&self, id: TokenId, wanted: Value) -> LedgerFuture<'_, bool>;
}

/// Adds a token and records it.
pub fn add(tokens: &dyn TokenStore, token: Token, by: Option<Actor>) -> LedgerFuture<'_, ()> {
    let record = token_created_record(&token, by, token.created_at);
    tokens.add_token(&WriteAccess::GATE, token, record)
}

/// Revokes a token for good and records it. Returns `false` if there is none with that id, or it was
/// already revoked.
pub fn revoke<'a>(
    tokens: &'a dyn TokenStore,
    token: &Token,
    by: Option<Actor>,
    at: Timestamp,
) -> LedgerFuture<'a, bool> {
    tokens.revoke_token(&WriteAccess::GATE, token.id, at, token_revoked_record(token, by, at))
}

/// The same for a token whose holder signs out.
pub fn sign_out<'a>(
    tokens: &'a dyn TokenStore,
    token: &Token,
    by: Option<Actor>,
    at: Timestamp,
) -> LedgerFuture<'a, bool> {
    let line = AuditMessage::SignedOut { name: token.name.clone() };
    tokens.revoke_token(&WriteAccess::GATE, token.id, at, token_record(line, token, by, at))
}

/// Adds a link and records it.
pub fn add_link(tokens: &dyn TokenStore, link: SignInLink, by: Option<Actor>) -> LedgerFuture<'_, ()> {
    let record = link_created_record(&link, by);
    tokens.add_link(&WriteAccess::GATE, link, record)
}

/// The audit record of a new token.
pub fn token_created_record(token: &Token, by: Option<Actor>, at: Timestamp) -> Record {
    token_record(AuditMessage::TokenMade { name: token.name.clone() }, token, by, at)
}

/// The audit record of a revoked token.
pub fn token_revoked_record(token: &Token, by: Option<Actor>, at: Timestamp) -> Record {
    token_record(AuditMessage::TokenRevoked { name: token.name.clone() }, token, by, at)
}

/// The audit record of a new link.
pub fn link_created_record(link: &SignInLink, by: Option<Actor>) -> Record {
    let line = AuditMessage::LinkMade { name: link.name.clone(), role: link.role };
    let (text, body) = line
        .into_text_and_body(json!({ "name": link.name, "role": link.role, "expiresAt": link.expires_at }));
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
    Record {
        entry: AuditEntry::without_call(RecordKind::Token, at, by, text, body),
        event: Some(EventPayload::TokensChanged),
    }
}
