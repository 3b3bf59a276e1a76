//! Computed operands. A program that reads files may be given printed names only if the command that prints
//! them cannot be made to print a protected path.
//!
//! The possible values of a word are written as text in which single characters represent unknown parts. None
//! of these characters can occur in an allowed text, because hidden characters are opaque.

use std::collections::{HashMap, HashSet};

use sekisho_shell::programs::{InnerCommand, PathUseKind};
use sekisho_shell::word::{Piece, Span, Word};

use super::execution_plan::{Lister, ROOTED, Step, is_cut_without_quotes};
use super::find_expression;
use super::git_diff_directories::climbs;
use super::git_tracked_files;
use super::harmless_command::is_harmless;
use super::output_kind::OutputKind;
use super::plan_context::{COMPARE_COST, PlanContext};
use super::required_searches::{SearchList, distinct, expansion};
use super::safe_listing_programs::listing;
use super::step_fact_queries::path_fact_queries;
use super::touched_paths::{TouchedPath, escaped, paths_of_step, touched_by};
use super::working_directories::WorkingDirectories;
use crate::command_explanation::Detail;
use crate::command_pattern::COMPUTED;
use crate::facts::FactQuery;
use crate::file_search_query::{FileSearch, GitFileFilter, LinkHandling, WalkOptions};
use crate::paths::{is_within, normalise_lexically};
use crate::reason::Reason;

/// The name of one or more existing files in the workspace.
pub(super) const NAME: char = '\u{1}';
/// The name of a commit.
pub(super) const REVISION: char = '\u{2}';
/// A wildcard that bash expands.
pub(super) const WILDCARD: char = '\u{3}';
/// Any text.
pub(super) const ANYTHING: char = '\u{4}';
const ANY_TEXT: &str = "\u{4}";

/// How many letters may precede a computed value in a word of short options (`-nf"$f"`).
const MAX_LETTERS: usize = 8;

/// The cost of checking again how a command lists files.
const LISTED: usize = 512;

impl<'a> PlanContext<'a> {
    /// Why a program that reads files needs confirmation: what it reads is computed, and may be protected.
    pub(crate) fn reads_computed(self, step: &Step) -> Option<Reason> {
        if !only_reads(step) {
            return None;
        }
        let mut words = computed_operands(step).peekable();
        words.peek()?;
        let inserted = self.inserted(step);
        let spelt = words.find_map(|word| {
            // Only what `find` found was looked up, not files beside or below it.
            let substituted = |piece: &Piece| matches!(piece, Piece::Substitution { .. });
            let bare = || self.written(step, word).chars().filter(|c| !"'\"\\".contains(*c)).eq("{}".chars());
            if inserted == Some(COMPUTED) && word.pieces.iter().any(substituted) && !bare() {
                return Some(self.spells_anything(step, word));
            }
            let spellings = self.possible_values(step, word, inserted);
            if is_cut_in(step, word, &spellings) {
                return Some(self.spells_anything(step, word));
            }
            spellings
                .iter()
                .find_map(|spelling| readings(spelling).find_map(|text| self.value_reason(step, word, text)))
        });
        spelt.or_else(|| {
            let joined = self.joined(step);
            self.searches(step).iter().chain(&joined).find_map(|search| match search {
                Some(search) => self.search_reason(search, true),
                None => Some(Reason::PathUnknown),
            })
        })
    }

    /// The facts about computed names: the targets of those that the text spells out, and the files that the
    /// commands that print the others can find.
    pub(super) fn computed_fact_queries(self, step: &Step) -> Vec<FactQuery> {
        if !only_reads(step) {
            return Vec::new();
        }
        let words: Vec<&Word> = computed_operands(step).collect();
        if words.is_empty() {
            return Vec::new();
        }
        let inserted = self.inserted(step);
        let mut queries = Vec::new();
        for word in words {
            for spelling in self.possible_values(step, word, inserted) {
                let known =
                    readings(&spelling).filter(|text| !text.contains([COMPUTED, NAME, REVISION, ANYTHING]));
                let touched = known.flat_map(|text| touched_by_text(&step.directories, text)).collect();
                queries.extend(path_fact_queries(self.policy, self.plan, touched));
            }
        }
        let searches = self.searches(step).iter().cloned().chain(self.joined(step));
        queries.extend(searches.flatten().map(FactQuery::Files));
        queries
    }

