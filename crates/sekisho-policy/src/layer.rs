//! A layer of rules: one config file, or one set of stored rules.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rule::{Effect, LayerKind, Rule};

/// Rules and settings from one source.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The kind of layer.
    pub kind: LayerKind,
    /// The file name, or another name for the source.
    pub name: Arc<str>,
    /// The text the rules were parsed from.
    pub text: Arc<str>,
    /// The rules, in the order of the text.
    pub rules: Vec<LayerRule>,
    /// Settings that are not rules.
    pub settings: LayerSettings,
    /// Whether its allow rules apply.
    pub trust: LayerTrust,
}

/// Whether the allow rules of a layer apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerTrust {
    /// All its rules apply.
    Full,
    /// A project file that is not trusted in its current version: it can only tighten.
    Untrusted,
    /// A project file that is not at the workspace root: it can only tighten.
    OutsideRoot,
}

/// A rule with its effect and position.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRule {
    /// Its effect.
    pub effect: Effect,
    /// The rule itself.
    pub rule: Rule,
    /// Byte range of the rule in the layer's text.
    pub range: (u32, u32),
    /// Line at which it begins, from 1.
    pub line: u32,
    /// Column at which it begins, from 1.
    pub column: u32,
}

/// A layer that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenLayer {
    /// The kind of layer.
    pub kind: LayerKind,
    /// The file name, or another name for the source.
    pub name: String,
    /// The error, in one line.
    pub error: String,
}

/// Settings that are not rules. Across layers the strictest setting counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerSettings {
    /// How much of the built-in list applies.
    pub builtin: Option<BuiltinLevel>,
    /// Every redirect is a question unless an allow rule's `command_glob` matches it.
    pub strict_redirects: bool,
    /// Additional protected paths.
    pub protect: Vec<String>,
    /// Patterns removed from the protected list. Only managed and global layers can remove patterns.
    pub unprotect: Vec<String>,
    /// Which files the built-in list lets a call read.
    pub reads: Option<Reads>,
    /// The presets that the layer switches on.
    pub presets: Vec<Preset>,
}

/// Which files the built-in list lets a call read, protected ones aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reads {
    /// All of them.
    #[default]
    Anywhere,
    /// Those in the workspace. Any other is a question.
    Workspace,
}

/// Opt-in lists of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Allows commands that build, test, check and format the project, which run its own code.
    Dev,
    /// Allows commands that create directories in the workspace, and record changes in the local repository.
    LocalWork,
    /// Allows commands that read from services on the network.
    NetworkRead,
    /// Denies what the built-in tools never do.
    Strict,
}

/// How much of the built-in list applies, from loosest to strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BuiltinLevel {
    /// All of it.
    #[default]
    Full,
    /// The short list.
    Seed,
    /// Nothing.
    None,
}

impl Layer {
    /// Keeps only the deny rules, for a layer whose file no longer loads.
    #[must_use]
    pub fn denies_only(mut self) -> Layer {
        self.rules.retain(|layer_rule| layer_rule.effect == Effect::Deny);
        self
    }
}
