//! Which protected files a command would open: globs expanded as bash does it, directories walked as programs do.
//!
//! What is looked up lies behind [`FileTree`], so that the search is the same on a machine's files and in the worlds of a
//! corpus. Only protected files are kept of all that is seen, and of those the first few.

use std::collections::HashSet;
use std::rc::Rc;

mod tracked;
mod unhidden;

use crate::last_names::LastNames;
use crate::layer::Reads;
use crate::name_glob::{LeadingDot, NameGlob};
use crate::paths::{fold, is_within, join, lexical};
use crate::policy::Policy;
use crate::protected_list::Contents;
use crate::surroundings::{Below, FileSearch, FilesFound, FoundFile, GitFiles, Holds, Links, OUTSIDE};
use unhidden::Unhidden;

/// How many protected files are kept.
const MOST_FOUND: usize = 4;

/// What a name in a directory is, links not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file, or anything that is opened like one.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
}

/// More was asked for than a search may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent;

/// The files that are searched. Paths are absolute.
pub trait FileTree {
    /// The names in a directory; none where there is no directory or it cannot be read.
    fn list(&mut self, directory: &str) -> Result<Vec<(String, FileKind)>, Spent>;
    /// What lies at a path; none where there is nothing.
    fn kind(&mut self, path: &str) -> Option<FileKind>;
    /// Where a path leads, every link followed; none where it leads nowhere.
    fn resolve(&mut self, path: &str) -> Option<String>;
    /// Whether a file holds a secret. What cannot be told is one.
    fn holds(&mut self, path: &str, contents: Contents) -> Holds;
    /// Whether a program that heeds git's ignore files leaves out a file below the directory it was told to search, for
    /// certain. That directory itself it searches whatever they say.
    fn is_ignored(&mut self, path: &str, below: &str) -> bool;
    /// The files below a directory that git tracks, by their paths from there: those that are chosen, or all, and where
    /// `changed`, those of them that are not as the index has them. None where that cannot be told.
    ///
    /// The searches of one call choose the same files of a directory that they come by on the same path, `shown`.
    fn tracked(
        &mut self,
        shown: &str,
        directory: &str,
        changed: bool,
        is_chosen: Option<&dyn Fn(&str) -> bool>,
    ) -> Option<Vec<String>>;
    /// The patterns by which the ignore files of a directory bring files back: their lines that begin with `!`.
    fn brought_back(&mut self, directory: &str) -> Vec<String>;
    /// The top of the git repository around a directory.
    fn top(&mut self, directory: &str) -> Option<String>;
}

/// Looks through the files that a command would open. None where that cannot be told.
pub fn find_protected(
    policy: &Policy,
    tree: &mut dyn FileTree,
    search: &FileSearch,
    root: Option<&str>,
    home: Option<&str>,
) -> Option<FilesFound> {
    let names = Rc::new(LastNames::new(&policy.protected));
    let mut looking = Looking {
        policy,
        names,
        tree,
        root,
        home,
        found: Vec::new(),
        start: Place { shown: String::new(), real: String::new() },
        seen: HashSet::new(),
    };
    match looking.search(search) {
        Ok(()) => Some(FilesFound::Protected(looking.found)),
        // What was found before is a better reason to ask.
        Err(Stop::Enough) => Some(FilesFound::Protected(looking.found)),
        Err(Stop::Spent) if looking.found.iter().any(|file| file.secret) => {
            Some(FilesFound::Protected(looking.found))
        }
        Err(Stop::Spent) => Some(FilesFound::TooMany),
        Err(Stop::Unknown) => None,
        Err(Stop::Odd(found)) => Some(found),
    }
}

enum Stop {
    Enough,
    Spent,
    Unknown,
    Odd(FilesFound),
}

impl From<Spent> for Stop {
    fn from(_: Spent) -> Stop {
        Stop::Spent
    }
}

/// A place in the tree: how the command comes by it, and where that leads.
#[derive(Clone)]
struct Place {
    shown: String,
    real: String,
}

impl Place {
    fn below(&self, name: &str) -> Place {
        let under = |path: &str| format!("{}/{name}", path.trim_end_matches('/'));
        Place { shown: under(&self.shown), real: under(&self.real) }
    }
}

struct Looking<'a> {
    policy: &'a Policy,
    names: Rc<LastNames<'a>>,
    tree: &'a mut dyn FileTree,
    root: Option<&'a str>,
    home: Option<&'a str>,
    found: Vec<FoundFile>,
    /// The directory whose files are gone through.
    start: Place,
    /// Directories that were entered, so that links in a circle end.
    seen: HashSet<String>,
}

