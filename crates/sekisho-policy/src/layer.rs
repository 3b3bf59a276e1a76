//! A layer of rules: one config file, or one set of stored rules.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rule::{Effect, LayerKind, Rule};

/// Rules and settings from one place.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Which layer.
    pub kind: LayerKind,
    /// The file, or another name for the place.
    pub name: Arc<str>,
    /// The text the rules were read from.
    pub text: Arc<str>,
    /// The rules, in the order of the text.
    pub rules: Vec<Stated>,
    /// Settings that are not rules.
    pub settings: Settings,
    /// Whether its allow rules count.
    pub standing: Standing,
}

/// Whether the allow rules of a layer count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// All its rules count.
    Full,
    /// A project file nobody has trusted as it is now: it can only tighten.
    Untrusted,
    /// A project file elsewhere than at the workspace root: it can only tighten.
    OutsideRoot,
}

/// A rule with its effect and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// What it does.
    pub effect: Effect,
    /// What it matches.
    pub rule: Rule,
    /// Byte range of the rule in the layer's text.
    pub range: (u32, u32),
    /// Line it begins at.
    pub line: u32,
    /// Column it begins at.
    pub column: u32,
}

/// A layer that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Broken {
    /// Which layer.
    pub kind: LayerKind,
    /// The file, or another name for the place.
    pub name: String,
    /// What is wrong, in one line.
    pub error: String,
}

/// Settings that are not rules. Across layers the strictest counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// How much of the built-in list counts.
    pub builtin: Option<Builtin>,
    /// Every redirect needs a rule that names it.
    pub strict_redirects: bool,
    /// Paths protected besides the built-in ones.
    pub protect: Vec<String>,
    /// Paths of the list that are not protected after all; honoured from managed and global layers.
    pub unprotect: Vec<String>,
    /// Which files the built-in list lets a call read.
    pub reads: Option<Reads>,
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

/// How much of the built-in list counts, from loosest to strictest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Builtin {
    /// All of it.
    #[default]
    Full,
    /// The short list of the first specification.
    Seed,
    /// Nothing.
    None,
}

impl Layer {
    /// What remains of the layer when its file no longer loads: what it forbade.
    #[must_use]
    pub fn denies_only(mut self) -> Layer {
        self.rules.retain(|stated| stated.effect == Effect::Deny);
        self
    }
}
