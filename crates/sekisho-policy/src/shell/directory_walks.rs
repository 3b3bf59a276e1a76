//! Files that a command opens without naming them: those below the directories it searches.

use std::collections::HashSet;

use sekisho_shell::programs::{CommandProfile, ObstacleCode};
use sekisho_shell::word::Piece;

use super::allow_limits::{PlanContext, TouchedPath, compare_cost, reads, touched_by};
use super::execution_plan::{ExecutionPlan, Step};
use super::pipeline_inputs::{PipelineInputs, cost_of_feeds};
use super::search_list::SearchList;
use crate::judge_context::{FactQuery, FileSearch, GitFileFilter, LinkHandling, WalkOptions};
use crate::reason::Reason;
use crate::tool_globs::{are_few, certain, last_names, named_files};

impl PlanContext<'_> {
    /// Why a command is asked about that reads what lies below a directory.
    pub(super) fn walk_reason(self, step: &Step) -> Option<Reason> {
        let walk = walk_of(self.plan, step)?;
        let meant = walk.globs.iter().find_map(|glob| {
            // Where they cannot be told, all files are searched.
            let names = last_names(glob).unwrap_or_default();
            names.iter().find_map(|name| {
                if !self.plan.budget.spend(compare_cost(name)) {
                    return Some(Reason::PathUnknown);
                }
                let pattern = self
                    .policy
                    .protected
                    .secret_pattern_for_name_glob(name)
                    .filter(|pattern| *pattern != "*")?;
                Some(Reason::ProtectedPath { path: glob.clone(), pattern: pattern.into() })
            })
        });
        meant.or_else(|| self.of_starts(step, &walk))
    }

    fn of_starts(self, step: &Step, walk: &CommandWalk) -> Option<Reason> {
        self.starts(step, walk).into_iter().find_map(|start| match start {
            Some(search) => self.search_reason(&search, reads(step)),
            None => Some(Reason::PathUnknown),
        })
    }

    /// The facts about what lies below.
    pub(super) fn walk_fact_queries(self, step: &Step) -> Vec<FactQuery> {
        let Some(walk) = walk_of(self.plan, step) else { return Vec::new() };
        self.starts(step, &walk).into_iter().flatten().map(FactQuery::Files).collect()
    }

    /// Where a search begins; `None` for a place that cannot be told.
    fn starts(self, step: &Step, walk: &CommandWalk) -> Vec<Option<FileSearch>> {
        let mut starts = SearchList::new(&self.plan.budget);
        if walk.operands.is_empty() || self.may_lack_operands(step, walk) {
            starts.extend(step.directories.iter().map(|directory| Some(walk.from(directory?, None))));
        }
        let mut computed = Vec::new();
        for word in walk.operands.iter().filter_map(|at| step.words.get(*at)) {
            // A pipe.
            if matches!(word.pieces.as_slice(), [Piece::Process]) {
                continue;
            }
            for touched in touched_by(step, word) {
                match touched {
                    TouchedPath::Path(path) => starts.push(Some(walk.from(&path, None))),
                    TouchedPath::Glob { base, rest } => {
                        starts.push(Some(walk.from(&base, Some(rest.join("/")))));
                    }
                    TouchedPath::Computed | TouchedPath::Partly { .. } => computed.push(word),
                    TouchedPath::Unknown => starts.push(None),
                }
            }
            if self.plan.budget.is_spent() {
                return vec![None];
            }
        }
        if !computed.is_empty() {
            // Where the names come from is searched for what they lead to. A link that is given as a start is followed.
            let below = WalkOptions { links: LinkHandling::Follow, ..walk.below.clone() };
            let from = |start| Some(FileSearch { below: Some(below.clone()), ..start? });
            starts.extend(self.computed_starts(step, &computed).into_iter().map(from));
        }
        starts.distinct()
    }

    /// Whether so many words may become none that nothing says where to search.
    fn may_lack_operands(self, step: &Step, walk: &CommandWalk) -> bool {
        let words = step.profile.operands.iter().filter_map(|at| step.words.get(*at));
        words.filter(|word| !self.may_vanish(step, word)).count() <= walk.patterns
    }
}

impl WalkOptions {
    /// With globs that do not narrow the search where there are too many of them.
    fn with_few_globs(mut self) -> WalkOptions {
        for globs in [&mut self.only, &mut self.except, &mut self.except_directories] {
            if !are_few(globs) {
                globs.clear();
            }
        }
        self.unhidden.sort_unstable();
        self.unhidden.dedup();
        self
    }
}

/// How a command reads what lies below its operands.
struct CommandWalk {
    /// The words that are its starts; none if it starts where it is.
    operands: Vec<usize>,
    below: WalkOptions,
    /// The globs that choose files.
    globs: Vec<String>,
    /// How many operands come before the starts.
    patterns: usize,
}

