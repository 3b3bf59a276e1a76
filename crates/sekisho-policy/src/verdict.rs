//! What was decided, and why.

use std::fmt;
use std::sync::Arc;

use sekisho_shell::script::OpaqueKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smallvec::SmallVec;
use uuid::Uuid;

use crate::located;
use crate::rule::{Effect, LayerKind, OnTimeout, Rule};
use crate::surroundings::Facts;

/// The decision on a call, from loosest to strictest. Combining decisions takes the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may run.
    Allow,
    /// A human decides.
    Confirm,
    /// It may not run.
    Deny,
}

impl Decision {
    /// `allow`, `confirm` or `deny`.
    pub fn name(self) -> &'static str {
        match self {
            Decision::Allow => "allow",
            Decision::Confirm => "confirm",
            Decision::Deny => "deny",
        }
    }
}

impl From<Effect> for Decision {
    fn from(effect: Effect) -> Decision {
        match effect {
            Effect::Allow => Decision::Allow,
            Effect::Confirm => Decision::Confirm,
            Effect::Deny => Decision::Deny,
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The one verdict type of the workspace. Wire, store, page and SDKs use its serde form.
#[must_use]
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What was decided.
    pub decision: Decision,
    /// Why, the decisive reason first. Never empty.
    pub reasons: SmallVec<[Reason; 1]>,
    /// The rules the reasons speak of; the one that decided first.
    pub rules: SmallVec<[RuleRef; 1]>,
    /// How much care the call wants.
    pub danger: Danger,
    /// For confirm: how long to wait, where a rule says so.
    pub wait: Wait,
    /// The parts of a shell text, each with its own decision; none for other tools.
    pub parts: Vec<Part>,
    /// The facts about files that were used, so that judging again gives the same.
    pub facts: Facts,
}

/// Why a decision was made. Rules are named by their position in [`Verdict::rules`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Reason {
    /// A rule decided.
    Rule {
        /// Position in [`Verdict::rules`].
        rule: usize,
    },
    /// No rule matched; the default is to ask.
    NoRule,
    /// A deny or confirm rule might match, but what it asks about is unknown.
    NotEvaluated {
        /// Position in [`Verdict::rules`].
        rule: usize,
    },
    /// The call touches a path that no rule opens.
    ProtectedPath {
        /// The path.
        path: String,
        /// The entry of the list of protected paths.
        pattern: String,
    },
    /// It cannot be told which file the call touches.
    PathUnknown,
    /// Matching took more work than is allowed for one call.
    WorkLimit,
    /// What is inside a shell command is not known.
    ShellUnread,
    /// A part of a shell text that only bash itself can know.
    Opaque {
        /// Why.
        kind: OpaqueKind,
    },
    /// A redirect opens a file, or is none of the harmless forms.
    Redirect {
        /// As written.
        text: String,
    },
    /// An assignment that may change what runs.
    Assignment {
        /// The variable.
        name: String,
    },
    /// A variable or other expansion outside the closed list.
    Expansion {
        /// As written.
        text: String,
    },
    /// An option or operand that is not known to be harmless.
    Obstacle {
        /// As written.
        word: String,
        /// Why.
        why: String,
    },
    /// A word that may turn out to be an option.
    MayBeOption {
        /// As written.
        word: String,
    },
    /// The command changes the shell that runs what follows.
    ChangesShell {
        /// The command.
        program: String,
    },
    /// It runs a program given as text or in a file.
    ProgramText {
        /// The program.
        program: String,
    },
    /// It would walk through the home directory.
    WalksHome {
        /// From where.
        path: String,
    },
    /// A path leads out of the workspace.
    OutsideWorkspace {
        /// The path.
        path: String,
    },
    /// The git repository names programs that git would run.
    RepositoryRuns {
        /// Where.
        directory: String,
        /// The setting.
        what: String,
    },
    /// What the git repository can do is not known.
    RepositoryUnknown,
    /// Something is run that cannot be known.
    RunsUnknown {
        /// Why.
        why: String,
    },
    /// More commands, or deeper ones, than are followed.
    TooMuch,
    /// Nobody can answer a question.
    NobodyCanConfirm,
    /// A config file does not load.
    ConfigBroken {
        /// Its layer.
        layer: LayerKind,
        /// What is wrong with it.
        error: String,
    },
}

/// One part of a shell text: a command, a redirect, an assignment, or something that cannot be known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// As written, or as evaluated where it stands in no text.
    pub text: String,
    /// Byte range in the call's text; absent inside an inner text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<(u32, u32)>,
    /// What was decided for it alone.
    pub decision: Decision,
    /// Why, in one sentence.
    pub reason: String,
    /// Why, as a code.
    pub code: Reason,
    /// The rule the reason speaks of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<RuleRef>,
    /// What it does to the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub danger: Option<Danger>,
    /// What it runs in turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// What a [`Part`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// A simple command.
    Command,
    /// A redirect.
    Redirect,
    /// An assignment.
    Assignment,
    /// Something that cannot be known.
    Opaque,
}

