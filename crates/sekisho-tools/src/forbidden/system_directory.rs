//! Directories of the system.

use std::path::Path;

use super::ForbiddenCode;

/// Directories directly below the root. [`is_system`] adds every name that begins with `lib`.
const SYSTEM: [&str; 8] = ["etc", "usr", "bin", "sbin", "boot", "dev", "proc", "sys"];

/// Whether a path is in a system directory. Absolute Unix paths are checked, and all forms of `C:\Windows`. Upper and
/// lower case are the same here, as on some file systems.
pub fn forbidden_path(path: &Path) -> Option<ForbiddenCode> {
    let text = path.to_string_lossy().to_lowercase();
    let forbidden = is_windows(&text) || text.starts_with('/') && is_system(&text);
    forbidden.then_some(ForbiddenCode::SystemDirectory)
}

fn is_system(path: &str) -> bool {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    // On macOS `/etc` and others are links to `/private/etc`.
    let first = names.iter().find(|name| **name != "private");
    first.is_some_and(|first| SYSTEM.contains(first) || first.starts_with("lib"))
}

/// `C:\Windows`, also with slashes, on any drive, and with the prefixes `\\?\` and `\\.\`.
fn is_windows(path: &str) -> bool {
    let path = path.replace('\\', "/");
    let path = path.trim_start_matches(['/', '?', '.']);
    let mut characters = path.chars();
    let drive = characters.next().is_some_and(|c| c.is_ascii_alphabetic()) && characters.next() == Some(':');
    // Windows drops dots and blanks at the end of a name.
    let is_windows = |name: &str| name.trim_end_matches(['.', ' ']) == "windows";
    drive && characters.as_str().split('/').find(|name| !name.is_empty()).is_some_and(is_windows)
}
