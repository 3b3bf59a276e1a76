//! Ignore files, for programs such as `rg` that skip the files they name. Each is read once per call.
//!
//! A file counts as skipped only if that is certain. If there is too much to read, the unread part skips
//! nothing and may bring back anything.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use memchr::memmem;
use sekisho_policy::paths::PathGlob;

use crate::bounded_git_read::read;

/// How many bytes of ignore files are read for one call, and how many lines of them are kept.
const MOST_BYTES: u64 = 2 << 20;
const MOST_RULES: usize = 16 << 10;

/// How many lines may be compared with paths for one call. A long line counts as several, more so against a
/// long path: each of its wildcards may be tried at every byte.
const MOST_COMPARISONS: usize = 1 << 19;
/// This many bytes of a line, times the bytes of the path, count as one more line.
const BYTES_PER_COMPARISON: usize = 512;
/// The length that a path counts as at least.
const SHORTEST_PATH: usize = 16;

/// How many patterns of one directory may bring files back, and their bytes; beyond that, anything is brought
/// back.
const MOST_BROUGHT_BACK: usize = 256;
const BROUGHT_BACK_BYTES: usize = 8 << 10;
/// The same for all directories of a call.
const ALL_BROUGHT_BACK: usize = 256 << 10;

/// How many bytes of indexes are kept for one call, and how many are searched.
const INDEX_BYTES: u64 = 24 << 20;
const MOST_INDEX_READ: usize = 256 << 20;

/// The ignore files read for one call.
pub(crate) struct IgnoreFiles {
    directories: HashMap<PathBuf, Directory>,
    /// The contents of ignore files; `None` for one that cannot be read.
    contents: HashMap<PathBuf, Option<Rc<[u8]>>>,
    indexes: HashMap<PathBuf, Option<Rc<Vec<u8>>>>,
    /// Bytes of ignore files that may still be read.
    bytes: u64,
    rules: usize,
    comparisons: usize,
    brought_back: usize,
    index_bytes: u64,
    index_read: usize,
}

/// The ignore files of one directory.
#[derive(Clone)]
struct Directory {
    is_top: bool,
    /// Whether it has ignore files other than git's, which can bring back a file that git ignores, or is the
    /// top of a repository of another kind, above which nothing counts.
    takes_back: bool,
    /// The lines of its `.gitignore`; `None` if they are uncertain. Read only inside a repository.
    rules: Option<Option<Rc<[IgnorePattern]>>>,
}

impl Default for IgnoreFiles {
    fn default() -> IgnoreFiles {
        IgnoreFiles {
            directories: HashMap::new(),
            contents: HashMap::new(),
            indexes: HashMap::new(),
            bytes: MOST_BYTES,
            rules: MOST_RULES,
            comparisons: MOST_COMPARISONS,
            brought_back: ALL_BROUGHT_BACK,
            index_bytes: INDEX_BYTES,
            index_read: MOST_INDEX_READ,
        }
    }
}

/// Takes `cost` from `left`; `None` if that is not enough, and then nothing is left.
fn spend(left: &mut usize, cost: usize) -> Option<()> {
    let rest = left.checked_sub(cost);
    *left = rest.unwrap_or(0);
    rest.map(|_| ())
}

impl IgnoreFiles {
    /// The content of an ignore file; `None` if there is no file. An error if it cannot be read or is too
    /// large.
    fn read(&mut self, path: PathBuf) -> Result<Option<Rc<[u8]>>, ()> {
        if let Some(known) = self.contents.get(&path) {
            return known.clone().map(Some).ok_or(());
        }
        let content = match read(&path, self.bytes) {
            Ok(None) => return Ok(None),
            Ok(Some(content)) => Some(Rc::from(content)),
            Err(()) => None,
        };
        self.bytes -= content.as_ref().map_or(0, |content: &Rc<[u8]>| content.len() as u64).min(self.bytes);
        self.contents.insert(path, content.clone());
        content.map(Some).ok_or(())
    }