/// How much care a call wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Danger {
    /// How much care.
    pub level: DangerLevel,
    /// Why.
    pub why: std::borrow::Cow<'static, str>,
}

/// How long to wait for an answer, where the deciding rule says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u32>,
    /// What then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_timeout: Option<OnTimeout>,
}

impl Verdict {
    /// One sentence a person understands: the decisive reason.
    pub fn sentence(&self) -> String {
        self.reasons.first().map_or_else(|| "an internal error".into(), |reason| self.explain(reason))
    }

    /// One of the verdict's reasons as a sentence.
    pub fn explain(&self, reason: &Reason) -> String {
        reason.explain(self.decision, &self.rules)
    }
}

impl Reason {
    /// The reason as a sentence, for a decision and the rules it speaks of.
    pub(crate) fn explain(&self, decision: Decision, rules: &[RuleRef]) -> String {
        let rule = |index: &usize| rules.get(*index).map_or_else(|| "a rule".into(), RuleRef::describe);
        match self {
            Reason::Rule { rule: index } => {
                let note = rules.get(*index).and_then(RuleRef::rule).and_then(|rule| rule.note);
                let by = format!("{} by {}", past(decision), rule(index));
                note.map_or(by.clone(), |note| format!("{note} ({by})"))
            }
            Reason::NoRule => "no rule matches, and the default is to ask".into(),
            Reason::NotEvaluated { rule: index } => {
                format!("{} might match, but what it asks about is not known", rule(index))
            }
            Reason::ProtectedPath { path, pattern } => {
                format!("`{path}` is protected (`{pattern}`) and never opened without a question")
            }
            Reason::PathUnknown => "which file it touches is not known".into(),
            Reason::WorkLimit => {
                "matching it against the rules takes more work than one call may cost".into()
            }
            Reason::ShellUnread => "what the shell command would run is not known".into(),
            Reason::Opaque { kind } => opaque_sentence(*kind).into(),
            Reason::Redirect { text } => format!("the redirect `{text}` opens a file, and no rule names it"),
            Reason::Assignment { name } => format!("setting `{name}` may change what runs"),
            Reason::Expansion { text } => format!("what `{text}` becomes is not known"),
            Reason::Obstacle { word, why } if word.is_empty() => why.clone(),
            Reason::Obstacle { word, why } => format!("`{word}`: {why}"),
            Reason::MayBeOption { word } => format!("`{word}` may turn into an option"),
            Reason::ChangesShell { program } => {
                format!("`{program}` changes the shell that runs what follows")
            }
            Reason::ProgramText { program } => format!("`{program}` runs a program of its own"),
            Reason::WalksHome { path } => format!("from `{path}` it would walk through the home directory"),
            Reason::OutsideWorkspace { path } => format!("`{path}` lies outside the workspace"),
            Reason::RepositoryRuns { what, .. } => {
                format!("the repository's own config sets `{what}`, so git could run a program it names")
            }
            Reason::RepositoryUnknown => "what the git repository's config would run is not known".into(),
            Reason::RunsUnknown { why } => why.clone(),
            Reason::TooMuch => "it holds more commands, or deeper ones, than are followed".into(),
            Reason::NobodyCanConfirm => "it needs a human's answer, and nobody can answer".into(),
            Reason::ConfigBroken { layer, error } => format!("the {layer} config does not load: {error}"),
        }
    }
}

