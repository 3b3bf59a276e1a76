//! The decision on a call.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rule::Effect;

/// The decision on a call, from loosest to strictest. Combining decisions takes the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may run.
    Allow,
    /// A human must confirm it.
    Confirm,
    /// It must not run.
    Deny,
}

impl Decision {
    /// `allow`, `confirm` or `deny`.
    pub fn name(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Confirm => "confirm",
            Decision::Deny => "deny",
        }
    }
}

impl From<Effect> for Decision {
    fn from(effect: Effect) -> Decision {
        match effect {
            Effect::Allow => Decision::Allow,
            Effect::Confirm => Decision::Confirm,
            Effect::Deny => Decision::Deny,
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
