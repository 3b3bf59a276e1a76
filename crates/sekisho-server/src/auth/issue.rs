//! Making credentials and taking them out of use, for the routes and for whoever sits at the machine.
//!
//! What is made here is still to be kept: [`Tokens::add_token`] and [`Tokens::add_link`] take it together with its line for
//! the record.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::TokenId;
use sekisho_gate::answer::{By, Role};
use sekisho_gate::display::{Layout, visible};
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::tokens::{self, Link, Token, TokenKind, Tokens};

use super::secret::{LinkSecret, TokenSecret};
use crate::access::Access;

/// The longest name.
const LONGEST_NAME: usize = 128;

/// A token to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// What people will call it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The one agent that asks with it.
    pub agent: Option<String>,
    /// It belongs to a host application whose word about the MCP server of a call can be taken.
    pub vouches: bool,
    /// The workspace roots its calls may belong to; empty: any that is registered.
    pub roots: Vec<String>,
    /// How many days it counts; none: until it is revoked.
    pub days: Option<u32>,
}

/// Something that was made, who made it, and the secret to tell once.
pub struct Made<T, S> {
    /// What is to be kept.
    pub kept: T,
    /// Who made it, for the record.
    pub by: Option<By>,
    /// What is told once and never kept.
    pub secret: S,
}

/// Who makes a credential: a name for the credential itself, and who it was for the record.
#[derive(Clone, Debug)]
pub struct Maker {
    /// What people call whoever makes it.
    pub name: String,
    /// The same for the record; none at the machine itself, where nobody has to say who they are.
    pub by: Option<By>,
}

/// Makes a token. What cannot be made is said in a sentence.
pub fn new_token(new: NewToken, maker: Maker, at: Timestamp) -> Result<Made<Token, TokenSecret>, String> {
    check_name("name", &new.name)?;
    let bound = new.agent.is_some() || new.vouches || !new.roots.is_empty();
    if bound && !Access::ASK.admits(new.role) {
        let role = new.role;
        return Err(format!("`agent`, `vouches` and `roots` are for those who ask; {role} does not"));
    }
    if let Some(agent) = &new.agent {
        check_name("agent", agent)?;
    }
    if let Some(root) = new.roots.iter().find(|root| !root.starts_with('/')) {
        return Err(format!("`roots`: `{}` is no absolute path", visible(root, Layout::Line)));
    }
    let expires_at = new.days.map(|days| expiry(days, at)).transpose()?;
    let secret = TokenSecret::make(at)?;
    let kept = Token {
        id: secret.id,
        name: new.name,
        role: new.role,
        kind: TokenKind::Api,
        hash: secret.hash(),
        agent: new.agent,
        vouches: new.vouches,
        roots: new.roots,
        created_at: at,
        created_by: maker.name,
        expires_at,
        revoked_at: None,
        last_used_at: None,
    };
    Ok(Made { kept, by: maker.by, secret })
}

/// Makes a link that one device can follow once, for a while.
pub fn new_link(
    name: String,
    role: Role,
    maker: Maker,
    at: Timestamp,
    lasts: Duration,
) -> Result<Made<Link, LinkSecret>, String> {
    check_name("name", &name)?;
    if role == Role::Agent {
        return Err("a link is for a person's device; an agent needs a token".into());
    }
    let lasts = SignedDuration::try_from(lasts).unwrap_or(SignedDuration::MAX);
    let expires_at = at.checked_add(lasts).unwrap_or(Timestamp::MAX);
    let secret = LinkSecret::make()?;
    let hash = secret.hash();
    let kept = Link { hash, name, role, created_at: at, created_by: maker.name, expires_at };
    Ok(Made { kept, by: maker.by, secret })
}

/// What came of taking a token out of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revoked {
    /// It counts no more.
    Done,
    /// There is none with that id that was not revoked before.
    Unknown,
    /// It is the last that may do anything: nobody could make another.
    LastAdmin,
}

/// Takes a token out of use, unless it is the last of an admin.
pub async fn revoke(
    tokens: &dyn Tokens,
    id: TokenId,
    by: Option<By>,
    at: Timestamp,
) -> Result<Revoked, LedgerError> {
    let all = tokens.tokens().await?;
    let Some(token) = all.iter().find(|token| token.id == id) else { return Ok(Revoked::Unknown) };
    let is_admin = |token: &Token| token.role == Role::Admin && token.counts(at);
    if is_admin(token) && !all.iter().any(|other| other.id != id && is_admin(other)) {
        return Ok(Revoked::LastAdmin);
    }
    match tokens::revoke(tokens, token, by, at).await? {
        true => Ok(Revoked::Done),
        false => Ok(Revoked::Unknown),
    }
}

/// A name that people see: 1 to 128 characters, each of which shows itself.
fn check_name(field: &str, name: &str) -> Result<(), String> {
    if !(1..=LONGEST_NAME).contains(&name.chars().count()) {
        return Err(format!("`{field}` has to be 1 to {LONGEST_NAME} characters long"));
    }
    let seen = visible(name, Layout::Line);
    if seen != name {
        return Err(format!("`{field}` has characters that do not show themselves: {seen}"));
    }
    match name.trim() == name {
        true => Ok(()),
        false => Err(format!("`{field}` begins or ends with a blank")),
    }
}

fn expiry(days: u32, at: Timestamp) -> Result<Timestamp, String> {
    const LONGEST: u32 = 3650;
    if !(1..=LONGEST).contains(&days) {
        return Err(format!("a token can count for 1 to {LONGEST} days; {days} is neither"));
    }
    Ok(at.checked_add(SignedDuration::from_hours(i64::from(days) * 24)).unwrap_or(Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn a_name_shows_all_of_itself() {
        for good in ["a", "Ann's phone", "関所", "ci (nightly)"] {
            assert_eq!(check_name("name", good), Ok(()), "{good}");
        }
        let long = "x".repeat(129);
        for bad in ["", " ", " ann", "ann ", "a\nb", "a\u{202e}b", "a\u{200b}", "\u{1b}[31m", &long] {
            assert!(check_name("name", bad).is_err(), "{bad:?}");
        }
    }
}
