//! A rule under lint, with its layer.

use super::finding::{Finding, FindingCode, FindingLevel, RuleLocation};
use crate::layer::{Layer, LayerRule, LayerTrust};
use crate::rule::{Effect, Rule};

/// A rule under lint.
#[derive(Clone, Copy)]
pub(crate) struct LintedRule<'a> {
    pub(crate) layer: &'a Layer,
    pub(crate) layer_rule: &'a LayerRule,
}

impl LintedRule<'_> {
    pub(crate) fn rule(&self) -> &Rule {
        &self.layer_rule.rule
    }
    pub(crate) fn effect(&self) -> Effect {
        self.layer_rule.effect
    }
    /// Whether the rule applies: allows of a file that can only tighten do not.
    pub(super) fn counts(&self) -> bool {
        self.layer.trust == LayerTrust::Full || self.effect() != Effect::Allow
    }
    pub(super) fn location(&self) -> RuleLocation {
        let range = self.layer_rule.range;
        let text = self.layer.text.get(range.0 as usize..range.1 as usize).unwrap_or("");
        RuleLocation {
            layer: self.layer.kind,
            source: self.layer.name.to_string(),
            line: self.layer_rule.line,
            effect: self.effect(),
            rule: text.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
    pub(super) fn finding(
        &self,
        level: FindingLevel,
        code: FindingCode,
        message: impl Into<String>,
    ) -> Finding {
        Finding { level, code, at: self.location(), other: None, message: message.into(), hint: None }
    }
}

impl Finding {
    pub(super) fn with_other_rule(mut self, other: &LintedRule<'_>) -> Finding {
        self.other = Some(other.location());
        self
    }
}
