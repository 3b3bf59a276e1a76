//! Flag values shared by `create` and `link`.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::Role;

use crate::commands::audit::time_format;

#[derive(Clone, Copy, Debug)]
pub(super) struct RoleArg(pub(super) Role);

impl FromStr for RoleArg {
    type Err = String;

    fn from_str(text: &str) -> Result<RoleArg, String> {
        Role::from_name(text).map(RoleArg).ok_or_else(|| "expected agent, viewer, approver or admin".into())
    }
}

/// A lifetime: `90m`, `12h`, `30d` or `4w`.
#[derive(Clone, Copy, Debug)]
pub(super) struct LifetimeArg(pub(super) SignedDuration);

impl FromStr for LifetimeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<LifetimeArg, String> {
        let span = time_format::parse_duration(text).filter(|span| !span.is_zero());
        span.map(LifetimeArg).ok_or_else(|| "expected a duration such as `90m`, `12h`, `30d` or `4w`".into())
    }
}

impl LifetimeArg {
    /// The end of the lifetime.
    pub(super) fn expires_at(self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.0).unwrap_or(Timestamp::MAX)
    }
}

/// A name that people can type and tell apart.
#[derive(Clone, Debug)]
pub(super) struct TokenNameArg(pub(super) String);

/// Maximum length in characters.
const LONGEST: usize = 64;

impl FromStr for TokenNameArg {
    type Err = String;

    fn from_str(text: &str) -> Result<TokenNameArg, String> {
        let name = text.trim();
        if name.is_empty() || name.chars().count() > LONGEST || name.chars().any(char::is_control) {
            return Err(format!("a name needs 1 to {LONGEST} visible characters"));
        }
        Ok(TokenNameArg(name.to_owned()))
    }
}
