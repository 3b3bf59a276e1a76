//! What no allow covers: the reasons to ask although a rule would let a command through.

use sekisho_shell::programs::{Access, Inner, ObstacleCode, Reading};
use sekisho_shell::word::{Piece, Word};

use super::closed::{foreign_expansion, is_harmless_value};
use super::directories::{Directories, cd_target};
use super::git;
use super::plan::{Plan, ROOTED, Step};
use crate::command_pattern::COMPUTED;
use crate::layer::Reads;
use crate::paths::{below, is_within};
use crate::policy::Policy;
use crate::reason::Reason;
use crate::surroundings::{Fact, FileSearch, Need, Surroundings};
use crate::why::Why;

/// What the limits are judged in.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) policy: &'a Policy,
    pub(crate) around: &'a Surroundings,
    pub(crate) plan: &'a Plan,
}

/// What holding a path with wildcards or computed pieces against the list of protected paths costs.
pub(super) const COMPARED: usize = 8192;
/// What one more byte of it costs.
const COMPARED_BYTE: usize = 1024;

/// What holding a text with wildcards against the list of protected paths costs.
pub(super) fn compared(text: &str) -> usize {
    COMPARED + text.len() * COMPARED_BYTE
}

/// Commands that read no file where they are.
const READS_NO_FILES: &[&str] = &[
    ":", "[", "arch", "basename", "break", "continue", "date", "dirname", "echo", "exit", "false",
    "hostname", "id", "nproc", "printf", "pwd", "seq", "sleep", "test", "true", "uname", "uptime", "whoami",
];