    /// The patterns of the lines that begin with `!` in the ignore files of a directory. A file that cannot
    /// be read brings back anything.
    pub(crate) fn negated_ignore_patterns(&mut self, directory: &Path) -> Vec<String> {
        let mut patterns = Vec::new();
        let anything = || vec!["*".to_owned()];
        for name in [".ignore", ".rgignore", ".gitignore", ".git/info/exclude"] {
            let text = match self.read(directory.join(name)) {
                Ok(Some(text)) => text,
                Ok(None) => continue,
                Err(()) => return anything(),
            };
            let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&text);
            for line in text.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"!")) {
                let Ok(line) = std::str::from_utf8(line) else { return anything() };
                patterns.push(line.trim_end_matches('\r').to_owned());
                if patterns.len() > MOST_BROUGHT_BACK {
                    return anything();
                }
            }
        }
        let bytes: usize = patterns.iter().map(|pattern| 16 + pattern.len()).sum();
        let few = bytes <= BROUGHT_BACK_BYTES && spend(&mut self.brought_back, bytes).is_some();
        if few { patterns } else { anything() }
    }

    /// Whether a program that searches a directory and respects the `.gitignore` files of its repository
    /// skips a file, and the file is untracked.
    ///
    /// Each entry below that directory is matched by itself, never the directory or what is above it.
    pub(crate) fn is_ignored(&mut self, path: &str, below: &str) -> bool {
        self.ignores(path, below).unwrap_or(false)
    }

    /// `None` if that is uncertain.
    fn ignores(&mut self, path: &str, below: &str) -> Option<bool> {
        let file = Path::new(path);
        let mut top = None;
        for directory_path in file.ancestors().skip(1) {
            let directory = self.directory(directory_path);
            if directory.takes_back {
                return Some(false);
            }
            if directory.is_top && top.is_none() {
                top = Some(directory_path);
            }
        }
        let top = top?;
        let mut directory_paths: Vec<&Path> =
            file.ancestors().skip(1).take_while(|directory_path| directory_path.starts_with(top)).collect();
        directory_paths.reverse();
        let mut rules = Vec::new();
        for directory_path in directory_paths {
            // Programs differ in how they apply patterns with slashes from a file above the searched
            // directory.
            let above = directory_path != Path::new(below) && Path::new(below).starts_with(directory_path);
            let patterns = self.rules(directory_path)?;
            if !patterns.is_empty() {
                rules.push((directory_path.to_str()?.trim_end_matches('/'), above, patterns));
            }
        }
        let mut entries: Vec<&str> = file
            .ancestors()
            .filter_map(Path::to_str)
            .take_while(|entry| Path::new(entry).starts_with(below) && Path::new(entry) != Path::new(below))
            .collect();
        entries.reverse();
        for entry in entries {
            // The last line that matches an entry decides.
            let mut ignored = false;
            for (directory_path, above, patterns) in &rules {
                let Some(inside) = entry.strip_prefix(directory_path) else { continue };
                for rule in patterns.iter() {
                    spend(&mut self.comparisons, rule.cost(inside))?;
                    ignored = rule.verdict(inside, entry == path, *above).unwrap_or(ignored);
                }
            }
            if ignored {
                return Some(self.is_untracked(file, top).unwrap_or(false));
            }
        }
        Some(false)
    }

    fn directory(&mut self, directory_path: &Path) -> Directory {
        if let Some(known) = self.directories.get(directory_path) {
            return known.clone();
        }
        let has = |name: &str| directory_path.join(name).symlink_metadata().is_ok();
        let takes_back = [".ignore", ".rgignore", ".jj"].into_iter().any(has);
        let directory = Directory { is_top: has(".git"), takes_back, rules: None };
        self.directories.insert(directory_path.to_path_buf(), directory.clone());
        directory
    }

    /// The lines of a directory's `.gitignore`; `None` if they are uncertain.
    fn rules(&mut self, directory_path: &Path) -> Option<Rc<[IgnorePattern]>> {
        if let Some(known) = self.directory(directory_path).rules {
            return known;
        }
        let rules = self.read_rules(directory_path);
        if let Some(directory) = self.directories.get_mut(directory_path) {
            directory.rules = Some(rules.clone());
        }
        rules
    }

    fn read_rules(&mut self, directory_path: &Path) -> Option<Rc<[IgnorePattern]>> {
        let path = directory_path.join(".gitignore");
        // Git does not follow a link here, others do.
        if path.is_symlink() {
            return None;
        }
        let Some(text) = self.read(path).ok()? else {
            return Some(Rc::from([]));
        };
        // For some programs, text that is not UTF-8 ends the file.
        let text = std::str::from_utf8(&text).ok()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut rules = Vec::new();
        for rule in text.lines().filter_map(IgnorePattern::read) {
            spend(&mut self.rules, 1)?;
            rules.push(rule);
        }
        Some(rules.into())
    }

    /// Whether a file is not in its repository's index; `None` if that is uncertain.
    fn is_untracked(&mut self, file: &Path, top: &Path) -> Option<bool> {
        let index = match self.indexes.get(top) {
            Some(known) => known.clone(),
            None => {
                let index = self.read_index(top).map(Rc::new);
                self.indexes.insert(top.to_path_buf(), index.clone());
                index
            }
        }?;
        if index.is_empty() {
            return Some(true);
        }
        spend(&mut self.index_read, index.len())?;
        let inside = file.strip_prefix(top).ok()?;
        let name = [inside.as_os_str().as_encoded_bytes(), b"\0"].concat();
        Some(memmem::find(&index, &name).is_none())
    }

    /// The index of a repository; empty if there is none.
    fn read_index(&mut self, top: &Path) -> Option<Vec<u8>> {
        let git = top.join(".git");
        if !git.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            return None;
        }
        let Some(index) = read(&git.join("index"), self.index_bytes).ok()? else { return Some(Vec::new()) };
        self.index_bytes = self.index_bytes.saturating_sub(index.len() as u64);
        // Later versions compress names, and a split index keeps them in another file.
        let plain = index.starts_with(b"DIRC\0\0\0\x02") || index.starts_with(b"DIRC\0\0\0\x03");
        (plain && memmem::find(&index, b"link").is_none()).then_some(index)
    }
}

