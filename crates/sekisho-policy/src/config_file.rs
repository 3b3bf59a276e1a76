//! A config file as people write it, read into a layer.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{ConfigError, RuleError};
use crate::layer::{Builtin, Layer, Reads, Settings, Standing, Stated};
use crate::located::{self, Lines, Located};
use crate::paths::PathGlob;
use crate::rule::{Effect, LayerKind, Rule};
use crate::validate;

/// The largest config text that is read. A hundred thousand rules need about a tenth of it.
pub const LARGEST_CONFIG: usize = 64 << 20;

/// A sekisho config file: JSON with comments.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "sekisho config")]
pub(crate) struct ConfigFile {
    /// Where the schema of this file is found; for editors.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    schema: Option<String>,
    /// The version of the format: 1.
    #[schemars(range(min = 1, max = 1))]
    version: u32,
    /// The rules.
    #[serde(default)]
    permissions: Permissions,
    /// How much of the built-in list of harmless tools and commands counts: `full` (default), `seed` or `none`.
    #[serde(default)]
    builtin: Option<Builtin>,
    /// Which files the built-in list lets a call read, protected ones aside: `anywhere` (default) or `workspace`. Any file
    /// may say `workspace`; `anywhere` takes that back in managed and global config only.
    #[serde(default)]
    reads: Option<Reads>,
    /// Every redirect, even to /dev/null, needs a rule that names it.
    #[serde(default)]
    strict_redirects: bool,
    /// Changes to the list of paths that are never touched without a question.
    #[serde(default)]
    protected_paths: ProtectedPaths,
}

/// The rules of a config file, by effect.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Permissions {
    /// Calls that run without a question.
    #[serde(default)]
    allow: Vec<Located<Rule>>,
    /// Calls a human decides on.
    #[serde(default)]
    confirm: Vec<Located<Rule>>,
    /// Calls that never run.
    #[serde(default)]
    deny: Vec<Located<Rule>>,
}

/// Changes to the list of protected paths.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProtectedPaths {
    /// Globs to protect besides.
    #[serde(default)]
    add: Vec<Located<String>>,
    /// Entries to take off the list; honoured from managed and global config only.
    #[serde(default)]
    remove: Vec<String>,
}

/// Reads a config text. A text with any fault gives no layer at all. Examples of rules are not tried.
pub(crate) fn read(kind: LayerKind, name: &str, text: &str) -> Result<Layer, ConfigError> {
    if text.len() > LARGEST_CONFIG {
        let message =
            format!("the file has {} bytes, more than the {LARGEST_CONFIG} that are read", text.len());
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
    let file: ConfigFile = located::read(name, text)?;
    let reading = Reading { name, lines: Lines::new(text) };
    if file.version != 1 {
        let at = text.find("\"version\"").and_then(|at| u32::try_from(at).ok()).unwrap_or(0);
        let error = RuleError::new("", format!("version {} is not known", file.version));
        return Err(reading.fault((at, at), "version".into(), error.hint("this sekisho reads version 1")));
    }
    for (index, glob) in file.protected_paths.add.iter().enumerate() {
        let field = || format!("protected_paths.add[{index}]");
        PathGlob::new(&glob.value, true).map_err(|error| reading.fault(glob.range, field(), error))?;
    }
    let rules = reading.rules(file.permissions)?;
    let settings = Settings {
        builtin: file.builtin,
        strict_redirects: file.strict_redirects,
        protect: file.protected_paths.add.into_iter().map(|glob| glob.value).collect(),
        unprotect: file.protected_paths.remove,
        reads: file.reads,
    };
    let standing = if kind == LayerKind::Project { Standing::Untrusted } else { Standing::Full };
    Ok(Layer { kind, name: name.into(), text: text.into(), rules, settings, standing })
}

/// A config text while its rules are checked.
struct Reading<'a> {
    name: &'a str,
    lines: Lines<'a>,
}

impl Reading<'_> {
    fn fault(&self, range: (u32, u32), field: String, error: RuleError) -> ConfigError {
        let (line, column) = self.lines.place(range.0 as usize);
        ConfigError { file: self.name.into(), line, column, field, message: error.message, hint: error.hint }
    }

    fn rules(&self, permissions: Permissions) -> Result<Vec<Stated>, ConfigError> {
        let lists = [
            (Effect::Allow, permissions.allow),
            (Effect::Confirm, permissions.confirm),
            (Effect::Deny, permissions.deny),
        ];
        let mut rules: Vec<Stated> = Vec::with_capacity(lists.iter().map(|(_, list)| list.len()).sum());
        let mut ids: HashMap<Uuid, u32> = HashMap::new();
        for (effect, list) in lists {
            for (index, Located { value: rule, range }) in list.into_iter().enumerate() {
                let (line, column) = self.lines.place(range.0 as usize);
                check(effect, &rule, line, &mut ids).map_err(|error| {
                    let dot = if error.field.is_empty() { "" } else { "." };
                    self.fault(range, format!("permissions.{effect}[{index}]{dot}{}", error.field), error)
                })?;
                rules.push(Stated { effect, rule, range, line, column });
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
        return Err(RuleError::new("id", message).hint("give one of them another, or none"));
    }
    Ok(())
}

/// The JSON Schema of a config file, generated from the types that read it.
pub fn config_schema() -> schemars::Schema {
    schemars::schema_for!(ConfigFile)
}
