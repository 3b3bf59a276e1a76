//! What a file search tool (grep) reads: the directories it searches, and the globs that select files.

use serde_json::Value;

use crate::call::Call;
use crate::call_paths::{PathCollector, PathTarget};
use crate::file_search_query::{FileSearch, GitFileFilter, LinkHandling, WalkOptions};
use crate::input_strings::each_string;
use crate::tool_globs::{self, MAX_GLOBS, filters};
use crate::tools::{TargetField, Tool};

/// What a call to a file search tool reads: the directories it searches (`None` for an unknown one), and the
/// globs that select the files.
pub(crate) struct ToolSearch {
    pub(crate) places: Vec<Option<FileSearch>>,
    pub(crate) globs: Vec<String>,
    /// A glob may lead out of the places: some programs would look there.
    pub(crate) climbs: bool,
}

/// What a tool described as a search reads: everything below its directories.
pub(crate) fn searched_below(targets: &[PathTarget]) -> ToolSearch {
    let below =
        WalkOptions { links: LinkHandling::Follow, git: GitFileFilter::All, ..WalkOptions::everything() };
    ToolSearch { places: places_below(targets, &below), globs: Vec::new(), climbs: false }
}

/// A search below each of some directories.
fn places_below(targets: &[PathTarget], below: &WalkOptions) -> Vec<Option<FileSearch>> {
    let search = |path: &str| FileSearch {
        directory: path.into(),
        below: Some(below.clone()),
        ..FileSearch::default()
    };
    let places = targets.iter().flat_map(|target| match target.known() {
        Some(paths) => paths.map(|path| Some(search(path))).collect(),
        None => vec![None],
    });
    places.collect()
}

/// What a call reads below directories. `None` for a tool that does not open files. Agents use their own
/// search programs: some follow links, some show hidden files, none shows files that git ignores.
pub(crate) fn tool_search(tool: &Tool, call: &Call, home: Option<&str>) -> Option<ToolSearch> {
    if tool.name != "grep" || call.server.is_some() {
        return None;
    }
    let mut finding = PathCollector::new(call, home);
    let (mut globs, mut only, mut except) = (Vec::new(), Some(Vec::new()), Vec::new());
    let (mut widens, mut climbs) = (may_widen(&call.input), false);
    for place in tool.target_fields {
        match place {
            TargetField::Field(field) => {
                each_string(call.input.get(field), &mut |text| finding.path(text, false));
            }
            TargetField::Filter(field) => each_string(call.input.get(field), &mut |text| {
                let few = globs.len() + except.len() < MAX_GLOBS;
                let Some(pieces) = filters(text.unwrap_or("*")).filter(|_| few) else {
                    // A glob that is not parsed may select any file. The verdict treats it as unknown too.
                    (only, except) = (None, Vec::new());
                    widens = true;
                    return;
                };
                climbs |= pieces.iter().any(|piece| !tool_globs::stays_below(piece.trim_start_matches('!')));
                for piece in pieces {
                    match piece.strip_prefix('!') {
                        Some(excluded) => except.extend(tool_globs::certain(excluded)),
                        None => {
                            // The last matching glob decides: it can re-include what earlier ones exclude.
                            except.clear();
                            globs.push(piece.to_owned());
                            let more = tool_globs::named_files(piece);
                            only = only.take().zip(more).map(|(only, more)| [only, more].concat());
                            only = only.take().filter(|only| tool_globs::are_few(only));
                        }
                    }
                }
            }),
            TargetField::Glob(_) | TargetField::Patch(_) | TargetField::Prose(_) => {}
        }
    }
    finding.other_fields(tool, &call.input);
    if finding.targets.is_empty() {
        finding.path(call.cwd.as_deref(), false);
    }
    let below = WalkOptions {
        links: LinkHandling::Follow,
        // Files that a glob names are searched even if git ignores them.
        git: if globs.is_empty() && !widens { GitFileFilter::NotIgnored } else { GitFileFilter::All },
        only: only.unwrap_or_default(),
        except_directories: except.clone(),
        except,
        ..WalkOptions::everything()
    };
    let places = places_below(&finding.targets, &below);
    Some(ToolSearch { places, globs, climbs })
}

/// Fields of file search tools that never widen the search: those of Claude Code, Gemini CLI, Codex, Cursor
/// and sekisho. All of them are taken to search hidden files anyway.
const NARROWING: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-i",
    "-n",
    "-o",
    "after",
    "before",
    "case_sensitive",
    "context",
    "cwd",
    "description",
    "dir_path",
    "directory",
    "exclude_pattern",
    "explanation",
    "fixed_strings",
    "glob",
    "head_limit",
    "hidden",
    "ignore_case",
    "include",
    "include_pattern",
    "limit",
    "max_matches_per_file",
    "max_results",
    "multiline",
    "names_only",
    "offset",
    "output_mode",
    "path",
    "pattern",
    "query",
    "target_directories",
    "target_directory",
    "total_max_matches",
    "type",
];

/// Whether a field of the input may widen the search (`no_ignore`).
fn may_widen(input: &Value) -> bool {
    let mut fields = input.as_object().into_iter().flatten();
    fields.any(|(name, value)| !NARROWING.contains(&name.as_str()) && *value != Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::tool_search;
    use crate::call::Call;
    use crate::file_search_query::GitFileFilter;
    use crate::tools::by_name;

    #[track_caller]
    fn check(input: Value, expected: GitFileFilter) {
        let call = Call::new("grep", input.clone()).in_directory("/w");
        let found = by_name("grep").and_then(|tool| tool_search(tool, &call, None));
        let places = found.map(|found| found.places).unwrap_or_default();
        let filters: Vec<_> =
            places.into_iter().flatten().filter_map(|place| Some(place.below?.git)).collect();
        assert_eq!(filters, [expected], "{input}");
    }

    #[test]
    fn only_unknown_fields_widen_a_search() {
        check(json!({ "pattern": "x" }), GitFileFilter::NotIgnored);
        let ours = json!({
            "pattern": "x", "path": "src", "ignore_case": true, "hidden": true, "context": 2, "max_results": 9,
            "output_mode": "files",
        });
        check(ours, GitFileFilter::NotIgnored);
        check(json!({ "pattern": "x", "no_ignore": true }), GitFileFilter::All);
        check(json!({ "pattern": "x", "no_ignore": false }), GitFileFilter::NotIgnored);
        check(json!({ "pattern": "x", "glob": "*.rs" }), GitFileFilter::All);
    }
}