impl Context<'_> {
    /// Why a command that a rule allows is asked about all the same.
    pub(crate) fn of_allow(self, step: &Step) -> Option<Reason> {
        let reading = &step.reading;
        let program = reading.program.as_deref()?;
        if let Some(name) = sets_variable(step) {
            return Some(Reason::Assignment { name });
        }
        if reading.changes_shell && program != "cd" && !is_harmless(reading) {
            return Some(Reason::ChangesShell { program: program.into() });
        }
        let own = &self.plan.variables;
        if let Some(text) = step.words.iter().find_map(|word| foreign_expansion(word, own)) {
            return Some(Reason::Expansion { text });
        }
        if let Some(word) = self.hidden_option(step) {
            return Some(Reason::MayBeOption { word: self.written(step, word) });
        }
        if let Some(reason) = self.becomes_option(step).or_else(|| self.of_unquoted(step)) {
            return Some(reason);
        }
        self.protected(step)
            .or_else(|| self.of_walk(step))
            .or_else(|| self.of_compared_directories(step))
            .or_else(|| self.of_pathspecs(step))
            .or_else(|| self.of_tracked_files(step))
    }

    /// Why names that a variable holds are not used without quotes.
    fn of_unquoted(self, step: &Step) -> Option<Reason> {
        self.unquoted(step).into_iter().find_map(|search| match search {
            Some(search) => self.of_search(&search, true),
            None => Some(Reason::PathUnknown),
        })
    }

    /// A word that may turn into an option nobody has judged.
    fn hidden_option(self, step: &Step) -> Option<&Word> {
        let reading = &step.reading;
        // Where the table vouches for the command, it has told which words are left to look at.
        let vouched = reading.known && is_harmless(reading);
        step.words.iter().enumerate().skip(1).filter(|(_, word)| word.literal().is_none()).find_map(
            |(at, word)| {
                let named = reading.option_globs.contains(&at);
                if !named && (vouched || !word.may_be_option()) {
                    return None;
                }
                let plain = match word.pieces.first() {
                    Some(Piece::Glob(_)) => {
                        let needs = glob_needs(step, word);
                        !needs.is_empty() && needs.iter().all(|need| self.around.facts.glob_is_plain(need))
                    }
                    // `--file=$x`: the option is known, its value is not an option.
                    Some(Piece::Literal(text)) => !vouched && text.contains('=') && !word.may_split(),
                    _ => false,
                };
                (!plain).then_some(word)
            },
        )
    }

    /// Why a command that is on the built-in list is asked about all the same.
    pub(crate) fn of_builtin(self, step: &Step) -> Option<Reason> {
        let reading = &step.reading;
        match reading.program.as_deref() {
            Some("cd") => return self.of_cd(step),
            // The text it runs is read and judged like any other.
            Some("bash") if runs_known_text(step) => return None,
            _ => {}
        }
        if let Err(obstacle) = &reading.harmless
            && !is_harmless(reading)
        {
            let word = step.words.get(obstacle.word).map(|word| self.written(step, word)).unwrap_or_default();
            let why = Why::naming(obstacle.detail, obstacle.name.as_deref());
            return Some(Reason::Obstacle { word, why });
        }
        if reading.program_text {
            return Some(Reason::ProgramText { program: reading.program.clone().unwrap_or_default() });
        }
        if reading.walks
            && let Some(path) = self.walks_home(step)
        {
            return Some(Reason::WalksHome { path });
        }
        if reading.repository
            && let Some(reason) =
                step.directories.iter().find_map(|directory| self.of_repository(step, directory))
        {
            return Some(reason);
        }
        self.of_allow(step).or_else(|| self.of_outside(step))
    }

    /// Why a command that only reads is asked about where reading ends at the workspace.
    fn of_outside(self, step: &Step) -> Option<Reason> {
        if self.policy.reads != Reads::Workspace {
            return None;
        }
        let program = step.reading.program.as_deref().unwrap_or_default();
        let here = step.directories.iter().filter(|_| !READS_NO_FILES.contains(&program));
        here.map(|directory| directory.map_or(Touched::Unknown, |path| Touched::Path(path.into())))
            .chain(paths_of_step(step))
            .find_map(|touched| self.outside(&touched))
    }

    /// Why a file is not read where reading ends at the workspace.
    pub(crate) fn outside(self, touched: &Touched) -> Option<Reason> {
        if self.policy.reads != Reads::Workspace {
            return None;
        }
        let (Touched::Path(path) | Touched::Glob { base: path, .. }) = touched else {
            return Some(Reason::PathUnknown);
        };
        let root = self.around.root.as_deref();
        match self.resolved(path) {
            Some(resolved) if root.is_some_and(|root| is_within(resolved, root)) => None,
            Some(_) => Some(Reason::OutsideWorkspace { path: path.clone() }),
            None => Some(Reason::PathUnknown),
        }
    }

    /// A directory from which a walk would come through the home directory and what is kept there.
    pub(super) fn walks_home(self, step: &Step) -> Option<String> {
        let home = self.around.home.as_deref()?;
        paths_of_step(step).into_iter().find_map(|touched| match touched {
            Touched::Path(path) | Touched::Glob { base: path, .. } => {
                let leads = self.resolved(&path).is_some_and(|resolved| is_within(home, resolved));
                (leads || is_within(home, &path)).then_some(path)
            }
            Touched::Partly { text, .. } => {
                let start = text.split(COMPUTED).next().unwrap_or("");
                let above = start.starts_with('/') && start != ROOTED && home.starts_with(start);
                above.then(|| start.to_owned())
            }
            Touched::Computed | Touched::Unknown => None,
        })
    }

    fn of_repository(self, step: &Step, directory: Option<&str>) -> Option<Reason> {
        let Some(directory) = directory else { return Some(Reason::RepositoryUnknown) };
        let Some(repository) = self.around.facts.repository(directory) else {
            return Some(Reason::RepositoryUnknown);
        };
        git::of_repository(&step.words, repository, directory, self.around.root.as_deref()).or_else(|| {
            let tracked = !git::reads_tracked_files(step) || self.around.facts.tracks_no_link(directory);
            (!tracked).then(|| Reason::TrackedLinks { directory: directory.into() })
        })
    }

    /// `cd` is allowed inside the workspace, by its text and where links lead.
    fn of_cd(self, step: &Step) -> Option<Reason> {
        let Some(target) = cd_target(&step.words) else { return Some(Reason::PathUnknown) };
        for path in step.directories.paths_of(&target) {
            let Some(path) = path else { return Some(Reason::PathUnknown) };
            // Without a root nothing lies in it.
            let inside = |path: &str| self.around.root.as_deref().is_some_and(|root| is_within(path, root));
            match self.resolved(&path) {
                Some(resolved) if inside(&path) && inside(resolved) => {}
                Some(_) => return Some(Reason::OutsideWorkspace { path }),
                None => return Some(Reason::PathUnknown),
            }
        }
        None
    }

    /// Why a path the command is given keeps it from running without a question.
    fn protected(self, step: &Step) -> Option<Reason> {
        let paths = paths_of_step(step);
        let computed = paths.iter().any(|path| matches!(path, Touched::Computed | Touched::Partly { .. }));
        paths
            .iter()
            .find_map(|path| self.of_path(path, reads(step)))
            .or_else(|| computed.then(|| self.protected_elsewhere()).flatten())
            .or_else(|| computed.then(|| self.reads_computed(step)).flatten())
    }

    /// Whether the command is given a protected path, whatever rules say of it.
    pub(crate) fn touches_protected(self, step: &Step) -> bool {
        let paths = paths_of_step(step);
        let computed = paths.iter().any(|path| matches!(path, Touched::Computed | Touched::Partly { .. }));
        let protected = |path: &Touched| is_about_protected(self.of_path(path, reads(step)).as_ref());
        paths.iter().any(protected) || (computed && self.protected_elsewhere().is_some())
    }

    pub(crate) fn is_protected(self, path: &Touched) -> bool {
        is_about_protected(self.of_path(path, false).as_ref())
    }

    /// A path that is computed may be any that the text mentions: `cat $(echo .env)`.
    fn protected_elsewhere(self) -> Option<Reason> {
        self.plan.elsewhere.get_or_init(|| self.find_protected()).clone()
    }

    /// The first protected path the text mentions anywhere.
    fn find_protected(self) -> Option<Reason> {
        let words = self.plan.steps.iter().flat_map(|step| step.words.iter().map(move |word| (step, word)));
        let fed = self.plan.texts.iter().enumerate().flat_map(|(at, text)| {
            let step = self.plan.steps.iter().find(|step| step.text == at);
            text.script.redirects.iter().filter_map(move |redirect| Some((step?, &redirect.target)))
        });
        words.chain(fed).find_map(|(step, word)| {
            let reasons =
                mentioned(step, word).into_iter().filter_map(|path| self.of_path(&path, reads(step)));
            reasons.into_iter().find(|reason| is_about_protected(Some(reason)))
        })
    }

    /// Why a path is not touched without a question. What is only read may be a file that steers programs, if it is one
    /// of those that a glob expands to.
    pub(crate) fn of_path(self, path: &Touched, reads: bool) -> Option<Reason> {
        let (root, home) = (self.around.root.as_deref(), self.around.home.as_deref());
        let list = &self.policy.protected;
        let reason =
            |path: &str, pattern: &str| Reason::ProtectedPath { path: path.into(), pattern: pattern.into() };
        match path {
            Touched::Computed => None,
            Touched::Unknown => Some(Reason::PathUnknown),
            Touched::Partly { text, .. } if !self.plan.budget.spend(compared(text)) => {
                Some(Reason::PathUnknown)
            }
            Touched::Glob { rest, .. }
                if !self.plan.budget.spend(rest.iter().map(|name| compared(name)).sum()) =>
            {
                Some(Reason::PathUnknown)
            }
            Touched::Partly { text, within } => {
                let shown = text.replace(COMPUTED, "…");
                let pattern = list.reached_by_computed(text, root, home);
                pattern.map(|pattern| reason(&shown, pattern)).or_else(|| {
                    within.iter().find_map(|directory| match directory {
                        Some(directory) => self.of_path(&Touched::Path(directory.clone()), reads),
                        None => Some(Reason::PathUnknown),
                    })
                })
            }
            Touched::Path(path) => {
                let resolved = self.resolved(path);
                let found = self.named(path).or_else(|| resolved.and_then(|path| self.named(path)));
                match (found, resolved) {
                    (Some(pattern), _) => Some(reason(path, pattern)),
                    (None, None) => Some(Reason::PathUnknown),
                    (None, Some(_)) => None,
                }
            }
            Touched::Glob { base, rest } => {
                let Some(resolved) = self.resolved(base) else { return Some(Reason::PathUnknown) };
                let meant = [base.as_str(), resolved].into_iter().find_map(|base| {
                    let hit = list.meant_by(base, rest, root, home)?;
                    Some(reason(&format!("{base}/{}", rest.join("/")), hit))
                });
                meant.or_else(|| self.of_search(&expansion(base, rest), reads))
            }
        }
    }

    /// The entry that protects a path which is named.
    pub(super) fn named(&self, path: &str) -> Option<&str> {
        let (root, home) = (self.around.root.as_deref(), self.around.home.as_deref());
        self.policy.protected.named(path, &self.around.facts, root, home)
    }

    /// Why the files that a search comes by are not opened without a question.
    pub(super) fn of_search(&self, search: &FileSearch, reads: bool) -> Option<Reason> {
        let home = self.around.home.as_deref();
        if !self.plan.budget.spend(search.cost()) {
            return Some(Reason::PathUnknown);
        }
        match self.around.facts.answer(&Need::Files(search.clone()), home) {
            Some(Fact::Files(found)) => found.reason(search, reads),
            _ => Some(Reason::PathUnknown),
        }
    }

    /// Where a path leads. Paths below the home directory are asked for by `~`, since [`needs`](crate::needs) knows no home.
    pub(super) fn resolved(&self, path: &str) -> Option<&str> {
        let facts = &self.around.facts;
        facts.resolved(path).or_else(|| {
            let rest = below(path, self.around.home.as_deref()?)?;
            facts.resolved(&if rest.is_empty() { "~".into() } else { format!("~/{rest}") })
        })
    }

    pub(super) fn written(self, step: &Step, word: &Word) -> String {
        let source = self.plan.texts.get(step.text).map_or("", |text| text.source.as_str());
        source.get(word.span.start as usize..word.span.end as usize).unwrap_or("").into()
    }
}

