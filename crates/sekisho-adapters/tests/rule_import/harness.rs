//! Imports a text and judges calls by the resulting rules alone.

use sekisho_adapters::foreign_rules::{DocumentScope, ImportSource, ImportedEntry, SourceDocument, import};
use sekisho_policy::{
    BuiltinLevel, Call, Decision, Effect, Fact, FactQuery, FileSearchOutcome, FileSecrecy, JudgeContext,
    Layer, LayerKind, Layers, Policy, Repository, Rule, judge, required_facts,
};
use serde_json::json;

pub(crate) fn document(text: &str, scope: DocumentScope) -> SourceDocument {
    SourceDocument { name: "their.file".into(), text: text.into(), scope }
}

pub(crate) fn carried(source: ImportSource, text: &str) -> Vec<ImportedEntry> {
    import(source, &[document(text, DocumentScope::Project)]).unwrap()
}

pub(crate) fn rules(entries: &[ImportedEntry]) -> Vec<(Effect, Rule)> {
    entries.iter().flat_map(|entry| entry.rules.clone()).collect()
}

/// The rules alone, without the built-in list.
pub(crate) fn compiled(rules: Vec<(Effect, Rule)>) -> Policy {
    let mut layer = Layer::from_rules(LayerKind::Global, "imported", rules).unwrap();
    layer.settings.builtin = Some(BuiltinLevel::None);
    Policy::compile(Layers::from(vec![layer]))
}

pub(crate) fn decide(policy: &Policy, call: &Call) -> Decision {
    let mut around = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
    around.root = Some("/w".into());
    around.home = Some("/home/u".into());
    for need in required_facts(policy, call) {
        let fact = match &need {
            FactQuery::Resolve(path) => Fact::Resolved(path.clone()),
            FactQuery::Repository(_) => Fact::Repository(Repository::Plain),
            FactQuery::TrackedLinks(_) => Fact::TrackedLinks(false),
            FactQuery::GlobOption { .. } => Fact::GlobOption(false),
            FactQuery::Files(_) => Fact::Files(FileSearchOutcome::Protected(Vec::new())),
            FactQuery::Contents(_) => Fact::Contents(FileSecrecy::NoSecret),
        };
        around.facts.insert(need, fact);
    }
    judge(policy, call, &around).decision
}

pub(crate) fn shell(command: &str) -> Call {
    Call::new("bash", json!({ "command": command })).in_directory("/w")
}

pub(crate) fn file(tool: &str, path: &str) -> Call {
    Call::new(tool, json!({ "path": path })).in_directory("/w")
}

pub(crate) fn web(url: &str) -> Call {
    Call::new("web_fetch", json!({ "url": url }))
}

/// What an entry became, in one line: `how: effect rule; effect rule`.
pub(crate) fn told(entry: &ImportedEntry) -> String {
    let rules = entry.rules.iter().map(|(effect, rule)| {
        let rule = Rule { note: None, ..rule.clone() };
        format!("{effect} {}", serde_json::to_string(&rule).unwrap().replace('"', ""))
    });
    format!("{}: {}", entry.exactness.name(), rules.collect::<Vec<_>>().join("; "))
}
