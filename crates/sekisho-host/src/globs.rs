//! Whether a glob would become an option.

use std::path::Path;

use fast_glob::glob_match;

/// More names than this in a directory are not looked through.
const MOST: usize = 100_000;

/// Whether a glob that begins with a wildcard, expanded in a directory, gives a name that begins with `-`. `None` where
/// that cannot be told.
pub(crate) fn gives_option(directory: &Path, pattern: &str) -> Option<bool> {
    let first = pattern.split('/').next().unwrap_or(pattern);
    let mut names = 0;
    for entry in directory.read_dir().ok()? {
        names += 1;
        if names > MOST {
            return None;
        }
        let name = entry.ok()?.file_name();
        let name = name.to_string_lossy();
        // A pattern this matcher does not know (`@(…)`) counts as matching.
        let known = !first.contains(['(', '{', '\\']) && !first.contains("[:");
        if name.starts_with('-') && (!known || glob_match(first, name.as_ref())) {
            return Some(true);
        }
    }
    Some(false)
}