/// `bash -c TEXT` and `bash -lc TEXT`, the form in which some agents send every command.
fn runs_known_text(step: &Step) -> bool {
    let words: Option<Vec<_>> = step.words.iter().map(Word::literal).collect();
    let words = words.unwrap_or_default();
    matches!(words.iter().map(AsRef::as_ref).collect::<Vec<&str>>().as_slice(), [_, "-c" | "-lc", _])
}

/// The table finds nothing harmful in the command itself; what it runs and where is judged besides.
pub(super) fn is_harmless(reading: &Reading) -> bool {
    match &reading.harmless {
        Ok(()) => true,
        Err(obstacle) => matches!(obstacle.code, ObstacleCode::Executes | ObstacleCode::Directory),
    }
}

/// A path a command touches, as far as it can be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Touched {
    /// Absolute.
    Path(String),
    /// A glob below a directory: the directory, and the segments from the first wildcard on (`*` for what is computed).
    Glob { base: String, rest: Vec<String> },
    /// The output of a command that is judged itself, or a variable of the text's own.
    Computed,
    /// Known text with computed pieces in it.
    Partly {
        /// With `COMPUTED` in their place.
        text: String,
        /// The directories that are written before the first of them; `None` for one that cannot be told.
        within: Vec<Option<String>>,
    },
    /// A path that cannot be told.
    Unknown,
}

