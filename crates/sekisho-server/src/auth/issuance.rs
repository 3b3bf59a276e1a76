//! Creates and revokes credentials, for the routes and for the command line on the same machine.
//!
//! What is created here is not stored yet: [`token_store`](sekisho_gate::token_store) stores it together with
//! its audit record.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::TokenId;
use sekisho_gate::answer::{Actor, Role};
use sekisho_gate::display::{Layout, visible};
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::token_store::{self, SignInLink, Token, TokenKind, TokenStore};

use super::secret::{LinkSecret, TokenSecret};
use crate::access::Access;

/// The longest name, in characters.
const LONGEST_NAME: usize = 128;

/// A token to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// Its name, for people.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The only agent that may ask with it.
    pub agent: Option<String>,
    /// It belongs to a host application that may state which MCP server a call uses.
    pub vouches: bool,
    /// The workspace roots its calls may belong to; empty means any registered root.
    pub roots: Vec<String>,
    /// How many days it is valid; `None` means until it is revoked.
    pub days: Option<u32>,
}

/// A new credential, its creator, and the secret to show once.
pub struct Issued<T, S> {
    /// What is to be stored.
    pub stored: T,
    /// Who created it, for the audit log.
    pub by: Option<Actor>,
    /// The secret. It is shown once and never stored.
    pub secret: S,
}

/// Who creates a credential.
#[derive(Clone, Debug)]
pub struct Issuer {
    /// The creator's name, stored with the credential.
    pub name: String,
    /// The creator, for the audit log; `None` at the machine itself, where nobody has to identify themselves.
    pub by: Option<Actor>,
}

/// Creates a token. An error is a sentence for people.
pub fn new_token(new: NewToken, issuer: Issuer, at: Timestamp) -> Result<Issued<Token, TokenSecret>, String> {
    check_name("name", &new.name)?;
    let bound = new.agent.is_some() || new.vouches || !new.roots.is_empty();
    if bound && !Access::ASK.admits(new.role) {
        let role = new.role;
        return Err(format!(
            "`agent`, `vouches` and `roots` are for tokens that ask; the role `{role}` does not ask"
        ));
    }
    if let Some(agent) = &new.agent {
        check_name("agent", agent)?;
    }
    if let Some(root) = new.roots.iter().find(|root| !root.starts_with('/')) {
        return Err(format!("`roots`: `{}` is not an absolute path", visible(root, Layout::Line)));
    }
    let expires_at = new.days.map(|days| expiry(days, at)).transpose()?;
    let secret = TokenSecret::make(at)?;
    let token = Token {
        id: secret.id,
        name: new.name,
        role: new.role,
        kind: TokenKind::Api,
        hash: secret.hash(),
        agent: new.agent,
        vouches_for_server: new.vouches,
        roots: new.roots,
        created_at: at,
        created_by: issuer.name,
        expires_at,
        revoked_at: None,
        last_used_at: None,
    };
    Ok(Issued { stored: token, by: issuer.by, secret })
}

/// Creates a link that one device can follow once, within its lifetime.
pub fn new_link(
    name: String,
    role: Role,
    issuer: Issuer,
    at: Timestamp,
    lifetime: Duration,
) -> Result<Issued<SignInLink, LinkSecret>, String> {
    check_name("name", &name)?;
    if role == Role::Agent {
        return Err("a link is for a person's device; an agent needs a token".into());
    }
    let lifetime = SignedDuration::try_from(lifetime).unwrap_or(SignedDuration::MAX);
    let expires_at = at.checked_add(lifetime).unwrap_or(Timestamp::MAX);
    let secret = LinkSecret::make()?;
    let hash = secret.hash();
    let link = SignInLink { hash, name, role, created_at: at, created_by: issuer.name, expires_at };
    Ok(Issued { stored: link, by: issuer.by, secret })
}

/// The result of revoking a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeOutcome {
    /// The token is revoked.
    Revoked,
    /// There is no token with that id, or it was revoked before.
    NotFound,
    /// It is the last admin token, and without it nobody could create another.
    LastAdmin,
}

/// Revokes a token, unless it is the last admin token.
pub async fn revoke(
    tokens: &dyn TokenStore,
    id: TokenId,
    by: Option<Actor>,
    at: Timestamp,
) -> Result<RevokeOutcome, LedgerError> {
    let all = tokens.tokens().await?;
    let Some(token) = all.iter().find(|token| token.id == id) else { return Ok(RevokeOutcome::NotFound) };
    let is_admin = |token: &Token| token.role == Role::Admin && token.is_valid_at(at);
    if is_admin(token) && !all.iter().any(|other| other.id != id && is_admin(other)) {
        return Ok(RevokeOutcome::LastAdmin);
    }
    match token_store::revoke(tokens, token, by, at).await? {
        true => Ok(RevokeOutcome::Revoked),
        false => Ok(RevokeOutcome::NotFound),
    }
}

/// Checks a name that people see: 1 to 128 visible characters.
fn check_name(field: &str, name: &str) -> Result<(), String> {
    if !(1..=LONGEST_NAME).contains(&name.chars().count()) {
        return Err(format!("`{field}` must be 1 to {LONGEST_NAME} characters long"));
    }
    let seen = visible(name, Layout::Line);
    if seen != name {
        return Err(format!("`{field}` has invisible characters: {seen}"));
    }
    match name.trim() == name {
        true => Ok(()),
        false => Err(format!("`{field}` begins or ends with white space")),
    }
}

fn expiry(days: u32, at: Timestamp) -> Result<Timestamp, String> {
    const LONGEST: u32 = 3650;
    if !(1..=LONGEST).contains(&days) {
        return Err(format!("a token can be valid for 1 to {LONGEST} days, not {days}"));
    }
    Ok(at.checked_add(SignedDuration::from_hours(i64::from(days) * 24)).unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn names_with_invisible_characters_are_rejected() {
        for good in ["a", "Ann's phone", "関所", "ci (nightly)"] {
            assert_eq!(check_name("name", good), Ok(()), "{good}");
        }
        let long = "x".repeat(129);
        for bad in ["", " ", " ann", "ann ", "a\nb", "a\u{202e}b", "a\u{200b}", "\u{1b}[31m", &long] {
            assert!(check_name("name", bad).is_err(), "{bad:?}");
        }
    }
}
