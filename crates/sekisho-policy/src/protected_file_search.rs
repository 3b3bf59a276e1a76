//! Finds the protected files that a command would open: globs are expanded as bash does, directories are
//! walked as programs do.
//!
//! File access goes through [`FileTree`], so that the search is the same on real files and in a corpus. Only
//! protected files are kept, and of those only the first few.

use std::collections::HashSet;
use std::rc::Rc;

mod glob_expansion;
mod negated_ignores;
mod tracked_files;

use crate::default_protected_paths::ContentCheck;
use crate::facts::FileSecrecy;
use crate::file_search_query::{
    FileSearch, FileSearchOutcome, GitFileFilter, LinkHandling, NestedRepositories, OUTSIDE, ProtectedFile,
    REPOSITORY, WalkOptions,
};
use crate::layer::Reads;
use crate::name_glob::{LeadingDot, NameGlob};
use crate::paths::{fold, is_within, join, normalise_lexically};
use crate::policy::Policy;
use crate::protected_name_filter::ProtectedNameFilter;
use negated_ignores::NegatedIgnore;

/// The largest number of protected files that are kept.
const MAX_FOUND: usize = 4;

/// The kind of a directory entry. Links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file, or anything that is opened like a file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
}

/// The search would have to look at more files than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchLimitReached;

/// The files to search. Paths are absolute.
pub trait FileTree {
    /// The entries of a directory. Empty if there is no directory or it cannot be read.
    fn list(&mut self, directory: &str) -> Result<Vec<(String, FileKind)>, SearchLimitReached>;
    /// The kind of the entry at a path. `None` if there is nothing.
    fn kind(&mut self, path: &str) -> Option<FileKind>;
    /// The target of a path with all links followed. `None` if it has no target.
    fn resolve(&mut self, path: &str) -> Option<String>;
    /// Whether a file contains a secret. If this is unknown, the answer is yes.
    fn secrecy(&mut self, path: &str, contents: ContentCheck) -> FileSecrecy;
    /// Whether a program that honours git's ignore files certainly skips a file below the directory it
    /// searches. It always searches that directory itself.
    fn is_ignored(&mut self, path: &str, below: &str) -> bool;
    /// The files below a directory that git tracks, relative to it: the selected files, or all, and with
    /// `changed` only those that differ from the index. `None` if this is unknown.
    ///
    /// The searches of one call select the same files of a directory if they reach it by the same path,
    /// `shown`.
    fn tracked_files(
        &mut self,
        shown: &str,
        directory: &str,
        changed: bool,
        is_chosen: Option<&dyn Fn(&str) -> bool>,
    ) -> Option<Vec<String>>;
    /// The patterns by which the ignore files of a directory re-include files: their lines that begin with
    /// `!`.
    fn negated_ignore_patterns(&mut self, directory: &str) -> Vec<String>;
    /// The root of the git repository that contains a directory.
    fn repository_root(&mut self, directory: &str) -> Option<String>;
}

/// Searches the files that a command would open. `None` if they are unknown.
pub fn find_protected(
    policy: &Policy,
    tree: &mut dyn FileTree,
    search: &FileSearch,
    root: Option<&str>,
    home: Option<&str>,
) -> Option<FileSearchOutcome> {
    let names = Rc::new(ProtectedNameFilter::new(&policy.protected));
    let mut looking = FileSearcher {
        policy,
        names,
        tree,
        root,
        home,
        found: Vec::new(),
        start: SearchPath { shown: String::new(), real: String::new() },
        seen: HashSet::new(),
    };
    match looking.search(search) {
        Ok(()) | Err(SearchStop::Enough) => Some(FileSearchOutcome::Protected(looking.found)),
        // Files found earlier are a better reason to ask.
        Err(SearchStop::Spent) if looking.found.iter().any(|file| file.secret) => {
            Some(FileSearchOutcome::Protected(looking.found))
        }
        Err(SearchStop::Spent) => Some(FileSearchOutcome::TooMany),
        Err(SearchStop::Unknown) => None,
        Err(SearchStop::Odd(found)) => Some(found),
    }
}

enum SearchStop {
    Enough,
    Spent,
    Unknown,
    Odd(FileSearchOutcome),
}

impl From<SearchLimitReached> for SearchStop {
    fn from(_: SearchLimitReached) -> SearchStop {
        SearchStop::Spent
    }
}

/// A path as the command sees it, and its target.
#[derive(Clone)]
struct SearchPath {
    shown: String,
    real: String,
}