impl Looking<'_> {
    fn search(&mut self, search: &FileSearch) -> Result<(), Stop> {
        let mut directory = search.directory.clone();
        if search.top {
            directory = self.tree.top(&directory).ok_or(Stop::Unknown)?;
        }
        // What leads nowhere holds nothing.
        let Some(real) = self.tree.resolve(&directory) else { return Ok(()) };
        let start = Place { shown: lexical(&directory).ok_or(Stop::Unknown)?, real };
        let starts = match &search.pattern {
            None => vec![start.clone()],
            Some(pattern) => self.expand(start.clone(), pattern)?,
        };
        for place in starts {
            if search.pattern.is_some() {
                self.given(search, &start, &place)?;
            }
            if search.pattern.is_some() && !self.is_plain(&start, &place) {
                self.check(&place, true)?;
            }
            let Some(below) = &search.below else { continue };
            if self.tree.kind(&place.real) == Some(FileKind::Directory) {
                match below.git {
                    GitFiles::All | GitFiles::NotIgnored => self.walk(place, search, below, &start)?,
                    GitFiles::Tracked | GitFiles::Changed => self.tracked(&place, search, below, &start)?,
                }
            }
        }
        Ok(())
    }

    /// What becomes of a name that a command is given.
    fn given(&mut self, search: &FileSearch, base: &Place, place: &Place) -> Result<(), Stop> {
        let path = || place.shown.clone();
        let name = place.shown.rsplit('/').next().unwrap_or_default();
        let relative = relative(&place.shown, &base.shown);
        let cut = search.below.as_ref().and_then(|below| below.cut.as_deref());
        if search.no_options {
            let pieces = relative.split(|c: char| c.is_whitespace() || "'\"\\".contains(c));
            let later = cut.is_some() && pieces.skip(1).any(|piece| piece.starts_with('-'));
            if later || name.starts_with('-') || relative.starts_with('-') {
                return Err(Stop::Odd(FilesFound::MayBeOption(path())));
            }
        }
        if search.whole_names && is_cut("", relative) {
            return Err(Stop::Odd(FilesFound::Splits(path())));
        }
        let Some(directory) = cut else { return Ok(()) };
        let quoted = search.below.as_ref().is_some_and(|below| below.quoted) && !relative.is_ascii();
        let from_there = place.shown.strip_prefix(directory).unwrap_or_default();
        if quoted || is_misread(relative) || is_misread(from_there) {
            return Err(Stop::Odd(FilesFound::Splits(path())));
        }
        if is_cut("", &place.shown) { self.pieces(place, base, directory) } else { Ok(()) }
    }

    /// Whether a name that programs hand on is printed at all.
    fn is_printed(&mut self, place: &Place, name: &str, (below, filter): (&Below, &Filter)) -> bool {
        let odd = |c: char| is_misread(c.encode_utf8(&mut [0; 4])) || !c.is_ascii();
        // Most names read the same however they are handed on.
        !name.contains(odd)
            || (filter.opens(name) && !(below.git == GitFiles::NotIgnored && self.is_ignored(place)))
    }

    /// Whether a place is a name in the start directory itself that no entry of the list is about.
    fn is_plain(&self, start: &Place, place: &Place) -> bool {
        let name = place.shown.rsplit('/').next().unwrap_or_default();
        let direct = place.real == start.below(name).real && place.shown == start.below(name).shown;
        direct && !self.names.may_protect(name)
    }

    /// What a glob becomes in a directory.
    fn expand(&mut self, start: Place, pattern: &str) -> Result<Vec<Place>, Stop> {
        let mut places = vec![start];
        for segment in pattern.split('/').filter(|segment| !segment.is_empty()) {
            let glob = NameGlob::new(segment);
            if !glob.is_exact() {
                return Err(Stop::Unknown);
            }
            let mut next = Vec::new();
            for place in places {
                if !glob.is_wild() {
                    next.extend(self.step(&place, &unescaped(segment), None));
                    continue;
                }
                // Older shells take `.*` for the directory above as well.
                let above =
                    glob.matches("..", LeadingDot::Written).then(|| ("..".to_owned(), FileKind::Link));
                for (name, kind) in self.tree.list(&place.real)?.into_iter().chain(above) {
                    if glob.matches(&name, LeadingDot::Written) {
                        next.extend(self.step(&place, &name, Some(kind)));
                    }
                }
            }
            places = next;
        }
        Ok(places)
    }

    /// A name in a directory; none where nothing is there.
    fn step(&mut self, place: &Place, name: &str, kind: Option<FileKind>) -> Option<Place> {
        let mut found = place.below(name);
        let kind = if name == ".." { Some(FileKind::Link) } else { kind };
        let kind = kind.or_else(|| self.tree.kind(&found.real))?;
        if kind == FileKind::Link {
            found.real = self.tree.resolve(&found.real)?;
        }
        Some(found)
    }

    fn walk(&mut self, start: Place, search: &FileSearch, below: &Below, base: &Place) -> Result<(), Stop> {
        let filter = Filter::new(below);
        let anywhere = |pattern: &String| Unhidden::anywhere(pattern);
        let mut unhidden: Vec<Unhidden> = below.unhidden.iter().map(anywhere).collect();
        // Whoever heeds ignore files also opens what is hidden where one of them says so.
        let heeds = !below.hidden && below.git == GitFiles::NotIgnored;
        for directory in above(&start).filter(|_| heeds) {
            unhidden.extend(self.tree.brought_back(directory).iter().map(anywhere));
        }
        self.start = start.clone();
        let mut open = vec![(start, false)];
        while let Some((directory, inside)) = open.pop() {
            if !self.seen.insert(directory.real.clone()) {
                continue;
            }
            if heeds {
                let patterns = self.tree.brought_back(&directory.real);
                unhidden.extend(patterns.iter().map(|pattern| match below.links {
                    Links::Skip => Unhidden::below(pattern, &directory.real),
                    _ => Unhidden::anywhere(pattern),
                }));
            }
            for (name, kind) in self.tree.list(&directory.real)? {
                let brought_back = |one: &Unhidden| one.brings_back(&directory.real, &name);
                if name.starts_with('.') && !below.hidden && !unhidden.iter().any(brought_back) {
                    continue;
                }
                if (search.no_options && name.contains('-')) || search.whole_names || below.cut.is_some() {
                    let place = directory.below(&name);
                    if below.cut.is_none() || self.is_printed(&place, &name, (below, &filter)) {
                        self.given(search, base, &place)?;
                    }
                }
                // Most names need no look at all.
                let cut = below.cut.is_some() && is_cut(&directory.shown, &name);
                let plain = !(inside || cut || self.names.may_protect(&name));
                match kind {
                    FileKind::Link if below.links == Links::Skip => {}
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

    fn link(
        &mut self,
        directory: &Place,
        name: &str,
        (below, filter): (&Below, &Filter),
        open: &mut Vec<(Place, bool)>,
    ) -> Result<(), Stop> {
        let Some(place) = self.step(directory, name, Some(FileKind::Link)) else { return Ok(()) };
        if self.tree.kind(&place.real) != Some(FileKind::Directory) {
            return if filter.opens(name) { self.file(&place, below) } else { Ok(()) };
        }
        let secret = self.is_secret(&place) || self.is_outside(&place);
        match below.links {
            Links::Follow if !filter.leaves_out_directory(name) => {
                if below.deep {
                    open.push((place, secret));
                }
                Ok(())
            }
            // Whatever opens it opens what it leads to.
            Links::Open if secret => self.check(&place, false),
            _ => Ok(()),
        }
    }

    fn file(&mut self, place: &Place, below: &Below) -> Result<(), Stop> {
        let left_out = match below.git {
            GitFiles::NotIgnored => self.is_ignored(place),
            GitFiles::All | GitFiles::Tracked | GitFiles::Changed => false,
        };
        if left_out {
            return Ok(());
        }
        self.check(place, false)
    }

    /// Whether ignore files leave a file out. Some programs look for them along the path as it is written, some along the one
    /// that the directory they begin in leads to: all must leave it out.
    fn is_ignored(&mut self, place: &Place) -> bool {
        let Place { shown, real } = &self.start;
        let from_start = format!("{}/{}", real.trim_end_matches('/'), relative(&place.shown, shown));
        let mut ways =
            vec![(place.shown.as_str(), shown), (from_start.as_str(), real), (place.real.as_str(), real)];
        ways.dedup();
        ways.iter().all(|(path, start)| self.tree.is_ignored(path, start))
    }

    /// The names that blanks and quotes make of one name, opened in a directory.
    fn pieces(&mut self, place: &Place, base: &Place, directory: &str) -> Result<(), Stop> {
        let spelt = [relative(&place.shown, &base.shown), relative(&place.shown, directory), &place.shown];
        for shown in spelt.into_iter().filter(|shown| is_cut("", shown)) {
            let bare: String = shown.chars().filter(|c| !"'\"\\".contains(*c)).collect();
            for piece in shown.split_whitespace().chain(bare.split_whitespace()) {
                self.piece(place, piece, directory)?;
            }
        }
        Ok(())
    }

    fn piece(&mut self, place: &Place, piece: &str, directory: &str) -> Result<(), Stop> {
        let Some(path) = join(Some(directory), piece) else { return Ok(()) };
        let real = self.tree.resolve(&path);
        let path = lexical(&path).ok_or(Stop::Unknown)?;
        let real = real.unwrap_or_else(|| path.clone());
        self.check(&Place { shown: path, real }, false)?;
        if !piece.contains(['*', '?', '[']) {
            return Ok(());
        }
        let names: Vec<String> = piece.split('/').map(Into::into).collect();
        if let Some(pattern) = self.policy.protected.meant_by(directory, &names, self.root, self.home) {
            let pattern = pattern.to_owned();
            return self.keep(FoundFile { path: place.shown.clone(), pattern, secret: true });
        }
        let from = if piece.starts_with('/') { "/" } else { directory };
        let start = Place { shown: from.to_owned(), real: self.tree.resolve(from).ok_or(Stop::Unknown)? };
        for place in self.expand(start, piece)? {
            self.check(&place, false)?;
        }
        Ok(())
    }

    fn is_secret(&self, place: &Place) -> bool {
        let secret =
            |path: &str| self.policy.protections(path, self.root, self.home).any(|one| one.is_secret());
        secret(&place.shown) || (place.shown != place.real && secret(&place.real))
    }

    /// Whether a link led out of the workspace, where reading ends at it.
    fn is_outside(&self, place: &Place) -> bool {
        self.policy.reads == Reads::Workspace && self.root.is_none_or(|root| !is_within(&place.real, root))
    }

    /// Keeps a file that is protected; one that only steers programs where `all` count.
    fn check(&mut self, place: &Place, all: bool) -> Result<(), Stop> {
        if self.is_outside(place) {
            let path = self.shown(place);
            return self.keep(FoundFile { path, pattern: OUTSIDE.into(), secret: true });
        }
        let mut steers = None;
        let other = (place.real != place.shown).then_some(place.real.as_str());
        for path in std::iter::once(place.shown.as_str()).chain(other) {
            for protection in self.policy.protections(path, self.root, self.home) {
                let secret = match protection.contents() {
                    Contents::Always => protection.is_secret(),
                    contents => self.tree.holds(&place.real, contents) == Holds::Secret,
                };
                let pattern = protection.pattern.to_owned();
                if secret {
                    let path = self.shown(place);
                    return self.keep(FoundFile { path, pattern, secret });
                }
                if !protection.is_secret() {
                    steers.get_or_insert(pattern);
                }
            }
        }
        match steers.filter(|_| all) {
            Some(pattern) => {
                let path = self.shown(place);
                self.keep(FoundFile { path, pattern, secret: false })
            }
            None => Ok(()),
        }
    }

    fn shown(&mut self, place: &Place) -> String {
        let directory = self.tree.kind(&place.real) == Some(FileKind::Directory);
        if directory { format!("{}/", place.shown) } else { place.shown.clone() }
    }

    fn keep(&mut self, file: FoundFile) -> Result<(), Stop> {
        let (secret, steers): (Vec<_>, Vec<_>) = self.found.drain(..).partition(|file| file.secret);
        // Secrets first: what only steers is given up for them.
        self.found = secret.into_iter().chain(Some(file)).chain(steers).collect();
        self.found.sort_by_key(|file| !file.secret);
        self.found.dedup();
        self.found.truncate(MOST_FOUND);
        let full = self.found.len() == MOST_FOUND && self.found.iter().all(|file| file.secret);
        if full { Err(Stop::Enough) } else { Ok(()) }
    }
}

/// The directories above a place, as it is written and where it leads.
fn above(place: &Place) -> impl Iterator<Item = &str> {
    let ways = if place.shown == place.real { 1 } else { 2 };
    let above = |path: &'_ String| path.match_indices('/').map(|(at, _)| at.max(1)).collect::<Vec<_>>();
    let ways = [&place.real, &place.shown].into_iter().take(ways);
    ways.flat_map(move |path| above(path).into_iter().filter_map(|at| path.get(..at)))
}

/// A path as it is seen from a directory above it.
fn relative<'p>(path: &'p str, directory: &str) -> &'p str {
    path.strip_prefix(directory).unwrap_or(path).trim_start_matches('/')
}

/// Whether a name is cut in pieces, or read as a glob, where it is not quoted.
fn is_cut(directory: &str, name: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || "'\"\\*?[".contains(c);
    directory.contains(odd) || name.contains(odd)
}

/// Whether a name may become another where one program prints it and the next reads it: cut at blanks or where `IFS` says, its
/// quotes and backslashes taken away, or a header, a commit or a place where standard input is meant.
fn is_misread(name: &str) -> bool {
    name.contains(|c: char| c.is_whitespace() || c.is_control() || "'\"\\:,;|<>".contains(c))
}

/// The globs that choose files, read.
struct Filter {
    only: Vec<NameGlob>,
    except: Vec<NameGlob>,
    except_directories: Vec<NameGlob>,
}

impl Filter {
    fn new(below: &Below) -> Filter {
        Filter {
            only: below.only.iter().map(|glob| NameGlob::new(glob)).collect(),
            except: Filter::certain(&below.except),
            except_directories: Filter::certain(&below.except_directories),
        }
    }

    /// The globs that leave out what they match, whoever reads them.
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

/// A text without the `\` before characters that mean themselves.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}
