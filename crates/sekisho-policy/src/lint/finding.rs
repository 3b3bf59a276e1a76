//! A lint finding: its level, its code, and the location of the rule.

use serde::Serialize;

use crate::rule::{Effect, LayerKind};

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingLevel {
    /// Good to know.
    Info,
    /// Probably not intended.
    Warning,
    /// Allows calls that nobody would want to allow.
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
    /// It is unknown whether another rule always decides instead.
    Unknown,
    /// It can never match.
    NeverMatches,
    /// It allows too much.
    TooWide,
    /// The same rule exists elsewhere.
    Duplicate,
    /// It names one agent's tool; the canonical name would match every agent's.
    Alias,
    /// It has expired.
    Expired,
    /// There were too many pairs of rules to compare them all.
    NotCompared,
}

/// One finding about a rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// How much it matters.
    pub level: FindingLevel,
    /// What was found.
    pub code: FindingCode,
    /// The rule.
    pub at: RuleLocation,
    /// The other rule, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<RuleLocation>,
    /// The message for people.
    pub message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A rule and its location.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleLocation {
    /// Its layer.
    pub layer: LayerKind,
    /// Its file.
    pub source: String,
    /// Its line.
    pub line: u32,
    /// Its effect.
    pub effect: Effect,
    /// As written, on one line.
    pub rule: String,
}

impl Finding {
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = Some(hint.into());
        self
    }
}