    /// The start directories of a search that gets computed words. `None` if they are unknown.
    pub(super) fn computed_starts(self, step: &Step, words: &[&Word]) -> Vec<Option<FileSearch>> {
        let inserted = self.inserted(step);
        let from = |directory: &str| FileSearch { directory: directory.into(), ..FileSearch::default() };
        let mut starts = SearchList::new(&self.plan.budget);
        let mut are_listed = false;
        for word in words {
            if word.prefix() == ROOTED {
                // `$(pwd)`, or the root of the repository that contains it.
                let top = self.runs_git(step, word);
                let here = step.directories.iter();
                starts.extend(here.map(|directory| Some(FileSearch { top, ..from(directory?) })));
                continue;
            }
            for spelling in self.possible_values(step, word, inserted) {
                if spelling.contains([ANYTHING, NAME, REVISION, COMPUTED]) {
                    // Only what a listing command or `find` itself names was looked up.
                    let is_name = spelling.chars().eq([NAME])
                        || (inserted == Some(COMPUTED) && spelling.chars().eq([COMPUTED]));
                    // As long as the workspace is unknown, names are anything.
                    are_listed |= is_name || spelling.chars().eq([ANYTHING]);
                    starts.extend((!is_name).then_some(None));
                    continue;
                }
                let touched = readings(&spelling).flat_map(|text| touched_by_text(&step.directories, text));
                starts.extend(touched.map(|touched| match touched {
                    TouchedPath::Path(path) => Some(from(&path)),
                    TouchedPath::Glob { base, rest } => Some(expansion(&base, &rest)),
                    _ => None,
                }));
            }
            if self.plan.budget.is_spent() {
                return vec![None];
            }
        }
        // It is not tracked which word contains which names.
        if are_listed {
            let searches = self.searches(step);
            starts.extend(searches.is_empty().then_some(None));
            starts.extend(searches.iter().cloned());
        }
        starts.distinct()
    }

    /// Whether a word certainly becomes the name of a commit, and not a path that leads elsewhere.
    pub(super) fn is_revision(self, step: &Step, word: &Word) -> bool {
        let spellings = self.possible_values(step, word, self.inserted(step));
        spellings.iter().all(|spelling| {
            !spelling.contains([ANYTHING, NAME, COMPUTED, WILDCARD])
                && (spelling.contains(REVISION) || (spelling.contains("..") && !spelling.contains('/')))
                && readings(spelling).all(|text| !climbs(text))
        })
    }

    /// Whether a substitution in a word runs git.
    fn runs_git(self, step: &Step, word: &Word) -> bool {
        let script = self.plan.texts.get(step.text).map(|text| &text.script);
        if !self.plan.budget.spend(script.map_or(0, |script| script.commands.len())) {
            return false;
        }
        let mut commands = script.into_iter().flat_map(|script| &script.commands);
        let inside = |span: Span| span.start >= word.span.start && span.end <= word.span.end;
        commands.any(|command| {
            let git = command.words.first().and_then(Word::literal).is_some_and(|name| name == "git");
            inside(command.span) && git
        })
    }

    /// The searches whose results a command reads: those of the `find` that runs it, or of all listing
    /// commands in the text.
    pub(super) fn searches(self, step: &Step) -> &[Option<FileSearch>] {
        step.cache.searches.get_or_init(|| self.make_searches(step))
    }

