//! Collects the matches of all files, sorted by path. Keeps only as many as can be shown.
//!
//! Files arrive in any order, from several threads. Only those that can be among the first results are kept, so the
//! result is the same in every run and memory is limited.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::file_matches::{FileMatches, FoundLine};
use super::query::OutputMode;

/// The maximum number of bytes of results.
pub(super) const MAX_BYTES: usize = 50_000;

/// The matches that are shown, and the number of all.
#[derive(Debug)]
pub(super) struct MatchList {
    mode: OutputMode,
    limit: usize,
    files: BTreeMap<PathBuf, FileMatches>,
    kept: usize,
    bytes: usize,
    /// Files with a match.
    pub(super) total_files: u64,
    /// The number of matching lines in all files. In mode `files`, each file counts as one.
    pub(super) total_matches: u64,
}

/// What is shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ShownMatches {
    pub(super) text: String,
    /// Results that are shown: matching lines, or files.
    pub(super) shown: u64,
}

impl MatchList {
    pub(super) fn new(mode: OutputMode, limit: usize) -> MatchList {
        let (files, kept, bytes) = (BTreeMap::new(), 0, 0);
        MatchList { mode, limit, files, kept, bytes, total_files: 0, total_matches: 0 }
    }

    /// How many results a file counts as.
    fn results(&self, found: &FileMatches) -> usize {
        if self.mode == OutputMode::Content { found.kept } else { 1 }
    }

    /// Whether the results of a file can be among those that are shown. Once the list is full, its last file only moves
    /// forward, so a file behind it will never be.
    pub(super) fn has_room(&self, path: &Path) -> bool {
        let is_full = self.kept >= self.limit || self.bytes >= MAX_BYTES;
        !is_full || self.files.last_key_value().is_none_or(|(last, _)| path < last)
    }

    pub(super) fn add(&mut self, path: &Path, found: FileMatches) {
        self.total_files += 1;
        self.total_matches += found.total;
        self.kept += self.results(&found);
        self.bytes += size(path, &found);
        self.files.insert(path.to_owned(), found);
        while let Some(last) = self.files.last_entry() {
            let results = if self.mode == OutputMode::Content { last.get().kept } else { 1 };
            let bytes = size(last.key(), last.get());
            let is_beyond = self.kept - results >= self.limit || self.bytes - bytes >= MAX_BYTES;
            if !is_beyond {
                break;
            }
            self.kept -= results;
            self.bytes -= bytes;
            last.remove();
        }
    }

    /// The results as text. `name` turns a path into the text that is shown.
    pub(super) fn shown(&self, name: impl Fn(&Path) -> String) -> ShownMatches {
        let mut shown = ShownMatches { text: String::new(), shown: 0 };
        for (path, found) in &self.files {
            let name = name(path);
            let is_full = match self.mode {
                OutputMode::Content => !self.add_lines(&mut shown, &name, found),
                OutputMode::Files => !add_result(&mut shown, &name),
                OutputMode::Count => !add_result(&mut shown, &format!("{name}:{}", found.total)),
            };
            if is_full {
                break;
            }
        }
        shown
    }

    /// Adds the lines of a file. Returns whether all of them fit.
    fn add_lines(&self, shown: &mut ShownMatches, name: &str, found: &FileMatches) -> bool {
        let limit = self.limit as u64;
        let mut here = 0;
        let has_context = found.lines.iter().any(|line| !matches!(line, FoundLine::Match(..)));
        if has_context && !shown.text.is_empty() {
            push_line(shown, "--");
        }
        for line in &found.lines {
            let (line, is_match) = match line {
                FoundLine::Match(number, text) => (format!("{name}:{number}:{text}"), true),
                FoundLine::Context(number, text) => (format!("{name}-{number}-{text}"), false),
                FoundLine::Gap => ("--".to_owned(), false),
            };
            if (is_match && shown.shown == limit) || !push_line(shown, &line) {
                return false;
            }
            shown.shown += u64::from(is_match);
            here += u64::from(is_match);
        }
        if found.total > here {
            push_line(shown, &format!("[{} more matching lines in {name}]", found.total - here));
        }
        true
    }
}