fn opaque_sentence(kind: OpaqueKind) -> &'static str {
    match kind {
        OpaqueKind::TooLong => "the text is longer than is read",
        OpaqueKind::TooDeep => "it is nested deeper than is followed",
        OpaqueKind::HiddenCharacter => "it holds a character that hides or disguises text",
        OpaqueKind::Unparsed => "it is not a text that can be read as bash would read it",
        OpaqueKind::ComputedName => "the name of the program is computed",
        OpaqueKind::Expansion => "an expansion in it can run or set something",
        OpaqueKind::Arithmetic => "arithmetic in it can run something",
        OpaqueKind::Function => "it defines a function",
        OpaqueKind::Array => "it sets an array",
        OpaqueKind::Conditional => "a test in it can run something",
        OpaqueKind::Construct => "it holds a construct that is not followed",
        OpaqueKind::Redirect => "a redirect in it is not one that is followed",
    }
}

fn past(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allowed",
        Decision::Confirm => "a question is asked for",
        Decision::Deny => "denied",
    }
}

/// The wire form of a verdict.
#[derive(Serialize, Deserialize)]
struct Wire {
    decision: Decision,
    #[serde(default)]
    reason: String,
    reasons: SmallVec<[Reason; 1]>,
    rules: SmallVec<[RuleRef; 1]>,
    #[serde(default)]
    parts: Vec<Part>,
    danger: Danger,
    #[serde(flatten)]
    wait: Wait,
    #[serde(default, skip_serializing_if = "Facts::is_empty")]
    facts: Facts,
}

impl Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let verdict = self.clone();
        Wire {
            decision: verdict.decision,
            reason: self.sentence(),
            reasons: verdict.reasons,
            rules: verdict.rules,
            parts: verdict.parts,
            danger: verdict.danger,
            wait: verdict.wait,
            facts: verdict.facts,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Verdict {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire = Wire::deserialize(deserializer)?;
        if wire.reasons.is_empty() {
            return Err(serde::de::Error::custom("a verdict needs a reason"));
        }
        Ok(Verdict {
            decision: wire.decision,
            reasons: wire.reasons,
            rules: wire.rules,
            danger: wire.danger,
            wait: wire.wait,
            parts: wire.parts,
            facts: wire.facts,
        })
    }
}

/// The rules of a policy as they were written, kept so that a verdict can cite them.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct RuleTable {
    pub(crate) sources: Vec<Source>,
    pub(crate) cites: Vec<Cite>,
    pub(crate) ids: hashbrown::HashMap<u32, Uuid, foldhash::fast::FixedState>,
}

/// Where rules were written.
#[derive(Debug, PartialEq)]
pub(crate) struct Source {
    pub(crate) layer: LayerKind,
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
}

/// One rule's place in its source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cite {
    pub(crate) source: u32,
    pub(crate) range: (u32, u32),
    pub(crate) line: u32,
    pub(crate) priority: i32,
    pub(crate) effect: Effect,
}

/// A rule, as cited by a verdict: cheap to copy, and able to say where it stands and what it says.
#[derive(Clone)]
pub struct RuleRef {
    table: Arc<RuleTable>,
    index: u32,
}

/// What a cited rule says of itself on the wire.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Cited {
    effect: Effect,
    layer: LayerKind,
    source: String,
    line: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<Uuid>,
    priority: i32,
    rule: Value,
}