    /// The `find` that runs a command.
    pub(super) fn find_around(self, step: &Step) -> Option<&'a Step> {
        let mut outer = step.parent.filter(|_| step.command.is_none());
        while let Some(at) = outer.and_then(|at| self.plan.steps.get(at)) {
            if is_find(at) {
                return Some(at);
            }
            outer = at.parent.filter(|_| at.command.is_none());
        }
        None
    }

    fn make_searches(self, step: &Step) -> Vec<Option<FileSearch>> {
        let mut found = SearchList::new(&self.plan.budget);
        let before = distinct(directories_before(step).collect());
        if let Some(outer) = self.find_around(step) {
            let below = find_expression::find_walk_options(&outer.words);
            found.extend(self.below_starts(outer, &below));
            // The files found may be opened in another directory.
            found.extend(before.iter().map(|place| Some(below_directory(place.as_ref()?, &below))));
            return found.distinct();
        }
        // A command does not get its own output.
        let others = self.listers().filter(|(lister, repeated)| *repeated || !std::ptr::eq(*lister, step));
        let listers = others.filter_map(|(lister, _)| {
            let (below, paths) = if is_find(lister) {
                (find_expression::find_walk_options(&lister.words), true)
            } else {
                let listing = listing(lister).filter(|listing| listing.prints == OutputKind::Names)?;
                (listing.below(), listing.prints_paths())
            };
            Some((lister, below, paths && lister.directories == step.directories))
        });
        // Many listing commands read the same directories.
        let mut met = HashSet::new();
        for (lister, below, paths) in listers {
            for directory in step.directories.iter() {
                let Some(directory) = directory else {
                    found.push(None);
                    continue;
                };
                let below = WalkOptions { cut: Some(directory.to_owned()), ..below.clone() };
                found.extend(self.below_starts(lister, &below));
                // Files listed in one directory are read in another, where git may not track a file of that
                // name.
                let elsewhere = match below.git {
                    GitFileFilter::Tracked if lister.directories != step.directories => {
                        WalkOptions { git: GitFileFilter::All, ..below.clone() }
                    }
                    GitFileFilter::Tracked => {
                        WalkOptions { only: git_tracked_files::listed_names(lister), ..below.clone() }
                    }
                    _ => below.clone(),
                };
                found.extend((!paths).then(|| Some(below_directory(directory, &elsewhere))));
                if listing(lister).is_some_and(|listing| listing.adds_to_names()) {
                    found.extend(beside(lister, directory));
                }
                if !before.is_empty() && met.insert(below.clone()) {
                    found.extend(before.iter().map(|place| Some(below_directory(place.as_ref()?, &below))));
                }
            }
            if !self.plan.budget.spend(LISTED) {
                break;
            }
        }
        let mut searches = found.distinct();
        let no_options = !step.profile.option_words.is_empty();
        searches.iter_mut().flatten().for_each(|search| search.no_options = no_options);
        searches
    }

    /// The commands that list files, one of each kind, and whether there are more of that kind.
    pub(super) fn listers(self) -> impl Iterator<Item = (&'a Step, bool)> {
        let listers = self.plan.listers.get_or_init(|| {
            let lists = |step: &Step| is_find(step) || listing(step).is_some();
            let mut listers: Vec<Lister> = Vec::new();
            let mut kinds = HashMap::new();
            for (at, step) in self.plan.steps.iter().enumerate().filter(|(_, step)| lists(step)) {
                let pieces: Vec<&[Piece]> = step.words.iter().map(|word| word.pieces.as_slice()).collect();
                let known = *kinds.entry((format!("{pieces:?}"), &step.directories)).or_insert(listers.len());
                match listers.get_mut(known) {
                    Some(lister) => lister.is_repeated = true,
                    None => listers.push(Lister { step: at, is_repeated: false }),
                }
                if !self.plan.budget.spend(LISTED + step.size) {
                    break;
                }
            }
            listers
        });
        listers.iter().filter_map(|lister| Some((self.plan.steps.get(lister.step)?, lister.is_repeated)))
    }

    /// The searches of a listing command, one for each directory it searches.
    pub(super) fn below_starts(self, lister: &Step, below: &WalkOptions) -> Vec<Option<FileSearch>> {
        // Each keeps a copy of the globs.
        let places = lister.words.len() * lister.directories.iter().count();
        if !self.plan.budget.spend(below.cost().saturating_mul(places)) {
            return vec![None];
        }
        below_starts(lister, below)
    }

    /// Why a command must not get a word with this value.
    fn value_reason(self, step: &Step, word: &Word, text: &str) -> Option<Reason> {
        let (root, home) = (self.context.root.as_deref(), self.context.home.as_deref());
        let reason = |pattern: &str| {
            let path = text.replace([COMPUTED, NAME, REVISION], "…").replace(WILDCARD, "*");
            Some(Reason::ProtectedPath { path, pattern: pattern.into() })
        };
        if text.contains(ANYTHING) || (text.contains(REVISION) && !self.is_commit_in(step, word, text)) {
            return Some(self.spells_anything(step, word));
        }
        if text.contains([COMPUTED, NAME, REVISION]) {
            if !self.plan.budget.spend(COMPARE_COST) {
                return Some(Reason::PathUnknown);
            }
            let mut path = text.replace([NAME, REVISION], "\u{0}").replace(WILDCARD, "*");
            if step.profile.repository {
                path = path.replace(':', "/");
            }
            let list = &self.policy.protected;
            let found = list.pattern_for_computed(&path, root, home);
            let expanded = || {
                let rest: Vec<String> = text.split('/').map(pattern_of_value).collect();
                list.pattern_for_wildcards("", &rest, root, home)
            };
            if let Some(pattern) = found.or_else(|| text.contains(WILDCARD).then(expanded).flatten()) {
                return reason(pattern);
            }
            let kept = !text.contains(NAME) || self.stays_inside(step, text);
            return (!kept).then(|| self.spells_anything(step, word));
        }
        touched_by_text(&step.directories, text).iter().find_map(|touched| self.path_reason(touched, true))
    }

    /// Whether a word that contains a commit name is read as a commit. Branches and tags may have the names
    /// of files, and after `--` or a colon the word is a file name.
    fn is_commit_in(self, step: &Step, word: &Word, text: &str) -> bool {
        const TAKE_COMMITS: [&str; 12] = [
            "cat-file",
            "describe",
            "diff",
            "diff-index",
            "diff-tree",
            "grep",
            "log",
            "merge-base",
            "rev-list",
            "rev-parse",
            "shortlog",
            "show",
        ];
        let takes =
            step.profile.leading_words.get(1).is_some_and(|name| TAKE_COMMITS.contains(&name.as_str()));
        let mut before = step.words.iter().take_while(|other| !std::ptr::eq(*other, word));
        let named = text.get(..text.rfind(REVISION).unwrap_or(0)).is_some_and(|before| before.contains(':'));
        // Every word before it is checked.
        self.plan.budget.spend(step.words.len())
            && step.profile.repository
            && takes
            && !named
            && !before.any(|other| other.prefix() == "--")
    }

    fn spells_anything(self, step: &Step, word: &Word) -> Reason {
        Reason::Obstacle { word: self.written(step, word), why: Detail::ComputedPath.into() }
    }

    /// Whether a path that contains file names stays inside the workspace.
    fn stays_inside(self, step: &Step, text: &str) -> bool {
        let unknown = |segment: &str| segment.matches([NAME, COMPUTED, REVISION]).count();
        let before = text.split(NAME).next().unwrap_or_default();
        let directory = before.rsplit_once('/').map(|(directory, _)| format!("{directory}/"));
        let below = match directory {
            None => true,
            Some(directory) if directory.contains([COMPUTED, REVISION, WILDCARD]) => false,
            Some(directory) => {
                let paths = step.directories.paths_of_text(&directory);
                let leads = |path: &str| self.resolved(path).is_some_and(|path| self.is_inside(path));
                paths
                    .iter()
                    .all(|path| path.as_deref().is_some_and(|path| self.is_inside(path) && leads(path)))
            }
        };
        below
            && text.split('/').all(|segment| segment != ".." && unknown(segment) < 2)
            && step.directories.iter().all(|directory| directory.is_some_and(|path| self.is_inside(path)))
    }

    /// Whether a directory is in the workspace and contains no protected files other than hidden ones.
    pub(super) fn is_inside(self, path: &str) -> bool {
        let (root, home) = (self.context.root.as_deref(), self.context.home.as_deref());
        let Some(path) = normalise_lexically(path) else { return false };
        let list = &self.policy.protected;
        root.is_some_and(|root| is_within(&path, root))
            && list.protecting_pattern(&path, root, home).is_none()
            && list.pattern_for_wildcards(&path, &["*".to_owned()], root, home).is_none()
    }

    /// The kind of text that a wrapper, such as `xargs`, inserts into the words of this command, if one
    /// does.
    pub(super) fn inserted(self, step: &Step) -> Option<char> {
        let mut found = None;
        let mut at = step;
        while let Some(parent) = at.parent.filter(|_| at.command.is_none()) {
            at = self.plan.steps.get(parent)?;
            let by = match at.profile.program.as_deref() {
                // Found below a start directory that is judged.
                Some("find" | "gfind") => COMPUTED,
                Some("xargs" | "gxargs") if keeps_names_whole(at) => NAME,
                Some("xargs" | "gxargs" | "parallel" | "rush" | "sem" | "fd" | "fdfind") => ANYTHING,
                _ => continue,
            };
            found = Some(if found.is_some() { ANYTHING } else { by });
        }
        match (found, at.command) {
            (Some(NAME), Some(command)) => Some(self.fed(at.text, command)),
            (Some(NAME), None) => Some(ANYTHING),
            (found, _) => found,
        }
    }
}