impl SearchPath {
    fn below(&self, name: &str) -> SearchPath {
        let under = |path: &str| format!("{}/{name}", path.trim_end_matches('/'));
        SearchPath { shown: under(&self.shown), real: under(&self.real) }
    }
}

/// Whether git may take an entry of a directory for a repository, also where case does not matter.
fn is_git_directory(name: &str) -> bool {
    name.eq_ignore_ascii_case(".git")
}

struct FileSearcher<'a> {
    policy: &'a Policy,
    names: Rc<ProtectedNameFilter<'a>>,
    tree: &'a mut dyn FileTree,
    root: Option<&'a str>,
    home: Option<&'a str>,
    found: Vec<ProtectedFile>,
    /// The directory whose files are searched.
    start: SearchPath,
    /// Directories already entered, so that link cycles end.
    seen: HashSet<String>,
}

impl FileSearcher<'_> {
    fn search(&mut self, search: &FileSearch) -> Result<(), SearchStop> {
        let mut directory = search.directory.clone();
        if search.top {
            directory = self.tree.repository_root(&directory).ok_or(SearchStop::Unknown)?;
        }
        // A path without a target contains nothing.
        let Some(real) = self.tree.resolve(&directory) else { return Ok(()) };
        let start = SearchPath { shown: normalise_lexically(&directory).ok_or(SearchStop::Unknown)?, real };
        let starts = match &search.pattern {
            None => vec![start.clone()],
            Some(pattern) => self.expand(start.clone(), pattern)?,
        };
        for place in starts {
            if search.pattern.is_some() {
                self.given(search, &start, &place)?;
            }
            if search.inside && self.leaves_workspace(&place) {
                self.keep_outside(&place)?;
            }
            if search.pattern.is_some() && !self.is_plain(&start, &place) {
                self.check(&place, true)?;
            }
            let Some(below) = &search.below else { continue };
            if self.target_kind(&place)? == Some(FileKind::Directory) {
                match below.git {
                    GitFileFilter::All | GitFileFilter::NotIgnored => {
                        self.walk(place, search, below, &start)?
                    }
                    GitFileFilter::Tracked | GitFileFilter::Changed => {
                        self.tracked(&place, search, below, &start)?
                    }
                }
            }
        }
        Ok(())
    }

    /// Processes a name that the command is given.
    fn given(
        &mut self,
        search: &FileSearch,
        base: &SearchPath,
        place: &SearchPath,
    ) -> Result<(), SearchStop> {
        let path = || place.shown.clone();
        let name = place.shown.rsplit('/').next().unwrap_or_default();
        let relative = relative(&place.shown, &base.shown);
        let cut = search.below.as_ref().and_then(|below| below.cut.as_deref());
        if search.no_options {
            let pieces = relative.split(|c: char| c.is_whitespace() || "'\"\\".contains(c));
            let later = cut.is_some() && pieces.skip(1).any(|piece| piece.starts_with('-'));
            if later || name.starts_with('-') || relative.starts_with('-') {
                return Err(SearchStop::Odd(FileSearchOutcome::MayBeOption(path())));
            }
        }
        if search.whole_names && is_cut("", relative) {
            return Err(SearchStop::Odd(FileSearchOutcome::Splits(path())));
        }
        let Some(directory) = cut else { return Ok(()) };
        let quoted = search.below.as_ref().is_some_and(|below| below.quoted) && !relative.is_ascii();
        let from_there = place.shown.strip_prefix(directory).unwrap_or_default();
        if quoted || is_misread(relative) || is_misread(from_there) {
            return Err(SearchStop::Odd(FileSearchOutcome::Splits(path())));
        }
        if is_cut("", &place.shown) { self.pieces(place, base, directory) } else { Ok(()) }
    }

    /// Whether a name that one program passes to the next is printed at all.
    fn is_printed(
        &mut self,
        place: &SearchPath,
        name: &str,
        (below, filter): (&WalkOptions, &Filter),
    ) -> bool {
        let odd = |c: char| is_misread(c.encode_utf8(&mut [0; 4])) || !c.is_ascii();
        // Most names are unchanged however they are passed on.
        !name.contains(odd)
            || (filter.opens(name) && !(below.git == GitFileFilter::NotIgnored && self.is_ignored(place)))
    }

    /// Whether a path is an entry of the start directory that cannot be on the protected list.
    fn is_plain(&self, start: &SearchPath, place: &SearchPath) -> bool {
        let name = place.shown.rsplit('/').next().unwrap_or_default();
        let direct = place.real == start.below(name).real && place.shown == start.below(name).shown;
        direct && !self.names.may_protect(name)
    }

    /// An entry of a directory. `None` if it does not exist.
    fn step(&mut self, place: &SearchPath, name: &str, kind: Option<FileKind>) -> Option<SearchPath> {
        let mut found = place.below(name);
        let kind = if name == ".." { Some(FileKind::Link) } else { kind };
        let kind = kind.or_else(|| self.tree.kind(&found.real))?;
        if kind == FileKind::Link {
            found.real = self.tree.resolve(&found.real)?;
        }
        Some(found)
    }

    /// Where a path leads. Links of the kernel, such as `/proc/self`, lead elsewhere in each process.
    fn target_kind(&mut self, place: &SearchPath) -> Result<Option<FileKind>, SearchStop> {
        let kind = self.tree.kind(&place.real);
        if kind == Some(FileKind::Link) { Err(SearchStop::Unknown) } else { Ok(kind) }
    }

    fn walk(
        &mut self,
        start: SearchPath,
        search: &FileSearch,
        below: &WalkOptions,
        base: &SearchPath,
    ) -> Result<(), SearchStop> {
        let filter = Filter::new(below);
        let anywhere = |pattern: &String| NegatedIgnore::anywhere(pattern);
        let mut unhidden: Vec<NegatedIgnore> = below.unhidden.iter().map(anywhere).collect();
        // A program that honours ignore files also opens hidden files that an ignore file re-includes.
        let heeds = !below.hidden && below.git == GitFileFilter::NotIgnored;
        for directory in above(&start).filter(|_| heeds) {
            unhidden.extend(self.tree.negated_ignore_patterns(directory).iter().map(anywhere));
        }
        self.start = start.clone();
        let top = start.real.clone();
        let mut open = vec![(start, false)];
        while let Some((directory, inside)) = open.pop() {
            if !self.seen.insert(directory.real.clone()) {
                continue;
            }
            if heeds {
                let patterns = self.tree.negated_ignore_patterns(&directory.real);
                unhidden.extend(patterns.iter().map(|pattern| match below.links {
                    LinkHandling::Skip => NegatedIgnore::below(pattern, &directory.real),
                    _ => NegatedIgnore::anywhere(pattern),
                }));
            }
            let entries = self.tree.list(&directory.real)?;
            self.repository(&directory, directory.real == top, below, &entries)?;
            for (name, kind) in entries {
                // What git stores there is not stored again.
                if below.repositories.is_some() && is_git_directory(&name) {
                    continue;
                }
                let brought_back = |one: &NegatedIgnore| one.brings_back(&directory.real, &name);
                if name.starts_with('.') && !below.hidden && !unhidden.iter().any(brought_back) {
                    continue;
                }
                if (search.no_options && name.contains('-')) || search.whole_names || below.cut.is_some() {
                    let place = directory.below(&name);
                    if below.cut.is_none() || self.is_printed(&place, &name, (below, &filter)) {
                        self.given(search, base, &place)?;
                    }
                }
                // Most names need no lookup.
                let cut = below.cut.is_some() && is_cut(&directory.shown, &name);
                let plain = !(inside || cut || self.names.may_protect(&name));
                match kind {
                    FileKind::Link if below.links == LinkHandling::Skip => {}
                    FileKind::File if plain => {}
                    FileKind::Directory if plain && !below.deep => {}
                    FileKind::Directory => {
                        let place = directory.below(&name);
                        let inside = inside || (!plain && self.is_secret(&place));
                        if below.deep && !filter.leaves_out_directory(&name) {
                            open.push((place, inside));
                        }
                    }
                    FileKind::File => {
                        if filter.opens(&name) {
                            self.file(&directory.below(&name), below)?;
                        }
                    }
                    FileKind::Link => self.link(&directory, &name, (below, &filter), &mut open)?,
                }
            }
        }
        Ok(())
    }

    /// Reports a directory that is a repository of its own.
    fn repository(
        &mut self,
        directory: &SearchPath,
        is_start: bool,
        below: &WalkOptions,
        entries: &[(String, FileKind)],
    ) -> Result<(), SearchStop> {
        let Some(nested) = below.repositories else { return Ok(()) };
        // A directory that cannot be listed looks empty, but git may enter it.
        let has_git = entries.iter().any(|(name, _)| is_git_directory(name))
            || (entries.is_empty() && self.tree.kind(&directory.below(".git").real).is_some());
        if !has_git || (is_start && nested == NestedRepositories::Below) {
            return Ok(());
        }
        let path = directory.shown.clone();
        self.keep(ProtectedFile { path, pattern: REPOSITORY.into(), secret: true })
    }

    fn link(
        &mut self,
        directory: &SearchPath,
        name: &str,
        (below, filter): (&WalkOptions, &Filter),
        open: &mut Vec<(SearchPath, bool)>,
    ) -> Result<(), SearchStop> {
        let Some(place) = self.step(directory, name, Some(FileKind::Link)) else { return Ok(()) };
        if self.target_kind(&place)? != Some(FileKind::Directory) {
            return if filter.opens(name) { self.file(&place, below) } else { Ok(()) };
        }
        let secret = self.is_secret(&place) || self.is_outside(&place);
        match below.links {
            LinkHandling::Follow if !filter.leaves_out_directory(name) => {
                if below.deep {
                    open.push((place, secret));
                }
                Ok(())
            }
            // A program that opens the link opens its target.
            LinkHandling::Open if secret => self.check(&place, false),
            _ => Ok(()),
        }
    }

    fn file(&mut self, place: &SearchPath, below: &WalkOptions) -> Result<(), SearchStop> {
        let left_out = match below.git {
            GitFileFilter::NotIgnored => self.is_ignored(place),
            GitFileFilter::All | GitFileFilter::Tracked | GitFileFilter::Changed => false,
        };
        if left_out {
            return Ok(());
        }
        self.check(place, false)
    }

    /// Whether ignore files exclude a file. Some programs look for ignore files along the path as written,
    /// others along the resolved path of the start directory: all must exclude it.
    fn is_ignored(&mut self, place: &SearchPath) -> bool {
        let SearchPath { shown, real } = &self.start;
        let from_start = format!("{}/{}", real.trim_end_matches('/'), relative(&place.shown, shown));
        let mut ways =
            vec![(place.shown.as_str(), shown), (from_start.as_str(), real), (place.real.as_str(), real)];
        ways.dedup();
        ways.iter().all(|(path, start)| self.tree.is_ignored(path, start))
    }

    /// The names that result from splitting a name at blanks and quotes, opened in a directory.
    fn pieces(&mut self, place: &SearchPath, base: &SearchPath, directory: &str) -> Result<(), SearchStop> {
        let spelt = [relative(&place.shown, &base.shown), relative(&place.shown, directory), &place.shown];
        for shown in spelt.into_iter().filter(|shown| is_cut("", shown)) {
            let bare: String = shown.chars().filter(|c| !"'\"\\".contains(*c)).collect();
            for piece in shown.split_whitespace().chain(bare.split_whitespace()) {
                self.piece(place, piece, directory)?;
            }
        }
        Ok(())
    }

    fn piece(&mut self, place: &SearchPath, piece: &str, directory: &str) -> Result<(), SearchStop> {
        let Some(path) = join(Some(directory), piece) else { return Ok(()) };
        let real = self.tree.resolve(&path);
        let path = normalise_lexically(&path).ok_or(SearchStop::Unknown)?;
        let real = real.unwrap_or_else(|| path.clone());
        self.check(&SearchPath { shown: path, real }, false)?;
        if !piece.contains(['*', '?', '[']) {
            return Ok(());
        }
        let names: Vec<String> = piece.split('/').map(Into::into).collect();
        if let Some(pattern) =
            self.policy.protected.pattern_for_wildcards(directory, &names, self.root, self.home)
        {
            let pattern = pattern.to_owned();
            return self.keep(ProtectedFile { path: place.shown.clone(), pattern, secret: true });
        }
        let from = if piece.starts_with('/') { "/" } else { directory };
        let start =
            SearchPath { shown: from.to_owned(), real: self.tree.resolve(from).ok_or(SearchStop::Unknown)? };
        for place in self.expand(start, piece)? {
            self.check(&place, false)?;
        }
        Ok(())
    }

    fn is_secret(&self, place: &SearchPath) -> bool {
        let secret =
            |path: &str| self.policy.protections(path, self.root, self.home).any(|one| one.is_secret());
        secret(&place.shown) || (place.shown != place.real && secret(&place.real))
    }

    /// Whether a place is outside the workspace while reads are limited to the workspace.
    fn is_outside(&self, place: &SearchPath) -> bool {
        self.policy.reads == Reads::Workspace && self.leaves_workspace(place)
    }

    fn leaves_workspace(&self, place: &SearchPath) -> bool {
        self.root.is_none_or(|root| !is_within(&place.real, root))
    }

    fn keep_outside(&mut self, place: &SearchPath) -> Result<(), SearchStop> {
        let path = self.shown(place);
        self.keep(ProtectedFile { path, pattern: OUTSIDE.into(), secret: true })
    }

    /// Keeps a file if it is protected, or outside the workspace while reads are limited to the workspace.
    /// With `all`, also if it only controls what runs.
    fn check(&mut self, place: &SearchPath, all: bool) -> Result<(), SearchStop> {
        if self.is_outside(place) {
            return self.keep_outside(place);
        }
        let mut steers = None;
        let other = (place.real != place.shown).then_some(place.real.as_str());
        for path in std::iter::once(place.shown.as_str()).chain(other) {
            for protection in self.policy.protections(path, self.root, self.home) {
                let secret = match protection.contents() {
                    ContentCheck::NotNeeded => protection.is_secret(),
                    contents => self.tree.secrecy(&place.real, contents) == FileSecrecy::Secret,
                };
                let pattern = protection.pattern.to_owned();
                if secret {
                    let path = self.shown(place);
                    return self.keep(ProtectedFile { path, pattern, secret });
                }
                if !protection.is_secret() {
                    steers.get_or_insert(pattern);
                }
            }
        }
        match steers.filter(|_| all) {
            Some(pattern) => {
                let path = self.shown(place);
                self.keep(ProtectedFile { path, pattern, secret: false })
            }
            None => Ok(()),
        }
    }

    fn shown(&mut self, place: &SearchPath) -> String {
        let directory = self.tree.kind(&place.real) == Some(FileKind::Directory);
        if directory { format!("{}/", place.shown) } else { place.shown.clone() }
    }

    fn keep(&mut self, file: ProtectedFile) -> Result<(), SearchStop> {
        let (secret, steers): (Vec<_>, Vec<_>) = self.found.drain(..).partition(|file| file.secret);
        // Secrets first: files that only control what runs are dropped in favour of secrets.
        self.found = secret.into_iter().chain(Some(file)).chain(steers).collect();
        self.found.dedup();
        self.found.truncate(MAX_FOUND);
        let full = self.found.len() == MAX_FOUND && self.found.iter().all(|file| file.secret);
        if full { Err(SearchStop::Enough) } else { Ok(()) }
    }
}