/// The paths a command is given. For a program the table does not know, any operand may be one.
pub(crate) fn paths_of_step(step: &Step) -> Vec<Touched> {
    if step.reading.known {
        let uses = step.reading.paths.iter();
        return uses
            .flat_map(|path| match (&path.text, step.words.get(path.word)) {
                (Some(text), _) => known_paths(step.directories.paths_of_text(text)),
                (None, Some(word)) => touched_by(step, word),
                (None, None) => Vec::new(),
            })
            .collect();
    }
    let operands = step.words.iter().skip(1).filter(|word| !word.prefix().starts_with('-'));
    let options = step.words.iter().skip(1).filter(|word| word.prefix().starts_with('-'));
    let values = options.flat_map(|word| option_values(step, word));
    operands.flat_map(|word| touched_by(step, word)).chain(values).collect()
}

/// The path an option of an unknown program may hold: `--file=.env`, `-f.env`.
fn option_values(step: &Step, word: &Word) -> Vec<Touched> {
    let text = word.literal().unwrap_or_default();
    let value = match text.split_once('=') {
        Some((_, value)) => Some(value),
        None => text.get(2..).filter(|_| !text.starts_with("--")),
    };
    let value = value.map(|value| value.trim_start_matches('@')).filter(|value| !value.is_empty());
    value.map(|value| known_paths(step.directories.paths_of_text(value))).unwrap_or_default()
}