/// Whether a word contains the directory unquoted and the directory's name would be split or expanded.
fn is_cut_in(step: &Step, word: &Word, spellings: &[String]) -> bool {
    let computed = || spellings.iter().any(|spelling| spelling.contains(COMPUTED));
    let bare = word.pieces.iter().any(|piece| match piece {
        Piece::Variable { name, quoted } => !quoted && name == "PWD",
        Piece::Substitution { quoted } => !quoted && computed(),
        _ => false,
    });
    bare && step.directories.iter().any(is_cut_without_quotes)
}

pub(super) fn is_find(step: &Step) -> bool {
    matches!(step.profile.program.as_deref(), Some("find" | "gfind"))
}

/// The words that name files to read and have computed pieces.
pub(super) fn computed_operands(step: &Step) -> impl Iterator<Item = &Word> {
    let read =
        step.profile.paths.iter().filter(|path| path.access == PathUseKind::Read && path.text.is_none());
    let computed = |piece: &Piece| !matches!(piece, Piece::Literal(_) | Piece::Tilde(_) | Piece::Glob(_));
    let words = read.filter_map(|path| step.words.get(path.word));
    words.filter(move |word| word.pieces.iter().any(computed))
}

/// The directories written before the computed pieces of a command's words; `None` for an unknown one.
fn directories_before(step: &Step) -> impl Iterator<Item = Option<String>> {
    computed_operands(step).flat_map(|word| touched_by(step, word)).flat_map(|touched| match touched {
        TouchedPath::Partly { within, .. } => within,
        _ => Vec::new(),
    })
}

