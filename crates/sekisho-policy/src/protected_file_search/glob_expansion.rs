//! The files that a glob names, as shells expand it.

use std::collections::HashSet;

use super::{FileKind, FileSearcher, SearchPath, SearchStop};
use crate::name_glob::{LeadingDot, NameGlob};

impl FileSearcher<'_> {
    /// Expands a glob in a directory.
    pub(super) fn expand(&mut self, start: SearchPath, pattern: &str) -> Result<Vec<SearchPath>, SearchStop> {
        let mut places = vec![start];
        let mut segments = pattern.split('/').filter(|segment| !segment.is_empty()).peekable();
        while let Some(segment) = segments.next() {
            let glob = NameGlob::new(segment);
            if !glob.is_exact() {
                return Err(SearchStop::Unknown);
            }
            if matches!(segment, "**" | "***") && (segments.peek().is_some() || pattern.ends_with('/')) {
                places = self.directories_below(places, segment == "***")?;
                continue;
            }
            let mut next = Vec::new();
            for place in places {
                if !glob.is_wild() {
                    next.extend(self.step(&place, &unescaped(segment), None));
                    continue;
                }
                // In older shells `.*` also matches the parent directory.
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

    /// Directories, and those below them that are not hidden, once each. Zsh takes `**/` for any number of directories, and
    /// `***/` also follows links. Bash takes both for one directory, which may be a link.
    fn directories_below(
        &mut self,
        places: Vec<SearchPath>,
        follows: bool,
    ) -> Result<Vec<SearchPath>, SearchStop> {
        let mut seen: HashSet<String> = HashSet::new();
        let mut found: Vec<SearchPath> = Vec::new();
        let mut open: Vec<(SearchPath, bool)> = places.into_iter().map(|place| (place, true)).collect();
        while let Some((place, is_first)) = open.pop() {
            if !seen.insert(place.real.clone()) {
                continue;
            }
            for (name, kind) in self.tree.list(&place.real)? {
                let is_directory = kind == FileKind::Directory;
                let is_followed = kind == FileKind::Link && (follows || is_first);
                if name.starts_with('.') || !(is_directory || is_followed) {
                    continue;
                }
                let below = self.step(&place, &name, Some(kind));
                if is_directory || follows {
                    open.extend(below.map(|below| (below, false)));
                } else {
                    found.extend(below);
                }
            }
            found.push(place);
        }
        Ok(found)
    }
}

/// A text without the `\` before literal characters.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}
