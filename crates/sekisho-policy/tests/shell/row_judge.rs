//! Judges a row in its context: workspace and working directory `/w`, home `/home/u`, and a tidy file system
//! unless the row specifies otherwise.

use std::collections::BTreeMap;

use sekisho_policy::corpus::InMemoryFiles;
use sekisho_policy::{
    Call, Fact, FactQuery, FileSearchOutcome, FileSecrecy, JudgeContext, Layer, LayerKind, Layers, Policy,
    Repository, RepositoryFinding, Verdict, find_protected, judge_analysed, paths,
    required_facts_and_analysis,
};
use serde_json::{Value, json};

use crate::corpus_row::{Row, RowContext};

const ROOT: &str = "/w";
const HOME: &str = "/home/u";

/// The verdict on a row's command.
pub(crate) fn judge(row: &Row) -> Verdict {
    let policy = policy(row);
    let call = Call::new("Bash", json!({ "command": row.command })).in_directory(ROOT);
    let mut context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
    context.root = Some(ROOT.into());
    context.home = Some(HOME.into());
    context.can_confirm = !row.surroundings.nobody;
    let (queries, analysis) = required_facts_and_analysis(&policy, &call);
    for query in queries {
        // What cannot be looked up is unknown, as it is on a real machine.
        if let Some(fact) = find(&policy, &row.surroundings, &query) {
            context.facts.insert(query, fact);
        }
    }
    let verdict = sekisho_policy::judge(&policy, &call, &context);
    let analysed = judge_analysed(&policy, &call, &context, analysis);
    assert_eq!(analysed, verdict, "{}: judged by the analysis made for its facts", row.place);
    verdict
}

fn policy(row: &Row) -> Policy {
    let mut config = json!({ "version": 1, "permissions": { "allow": [], "confirm": [], "deny": [] } });
    for (key, value) in &row.settings {
        config[key] = value.clone();
    }
    for given in &row.given {
        let mut rule = given.rule.clone();
        rule.entry("tool").or_insert_with(|| "bash".into());
        let list = config["permissions"][&given.decision].as_array_mut();
        list.unwrap_or_else(|| panic!("{}: decision `{}`", row.place, given.decision))
            .push(Value::Object(rule));
    }
    let layer = Layer::parse(LayerKind::Global, "config.json", &config.to_string());
    let layer = layer.unwrap_or_else(|error| panic!("{}: {error}", row.place));
    Policy::compile(Layers::from(vec![layer]))
}

/// Looks up a fact in the row's context.
fn find(policy: &Policy, context: &RowContext, query: &FactQuery) -> Option<Fact> {
    let among = |list: &[String], directory: &str| list.iter().any(|entry| absolute(entry) == directory);
    Some(match query {
        FactQuery::Resolve(path) => Fact::Resolved(follow(context, path)),
        FactQuery::Repository(directory) if among(&context.hostile_repositories, directory) => {
            Fact::Repository(Repository::NamesPrograms { what: "core.fsmonitor".into() })
        }
        FactQuery::Repository(directory) => Fact::Repository(repository(context, directory)),
        FactQuery::TrackedLinks(directory) => Fact::TrackedLinks(among(&context.tracked_links, directory)),
        FactQuery::GlobOption { directory, .. } => Fact::GlobOption(among(&context.option_files, directory)),
        FactQuery::Files(_) if context.too_many_files => Fact::Files(FileSearchOutcome::TooMany),
        FactQuery::Files(_) => {
            let (files, links) = written(context);
            let mut query = query.clone();
            query.paths_mut().for_each(|path| *path = absolute(path));
            let FactQuery::Files(search) = query else { panic!("{query:?}") };
            let mut tree = InMemoryFiles::new(&files, &links);
            Fact::Files(find_protected(policy, &mut tree, &search, Some(ROOT), Some(HOME))?)
        }
        FactQuery::Contents(path) => {
            let (files, _) = written(context);
            let harmless = files.get(&absolute(path)).is_some_and(|text| text == "harmless");
            Fact::Contents(if harmless { FileSecrecy::NoSecret } else { FileSecrecy::Secret })
        }
    })
}

/// The row's files with their contents, and its links. `x.pem = harmless` is a file without a secret.
fn written(context: &RowContext) -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let file = |text: &String| {
        let (path, holds) = text.split_once(" = ").unwrap_or((text, ""));
        (absolute(path), holds.to_owned())
    };
    let link = |(from, to): (&String, &String)| (absolute(from), absolute(to));
    (context.files.iter().map(file).collect(), context.links.iter().map(link).collect())
}

fn repository(context: &RowContext, directory: &str) -> Repository {
    let found = context.unproven_repositories.iter().find(|(place, _)| absolute(place) == directory);
    let Some((_, told)) = found else { return Repository::Plain };
    let (problem, key) =
        told.split_once(' ').map_or((told.as_str(), None), |(problem, key)| (problem, Some(key)));
    let problem = serde_json::from_value(problem.into()).unwrap_or_else(|error| panic!("{told}: {error}"));
    let file = format!("{directory}/.git/config");
    let finding =
        RepositoryFinding { problem, file, key: key.map(Into::into), submodule: false, writes: false };
    Repository::Unproven { findings: vec![finding] }
}

fn absolute(path: &str) -> String {
    paths::normalise_lexically(&joined(path)).unwrap()
}

fn joined(path: &str) -> String {
    match path.strip_prefix('~') {
        Some(rest) => format!("{HOME}{rest}"),
        None if path.starts_with('/') => path.into(),
        None => format!("{ROOT}/{path}"),
    }
}

/// A path with the first of the row's links followed before `..` is applied, as the kernel does.
fn follow(context: &RowContext, path: &str) -> String {
    let path = &joined(path);
    let through = context.links.iter().find_map(|(link, target)| {
        let rest = path.strip_prefix(&absolute(link))?;
        (rest.is_empty() || rest.starts_with('/')).then(|| format!("{}{rest}", absolute(target)))
    });
    absolute(&through.unwrap_or_else(|| path.into()))
}
