//! Files that a command opens without naming them: those below the directories it searches.

use std::collections::HashSet;

use sekisho_shell::programs::{CommandProfile, ObstacleCode};
use sekisho_shell::word::Piece;

use super::allow_limits::reads;
use super::execution_plan::{ExecutionPlan, Step};
use super::pipeline_inputs::{PipelineInputs, cost_of_feeds};
use super::plan_context::{PlanContext, compare_cost};
use super::required_searches::SearchList;
use super::touched_paths::{TouchedPath, touched_by};
use crate::facts::FactQuery;
use crate::file_search_query::{FileSearch, GitFileFilter, LinkHandling, WalkOptions};
use crate::reason::Reason;
use crate::tool_globs::{are_few, certain, last_names, named_files};

impl PlanContext<'_> {
    /// Why a command that reads files below a directory needs confirmation.
    pub(super) fn walk_reason(self, step: &Step) -> Option<Reason> {
        let walk = walk_of(self.plan, step)?;
        let meant = walk.globs.iter().find_map(|glob| {
            // If they are unknown, all files are searched.
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
            // What is copied is only read.
            Some(search) => self.search_reason(&search, walk.copies || reads(step)),
            None => Some(Reason::PathUnknown),
        })
    }

    /// The facts about the files below.
    pub(super) fn walk_fact_queries(self, step: &Step) -> Vec<FactQuery> {
        let Some(walk) = walk_of(self.plan, step) else { return Vec::new() };
        self.starts(step, &walk).into_iter().flatten().map(FactQuery::Files).collect()
    }

    /// The start directories of a search; `None` for an unknown one.
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
            // The directories the names come from are searched for their targets. A link given as a start is
            // followed.
            let below = WalkOptions { links: LinkHandling::Follow, ..walk.below.clone() };
            let from = |start| Some(FileSearch { below: Some(below.clone()), ..start? });
            starts.extend(self.computed_starts(step, &computed).into_iter().map(from));
        }
        starts.distinct()
    }

    /// Whether so many words may vanish that no start directory remains.
    fn may_lack_operands(self, step: &Step, walk: &CommandWalk) -> bool {
        let words = step.profile.operands.iter().filter_map(|at| step.words.get(*at));
        words.filter(|word| !self.may_vanish(step, word)).count() <= walk.patterns
    }
}

