//! The facts that judging a command of the plan needs: its paths, globs, repository and searches.

use sekisho_shell::programs::PresetList;
use sekisho_shell::word::{Piece, Word};

use super::execution_plan::{ExecutionPlan, Step};
use super::git_repository_risks;
use super::required_searches::{expansion, expansion_inside};
use super::touched_paths::{TouchedPath, escaped, paths_of_step};
use super::undeclared_paths::{may_open_other_paths, possible_globs, possible_paths};
use super::working_directories::{cd_target, pushed_directory};
use crate::facts::FactQuery;
use crate::layer::Reads;
use crate::policy::Policy;

/// The facts that show whether a glob word can become an option.
pub(crate) fn glob_fact_queries(step: &Step, word: &Word) -> Vec<FactQuery> {
    if !matches!(word.pieces.first(), Some(Piece::Glob(_))) {
        return Vec::new();
    }
    let pattern: String = word
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Literal(text) => escaped(text),
            Piece::Glob(text) => text.clone(),
            _ => "*".into(),
        })
        .collect();
    // To zsh, `**/` may also stand for no directory.
    let mut patterns = vec![pattern.as_str()];
    while let Some((_, rest)) = patterns
        .last()
        .and_then(|pattern| pattern.split_once('/'))
        .filter(|(deep, _)| matches!(*deep, "**" | "***"))
    {
        patterns.push(rest);
    }
    let queries = step.directories.iter().flat_map(|directory| {
        let query = |pattern: &&str| {
            Some(FactQuery::GlobOption { directory: directory?.to_owned(), pattern: (*pattern).to_owned() })
        };
        patterns.iter().map(query).collect::<Vec<_>>()
    });
    queries.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Every fact that the limits may need.
pub(crate) fn step_fact_queries(policy: &Policy, plan: &ExecutionPlan, step: &Step) -> Vec<FactQuery> {
    let mut queries: Vec<FactQuery> = path_fact_queries(policy, plan, paths_of_step(step));
    let target = match step.profile.program.as_deref() {
        Some("cd") => cd_target(&step.words),
        Some("pushd") => pushed_directory(&step.words).cloned(),
        _ => None,
    };
    if let Some(target) = target {
        queries.extend(step.directories.paths_of(&target).into_iter().flatten().map(FactQuery::Resolve));
        queries.extend(step.directories.iter().flatten().map(|base| FactQuery::Resolve(base.into())));
    }
    if may_open_other_paths(step) {
        let possible = possible_paths(step, &plan.budget).iter().cloned().map(TouchedPath::Path);
        queries.extend(path_fact_queries(policy, plan, possible.chain(possible_globs(step)).collect()));
    }
    let stays_inside = matches!(step.profile.preset, Some(PresetList::Dev | PresetList::LocalWork));
    if stays_inside {
        queries.extend(paths_of_step(step).iter().filter_map(|path| match path {
            TouchedPath::Glob { base, rest } => Some(FactQuery::Files(expansion_inside(base, rest))),
            _ => None,
        }));
    }
    if policy.reads == Reads::Workspace || stays_inside {
        let directories = step.directories.iter().flatten();
        queries.extend(directories.map(|directory| FactQuery::Resolve(directory.into())));
    }
    if step.profile.repository {
        queries.extend(
            step.directories.iter().flatten().map(|directory| FactQuery::Repository(directory.into())),
        );
        if git_repository_risks::reads_tracked_files(step) {
            let directories = step.directories.iter().flatten();
            queries.extend(directories.map(|directory| FactQuery::TrackedLinks(directory.into())));
        }
    }
    queries.extend(step.words.iter().skip(1).flat_map(|word| glob_fact_queries(step, word)));
    queries
}

/// The cost of keeping a query that contains more than a path.
pub(crate) fn fact_query_cost(query: &FactQuery) -> usize {
    match query {
        FactQuery::Files(search) => search.cost(),
        _ => 0,
    }
}

/// The facts about the paths that are touched.
pub(crate) fn path_fact_queries(
    policy: &Policy,
    plan: &ExecutionPlan,
    paths: Vec<TouchedPath>,
) -> Vec<FactQuery> {
    let mut queries = Vec::new();
    for path in paths {
        match path {
            TouchedPath::Path(path) => {
                if plan.unlisted.depends_on_contents(policy, &path) {
                    queries.push(FactQuery::Contents(path.clone()));
                }
                queries.push(FactQuery::Resolve(path));
            }
            TouchedPath::Glob { base, rest } => {
                queries.push(FactQuery::Files(expansion(&base, &rest)));
                queries.push(FactQuery::Resolve(base));
            }
            TouchedPath::Partly { within, .. } => {
                queries.extend(within.into_iter().flatten().map(FactQuery::Resolve))
            }
            TouchedPath::Computed | TouchedPath::Unknown => {}
        }
    }
    queries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_have_a_cost() {
        let search = expansion("/w", &["*".to_owned()]);
        assert!(search.cost() > 1);
        assert_eq!(fact_query_cost(&FactQuery::Files(search.clone())), search.cost());
        assert_eq!(fact_query_cost(&FactQuery::Resolve("/w".into())), 0);
    }

    #[test]
    fn fact_about_options_has_the_glob_as_written() {
        let pattern = |text: &str| {
            let plan = ExecutionPlan::new(text, Some("/w"), None);
            let step = plan.steps.first().unwrap();
            let queries = glob_fact_queries(step, step.words.last().unwrap());
            queries.into_iter().map(|query| match query {
                FactQuery::GlobOption { pattern, .. } => pattern,
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(pattern("rm ?a'*'").collect::<Vec<_>>(), [r"?a\*"]);
        assert_eq!(pattern("rm *\"$x\"").collect::<Vec<_>>(), ["**"]);
        assert_eq!(pattern("rm **/***/a").collect::<Vec<_>>(), ["**/***/a", "***/a", "a"]);
        assert_eq!(pattern("rm a*").count(), 0);
    }
}
