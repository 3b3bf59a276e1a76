//! Files that make a directory a git repository, or that control what git and other tools run there.
//!
//! Git runs programs that a repository's config names, also for `git status` in a prompt. So an agent must not make a
//! repository by writing a few files in a directory that it may write, nor change one behind git's back. The policy's
//! protected paths have only those that must not be read without a question either.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, fstat, statat};

/// Names in a git directory that config and programs come from.
const CONTROL_FILES: [&str; 3] = ["config", "config.worktree", "commondir"];

/// Directories whose files git or a tool runs, or that belong to git alone.
const DIRECTORIES: [&str; 3] = [".git", ".githooks", ".husky"];
/// Files that name programs, filters or places of other repositories.
const FILES: [&str; 2] = [".gitattributes", ".gitmodules"];

/// Why writing this absolute path needs a person: the name that makes or controls a repository.
pub(crate) fn repository_file(path: &Path) -> Option<&'static str> {
    let is = |name: &OsStr, known: &str| name.eq_ignore_ascii_case(known);
    let below = |known: &&str| path.iter().any(|name| is(name, known));
    if let Some(found) = DIRECTORIES.into_iter().find(below) {
        return Some(found);
    }
    let name = path.file_name()?;
    if let Some(found) = FILES.into_iter().find(|known| is(name, known)) {
        return Some(found);
    }
    let in_cargo = path.parent().and_then(Path::file_name).is_some_and(|name| is(name, ".cargo"));
    if in_cargo && (is(name, "config") || is(name, "config.toml")) {
        return Some("settings of cargo");
    }
    let name = name.to_str()?;
    // Without `HEAD`, git takes no directory for a repository.
    if name == "HEAD" {
        return Some("HEAD");
    }
    let directory = path.parent()?;
    let is_repository = |directory: &Path| directory.join("HEAD").symlink_metadata().is_ok();
    if CONTROL_FILES.contains(&name) && is_repository(directory) {
        return Some("config of a repository");
    }
    let is_hook = directory.file_name().is_some_and(|name| name == "hooks");
    (is_hook && directory.parent().is_some_and(is_repository)).then_some("hooks of a repository")
}

/// Why writing a file in this very directory needs a person, whatever path led to it.
pub(crate) fn repository_file_in(directory: &OwnedFd, name: &OsStr) -> Option<&'static str> {
    let find = |path: &str| statat(directory, path, AtFlags::SYMLINK_NOFOLLOW);
    if CONTROL_FILES.iter().any(|known| name == *known) && find("HEAD").is_ok() {
        return Some("config of a repository");
    }
    let (own, hooks) = (fstat(directory).ok()?, find("../hooks").ok()?);
    let is_hooks = (own.st_dev, own.st_ino) == (hooks.st_dev, hooks.st_ino);
    (is_hooks && find("../HEAD").is_ok()).then_some("hooks of a repository")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_that_make_or_control_a_repository_are_found() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["bare/hooks", "plain/hooks"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("bare/HEAD"), "ref: refs/heads/main\n").unwrap();
        for (path, expected) in [
            (".git", Some(".git")),
            ("plain/.GIT", Some(".git")),
            (".git/rebase-merge/git-rebase-todo", Some(".git")),
            (".git/objects/info/alternates", Some(".git")),
            (".git/index", Some(".git")),
            ("plain/.Git/x", Some(".git")),
            (".husky/pre-commit", Some(".husky")),
            ("plain/.githooks/pre-commit", Some(".githooks")),
            ("plain/.cargo/config.toml", Some("settings of cargo")),
            (".cargo/config", Some("settings of cargo")),
            (".gitattributes", Some(".gitattributes")),
            ("plain/.gitmodules", Some(".gitmodules")),
            ("plain/HEAD", Some("HEAD")),
            ("bare/config", Some("config of a repository")),
            ("bare/config.worktree", Some("config of a repository")),
            ("bare/hooks/pre-commit", Some("hooks of a repository")),
            ("plain/config", None),
            ("plain/hooks/pre-commit", None),
            (".gitignore", None),
            (".github/workflows/ci.yml", None),
            (".cargo/other.toml", None),
            ("plain/config.toml", None),
            ("plain/head", None),
            ("bare/description", None),
        ] {
            assert_eq!(repository_file(&dir.path().join(path)), expected, "{path}");
        }
    }
}
