//! The files that switching to another commit may write or remove, before git does it.
//!
//! Git writes what differs between the index and the commit, and in a sparse work tree also files that were left out
//! before. These are listed by git itself, without touching the work tree. A file that needs a human when `file_write`
//! writes it, and one that stays read-only in the sandbox, needs a human here too. So does a commit that cannot be found
//! with certainty.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::arguments::GitAction;
use crate::sandbox::{ConfigNames, kept_name};
use crate::write_guard::WriteGuard;

/// A path that git may write or remove, relative to the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedPath {
    pub(super) path: PathBuf,
    /// Whether it is a link, or may become one.
    pub(super) is_link: bool,
}

/// Which commit an action switches to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target<'a> {
    /// The action changes no files.
    None,
    /// The commit that is checked out now. The files may still be incomplete.
    Current,
    /// A branch, or else any name of a commit.
    Named(&'a str),
    /// A name that git may understand differently from time to time.
    Unknown,
}

impl Target<'_> {
    pub(super) fn of(action: &GitAction) -> Target<'_> {
        match action {
            GitAction::BranchCreate { .. } => Target::Current,
            // Names of branches that were current before or that are followed: `checkout` looks for a branch of the name
            // that comes out, and other commands for a tag.
            GitAction::Checkout { name } if name.contains("@{") => Target::Unknown,
            GitAction::Checkout { name } => Target::Named(name),
            _ => Target::None,
        }
    }
}

/// The id of an object, as git prints it on a line of its own.
pub(super) fn object_id(printed: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(printed).ok()?.trim_end_matches('\n');
    let is_id = matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| text.to_owned())
}

/// What `git diff-index --cached --raw -z COMMIT` prints. `None` if it is something else.
pub(super) fn changed_paths(printed: &[u8]) -> Option<Vec<ChangedPath>> {
    let mut fields = printed.split(|byte| *byte == 0);
    let mut found = Vec::new();
    loop {
        let entry = fields.next()?;
        if entry.is_empty() {
            return fields.next().is_none().then_some(found);
        }
        let modes = entry.strip_prefix(b":")?;
        let path = fields.next().filter(|path| !path.is_empty())?;
        let is_link = modes.split(|byte| *byte == b' ').take(2).any(|mode| mode == b"120000");
        found.push(ChangedPath { path: Path::new(OsStr::from_bytes(path)).to_owned(), is_link });
    }
}

/// The files that were left out of the work tree: what `git ls-files -t -z` marks with `S`. With `is_sparse` all files,
/// because patterns say which of them a checkout leaves out.
pub(super) fn left_out_paths(printed: &[u8], is_sparse: bool) -> Vec<ChangedPath> {
    let marked = printed.split(|byte| *byte == 0).filter_map(|entry| match entry {
        [mark, b' ', path @ ..] if is_sparse || *mark == b'S' => Some(path),
        _ => None,
    });
    marked
        .map(|path| ChangedPath { path: Path::new(OsStr::from_bytes(path)).to_owned(), is_link: false })
        .collect()
}

/// The first path that needs a human, and why.
pub(super) fn needs_human<'p>(
    paths: &'p [ChangedPath],
    work_tree: &Path,
    guard: WriteGuard<'_>,
) -> Option<(&'p Path, String)> {
    // Once for all paths, of which there may be many.
    let named = ConfigNames::above(work_tree);
    paths.iter().find_map(|changed| {
        let path = work_tree.join(&changed.path);
        let why = kept_name(&changed.path, changed.is_link)
            .or_else(|| guard.protection_besides_config(&path, work_tree))
            .or_else(|| named.reason(&path).map(Into::into));
        why.map(|why| (changed.path.as_path(), why))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_paths_are_read() {
        let zero = "0".repeat(40);
        let printed = format!(
            ":100644 100755 {zero} {zero} M\0a b\0:120000 000000 {zero} {zero} D\0.claude\0:000000 100644 {zero} {zero} A\0x\ny\0"
        );
        let found = changed_paths(printed.as_bytes()).unwrap();
        let found: Vec<_> =
            found.iter().map(|changed| (changed.path.to_str().unwrap(), changed.is_link)).collect();
        assert_eq!(found, [("a b", false), (".claude", true), ("x\ny", false)]);
        assert_eq!(changed_paths(b""), Some(Vec::new()));
        for cut in ["x", ":100644 100755", printed.trim_end_matches("\ny\0"), ":1 2 3 4 M\0\0"] {
            assert_eq!(changed_paths(cut.as_bytes()), None, "{cut}");
        }
        let left_out = |is_sparse| -> Vec<String> {
            let found = left_out_paths(b"H a\0S .mcp.json\0S b c\0", is_sparse);
            found.iter().map(|found| found.path.to_str().unwrap().to_owned()).collect()
        };
        assert_eq!(left_out(false), [".mcp.json", "b c"]);
        assert_eq!(left_out(true), ["a", ".mcp.json", "b c"]);
    }

    #[test]
    fn only_ids_are_taken_for_commits() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(object_id(format!("{id}\n").as_bytes()).as_deref(), Some(id));
        for text in [
            "",
            "HEAD",
            "^0123456789abcdef0123456789abcdef01234567",
            &format!("{id}\n{id}\n"),
            id.trim_start_matches('0'),
        ] {
            assert_eq!(object_id(text.as_bytes()), None, "{text}");
        }
    }
}