/// The directories above a path, both as written and resolved.
fn above(place: &SearchPath) -> impl Iterator<Item = &str> {
    let ways = if place.shown == place.real { 1 } else { 2 };
    let above = |path: &'_ String| path.match_indices('/').map(|(at, _)| at.max(1)).collect::<Vec<_>>();
    let ways = [&place.real, &place.shown].into_iter().take(ways);
    ways.flat_map(move |path| above(path).into_iter().filter_map(|at| path.get(..at)))
}

/// A path relative to a directory above it.
fn relative<'p>(path: &'p str, directory: &str) -> &'p str {
    path.strip_prefix(directory).unwrap_or(path).trim_start_matches('/')
}

/// Whether an unquoted name is split or read as a glob.
fn is_cut(directory: &str, name: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || "'\"\\*?[".contains(c);
    directory.contains(odd) || name.contains(odd)
}

/// Whether a name may change when one program prints it and the next reads it: it may be split at blanks or
/// by `IFS`, lose quotes and backslashes, or be read as a header, a commit or standard input.
fn is_misread(name: &str) -> bool {
    name.contains(|c: char| c.is_whitespace() || c.is_control() || "'\"\\:,;|<>".contains(c))
}

/// The parsed globs that select files.
struct Filter {
    only: Vec<NameGlob>,
    except: Vec<NameGlob>,
    except_directories: Vec<NameGlob>,
}

impl Filter {
    fn new(below: &WalkOptions) -> Filter {
        Filter {
            only: below.only.iter().map(|glob| NameGlob::new(glob)).collect(),
            except: Filter::certain(&below.except),
            except_directories: Filter::certain(&below.except_directories),
        }
    }

    /// The globs that exclude their matches in every implementation.
    fn certain(globs: &[String]) -> Vec<NameGlob> {
        let lower = |glob: &&String| fold(glob) == **glob && !glob.contains(['[', '\\']);
        globs.iter().filter(lower).map(|glob| NameGlob::new(glob)).filter(NameGlob::is_exact).collect()
    }

    fn opens(&self, name: &str) -> bool {
        let matches = |glob: &NameGlob| glob.matches(name, LeadingDot::Wild);
        (self.only.is_empty() || self.only.iter().any(matches)) && !self.leaves_out(name)
    }

    fn leaves_out(&self, name: &str) -> bool {
        self.except.iter().any(|glob| glob.matches_for_all(name))
    }

    fn leaves_out_directory(&self, name: &str) -> bool {
        self.except_directories.iter().any(|glob| glob.matches_for_all(name))
    }
}
