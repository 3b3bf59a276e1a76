//! Files and links that a corpus lists, with contents.

use std::collections::BTreeMap;

use super::symlink_resolution::follow;
use crate::default_protected_paths::ContentCheck;
use crate::facts::FileSecrecy;
use crate::paths::{is_within, relative_to};
use crate::protected_file_search::{FileKind, FileTree, SearchLimitReached};

/// A tree of files with their texts, and of links with their targets. Paths are absolute. No file is ignored
/// by git, all are tracked, and the repository root is `/w`.
pub struct InMemoryFiles<'a> {
    files: &'a BTreeMap<String, String>,
    links: &'a BTreeMap<String, String>,
}

impl<'a> InMemoryFiles<'a> {
    /// A tree of the files and links with these paths.
    pub fn new(
        files: &'a BTreeMap<String, String>,
        links: &'a BTreeMap<String, String>,
    ) -> InMemoryFiles<'a> {
        InMemoryFiles { files, links }
    }

    fn paths(&self) -> impl Iterator<Item = &'a str> {
        self.files.keys().chain(self.links.keys()).map(String::as_str)
    }
}

impl FileTree for InMemoryFiles<'_> {
    fn list(&mut self, directory: &str) -> Result<Vec<(String, FileKind)>, SearchLimitReached> {
        let inside =
            self.paths().filter_map(|path| relative_to(path, directory)).filter(|rest| !rest.is_empty());
        let mut names: Vec<String> =
            inside.filter_map(|rest| rest.split('/').next()).map(Into::into).collect();
        names.sort_unstable();
        names.dedup();
        let path = |name: &str| format!("{}/{name}", directory.trim_end_matches('/'));
        Ok(names
            .into_iter()
            .filter_map(|name| Some((self.kind(&path(&name))?, name)))
            .map(|(kind, name)| (name, kind))
            .collect())
    }

    fn kind(&mut self, path: &str) -> Option<FileKind> {
        if self.links.contains_key(path) {
            Some(FileKind::Link)
        } else if self.files.contains_key(path) {
            Some(FileKind::File)
        } else {
            self.paths().any(|known| is_within(known, path)).then_some(FileKind::Directory)
        }
    }

    fn resolve(&mut self, path: &str) -> Option<String> {
        follow(self.links, path)
    }

    fn secrecy(&mut self, path: &str, contents: ContentCheck) -> FileSecrecy {
        let harmless = match self.files.get(path) {
            Some(text) => text == "harmless",
            // For contents that are not listed, settings are plain and keys are private.
            None => !matches!(contents, ContentCheck::NotNeeded | ContentCheck::Key),
        };
        if harmless { FileSecrecy::NoSecret } else { FileSecrecy::Secret }
    }

    fn is_ignored(&mut self, _: &str, _: &str) -> bool {
        false
    }

    fn negated_ignore_patterns(&mut self, directory: &str) -> Vec<String> {
        let names = [".ignore", ".rgignore", ".gitignore", ".git/info/exclude"];
        let files = names
            .iter()
            .filter_map(|name| self.files.get(&format!("{}/{name}", directory.trim_end_matches('/'))));
        files
            .flat_map(|text| text.lines())
            .filter_map(|line| line.strip_prefix('!'))
            .map(Into::into)
            .collect()
    }

    fn tracked_files(
        &mut self,
        _: &str,
        directory: &str,
        _: bool,
        is_chosen: Option<&dyn Fn(&str) -> bool>,
    ) -> Option<Vec<String>> {
        let inside = self.paths().filter_map(|path| relative_to(path, directory));
        let chosen = |path: &&str| !path.is_empty() && is_chosen.is_none_or(|is_chosen| is_chosen(path));
        Some(inside.filter(chosen).map(Into::into).collect())
    }

    fn repository_root(&mut self, directory: &str) -> Option<String> {
        Some(if is_within(directory, "/w") { "/w" } else { directory }.into())
    }
}