/// The paths a word mentions, if any blank in it stands between two.
fn mentioned(step: &Step, word: &Word) -> Vec<Touched> {
    let Some(text) = word.literal() else { return touched_by(step, word) };
    text.split_whitespace().flat_map(|path| known_paths(step.directories.paths_of_text(path))).collect()
}

/// A variable that a wrapper such as `env` sets for the command it runs.
fn sets_variable(step: &Step) -> Option<String> {
    let inner = step.reading.inner.iter().find_map(|inner| match inner {
        Inner::Argv(words) => words.first(),
        _ => None,
    })?;
    let before = step.words.iter().skip(1).take_while(|word| word.span.start < inner.span.start);
    before.into_iter().find_map(|word| {
        let (name, _) = word.prefix().split_once('=')?;
        let named = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let value = word.literal();
        let value = value.as_deref().and_then(|text| text.split_once('=')).map(|(_, value)| value);
        (named && !value.is_some_and(|value| is_harmless_value(name, value))).then(|| name.to_owned())
    })
}

fn known_paths(paths: Vec<Option<String>>) -> Vec<Touched> {
    paths.into_iter().map(|path| path.map_or(Touched::Unknown, Touched::Path)).collect()
}

/// What a word may mean as a path.
pub(crate) fn touched_by(step: &Step, word: &Word) -> Vec<Touched> {
    touched_from(&step.directories, word)
}

/// The same, from where one may be.
pub(crate) fn touched_from(directories: &Directories, word: &Word) -> Vec<Touched> {
    let known =
        word.pieces.iter().all(|piece| matches!(piece, Piece::Literal(_) | Piece::Tilde(_) | Piece::Glob(_)));
    if !known {
        let text: String = word
            .pieces
            .iter()
            .map(|piece| match piece {
                Piece::Literal(text) => text.as_str(),
                Piece::Glob(_) | Piece::Tilde(_) => "*",
                _ => "\u{0}",
            })
            .collect();
        let wholly = word.pieces.len() == 1;
        let within = directory_of(directories, word);
        return vec![if wholly { Touched::Computed } else { Touched::Partly { text, within } }];
    }
    if !word.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_))) {
        // The empty word names no file.
        let paths = if word.pieces.is_empty() { Vec::new() } else { directories.paths_of(word) };
        return known_paths(paths);
    }
    let (base, rest) = split_glob(word);
    directories
        .paths_of(&base)
        .into_iter()
        .map(|base| base.map_or(Touched::Unknown, |base| Touched::Glob { base, rest: rest.clone() }))
        .collect()
}

/// A glob word as the directory before its first wildcard and the segments after it.
fn split_glob(word: &Word) -> (Word, Vec<String>) {
    let first = word.pieces.iter().position(|piece| matches!(piece, Piece::Glob(_))).unwrap_or(0);
    let mut before: Vec<Piece> = word.pieces.iter().take(first).cloned().collect();
    let mut start = String::new();
    if let Some(Piece::Literal(text)) = before.last_mut() {
        let cut = text.rfind('/').map_or(0, |slash| slash + 1);
        start = text.split_off(cut);
    }
    before.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
    if before.is_empty() {
        before.push(Piece::Literal(".".into()));
    }
    let tail = word.pieces.iter().skip(first).map(|piece| match piece {
        Piece::Literal(text) => escaped(text),
        Piece::Glob(text) => text.clone(),
        _ => "*".into(),
    });
    let rest = escaped(&start) + &tail.collect::<String>();
    (Word { span: word.span, pieces: before }, rest.split('/').map(Into::into).collect())
}

