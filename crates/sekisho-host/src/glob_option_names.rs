//! Whether a glob would expand to a command line option.

use std::path::Path;

use fast_glob::glob_match;

/// The most names in a directory that are read.
const MOST: usize = 100_000;

/// The names in a directory that begin with `-`. `None` if that cannot be found out.
pub(crate) fn option_names(directory: &Path) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for (at, entry) in directory.read_dir().ok()?.enumerate() {
        if at >= MOST {
            return None;
        }
        let name = entry.ok()?.file_name();
        if name.as_encoded_bytes().starts_with(b"-") {
            // It is unknown which globs match a name that is not UTF-8.
            names.push(name.into_string().ok()?);
        }
    }
    Some(names)
}

/// Whether a glob that begins with a wildcard matches one of the names.
pub(crate) fn expands_to_option(names: &[String], pattern: &str) -> bool {
    let first = pattern.split('/').next().unwrap_or(pattern);
    // A pattern this matcher does not support (`@(…)`) counts as matching.
    let known = !first.contains(['(', '{', '\\']) && !first.contains("[:");
    names.iter().any(|name| !known || glob_match(first, name))
}