/// The approximate size of a file's results.
fn size(path: &Path, found: &FileMatches) -> usize {
    found.bytes + path.as_os_str().len() * found.lines.len().max(1)
}

fn add_result(shown: &mut ShownMatches, line: &str) -> bool {
    let fits = push_line(shown, line);
    shown.shown += u64::from(fits);
    fits
}

fn push_line(shown: &mut ShownMatches, line: &str) -> bool {
    let fits = shown.text.len() + line.len() < MAX_BYTES;
    if fits {
        if !shown.text.is_empty() {
            shown.text.push('\n');
        }
        shown.text.push_str(line);
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(lines: &[u64], total: u64) -> FileMatches {
        let found: Vec<FoundLine> = lines.iter().map(|at| FoundLine::Match(*at, "x".into())).collect();
        FileMatches { kept: found.len(), bytes: found.len() * 17, lines: found, total }
    }

    fn check(mode: OutputMode, limit: usize, expected: &str) {
        let files = [
            ("b/a", file(&[1, 2], 2)),
            ("a", file(&[5, 6], 4)),
            ("b", file(&[1], 1)),
            ("a/z", file(&[3], 1)),
        ];
        // In every order the same is shown.
        for first in 0..files.len() {
            let mut list = MatchList::new(mode, limit);
            for (path, found) in files.iter().cycle().skip(first).take(files.len()) {
                let total = FileMatches { total: found.total, ..FileMatches::default() };
                let found = FileMatches { lines: lines_of(found), ..*found };
                list.add(Path::new(path), if list.has_room(Path::new(path)) { found } else { total });
            }
            assert_eq!((list.total_files, list.total_matches), (4, 8));
            assert_eq!(list.shown(|path| path.display().to_string()).text, expected, "{first}");
        }
    }

    fn lines_of(found: &FileMatches) -> Vec<FoundLine> {
        let copy = |line: &FoundLine| match line {
            FoundLine::Match(at, text) => FoundLine::Match(*at, text.clone()),
            FoundLine::Context(at, text) => FoundLine::Context(*at, text.clone()),
            FoundLine::Gap => FoundLine::Gap,
        };
        found.lines.iter().map(copy).collect()
    }

    #[test]
    fn results_are_sorted_and_limited() {
        use OutputMode::{Content, Count, Files};
        check(Content, 100, "a:5:x\na:6:x\n[2 more matching lines in a]\na/z:3:x\nb:1:x\nb/a:1:x\nb/a:2:x");
        check(Content, 3, "a:5:x\na:6:x\n[2 more matching lines in a]\na/z:3:x");
        check(Content, 1, "a:5:x");
        check(Files, 3, "a\na/z\nb");
        check(Count, 2, "a:4\na/z:1");
    }

    #[test]
    fn files_behind_a_full_list_have_no_room() {
        let mut list = MatchList::new(OutputMode::Content, 2);
        list.add(Path::new("b"), file(&[1], 1));
        assert!(list.has_room(Path::new("c")));
        list.add(Path::new("c"), file(&[1], 1));
        assert_eq!(
            ["a", "bb", "c", "d"].map(|path| list.has_room(Path::new(path))),
            [true, true, false, false]
        );
        list.add(Path::new("a"), file(&[1, 2], 2));
        assert_eq!(["Z", "a", "b"].map(|path| list.has_room(Path::new(path))), [true, false, false]);
    }

    #[test]
    fn memory_is_limited() {
        let mut list = MatchList::new(OutputMode::Content, 1000);
        for at in 0..2000 {
            let text = "x".repeat(500);
            let found = FileMatches { lines: vec![FoundLine::Match(1, text)], kept: 1, total: 1, bytes: 516 };
            list.add(Path::new(&format!("{at:04}")), found);
            assert!(list.files.len() <= 100, "{}", list.files.len());
        }
        let shown = list.shown(|path| path.display().to_string());
        assert!(shown.text.starts_with("0000:1:x") && shown.text.len() < MAX_BYTES);
        assert_eq!(list.total_matches, 2000);
    }
}
