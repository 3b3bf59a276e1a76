//! A rule under examination, in the layer it stands in.

use super::finding::{Code, Finding, Level, Place};
use crate::layer::{Layer, Standing, Stated};
use crate::rule::{Effect, Rule};

/// A rule under examination.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) layer: &'a Layer,
    pub(crate) stated: &'a Stated,
}

impl Entry<'_> {
    pub(crate) fn rule(&self) -> &Rule {
        &self.stated.rule
    }
    pub(crate) fn effect(&self) -> Effect {
        self.stated.effect
    }
    /// Whether the rule counts: allows of a file that cannot loosen do not.
    pub(super) fn counts(&self) -> bool {
        self.layer.standing == Standing::Full || self.effect() != Effect::Allow
    }
    pub(super) fn place(&self) -> Place {
        let range = self.stated.range;
        let text = self.layer.text.get(range.0 as usize..range.1 as usize).unwrap_or("");
        Place {
            layer: self.layer.kind,
            source: self.layer.name.to_string(),
            line: self.stated.line,
            effect: self.effect(),
            rule: text.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
    pub(super) fn finding(&self, level: Level, code: Code, message: impl Into<String>) -> Finding {
        Finding { level, code, at: self.place(), other: None, message: message.into(), hint: None }
    }
}

impl Finding {
    pub(super) fn about(mut self, other: &Entry<'_>) -> Finding {
        self.other = Some(other.place());
        self
    }
}
