//! Loads layers: parses them and checks the examples of their rules.

use crate::config_file;
use crate::error::{ConfigError, RuleError};
use crate::examples;
use crate::layer::{Layer, LayerRule, LayerSettings, LayerTrust};
use crate::rule::{Effect, LayerKind, Rule};
use crate::validate;

impl Layer {
    /// Parses a config text. A text with an error gives no layer at all.
    pub fn parse(kind: LayerKind, name: &str, text: &str) -> Result<Layer, ConfigError> {
        let layer = config_file::read(kind, name, text)?;
        for (at, layer_rule) in layer.rules.iter().enumerate() {
            examples::check(layer_rule.effect, &layer_rule.rule).map_err(|error| {
                let before = layer.rules.iter().take(at);
                let index = before.filter(|earlier| earlier.effect == layer_rule.effect).count();
                ConfigError {
                    file: name.into(),
                    line: layer_rule.line,
                    column: layer_rule.column,
                    field: format!("permissions.{}[{index}].{}", layer_rule.effect, error.field),
                    message: error.message,
                    hint: error.hint,
                }
            })?;
        }
        Ok(layer)
    }

    /// A layer of stored rules, from the database or a session.
    pub fn from_rules(kind: LayerKind, name: &str, rules: Vec<(Effect, Rule)>) -> Result<Layer, RuleError> {
        let mut text = String::new();
        let mut layer_rule = Vec::with_capacity(rules.len());
        for (line, (effect, rule)) in (1..).zip(rules) {
            validate::rule(effect, &rule)?;
            examples::check(effect, &rule)?;
            let start = u32::try_from(text.len()).unwrap_or(u32::MAX);
            let written =
                serde_json::to_string(&rule).map_err(|error| RuleError::new("", error.to_string()))?;
            text.push_str(&written);
            let range = (start, u32::try_from(text.len()).unwrap_or(u32::MAX));
            text.push('\n');
            layer_rule.push(LayerRule { effect, rule, range, line, column: 1 });
        }
        let (settings, standing) = (LayerSettings::default(), LayerTrust::Full);
        Ok(Layer { kind, name: name.into(), text: text.into(), rules: layer_rule, settings, trust: standing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::built_in_layers::TEXTS;

    #[test]
    fn the_examples_of_shipped_rules_hold() {
        for (text, _) in TEXTS {
            Layer::parse(LayerKind::BuiltIn, "built-in", text).unwrap();
        }
    }
}
