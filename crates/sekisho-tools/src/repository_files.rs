//! Files that make a directory a git repository, or that control what git runs there.
//!
//! Git runs programs that a repository's config names, also for `git status` in a prompt. So an agent must not make a
//! repository by writing a few files in a directory that it may write.

use std::path::Path;

/// Names in a git directory that config and programs come from.
const CONTROL_FILES: [&str; 3] = ["config", "config.worktree", "commondir"];

/// Why writing this absolute path needs a person: the name that makes or controls a repository.
pub(crate) fn repository_file(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    if name.eq_ignore_ascii_case(".git") {
        return Some(".git");
    }
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
            ("plain/HEAD", Some("HEAD")),
            ("bare/config", Some("config of a repository")),
            ("bare/config.worktree", Some("config of a repository")),
            ("bare/hooks/pre-commit", Some("hooks of a repository")),
            ("plain/config", None),
            ("plain/hooks/pre-commit", None),
            (".gitignore", None),
            ("plain/head", None),
            ("bare/description", None),
        ] {
            assert_eq!(repository_file(&dir.path().join(path)), expected, "{path}");
        }
    }
}
