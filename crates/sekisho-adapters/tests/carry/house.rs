//! Importing a text and judging calls by what came out of it, and by nothing else.

use sekisho_adapters::carry::{Document, Entry, Scope, Source, import};
use sekisho_policy::{
    Builtin, Call, Decision, Effect, Fact, FilesFound, Holds, Layer, LayerKind, Layers, Need, Policy,
    Repository, Rule, Surroundings, judge, needs,
};
use serde_json::json;

pub(crate) fn document(text: &str, scope: Scope) -> Document {
    Document { name: "their.file".into(), text: text.into(), scope }
}

pub(crate) fn carried(source: Source, text: &str) -> Vec<Entry> {
    import(source, &[document(text, Scope::Project)]).unwrap()
}

pub(crate) fn rules(entries: &[Entry]) -> Vec<(Effect, Rule)> {
    entries.iter().flat_map(|entry| entry.rules.clone()).collect()
}

/// The rules alone: no built-in list.
pub(crate) fn compiled(rules: Vec<(Effect, Rule)>) -> Policy {
    let mut layer = Layer::of_rules(LayerKind::Global, "imported", rules).unwrap();
    layer.settings.builtin = Some(Builtin::None);
    Policy::compile(Layers::from(vec![layer]))
}

pub(crate) fn decide(policy: &Policy, call: &Call) -> Decision {
    let mut around = Surroundings::at(jiff::Timestamp::UNIX_EPOCH);
    around.root = Some("/w".into());
    around.home = Some("/home/u".into());
    for need in needs(policy, call) {
        let fact = match &need {
            Need::Resolve(path) => Fact::Resolved(path.clone()),
            Need::Repository(_) => Fact::Repository(Repository::Plain),
            Need::TrackedLinks(_) => Fact::TrackedLinks(false),
            Need::GlobOption { .. } => Fact::GlobOption(false),
            Need::Files(_) => Fact::Files(FilesFound::Protected(Vec::new())),
            Need::Contents(_) => Fact::Contents(Holds::NoSecret),
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
pub(crate) fn told(entry: &Entry) -> String {
    let rules = entry.rules.iter().map(|(effect, rule)| {
        let rule = Rule { note: None, ..rule.clone() };
        format!("{effect} {}", serde_json::to_string(&rule).unwrap().replace('"', ""))
    });
    format!("{}: {}", entry.how.name(), rules.collect::<Vec<_>>().join("; "))
}
