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
mod entry;
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

pub use entry::{Document, Entry, How, Scope, Unread};
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