impl CommandWalk {
    fn from(&self, directory: &str, pattern: Option<String>) -> FileSearch {
        FileSearch {
            directory: directory.into(),
            pattern,
            below: Some(self.below.clone()),
            ..FileSearch::default()
        }
    }
}

/// What a command reads below directories, if it does.
fn walk_of(plan: &ExecutionPlan, step: &Step) -> Option<CommandWalk> {
    let reading = &step.profile;
    let below = match reading.program.as_deref()? {
        "grep" | "egrep" | "fgrep" | "zgrep" => grep(reading, step)?,
        "rg" => rg(reading, plan, step)?,
        "ag" | "ack" => WalkOptions { links: LinkHandling::Follow, ..WalkOptions::everything() },
        "diff" => diff(reading),
        _ => return None,
    };
    let paths: HashSet<usize> =
        reading.paths.iter().filter(|path| path.text.is_none()).map(|path| path.word).collect();
    let named = |at: &&usize| paths.contains(at);
    let chosen = ["include", "g", "glob", "iglob"].iter().flat_map(|name| values(reading, name));
    let globs = chosen.filter(|glob| !glob.starts_with('!')).collect();
    let below = below.with_few_globs();
    let told = has(reading, &["e", "f", "regexp", "file"]) || reading.program.as_deref() == Some("diff");
    let patterns = usize::from(!told);
    Some(CommandWalk {
        operands: reading.operands.iter().filter(named).copied().collect(),
        below,
        globs,
        patterns,
    })
}

fn has(reading: &CommandProfile, names: &[&str]) -> bool {
    reading.options.iter().any(|option| names.contains(&option.name.as_str()))
}

/// Whether an option was given that the table does not know: it may do anything about links and directories.
fn has_unknown(reading: &CommandProfile) -> bool {
    let unknown = [ObstacleCode::Option, ObstacleCode::MayBeOption, ObstacleCode::NotListed];
    reading.harmless.as_ref().is_err_and(|obstacle| unknown.contains(&obstacle.code))
}

fn grep(reading: &CommandProfile, step: &Step) -> Option<WalkOptions> {
    let follows = has(reading, &["R", "dereference-recursive"]);
    let recurses = |name: &str, value: Option<&str>| match name {
        "r" | "recursive" => true,
        "d" | "directories" => value.is_none_or(|value| "recurse".starts_with(value)),
        _ => false,
    };
    let told = reading.options.iter().any(|option| recurses(&option.name, option.value.as_deref()));
    let looks_so = |text: &str| {
        text.strip_prefix("--").map_or_else(
            || text.starts_with('-') && text.contains(['r', 'R', 'd']),
            |long| long.starts_with(['r', 'd']),
        )
    };
    let perhaps = has_unknown(reading) && step.words.iter().skip(1).any(|word| looks_so(word.prefix()));
    if !(follows || told || perhaps) {
        return None;
    }
    let mut below = WalkOptions::everything();
    if follows || perhaps {
        below.links = LinkHandling::Follow;
    }
    let by_name = |name: &str| match name {
        "include" => Some(false),
        "exclude" => Some(true),
        _ => None,
    };
    choose(reading, &mut below, |name, value| by_name(name).map(|excludes| (excludes, value.to_owned())));
    // Only where the first of them includes is a file that none matches left out. `--exclude-from` is one of them.
    let first = reading.options.iter().find_map(|option| by_name(&option.name));
    if first != Some(false) || has(reading, &["exclude-from"]) || has_unknown(reading) {
        below.only.clear();
    }
    below.except_directories = values(reading, "exclude-dir").filter_map(|glob| certain(&glob)).collect();
    Some(below)
}

