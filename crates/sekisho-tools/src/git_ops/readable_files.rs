//! Where git may read files.
//!
//! Files of a repository may lead to objects elsewhere, by links, alternates and whatever else git follows. So git sees
//! only the repository, and the directories that programs are installed in.

use std::path::{Path, PathBuf};

use super::repository_paths::RepositoryPaths;
use crate::sandbox::PlannedDir;

/// Where programs, their libraries and settings are on Linux systems.
const SYSTEM: [&str; 15] = [
    "/bin",
    "/etc",
    "/gnu",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix",
    "/opt",
    "/proc",
    "/run/current-system",
    "/sbin",
    "/snap",
    "/sys",
    "/usr",
];

/// The directories of a repository, of the system, and of the git program with its libraries.
pub(super) fn readable_by_git(program: &Path, repository: &RepositoryPaths) -> Vec<PlannedDir> {
    let RepositoryPaths { work_tree, git_dir, common_dir } = repository;
    let mut found: Vec<PathBuf> = SYSTEM.map(PathBuf::from).into();
    let real = program.canonicalize().ok();
    for program in [Some(program), real.as_deref()].into_iter().flatten() {
        let Some(bin) = program.parent() else { continue };
        // Libraries are beside `bin`. A home directory with `bin` in it also contains other repositories.
        let prefix =
            bin.parent().filter(|prefix| !work_tree.path.starts_with(prefix) && prefix.parent().is_some());
        found.push(prefix.unwrap_or(bin).to_owned());
    }
    found.sort_unstable();
    found.dedup();
    let repository = [work_tree, git_dir, common_dir].into_iter().cloned();
    repository.chain(found.into_iter().map(PlannedDir::from)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directory_of_the_program_is_readable() {
        let tree = PathBuf::from("/home/ann/work");
        let repository = RepositoryPaths {
            git_dir: tree.join(".git").into(),
            common_dir: tree.join(".git").into(),
            work_tree: tree.into(),
        };
        for (program, expected) in [
            ("/usr/bin/git", "/usr"),
            ("/home/brew/.brew/bin/git", "/home/brew/.brew"),
            ("/home/ann/bin/git", "/home/ann/bin"),
            ("/home/ann/tools/git/bin/git", "/home/ann/tools/git"),
            ("/strange/git", "/strange"),
        ] {
            let found = readable_by_git(Path::new(program), &repository);
            assert!(found.contains(&PathBuf::from(expected).into()), "{program}: {found:?}");
            for closed in ["/", "/home", "/home/ann"] {
                assert!(!found.contains(&PathBuf::from(closed).into()), "{program}: {found:?}");
            }
        }
    }
}