/// A value read as one name, as the value of an option, and as several names separated by blanks.
pub(super) fn readings(spelling: &str) -> impl Iterator<Item = &str> {
    let parts = spelling.split_whitespace().filter(move |part| *part != spelling);
    option_values(spelling).into_iter().chain(parts)
}

/// Searches for names that are built from others: `src:`, `HEAD:src/a`, `"src/\303\251"`.
fn beside(lister: &Step, directory: &str) -> Vec<Option<FileSearch>> {
    let odd = ["*:*", "\\\"*"].map(str::to_owned).to_vec();
    let below = WalkOptions {
        links: LinkHandling::Open,
        deep: false,
        cut: Some(directory.to_owned()),
        only: odd,
        ..WalkOptions::everything()
    };
    let above = |path: &str| path.rsplit_once('/').map_or("/", |(above, _)| above).to_owned();
    let mut places = vec![directory.to_owned()];
    for touched in paths_of_step(lister) {
        match touched {
            TouchedPath::Path(path) => places.push(above(&path)),
            TouchedPath::Glob { base, rest } if rest.len() == 1 => places.push(base),
            TouchedPath::Computed | TouchedPath::Partly { .. } => {}
            TouchedPath::Glob { .. } | TouchedPath::Unknown => return vec![None],
        }
    }
    distinct(places).iter().map(|place| Some(below_directory(place, &below))).collect()
}

fn below_directory(directory: &str, below: &WalkOptions) -> FileSearch {
    FileSearch { directory: directory.into(), below: Some(below.clone()), ..FileSearch::default() }
}