fn rg(reading: &CommandProfile, plan: &ExecutionPlan, step: &Step) -> Option<WalkOptions> {
    if has(reading, &["files", "type-list", "version", "V", "pcre2-version"]) {
        return None;
    }
    let mut operands = reading.operands.iter();
    let names_path = operands.any(|at| reading.paths.iter().any(|path| path.word == *at));
    // Where the patterns are read from standard input, files are searched.
    let mut patterns = reading.options.iter().filter(|option| matches!(option.name.as_str(), "f" | "file"));
    let takes_input = patterns.any(|option| option.value.as_deref().is_none_or(|value| value == "-"));
    if !names_path && !takes_input && is_fed(plan, step) {
        return None;
    }
    let mut below = WalkOptions::everything();
    let unrestricted =
        reading.options.iter().filter(|option| matches!(option.name.as_str(), "u" | "unrestricted")).count();
    let unknown = has_unknown(reading);
    below.hidden = unknown || unrestricted > 1 || has(reading, &[".", "hidden"]);
    let types = ["t", "type"].iter().flat_map(|name| values(reading, name));
    below.unhidden = types.flat_map(|name| hidden_of_type(&name)).map(|glob| (*glob).to_owned()).collect();
    // Types and ignore files that the command brings along may name anything.
    below.hidden |= has(reading, &["type-add", "ignore-file"]);
    let ignores = !unknown
        && unrestricted == 0
        && !reading
            .options
            .iter()
            .any(|option| option.name.starts_with("no-ignore") || option.name.starts_with("ignore-file"));
    below.git = if ignores { GitFileFilter::NotIgnored } else { GitFileFilter::All };
    if unknown || has(reading, &["L", "follow"]) {
        below.links = LinkHandling::Follow;
    }
    choose(reading, &mut below, |name, value| {
        matches!(name, "g" | "glob" | "iglob").then(|| match value.strip_prefix('!') {
            Some(excluded) => (true, excluded.to_owned()),
            None => (false, value.to_owned()),
        })
    });
    // All of `--iglob` come behind all of `-g`, however they are written.
    if has(reading, &["iglob"]) && has(reading, &["g", "glob"]) {
        below.except.clear();
    }
    // What a glob names is searched although it is hidden or ignored.
    if !below.only.is_empty() || has(reading, &["g", "glob", "iglob"]) {
        let includes = |value: String| !value.starts_with('!');
        let named = ["g", "glob", "iglob"].iter().flat_map(|name| values(reading, name)).any(includes);
        below.hidden |= named;
        below.git = if named { GitFileFilter::All } else { below.git };
    }
    below.except_directories.clone_from(&below.except);
    Some(below)
}

/// Globs for the hidden names that a type of `rg` may bring back; those of most languages bring back none that is protected.
pub(super) fn hidden_of_type(name: &str) -> &'static [&'static str] {
    const NONE: &[&str] = &[
        "c",
        "cpp",
        "cs",
        "csharp",
        "css",
        "dart",
        "elixir",
        "go",
        "h",
        "haskell",
        "html",
        "java",
        "kotlin",
        "lua",
        "markdown",
        "md",
        "php",
        "proto",
        "protobuf",
        "py",
        "python",
        "rs",
        "ruby",
        "rust",
        "scala",
        "sql",
        "svelte",
        "swift",
        "ts",
        "typescript",
        "vue",
        "zig",
    ];
    match name {
        "js" => &["*.js"],
        "json" => &["*.json", "*json"],
        "toml" => &["*.toml"],
        "yaml" => &["*.yml", "*.yaml"],
        name if NONE.contains(&name) => &[],
        _ => &["*"],
    }
}

fn diff(reading: &CommandProfile) -> WalkOptions {
    let mut below = WalkOptions::everything();
    below.deep = has(reading, &["r", "recursive"]) || has_unknown(reading);
    below.links = if has(reading, &["no-dereference"]) { LinkHandling::Skip } else { LinkHandling::Follow };
    let excluded = values(reading, "x").chain(values(reading, "exclude"));
    below.except = excluded.filter_map(|glob| certain(&glob)).collect();
    below.except_directories.clone_from(&below.except);
    below
}

fn values<'r>(reading: &'r CommandProfile, name: &'r str) -> impl Iterator<Item = String> + 'r {
    reading.options.iter().filter(move |option| option.name == name).filter_map(|option| option.value.clone())
}

/// Takes in the globs by which files are chosen. The last that matches decides, so what excludes counts only behind all that
/// include.
fn choose(
    reading: &CommandProfile,
    below: &mut WalkOptions,
    read: impl Fn(&str, &str) -> Option<(bool, String)>,
) {
    let mut all = false;
    for option in &reading.options {
        let value = option.value.as_deref();
        match value.and_then(|value| read(&option.name, value)) {
            Some((true, glob)) => below.except.extend(certain(&glob)),
            Some((false, glob)) => {
                below.except.clear();
                match named_files(&glob) {
                    Some(names) => below.only.extend(names),
                    None => all = true,
                }
            }
            // A glob that is computed.
            None if value.is_none() && read(&option.name, "").is_some() => {
                below.except.clear();
                all = true;
            }
            None => {}
        }
    }
    if all {
        below.only.clear();
    }
}

/// Whether the command reads what others print, and so no files.
fn is_fed(plan: &ExecutionPlan, step: &Step) -> bool {
    let script = plan.texts.get(step.text).map(|text| &text.script);
    let (Some(script), Some(command)) = (script, step.command) else { return false };
    if !plan.budget.spend(cost_of_feeds(script)) {
        return false;
    }
    let shapes = script.substitutions.iter().map(|one| &one.shape).chain([&script.items]);
    shapes.into_iter().any(|shape| {
        PipelineInputs::of(script, shape).is_some_and(|feeds| feeds.of_command(command).is_some())
    })
}
