//! Tokens, and the sign-in links that create them.

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::answer::Role;
use sekisho_gate::token_store::{SecretHash, SignInLink, Token, TokenKind};
use uuid::Uuid;

use crate::encoding::{from_micros, json, micros, parsed, seconds};
use crate::transaction_error::{TransactionError, TransactionResult};

/// A use is recorded again only after this long.
pub(crate) const USE_RECORD_INTERVAL: i64 = seconds(60);

/// Whether a use has to be recorded.
pub(crate) fn should_record_use(token: &Token, at: Timestamp) -> bool {
    token.last_used_at.is_none_or(|last| micros(last) < micros(at).saturating_sub(USE_RECORD_INTERVAL))
}

/// A row of `tokens`, except the holder's notification settings.
pub(crate) struct TokenRow {
    pub(crate) id: Uuid,
    pub(crate) name: String,
    pub(crate) role: String,
    pub(crate) kind: String,
    pub(crate) hash: [u8; 32],
    pub(crate) agent: Option<String>,
    pub(crate) vouches: bool,
    pub(crate) roots: String,
    pub(crate) created_at: i64,
    pub(crate) created_by: String,
    pub(crate) expires_at: Option<i64>,
    pub(crate) revoked_at: Option<i64>,
    pub(crate) last_used_at: Option<i64>,
}

/// A row of `links`.
pub(crate) struct LinkRow {
    pub(crate) hash: [u8; 32],
    pub(crate) name: String,
    pub(crate) role: String,
    pub(crate) created_at: i64,
    pub(crate) created_by: String,
    pub(crate) expires_at: i64,
}

impl TokenRow {
    /// The columns of a token. Its expiry is rounded down, so that an expired token is never accepted.
    pub(crate) fn of(token: &Token) -> TransactionResult<TokenRow> {
        Ok(TokenRow {
            id: token.id.0,
            name: token.name.clone(),
            role: token.role.name().to_owned(),
            kind: token.kind.name().to_owned(),
            hash: token.hash.0,
            agent: token.agent.clone(),
            vouches: token.vouches_for_server,
            roots: json(&token.roots, "the token's roots")?,
            created_at: micros(token.created_at),
            created_by: token.created_by.clone(),
            expires_at: token.expires_at.map(micros),
            revoked_at: token.revoked_at.map(micros),
            last_used_at: token.last_used_at.map(micros),
        })
    }

    /// Reads a token from its columns.
    pub(crate) fn into_token(self) -> TransactionResult<Token> {
        let kind = match self.kind.as_str() {
            "api" => TokenKind::Api,
            "device" => TokenKind::Device,
            other => {
                return Err(TransactionError::inconsistent(format!(
                    "token `{}` has the unknown kind `{other}`",
                    self.id
                )));
            }
        };
        let moment = |at: Option<i64>| at.map(from_micros).transpose();
        Ok(Token {
            id: TokenId(self.id),
            name: self.name,
            role: role(&self.role)?,
            kind,
            hash: SecretHash(self.hash),
            agent: self.agent,
            vouches_for_server: self.vouches,
            roots: parsed(&self.roots, "the token's roots")?,
            created_at: from_micros(self.created_at)?,
            created_by: self.created_by,
            expires_at: moment(self.expires_at)?,
            revoked_at: moment(self.revoked_at)?,
            last_used_at: moment(self.last_used_at)?,
        })
    }
}

impl LinkRow {
    pub(crate) fn of(link: &SignInLink) -> LinkRow {
        LinkRow {
            hash: link.hash.0,
            name: link.name.clone(),
            role: link.role.name().to_owned(),
            created_at: micros(link.created_at),
            created_by: link.created_by.clone(),
            expires_at: micros(link.expires_at),
        }
    }

    /// Reads a link from its columns.
    pub(crate) fn into_link(self) -> TransactionResult<SignInLink> {
        Ok(SignInLink {
            hash: SecretHash(self.hash),
            name: self.name,
            role: role(&self.role)?,
            created_at: from_micros(self.created_at)?,
            created_by: self.created_by,
            expires_at: from_micros(self.expires_at)?,
        })
    }
}

fn role(name: &str) -> TransactionResult<Role> {
    Role::from_name(name)
        .ok_or_else(|| TransactionError::inconsistent(format!("a token has the unknown role `{name}`")))
}
