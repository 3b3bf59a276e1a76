//! Foreign permission rules, carried over into ours, and ours into Claude Code's.
//!
//! One file a source. What is carried never allows more than the source did, and no deny and no ask gets lost without a
//! word: what cannot be said exactly is said narrower (an allow), wider (a deny or an ask) or as a question, and every
//! entry of the source is reported with what became of it.
//!
//! Two spellings of one command are one command here, as everywhere in sekisho: quotes count by what they mean, and
//! `/usr/bin/git` is `git`.

mod claude;
mod codelia;
mod codex;
mod commands;
mod export;
mod fate;
mod gemini;
mod opencode;
mod order;
mod paths;
mod regex;
mod starlark;
mod tree;

use std::fmt;
use std::str::FromStr;

use sekisho_policy::{Effect, Layer, LayerKind, Rule, validate};

pub use export::{Exported, export};

/// Whose rules are carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// `permissions` in Claude Code's `settings.json`.
    ClaudeCode,
    /// Codex's execpolicy rules.
    Codex,
    /// Gemini CLI's policy files.
    GeminiCli,
    /// `permission` in `opencode.json`.
    OpenCode,
    /// codelia's `config.json`.
    Codelia,
}

impl Source {
    /// All of them.
    pub const ALL: [Source; 5] =
        [Source::ClaudeCode, Source::Codex, Source::GeminiCli, Source::OpenCode, Source::Codelia];

    /// Its name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            Source::ClaudeCode => "claude-code",
            Source::Codex => "codex",
            Source::GeminiCli => "gemini-cli",
            Source::OpenCode => "opencode",
            Source::Codelia => "codelia",
        }
    }

    /// Its name as its makers write it.
    pub fn title(self) -> &'static str {
        match self {
            Source::ClaudeCode => "Claude Code",
            Source::Codex => "Codex",
            Source::GeminiCli => "Gemini CLI",
            Source::OpenCode => "opencode",
            Source::Codelia => "codelia",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Source {
    type Err = String;

    fn from_str(name: &str) -> Result<Source, String> {
        Source::ALL.into_iter().find(|source| source.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Source::ALL.iter().map(|source| source.name()).collect();
            format!("`{name}` has no rules that can be read here; {} have", known.join(", "))
        })
    }
}

/// Whose file it is: some paths and some orders depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user's own, for every project.
    User,
    /// A project's.
    Project,
}

/// One file of the source. Several are read together, the weaker ones (the user's) first.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file, as people are told it.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Whose it is.
    pub scope: Scope,
}

/// How exactly an entry was carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum How {
    /// It says the same.
    Exact,
    /// An allow that covers less; of what is exported, a deny or ask that does.
    Narrower,
    /// A deny or an ask that covers more.
    Wider,
    /// A deny became a question, or a question about something else became one about more.
    Asked,
    /// Nothing was carried over.
    Dropped,
}

impl How {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            How::Exact => "exact",
            How::Narrower => "narrower",
            How::Wider => "wider",
            How::Asked => "asked",
            How::Dropped => "not carried",
        }
    }
}

/// One entry of the source and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Which document, by position.
    pub document: usize,
    /// The line it stands at, from 1.
    pub line: u32,
    /// The entry in the words of the source.
    pub said: String,
    /// The rules it became.
    pub rules: Vec<(Effect, Rule)>,
    /// How exactly.
    pub how: How,
    /// Why not exactly; empty where there is nothing to say.
    pub why: String,
}

/// A document nobody can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// Which document, by position.
    pub document: usize,
    /// The line, from 1; 0 where the document as a whole is at fault.
    pub line: u32,
    /// What is wrong with it.
    pub message: String,
}

/// Carries the rules of a source over. What comes out loads as it is: what our own loader would refuse is not in it.
///
/// A document that cannot be read fails the whole: what it denies would be lost.
pub fn import(source: Source, documents: &[Document]) -> Result<Vec<Entry>, Unread> {
    let mut entries = match source {
        Source::ClaudeCode => claude::read(documents)?,
        Source::Codex => codex::read(documents),
        Source::GeminiCli => gemini::read(documents)?,
        Source::OpenCode => opencode::read(documents)?,
        Source::Codelia => codelia::read(documents)?,
    };
    for entry in &mut entries {
        load(entry);
        let name = documents.get(entry.document).map_or("", |document| document.name.as_str());
        for (_, rule) in &mut entry.rules {
            let from = format!("{}, {name}: {}", source.title(), one_line(&entry.said));
            rule.note = Some(match rule.note.take() {
                Some(note) => format!("{note} ({from})"),
                None => from,
            });
        }
    }
    Ok(entries)
}

/// Takes out what the loader would refuse; a deny or an ask is then a question about the whole tool.
fn load(entry: &mut Entry) {
    let mut kept: Vec<(Effect, Rule)> = Vec::new();
    for (effect, mut rule) in std::mem::take(&mut entry.rules) {
        if refusal(effect, &rule).is_some() && rule.examples.take().is_some() {
            entry.why = fate::also(&entry.why, "its examples do not all hold here and were left out");
        }
        let Some(refused) = refusal(effect, &rule) else {
            kept.push((effect, rule));
            continue;
        };
        let tool = rule.tool.as_deref().filter(|_| effect != Effect::Allow);
        let question = tool.map(|tool| Rule { priority: rule.priority, ..fate::tool(tool) });
        match question.filter(|question| refusal(Effect::Confirm, question).is_none()) {
            Some(question) => {
                entry.how = How::Asked;
                entry.why = fate::also(&entry.why, &format!("{refused}; so the whole tool is asked about"));
                kept.push((Effect::Confirm, question));
            }
            None => entry.why = fate::also(&entry.why, &refused),
        }
    }
    if kept.is_empty() {
        entry.how = How::Dropped;
    }
    entry.rules = kept;
}

/// Why our loader would refuse a rule.
fn refusal(effect: Effect, rule: &Rule) -> Option<String> {
    let refused = validate::matches_something(rule).err();
    let refused =
        refused.or_else(|| Layer::of_rules(LayerKind::Global, "", vec![(effect, rule.clone())]).err());
    refused.map(|error| error.to_string())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
