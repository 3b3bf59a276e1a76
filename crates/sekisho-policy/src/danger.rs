//! How much care a call wants.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much care a call wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DangerLevel {
    /// Nothing is changed and nothing leaves the machine.
    None,
    /// Something may change or leave.
    Caution,
    /// Harm is likely if it is not what was wanted.
    Danger,
}

/// A level and a plain sentence of why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Danger {
    /// How much care.
    pub level: DangerLevel,
    /// Why.
    pub why: Cow<'static, str>,
}

/// The danger of every call that touches a protected path, whatever is decided: who is asked must not take it for harmless.
pub(crate) fn touches_protected() -> Danger {
    let why = Cow::Borrowed("touches a file that holds secrets or steers what runs");
    Danger { level: DangerLevel::Danger, why }
}

/// The graver of two dangers; of two equal ones the first.
pub(crate) fn worse(a: Option<Danger>, b: Option<Danger>) -> Option<Danger> {
    match (a, b) {
        (Some(a), Some(b)) if b.level > a.level => Some(b),
        (Some(a), _) => Some(a),
        (None, b) => b,
    }
}
