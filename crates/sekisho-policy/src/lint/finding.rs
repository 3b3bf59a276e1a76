//! What lint tells about a rule: how much it matters, what it is, and where the rule stands.

use serde::Serialize;

use crate::rule::{Effect, LayerKind};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingLevel {
    /// Good to know.
    Info,
    /// Probably not what was meant.
    Warning,
    /// Lets through what nobody would want to.
    Danger,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingCode {
    /// A stronger rule decides whenever this one matches.
    Shadowed,
    /// A rule of the same effect matches whenever this one does.
    Redundant,
    /// Whether another rule hides this one cannot be told.
    Unknown,
    /// It can never match.
    NeverMatches,
    /// It allows more than anyone would read.
    TooWide,
    /// The same rule stands elsewhere.
    Duplicate,
    /// It names one agent's tool where the canonical name means every agent's.
    Alias,
    /// Its time is over.
    Expired,
    /// There were too many pairs of rules to compare them all.
    NotCompared,
}

/// One thing to tell about a rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub level: FindingLevel,
    /// What it is.
    pub code: FindingCode,
    /// The rule.
    pub at: RuleLocation,
    /// The other rule it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<RuleLocation>,
    /// In words.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A rule and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleLocation {
    /// Its layer.
    pub layer: LayerKind,
    /// Its file.
    pub source: String,
    /// Its line.
    pub line: u32,
    /// What it does.
    pub effect: Effect,
    /// As it was written, on one line.
    pub rule: String,
}

impl Finding {
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = Some(hint.into());
        self
    }
}
