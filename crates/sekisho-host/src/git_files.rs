//! What git ignores and tracks, as far as that is certain. Asked only of files that are protected by name.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use memchr::memmem;
use rustix::fs::OFlags;
use sekisho_policy::paths::PathGlob;

/// Larger files are not read.
const LARGEST_IGNORE: u64 = 1 << 20;
const LARGEST_INDEX: u64 = 40 << 20;

/// The content of a regular file, none where there is no file. Opening a pipe would wait, so nothing else is read.
pub(crate) fn read(path: &Path, largest: u64) -> Result<Option<Vec<u8>>, ()> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(_) => return Err(()),
    };
    let metadata = file.metadata().map_err(|_| ())?;
    if !metadata.is_file() || metadata.len() > largest {
        return Err(());
    }
    let mut content = Vec::new();
    file.take(largest).read_to_end(&mut content).map_err(|_| ())?;
    Ok(Some(content))
}

/// The top of the repository around a path: the nearest directory above it that holds a `.git`.
pub(crate) fn top(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|place| place.join(".git").symlink_metadata().is_ok()).map(Path::to_path_buf)
}

/// The patterns of the lines that begin with `!` in the ignore files of a directory. A file that cannot be read brings back
/// anything.
pub(crate) fn brought_back(directory: &Path) -> Vec<String> {
    let mut patterns = Vec::new();
    for name in [".ignore", ".rgignore", ".gitignore", ".git/info/exclude"] {
        match read(&directory.join(name), LARGEST_IGNORE) {
            Ok(Some(text)) => {
                let text = String::from_utf8_lossy(&text);
                let lines = text.trim_start_matches('\u{feff}').lines();
                patterns.extend(lines.filter_map(|line| line.strip_prefix('!')).map(str::to_owned));
            }
            Ok(None) => {}
            Err(()) => patterns.push("*".to_owned()),
        }
    }
    patterns
}

/// Whether a file is left out by a program that heeds the `.gitignore` files of its repository and searches a directory,
/// and is untracked.
///
/// Each entry below that directory is held against the patterns by itself, never the directory or what is above it.
pub(crate) fn is_ignored(path: &str, below: &str) -> bool {
    let file = Path::new(path);
    let Some(top) = file.parent().and_then(top) else { return false };
    // The first two are for programs other than git, and can take a file back that git ignores. The last is the top of a
    // repository of another kind, above which nothing counts.
    let others = [".ignore", ".rgignore", ".jj"];
    let taken_back = |place: &Path| others.iter().any(|name| place.join(name).symlink_metadata().is_ok());
    if file.ancestors().skip(1).any(taken_back) {
        return false;
    }
    let mut places: Vec<&Path> =
        file.ancestors().skip(1).take_while(|place| place.starts_with(&top)).collect();
    places.reverse();
    let mut rules = Vec::new();
    for place in places {
        match read(&place.join(".gitignore"), LARGEST_IGNORE).map(|text| text.map(String::from_utf8)) {
            Ok(Some(Ok(text))) => {
                rules.extend(text.lines().filter_map(|line| Rule::read(place, line, below)))
            }
            Ok(None) => {}
            // What is not text ends the file for some.
            Ok(Some(Err(_))) | Err(()) => return false,
        }
    }
    let mut entries: Vec<&str> = file
        .ancestors()
        .filter_map(Path::to_str)
        .take_while(|entry| Path::new(entry).starts_with(below) && Path::new(entry) != Path::new(below))
        .collect();
    entries.reverse();
    entries.iter().any(|entry| Rule::ignore(&rules, entry, *entry == path)) && is_untracked(path)
}

/// A line of an ignore file.
struct Rule {
    place: String,
    negated: bool,
    /// It is about directories alone.
    directories: bool,
    /// None where the pattern is not followed.
    glob: Option<PathGlob>,
}

impl Rule {
    /// Reads a line of the file in a directory.
    fn read(place: &Path, line: &str, below: &str) -> Option<Rule> {
        let line = line.trim_end_matches(' ');
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let (negated, pattern) = line.strip_prefix('!').map_or((false, line), |pattern| (true, pattern));
        let known = !pattern.contains(['\\', '[', '{', '~']);
        // Programs differ in how they read patterns with directories in a file above the directory that they search.
        let above = place != Path::new(below) && Path::new(below).starts_with(place);
        let (pattern, directories) = pattern.strip_suffix('/').map_or((pattern, false), |name| (name, true));
        let plain = !pattern.contains('/') || !above;
        let glob =
            Some(pattern).filter(|_| known && plain).and_then(|pattern| PathGlob::new(pattern, false).ok());
        Some(Rule { place: place.to_str()?.trim_end_matches('/').to_owned(), negated, directories, glob })
    }

    /// What all lines say of an entry: the last that is about it decides.
    fn ignore(rules: &[Rule], entry: &str, is_file: bool) -> bool {
        rules.iter().fold(false, |ignored, rule| rule.verdict(entry, is_file).unwrap_or(ignored))
    }

    /// What the line says of an entry: whether it is ignored, or nothing.
    fn verdict(&self, entry: &str, is_file: bool) -> Option<bool> {
        let inside = entry.strip_prefix(&self.place)?;
        // As if the directory of the file were the root.
        let matches = |glob: &PathGlob, path: &str| glob.matches(path, Some("/"));
        match &self.glob {
            Some(glob) if !matches(glob, inside) => None,
            Some(_) if self.negated => Some(false),
            Some(_) if self.directories && is_file => None,
            Some(glob) => {
                // What also matches the directory above may be about that alone.
                let above = inside.rsplit_once('/').map_or("", |(above, _)| above);
                (above.is_empty() || !matches(glob, above)).then_some(true)
            }
            // What is not followed ignores nothing, and may take anything back.
            None => self.negated.then_some(false),
        }
    }
}

/// Whether a file is not among those of its repository's index.
fn is_untracked(path: &str) -> bool {
    let file = Path::new(path);
    let Some(top) = file.parent().and_then(top) else { return true };
    let git = top.join(".git");
    if !git.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return false;
    }
    let index = match read(&git.join("index"), LARGEST_INDEX) {
        Ok(Some(index)) => index,
        Ok(None) => return true,
        Err(()) => return false,
    };
    let Ok(inside) = file.strip_prefix(&top) else { return false };
    let name = [inside.as_os_str().as_encoded_bytes(), b"\0"].concat();
    // Later versions compress names, and a split index keeps them in another file.
    let plain = index.starts_with(b"DIRC\0\0\0\x02") || index.starts_with(b"DIRC\0\0\0\x03");
    plain && memmem::find(&index, b"link").is_none() && memmem::find(&index, &name).is_none()
}