/// A line of an ignore file.
struct IgnorePattern {
    negated: bool,
    /// Whether it matches directories only.
    directories: bool,
    /// Whether the pattern contains a slash.
    has_slash: bool,
    /// Whether it counts characters (`?`): programs differ in what a character is.
    counts: bool,
    /// Its length in bytes.
    length: usize,
    /// `None` if the pattern is not supported.
    glob: Option<PathGlob>,
}

impl IgnorePattern {
    fn read(line: &str) -> Option<IgnorePattern> {
        let line = line.trim_end_matches(' ');
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (negated, pattern) = line.strip_prefix('!').map_or((false, line), |pattern| (true, pattern));
        let (pattern, directories) = pattern.strip_suffix('/').map_or((pattern, false), |name| (name, true));
        // An empty segment matches nothing.
        let nameless = pattern.is_empty() || pattern.ends_with('/') || pattern.contains("//");
        // Programs differ in which trailing blanks they ignore.
        let known = !nameless && !pattern.contains(['\\', '[', '{', '~']) && line.trim_end() == line;
        // With `core.ignoreCase`, which counts for git alone, more is brought back.
        let glob = Some(pattern).filter(|_| known).and_then(|pattern| PathGlob::new(pattern, negated).ok());
        let (has_slash, counts) = (pattern.contains('/'), pattern.contains('?'));
        Some(IgnorePattern { negated, directories, has_slash, counts, length: line.len(), glob })
    }

    /// How many comparisons a match against a path counts as.
    fn cost(&self, inside: &str) -> usize {
        1 + self.length * inside.len().max(SHORTEST_PATH) / BYTES_PER_COMPARISON
    }

    /// Whether the line ignores a path, relative to its directory, or says nothing about it. `above`: the
    /// ignore file is above the searched directory.
    fn verdict(&self, inside: &str, is_file: bool, above: bool) -> Option<bool> {
        // As if the directory of the ignore file were the root.
        let matches = |glob: &PathGlob, path: &str| glob.matches(path, Some("/"));
        let is_followed = !(above && self.has_slash) && (!self.counts || inside.is_ascii());
        match self.glob.as_ref().filter(|_| is_followed) {
            Some(glob) if !matches(glob, inside) => None,
            Some(_) if self.negated => Some(false),
            Some(_) if self.directories && is_file => None,
            Some(glob) => {
                // A pattern that also matches the parent directory may be meant for that alone.
                let above = inside.rsplit_once('/').map_or("", |(above, _)| above);
                (above.is_empty() || !matches(glob, above)).then_some(true)
            }
            // A pattern that is not supported ignores nothing, and may bring back anything.
            None => self.negated.then_some(false),
        }
    }
}
