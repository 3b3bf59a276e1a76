//! A config file as users write it, parsed into a layer.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{ConfigError, RuleError};
use crate::jsonc_deserializer::{self, LineIndex, Spanned};
use crate::layer::{BuiltinLevel, Layer, LayerRule, LayerSettings, LayerTrust, Preset, Reads};
use crate::paths::PathGlob;
use crate::rule::{Effect, LayerKind, Rule};
use crate::validate;

/// The largest config text that is parsed. A hundred thousand rules need about a tenth of it.
pub const MAX_CONFIG_BYTES: usize = 64 << 20;

/// A sekisho config file: JSON with comments.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "sekisho config")]
pub(crate) struct ConfigFile {
    /// URL of the schema of this file, for editors.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    schema: Option<String>,
    /// The version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    version: u32,
    /// The rules.
    #[serde(default)]
    permissions: Permissions,
    /// Which built-in list of harmless tools and commands applies: `full` (default), `seed` or `none`.
    #[serde(default)]
    builtin: Option<BuiltinLevel>,
    /// Which files the built-in list lets a call read, protected ones aside: `anywhere` (default) or `workspace`. Any file
    /// may say `workspace`; `anywhere` takes that back in managed and global config only.
    #[serde(default)]
    reads: Option<Reads>,
    /// Opt-in lists of rules: `dev`, `local-work`, `network-read`, `strict`. `sekisho rules presets` shows them. Any file may switch on
    /// `strict`; the others count in managed, global and trusted project files.
    #[serde(default)]
    presets: Vec<Preset>,
    /// Every redirect, even to /dev/null, is a question unless an allow rule's `command_glob` matches it.
    #[serde(default)]
    strict_redirects: bool,
    /// Changes to the list of protected paths, which are never touched without confirmation.
    #[serde(default)]
    protected_paths: ProtectedPaths,
}

/// The rules of a config file, by effect.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Permissions {
    /// Calls that run without confirmation.
    #[serde(default)]
    allow: Vec<Spanned<Rule>>,
    /// Calls that need confirmation by a human.
    #[serde(default)]
    confirm: Vec<Spanned<Rule>>,
    /// Calls that never run.
    #[serde(default)]
    deny: Vec<Spanned<Rule>>,
}

/// Changes to the list of protected paths.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProtectedPaths {
    /// Additional globs to protect.
    #[serde(default)]
    add: Vec<Spanned<String>>,
    /// Patterns to remove from the list. Only managed and global config can remove patterns.
    #[serde(default)]
    remove: Vec<String>,
}

/// Parses a config text. A text with an error gives no layer at all. Rule examples are not checked.
pub(crate) fn read(kind: LayerKind, name: &str, text: &str) -> Result<Layer, ConfigError> {
    if text.len() > MAX_CONFIG_BYTES {
        let message =
            format!("the file has {} bytes, more than the {MAX_CONFIG_BYTES} that are read", text.len());
        let hint = Some("split it, or keep rules in the database".into());
        return Err(ConfigError {
            file: name.into(),
            line: 0,
            column: 0,
            field: String::new(),
            message,
            hint,
        });
    }
    let file: ConfigFile = jsonc_deserializer::read(name, text)?;
    let reader = RuleReader { name, lines: LineIndex::new(text) };
    if file.version != 1 {
        let at = text.find("\"version\"").and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        let error = RuleError::new("", format!("version {} is not known", file.version));
        return Err(reader.fault((at, at), "version".into(), error.hint("this sekisho reads version 1")));
    }
    for (index, glob) in file.protected_paths.add.iter().enumerate() {
        let field = || format!("protected_paths.add[{index}]");
        PathGlob::new(&glob.value, true).map_err(|error| reader.fault(glob.range, field(), error))?;
    }
    let rules = reader.rules(file.permissions)?;
    let settings = LayerSettings {
        builtin: file.builtin,
        strict_redirects: file.strict_redirects,
        protect: file.protected_paths.add.into_iter().map(|glob| glob.value).collect(),
        unprotect: file.protected_paths.remove,
        reads: file.reads,
        presets: file.presets,
    };
    let standing = if kind == LayerKind::Project { LayerTrust::Untrusted } else { LayerTrust::Full };
    Ok(Layer { kind, name: name.into(), text: text.into(), rules, settings, trust: standing })
}

/// Checks the rules of one config text.
struct RuleReader<'a> {
    name: &'a str,
    lines: LineIndex<'a>,
}

impl RuleReader<'_> {
    fn fault(&self, range: (u32, u32), field: String, error: RuleError) -> ConfigError {
        let (line, column) = self.lines.line_and_column(range.0 as usize);
        ConfigError { file: self.name.into(), line, column, field, message: error.message, hint: error.hint }
    }

    fn rules(&self, permissions: Permissions) -> Result<Vec<LayerRule>, ConfigError> {
        let lists = [
            (Effect::Allow, permissions.allow),
            (Effect::Confirm, permissions.confirm),
            (Effect::Deny, permissions.deny),
        ];
        let mut rules: Vec<LayerRule> = Vec::with_capacity(lists.iter().map(|(_, list)| list.len()).sum());
        let mut ids: HashMap<Uuid, u32> = HashMap::new();
        for (effect, list) in lists {
            for (index, Spanned { value: rule, range }) in list.into_iter().enumerate() {
                let (line, column) = self.lines.line_and_column(range.0 as usize);
                check(effect, &rule, line, &mut ids).map_err(|error| {
                    let dot = if error.field.is_empty() { "" } else { "." };
                    self.fault(range, format!("permissions.{effect}[{index}]{dot}{}", error.field), error)
                })?;
                rules.push(LayerRule { effect, rule, range, line, column });
            }
        }
        Ok(rules)
    }
}

/// Checks one rule of a file. `ids` has the lines of the ids seen so far.
fn check(effect: Effect, rule: &Rule, line: u32, ids: &mut HashMap<Uuid, u32>) -> Result<(), RuleError> {
    validate::rule(effect, rule)?;
    validate::matches_something(rule)?;
    if let Some(earlier) = rule.id.and_then(|id| ids.insert(id, line)) {
        let message = format!("the rule at line {earlier} has the same id");
        return Err(RuleError::new("id", message).hint("give one of them another id, or none"));
    }
    Ok(())
}

/// The JSON Schema of a config file, generated from the types that read it.
pub fn config_schema() -> schemars::Schema {
    schemars::schema_for!(ConfigFile)
}