impl RuleRef {
    pub(crate) fn new(table: &Arc<RuleTable>, index: u32) -> RuleRef {
        RuleRef { table: Arc::clone(table), index }
    }

    fn cite(&self) -> Option<&Cite> {
        self.table.cites.get(self.index as usize)
    }

    fn written(&self) -> Option<&Source> {
        self.table.sources.get(self.cite()?.source as usize)
    }

    /// What it does.
    pub fn effect(&self) -> Effect {
        self.cite().map_or(Effect::Deny, |cite| cite.effect)
    }

    /// Its priority.
    pub fn priority(&self) -> i32 {
        self.cite().map_or(0, |cite| cite.priority)
    }

    /// The layer it belongs to.
    pub fn layer(&self) -> LayerKind {
        self.written().map_or(LayerKind::BuiltIn, |source| source.layer)
    }

    /// The file (or `built-in`, or `database`) it stands in.
    pub fn source(&self) -> &str {
        self.written().map_or("", |source| &source.name)
    }

    /// The line it begins at.
    pub fn line(&self) -> u32 {
        self.cite().map_or(0, |cite| cite.line)
    }

    /// Its id, if it has one.
    pub fn id(&self) -> Option<Uuid> {
        self.table.ids.get(&self.index).copied()
    }

    /// The rule as it was written.
    pub fn text(&self) -> &str {
        let range = self.cite().map_or((0, 0), |cite| cite.range);
        self.written().and_then(|source| source.text.get(range.0 as usize..range.1 as usize)).unwrap_or("")
    }

    /// The rule, read again from its text.
    pub fn rule(&self) -> Option<Rule> {
        located::read(self.source(), self.text()).ok()
    }

    /// How long the rule says to wait for an answer.
    pub(crate) fn wait(&self) -> Wait {
        let rule = self.rule().unwrap_or_default();
        Wait { timeout_s: rule.timeout_s, on_timeout: rule.on_timeout }
    }

    /// The rule and where it stands, in one phrase.
    pub fn describe(&self) -> String {
        let text = self.text().split_whitespace().collect::<Vec<_>>().join(" ");
        match self.layer() {
            LayerKind::BuiltIn => format!("the built-in rule `{text}`"),
            LayerKind::Database | LayerKind::Session => {
                let id = self.id().map(|id| format!(" {id}")).unwrap_or_default();
                format!("the {} rule{id} `{text}`", self.layer())
            }
            layer => format!("the {layer} rule `{text}` at {}:{}", self.source(), self.line()),
        }
    }

    fn cited(&self) -> Cited {
        let rule =
            jsonc_parser::parse_to_serde_value::<Value>(self.text(), &jsonc_parser::ParseOptions::default());
        Cited {
            effect: self.effect(),
            layer: self.layer(),
            source: self.source().into(),
            line: self.line(),
            id: self.id(),
            priority: self.priority(),
            rule: rule.unwrap_or_default(),
        }
    }
}

impl PartialEq for RuleRef {
    fn eq(&self, other: &RuleRef) -> bool {
        (Arc::ptr_eq(&self.table, &other.table) && self.index == other.index) || self.cited() == other.cited()
    }
}

impl fmt::Debug for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RuleRef({} {})", self.effect(), self.describe())
    }
}

impl Serialize for RuleRef {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.cited().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RuleRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let cited = Cited::deserialize(deserializer)?;
        let text: Arc<str> = cited.rule.to_string().into();
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let source = Source { layer: cited.layer, name: cited.source.into(), text };
        let cite = Cite {
            source: 0,
            range: (0, end),
            line: cited.line,
            priority: cited.priority,
            effect: cited.effect,
        };
        let table = RuleTable {
            sources: vec![source],
            cites: vec![cite],
            ids: cited.id.map(|id| (0, id)).into_iter().collect(),
        };
        Ok(RuleRef { table: Arc::new(table), index: 0 })
    }
}