/// The searches of a listing command, one for each directory it searches.
fn below_starts(lister: &Step, below: &WalkOptions) -> Vec<Option<FileSearch>> {
    if lister.profile.repository {
        return git_tracked_files::listed(lister, below);
    }
    let told = paths_of_step(lister);
    let mut searches: Vec<Option<FileSearch>> = told
        .into_iter()
        .filter_map(|touched| match touched {
            TouchedPath::Path(path) => Some(Some(below_directory(&path, below))),
            TouchedPath::Glob { base, rest } => {
                let pattern = Some(rest.join("/"));
                Some(Some(FileSearch { pattern, ..below_directory(&base, below) }))
            }
            // Judged with the command itself.
            TouchedPath::Computed | TouchedPath::Partly { .. } => None,
            TouchedPath::Unknown => Some(None),
        })
        .collect();
    if searches.is_empty() {
        let here = lister.directories.iter().map(|directory| Some(below_directory(directory?, below)));
        searches.extend(here);
    }
    searches
}

/// Whether the table knows the program as one that only reads files.
fn only_reads(step: &Step) -> bool {
    let profile = &step.profile;
    let harmless = profile.builtin.is_some() || is_harmless(profile) || profile.danger.is_none();
    let pages = matches!(profile.program.as_deref(), Some("less" | "more"));
    profile.known && (pages || (harmless && !profile.program_text))
}

/// The value, if a word is an option with its value: `--file=…`, `-f…`, `-nf…`.
fn option_values(text: &str) -> Vec<&str> {
    match text.strip_prefix('-') {
        Some(long) if long.starts_with('-') => vec![long.split_once('=').map_or(text, |(_, value)| value)],
        Some(short) => {
            let letters = short.chars().take_while(char::is_ascii_alphanumeric).count();
            if letters > MAX_LETTERS {
                return vec![ANY_TEXT];
            }
            let values =
                (1..=letters.max(1)).filter_map(|at| short.get(at..)).filter(|value| !value.is_empty());
            let values: Vec<&str> = values.collect();
            if values.is_empty() { vec![text] } else { values }
        }
        None => vec![text],
    }
}

/// The paths of a known text, with or without wildcards.
pub(super) fn touched_by_text(directories: &WorkingDirectories, text: &str) -> Vec<TouchedPath> {
    let Some((before, _)) = text.split_once(WILDCARD) else {
        let paths = directories.paths_of_text(text).into_iter();
        return paths.map(|path| path.map_or(TouchedPath::Unknown, TouchedPath::Path)).collect();
    };
    let (base, _) = before.rsplit_once('/').unwrap_or((".", ""));
    let rest = text.get(before.rfind('/').map_or(0, |slash| slash + 1)..).unwrap_or_default();
    let rest: Vec<String> = rest.split('/').map(pattern_of_value).collect();
    let base = if base.is_empty() { "/" } else { base };
    let bases = directories.paths_of_text(base).into_iter();
    bases
        .map(|base| base.map_or(TouchedPath::Unknown, |base| TouchedPath::Glob { base, rest: rest.clone() }))
        .collect()
}

/// A part of a value as a glob, in which the text itself has no wildcards.
fn pattern_of_value(text: &str) -> String {
    escaped(&text.replace([COMPUTED, NAME, REVISION], "x")).replace(WILDCARD, "*")
}

/// The words of a command before those of its inner command.
pub(super) fn own_words(step: &Step) -> Option<impl Iterator<Item = &str> + Clone> {
    let inner = step.profile.inner_commands.iter().find_map(|inner| match inner {
        InnerCommand::Argv(words) => words.first(),
        _ => None,
    })?;
    let start = inner.span.start;
    Some(step.words.iter().skip(1).take_while(move |word| word.span.start < start).map(Word::prefix))
}

/// Whether `xargs` splits its input only at blanks, line ends or zeros. Of all values of `-d`, only these
/// keep names whole.
fn keeps_names_whole(step: &Step) -> bool {
    let Some(words) = own_words(step) else { return false };
    let mut pairs = words.clone().zip(words.skip(1).chain([""]));
    pairs.all(|(option, next)| {
        let short = option.starts_with('-') && !option.starts_with("--");
        let value = match option.strip_prefix("-d").or_else(|| option.strip_prefix("--delimiter=")) {
            Some("") => next,
            Some(value) => value,
            // With `-a` it reads a file instead.
            None => {
                let other = (short && option.contains(['a', 'd'])) || option.starts_with("--d");
                return !other && !option.starts_with("--a");
            }
        };
        matches!(value, "\\n" | "\n" | "\\0")
    })
}
