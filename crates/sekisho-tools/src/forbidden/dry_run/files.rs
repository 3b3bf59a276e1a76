//! The files that the text writes.

use std::collections::BTreeMap;

use super::fields::is_known;

/// How many files are kept.
const MAX_FILES: usize = 2048;
/// Ends of the names of files that shells run when they start or end.
const START_FILES: [&str; 8] =
    [".bashrc", ".profile", ".bash_profile", ".bash_login", ".bash_logout", ".zshrc", ".zshenv", ".zprofile"];
/// How many other texts of each file are kept.
const MAX_OTHERS: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Files {
    /// By their paths.
    contents: BTreeMap<String, String>,
    /// What files contained before, and what was written to them by steps that are not reached.
    others: BTreeMap<String, Vec<String>>,
    /// What `>(…)` runs, by the path that stands for it.
    readers: BTreeMap<String, String>,
}

impl Files {
    /// Keeps what is written to a file. What is written aside takes the place of nothing. False if there are too many.
    pub(super) fn write(&mut self, path: &str, text: &str, appends: bool, is_aside: bool) -> bool {
        if self.contents.len() >= MAX_FILES && !self.contents.contains_key(path) {
            return false;
        }
        let content = self.contents.entry(path.to_owned()).or_default();
        // A path that is not known may be any of several files.
        let appends = appends || !is_known(path);
        let other = match is_aside && !content.is_empty() {
            true if appends => format!("{content}{text}"),
            true => text.to_owned(),
            false if appends => {
                content.push_str(text);
                return true;
            }
            false => std::mem::replace(content, text.to_owned()),
        };
        if !other.is_empty() {
            let others = self.others.entry(path.to_owned()).or_default();
            if others.len() < MAX_OTHERS && !others.contains(&other) {
                others.push(other);
            }
        }
        true
    }

    /// What the files contain that shells run when they start.
    pub(super) fn start_files(&self) -> Vec<String> {
        let is_run = |path: &String| START_FILES.iter().any(|name| path.ends_with(name));
        self.contents.iter().filter(|(path, _)| is_run(path)).map(|(_, text)| text.clone()).collect()
    }

    /// What files contain that are no process substitutions.
    pub(super) fn texts(&self, most: usize) -> Vec<String> {
        let named =
            self.contents.iter().filter(|(path, text)| !path.starts_with("/dev/") && !text.is_empty());
        named.take(most).map(|(_, text)| text.clone()).collect()
    }

    /// Other texts that a file may contain.
    pub(super) fn others(&self, path: &str) -> Vec<String> {
        self.others.get(path).cloned().unwrap_or_default()
    }

    /// How many files there are.
    pub(super) fn count(&self) -> usize {
        self.contents.len()
    }

    pub(super) fn read(&self, path: &str) -> Option<&str> {
        self.contents.get(path).map(String::as_str)
    }

    /// What a file of the same name contains, if the directory of one of them is not known.
    pub(super) fn read_by_name(&self, path: &str) -> Option<&str> {
        let (directory, name) = path.rsplit_once('/')?;
        let is_same = |(known, _): &(&String, &String)| {
            known
                .rsplit_once('/')
                .is_some_and(|(parent, own)| own == name && (!is_known(parent) || !is_known(directory)))
                || known.as_str() == name && !is_known(directory)
        };
        self.contents.iter().find(is_same).filter(|_| is_known(name)).map(|(_, content)| content.as_str())
    }

    /// A new path of a process substitution.
    pub(super) fn descriptor(&self) -> String {
        let open = self.contents.keys().filter(|path| path.starts_with("/dev/fd/")).count();
        format!("/dev/fd/{}", open + self.readers.len() + 10)
    }

    pub(super) fn add_reader(&mut self, path: &str, commands: &str) {
        self.readers.insert(path.to_owned(), commands.to_owned());
    }

    pub(super) fn reader(&self, path: &str) -> Option<&str> {
        self.readers.get(path).map(String::as_str)
    }

    /// The names of files in a directory.
    pub(super) fn names_in(&self, directory: &str) -> impl Iterator<Item = &str> {
        self.contents.keys().filter_map(move |path| {
            let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
            (parent == directory).then_some(name)
        })
    }
}

/// A path without `.` and `..`, starting from a directory.
pub(super) fn resolved(directory: &str, path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let start = if is_absolute { "" } else { directory };
    let mut names: Vec<&str> = Vec::new();
    for name in start.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|last| *last != "..") => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    let root = if is_absolute || directory.starts_with('/') { "/" } else { "" };
    format!("{root}{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_resolved() {
        for (directory, path, expected) in [
            ("", "a", "a"),
            ("", "./a//b", "a/b"),
            ("doc", "x", "doc/x"),
            ("doc", "../x", "x"),
            ("", "../x", "../x"),
            ("doc", "/a/../b", "/b"),
            ("/tmp", "a", "/tmp/a"),
        ] {
            assert_eq!(resolved(directory, path), expected);
        }
    }
}
