//! The values of the flags that `create` and `link` share.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::Role;

use crate::commands::audit::moment;

/// A role by its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Named(pub(super) Role);

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        Role::named(text).map(Named).ok_or_else(|| "it has to be agent, viewer, approver or admin".into())
    }
}

/// How long something counts: `90m`, `12h`, `30d` or `4w`.
#[derive(Clone, Copy, Debug)]
pub(super) struct For(pub(super) SignedDuration);

impl FromStr for For {
    type Err = String;

    fn from_str(text: &str) -> Result<For, String> {
        let span = moment::age(text).filter(|span| !span.is_zero());
        span.map(For).ok_or_else(|| "expected a length of time such as `90m`, `12h`, `30d` or `4w`".into())
    }
}

impl For {
    /// When that is over.
    pub(super) fn ends(self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.0).unwrap_or(Timestamp::MAX)
    }
}

/// A name that people can tell apart and type.
#[derive(Clone, Debug)]
pub(super) struct Name(pub(super) String);

/// The longest name.
const LONGEST: usize = 64;

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Name, String> {
        let name = text.trim();
        if name.is_empty() || name.chars().count() > LONGEST || name.chars().any(char::is_control) {
            return Err(format!("a name has 1 to {LONGEST} characters that can be seen"));
        }
        Ok(Name(name.to_owned()))
    }
}
