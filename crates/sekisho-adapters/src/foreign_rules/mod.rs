//! Imports other agents' permission rules, and exports ours to Claude Code.
//!
//! One file per source. An import never allows more than the source did, and no deny or ask is lost silently:
//! what cannot be expressed exactly becomes narrower (an allow), wider (a deny or an ask) or a question, and
//! every entry of the source is reported with its result.
//!
//! Two spellings of one command are one command here, as everywhere in sekisho: quotes are removed before
//! matching, and `/usr/bin/git` is `git`.

mod claude_code;
mod claude_code_export;
mod codelia;
mod codex;
mod commands;
mod conversion;
mod gemini_cli;
mod import_report;
mod jsonc_tree;
mod opencode;
mod paths;
mod priorities;
mod regex_prefixes;
mod starlark;

use std::fmt;
use std::str::FromStr;

use sekisho_policy::{Effect, Layer, LayerKind, Rule, validate};

pub use claude_code_export::{ExportedRule, export};
pub use import_report::{DocumentScope, Exactness, ImportError, ImportedEntry, SourceDocument};

/// The agent whose rules are imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImportSource {
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

impl ImportSource {
    /// All supported agents.
    pub const ALL: [ImportSource; 5] = [
        ImportSource::ClaudeCode,
        ImportSource::Codex,
        ImportSource::GeminiCli,
        ImportSource::OpenCode,
        ImportSource::Codelia,
    ];

    /// Its name on command lines.
    pub fn name(self) -> &'static str {
        match self {
            ImportSource::ClaudeCode => "claude-code",
            ImportSource::Codex => "codex",
            ImportSource::GeminiCli => "gemini-cli",
            ImportSource::OpenCode => "opencode",
            ImportSource::Codelia => "codelia",
        }
    }

    /// Its name as its vendor writes it.
    pub fn title(self) -> &'static str {
        match self {
            ImportSource::ClaudeCode => "Claude Code",
            ImportSource::Codex => "Codex",
            ImportSource::GeminiCli => "Gemini CLI",
            ImportSource::OpenCode => "opencode",
            ImportSource::Codelia => "codelia",
        }
    }
}

impl fmt::Display for ImportSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ImportSource {
    type Err = String;

    fn from_str(name: &str) -> Result<ImportSource, String> {
        ImportSource::ALL.into_iter().find(|source| source.name() == name).ok_or_else(|| {
            let known: Vec<&str> = ImportSource::ALL.iter().map(|source| source.name()).collect();
            format!("cannot import rules from `{name}`; supported: {}", known.join(", "))
        })
    }
}

/// Imports the rules of a source. The result loads as it is: rules our loader would reject are not in it.
///
/// A document that cannot be read fails the whole import, because its denies would be lost.
pub fn import(source: ImportSource, documents: &[SourceDocument]) -> Result<Vec<ImportedEntry>, ImportError> {
    let mut entries = match source {
        ImportSource::ClaudeCode => claude_code::read(documents)?,
        ImportSource::Codex => codex::read(documents),
        ImportSource::GeminiCli => gemini_cli::read(documents)?,
        ImportSource::OpenCode => opencode::read(documents)?,
        ImportSource::Codelia => codelia::read(documents)?,
    };
    for entry in &mut entries {
        drop_unloadable(entry);
        let name = documents.get(entry.document).map_or("", |document| document.name.as_str());
        for (_, rule) in &mut entry.rules {
            let from = format!("{}, {name}: {}", source.title(), one_line(&entry.source_text));
            rule.note = Some(match rule.note.take() {
                Some(note) => format!("{note} ({from})"),
                None => from,
            });
        }
    }
    Ok(entries)
}

/// Removes rules our loader would reject. A deny or an ask becomes a question about the whole tool.
fn drop_unloadable(entry: &mut ImportedEntry) {
    let mut kept: Vec<(Effect, Rule)> = Vec::new();
    for (effect, mut rule) in std::mem::take(&mut entry.rules) {
        if refusal(effect, &rule).is_some() && rule.examples.take().is_some() {
            entry.why = conversion::join_reasons(
                &entry.why,
                "some of its examples do not hold here, so all were left out",
            );
        }
        let Some(refused) = refusal(effect, &rule) else {
            kept.push((effect, rule));
            continue;
        };
        let tool = rule.tool.as_deref().filter(|_| effect != Effect::Allow);
        let question = tool.map(|tool| Rule { priority: rule.priority, ..conversion::tool(tool) });
        match question.filter(|question| refusal(Effect::Confirm, question).is_none()) {
            Some(question) => {
                entry.exactness = Exactness::Confirm;
                entry.why = conversion::join_reasons(
                    &entry.why,
                    &format!("{refused}; so the whole tool needs confirmation"),
                );
                kept.push((Effect::Confirm, question));
            }
            None => entry.why = conversion::join_reasons(&entry.why, &refused),
        }
    }
    if kept.is_empty() {
        entry.exactness = Exactness::Dropped;
    }
    entry.rules = kept;
}

/// Why our loader would reject a rule.
fn refusal(effect: Effect, rule: &Rule) -> Option<String> {
    let refused = validate::matches_something(rule).err();
    let refused =
        refused.or_else(|| Layer::from_rules(LayerKind::Global, "", vec![(effect, rule.clone())]).err());
    refused.map(|error| error.to_string())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