impl WalkOptions {
    /// Drops globs, and thus does not narrow the search, if there are too many.
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

/// How a command reads the files below its operands.
struct CommandWalk {
    /// Indexes of its start operands; empty if it starts in its own directory.
    operands: Vec<usize>,
    below: WalkOptions,
    /// The globs that select files.
    globs: Vec<String>,
    /// The number of operands before the start operands.
    patterns: usize,
    /// It copies the files.
    copies: bool,
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

/// How a command reads files below directories, if it does.
fn walk_of(plan: &ExecutionPlan, step: &Step) -> Option<CommandWalk> {
    let profile = &step.profile;
    let program = profile.program.as_deref()?;
    if profile.walks_directories && COPYING.contains(&program) {
        return copies(program, step);
    }
    let below = match program {
        "grep" | "egrep" | "fgrep" | "zgrep" => grep(profile, step)?,
        "rg" => rg(profile, plan, step)?,
        "ag" | "ack" => WalkOptions { links: LinkHandling::Follow, ..WalkOptions::everything() },
        "diff" => diff(profile),
        _ => return None,
    };
    let paths: HashSet<usize> =
        profile.paths.iter().filter(|path| path.text.is_none()).map(|path| path.word).collect();
    let named = |at: &&usize| paths.contains(at);
    let chosen = ["include", "g", "glob", "iglob"].iter().flat_map(|name| values(profile, name));
    let globs = chosen.filter(|glob| !glob.starts_with('!')).collect();
    let below = below.with_few_globs();
    let told = has(profile, &["e", "f", "regexp", "file"]) || profile.program.as_deref() == Some("diff");
    let patterns = usize::from(!told);
    Some(CommandWalk {
        operands: profile.operands.iter().filter(named).copied().collect(),
        below,
        globs,
        patterns,
        copies: false,
    })
}

/// Programs that copy whole directories: if they do, the table says that they walk.
const COPYING: &[&str] = &["cp", "rsync", "scp", "tar", "bsdtar", "gtar", "zip"];
/// Options by which they copy what links lead to.
const COPY_TARGETS: &[&str] =
    &["L", "dereference", "h", "H", "copy-links", "copy-unsafe-links", "k", "copy-dirlinks"];

/// What a program copies.
fn copies(program: &str, step: &Step) -> Option<CommandWalk> {
    let profile = &step.profile;
    let mut operands = profile.operands.as_slice();
    match program {
        "cp" | "rsync" | "scp" if has(profile, &["t", "target-directory"]) => {}
        "cp" | "rsync" | "scp" => operands = operands.split_last()?.1,
        "zip" => operands = operands.split_first()?.1,
        _ => {}
    }
    let first = *operands.first()?;
    let mut below = WalkOptions::everything();
    if matches!(program, "zip" | "scp") || has(profile, COPY_TARGETS) {
        below.links = LinkHandling::Follow;
    }
    // An exclusion of tar counts only for the operands behind it, and one of rsync only if no other filter decides.
    let excludes = match program {
        "rsync" => !has(profile, &["include", "include-from", "filter", "f", "F"]),
        "cp" | "scp" | "zip" => false,
        _ => !step.words.iter().skip(first).any(|word| word.prefix().starts_with('-')),
    };
    if excludes {
        let names = values(profile, "exclude").filter(|glob| !glob.contains('/'));
        below.except = names.filter_map(|glob| certain(&glob)).collect();
        below.except_directories.clone_from(&below.except);
    }
    let (below, globs) = (below.with_few_globs(), Vec::new());
    Some(CommandWalk { operands: operands.to_vec(), below, globs, patterns: 0, copies: true })
}

fn has(profile: &CommandProfile, names: &[&str]) -> bool {
    profile.options.iter().any(|option| names.contains(&option.name.as_str()))
}

/// Whether there is an option that is not in the table: it may affect links and directories in any way.
fn has_unknown(profile: &CommandProfile) -> bool {
    let unknown = [ObstacleCode::Option, ObstacleCode::MayBeOption, ObstacleCode::NotListed];
    profile.harmless.as_ref().is_err_and(|obstacle| unknown.contains(&obstacle.code))
}

fn grep(profile: &CommandProfile, step: &Step) -> Option<WalkOptions> {
    let follows = has(profile, &["R", "dereference-recursive"]);
    let recurses = |name: &str, value: Option<&str>| match name {
        "r" | "recursive" => true,
        "d" | "directories" => value.is_none_or(|value| "recurse".starts_with(value)),
        _ => false,
    };
    let told = profile.options.iter().any(|option| recurses(&option.name, option.value.as_deref()));
    let looks_so = |text: &str| {
        text.strip_prefix("--").map_or_else(
            || text.starts_with('-') && text.contains(['r', 'R', 'd']),
            |long| long.starts_with(['r', 'd']),
        )
    };
    let perhaps = has_unknown(profile) && step.words.iter().skip(1).any(|word| looks_so(word.prefix()));
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
    choose(profile, &mut below, |name, value| by_name(name).map(|excludes| (excludes, value.to_owned())));
    // Files that match no glob are excluded only if the first glob includes. `--exclude-from` counts as a
    // glob.
    let first = profile.options.iter().find_map(|option| by_name(&option.name));
    if first != Some(false) || has(profile, &["exclude-from"]) || has_unknown(profile) {
        below.only.clear();
    }
    below.except_directories = values(profile, "exclude-dir").filter_map(|glob| certain(&glob)).collect();
    Some(below)
}

/// Options by which `rg` searches, whatever it was told before.
const RG_SEARCHES: &[&str] =
    &["json", "no-json", "l", "files-with-matches", "files-without-match", "c", "count", "count-matches"];

fn rg(profile: &CommandProfile, plan: &ExecutionPlan, step: &Step) -> Option<WalkOptions> {
    // Some versions search if an option for searches comes with `--files`.
    let searches = has(profile, RG_SEARCHES) || has_unknown(profile);
    if has(profile, &["version", "V", "pcre2-version"])
        || (has(profile, &["files", "type-list"]) && !searches)
    {
        return None;
    }
    let mut operands = profile.operands.iter();
    let names_path = operands.any(|at| profile.paths.iter().any(|path| path.word == *at));
    // If the patterns are read from standard input, files are searched.
    let mut patterns = profile.options.iter().filter(|option| matches!(option.name.as_str(), "f" | "file"));
    let takes_input = patterns.any(|option| option.value.as_deref().is_none_or(|value| value == "-"));
    if !names_path && !takes_input && is_fed(plan, step) {
        return None;
    }
    let mut below = WalkOptions::everything();
    let unrestricted =
        profile.options.iter().filter(|option| matches!(option.name.as_str(), "u" | "unrestricted")).count();
    let unknown = has_unknown(profile);
    below.hidden = unknown || unrestricted > 1 || has(profile, &[".", "hidden"]);
    let types = ["t", "type"].iter().flat_map(|name| values(profile, name));
    below.unhidden = types.flat_map(|name| hidden_of_type(&name)).map(|glob| (*glob).to_owned()).collect();
    // Types and ignore files that the command defines may name anything.
    below.hidden |= has(profile, &["type-add", "ignore-file"]);
    let ignores = !unknown
        && unrestricted == 0
        && !profile
            .options
            .iter()
            .any(|option| option.name.starts_with("no-ignore") || option.name.starts_with("ignore-file"));
    below.git = if ignores { GitFileFilter::NotIgnored } else { GitFileFilter::All };
    if unknown || has(profile, &["L", "follow"]) {
        below.links = LinkHandling::Follow;
    }
    choose(profile, &mut below, |name, value| {
        matches!(name, "g" | "glob" | "iglob").then(|| match value.strip_prefix('!') {
            Some(excluded) => (true, excluded.to_owned()),
            None => (false, value.to_owned()),
        })
    });
    // All `--iglob` options come after all `-g` options, whatever their order.
    if has(profile, &["iglob"]) && has(profile, &["g", "glob"]) {
        below.except.clear();
    }
    // Files that a glob names are searched even if they are hidden or ignored.
    if !below.only.is_empty() || has(profile, &["g", "glob", "iglob"]) {
        let includes = |value: String| !value.starts_with('!');
        let named = ["g", "glob", "iglob"].iter().flat_map(|name| values(profile, name)).any(includes);
        below.hidden |= named;
        below.git = if named { GitFileFilter::All } else { below.git };
    }
    below.except_directories.clone_from(&below.except);
    Some(below)
}

/// Globs for the hidden names that a type of `rg` re-includes: those of the type itself, so `py` finds `.env.py`.
pub(super) fn hidden_of_type(name: &str) -> &'static [&'static str] {
    match name {
        "c" => &["*.[chH]", "*.[chH].in", "*.cats"],
        "cpp" => &["*.[ChH]*", "*.[ch]pp*", "*.[ch]xx*", "*.cc*", "*.hh*", "*.inl"],
        "cs" | "csharp" => &["*.cs"],
        "css" => &["*.css", "*.scss"],
        "dart" => &["*.dart"],
        "elixir" => &["*.eex", "*.ex", "*.exs", "*.heex", "*.leex", "*.livemd"],
        "go" => &["*.go"],
        "h" => &["*.h", "*.hh", "*.hpp"],
        "haskell" => &["*.c2hs", "*.cpphs", "*.hs", "*.hsc", "*.lhs"],
        "html" => &["*.ejs", "*.htm", "*.html"],
        "java" => &["*.java", "*.jsp", "*.jspx", "*.properties"],
        "js" => &["*.[cm]js", "*.js", "*.jsx", "*.vue"],
        "json" => &["*.json", "*json", "*.sarif"],
        "kotlin" => &["*.kt", "*.kts"],
        "lua" => &["*.lua"],
        "markdown" | "md" => &["*.markdown", "*.md", "*.mdown", "*.mdx", "*.mdwn", "*.mkd", "*.mkdn"],
        "php" => &["*.php*", "*.phtml"],
        "proto" | "protobuf" => &["*.proto"],
        "py" | "python" => &["*.py", "*.pyi"],
        "ruby" => &["*.gemspec", "*.rb", "*.rbw", ".irbrc"],
        "rust" | "rs" => &["*.rs"],
        "scala" => &["*.sbt", "*.scala"],
        "sql" => &["*.psql", "*.sql"],
        "svelte" => &["*.svelte"],
        "swift" => &["*.swift"],
        "toml" => &["*.toml", "*.lock"],
        "ts" | "typescript" => &["*.[cm]ts", "*.ts", "*.tsx"],
        "vue" => &["*.vue"],
        "yaml" => &["*.yml", "*.yaml"],
        "zig" => &["*.zig"],
        _ => &["*"],
    }
}

fn diff(profile: &CommandProfile) -> WalkOptions {
    let mut below = WalkOptions::everything();
    below.deep = has(profile, &["r", "recursive"]) || has_unknown(profile);
    below.links = if has(profile, &["no-dereference"]) { LinkHandling::Skip } else { LinkHandling::Follow };
    let excluded = values(profile, "x").chain(values(profile, "exclude"));
    below.except = excluded.filter_map(|glob| certain(&glob)).collect();
    below.except_directories.clone_from(&below.except);
    below
}

fn values<'r>(profile: &'r CommandProfile, name: &'r str) -> impl Iterator<Item = String> + 'r {
    profile.options.iter().filter(move |option| option.name == name).filter_map(|option| option.value.clone())
}

/// Adds the globs that select files. The last matching glob decides, so excluding globs count only after all
/// including ones.
fn choose(
    profile: &CommandProfile,
    below: &mut WalkOptions,
    read: impl Fn(&str, &str) -> Option<(bool, String)>,
) {
    let mut all = false;
    for option in &profile.options {
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
            // A computed glob.
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

/// Whether the command reads the output of others, and so no files.
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
