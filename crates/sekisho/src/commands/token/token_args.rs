//! The values of the flags that `create` and `link` share.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::Role;

use crate::commands::audit::time_format;

/// A role by its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleArg(pub(super) Role);

impl FromStr for RoleArg {
    type Err = String;

    fn from_str(text: &str) -> Result<RoleArg, String> {
        Role::from_name(text).map(RoleArg).ok_or_else(|| "it has to be agent, viewer, approver or admin".into())
    }
}

/// How long something counts: `90m`, `12h`, `30d` or `4w`.
#[derive(Clone, Copy, Debug)]
pub(super) struct LifetimeArg(pub(super) SignedDuration);

impl FromStr for LifetimeArg {
    type Err = String;

    fn from_str(text: &str) -> Result<LifetimeArg, String> {
        let span = time_format::parse_duration(text).filter(|span| !span.is_zero());
        span.map(LifetimeArg).ok_or_else(|| "expected a length of time such as `90m`, `12h`, `30d` or `4w`".into())
    }
}

impl LifetimeArg {
    /// When that is over.
    pub(super) fn expires_at(self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.0).unwrap_or(Timestamp::MAX)
    }
}

/// A name that people can tell apart and type.
#[derive(Clone, Debug)]
pub(super) struct TokenNameArg(pub(super) String);

/// The longest name.
const LONGEST: usize = 64;

impl FromStr for TokenNameArg {
    type Err = String;

    fn from_str(text: &str) -> Result<TokenNameArg, String> {
        let name = text.trim();
        if name.is_empty() || name.chars().count() > LONGEST || name.chars().any(char::is_control) {
            return Err(format!("a name has 1 to {LONGEST} characters that can be seen"));
        }
        Ok(TokenNameArg(name.to_owned()))
    }
}