/// The directory that is written before the first computed piece of a word. A `.` says no more than none.
fn directory_of(directories: &Directories, word: &Word) -> Vec<Option<String>> {
    let known = |piece: &&Piece| matches!(piece, Piece::Literal(_) | Piece::Tilde(_));
    let mut pieces: Vec<Piece> = word.pieces.iter().take_while(known).cloned().collect();
    let Some(Piece::Literal(text)) = pieces.last_mut() else { return Vec::new() };
    text.truncate(text.rfind('/').unwrap_or(0));
    // What is computed begins with its own slash, or is an absolute path itself.
    if matches!(text.as_str(), "" | "." | "/") && pieces.len() == 1 {
        return Vec::new();
    }
    pieces.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
    directories.paths_of(&Word { span: word.span, pieces })
}

/// The search for what a glob expands to.
pub(super) fn expansion(base: &str, rest: &[String]) -> FileSearch {
    FileSearch { directory: base.into(), pattern: Some(rest.join("/")), ..FileSearch::default() }
}

/// Whether the program is known to do nothing but read the paths it is given.
pub(super) fn reads(step: &Step) -> bool {
    step.reading.known && step.reading.paths.iter().all(|path| path.access == Access::Read)
}

pub(super) fn is_about_protected(reason: Option<&Reason>) -> bool {
    matches!(reason, Some(Reason::ProtectedPath { .. } | Reason::ProtectedAmong { .. }))
}

/// The facts that tell whether a glob word can become an option.
pub(crate) fn glob_needs(step: &Step, word: &Word) -> Vec<Need> {
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
    let needs = step.directories.iter().map(|directory| {
        Some(Need::GlobOption { directory: directory?.to_owned(), pattern: pattern.clone() })
    });
    needs.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// Literal text in a glob: what was quoted must not match as a wildcard, or another file would answer for the one meant.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Every fact the limits may ask for.
pub(crate) fn needs_of_step(policy: &Policy, step: &Step) -> Vec<Need> {
    let mut needs: Vec<Need> = needs_of_paths(policy, paths_of_step(step));
    if step.reading.program.as_deref() == Some("cd")
        && let Some(target) = cd_target(&step.words)
    {
        needs.extend(step.directories.paths_of(&target).into_iter().flatten().map(Need::Resolve));
    }
    if policy.reads == Reads::Workspace {
        needs.extend(step.directories.iter().flatten().map(|directory| Need::Resolve(directory.into())));
    }
    if step.reading.repository {
        needs.extend(step.directories.iter().flatten().map(|directory| Need::Repository(directory.into())));
        if git::reads_tracked_files(step) {
            let directories = step.directories.iter().flatten();
            needs.extend(directories.map(|directory| Need::TrackedLinks(directory.into())));
        }
    }
    needs.extend(step.words.iter().skip(1).flat_map(|word| glob_needs(step, word)));
    needs
}

/// What keeping a need costs, if it holds more than a path.
pub(crate) fn size_of_need(need: &Need) -> usize {
    match need {
        Need::Files(search) => search.cost(),
        _ => 0,
    }
}

/// The facts about paths that are touched.
pub(crate) fn needs_of_paths(policy: &Policy, paths: Vec<Touched>) -> Vec<Need> {
    let mut needs = Vec::new();
    for path in paths {
        match path {
            Touched::Path(path) => {
                if policy.protected.depends_on_contents(&path) {
                    needs.push(Need::Contents(path.clone()));
                }
                needs.push(Need::Resolve(path));
            }
            Touched::Glob { base, rest } => {
                needs.push(Need::Files(expansion(&base, &rest)));
                needs.push(Need::Resolve(base));
            }
            Touched::Partly { within, .. } => needs.extend(within.into_iter().flatten().map(Need::Resolve)),
            Touched::Computed | Touched::Unknown => {}
        }
    }
    needs
}
