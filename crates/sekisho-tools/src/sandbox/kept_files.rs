//! What stays read-only in a writable directory: files that tools outside the sandbox run or take settings from.
//!
//! A command may change a project, but must not leave something there that runs later, without a sandbox, when a
//! person uses git, an editor or an agent in it. Objects, refs, index and logs of a repository stay writable, so that
//! `git commit` works. The search is bounded: repositories further below, and those that a command makes itself, are not
//! protected.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sekisho_sandbox::PlannedDir;

use super::error::SandboxError;
use super::git_config;
use super::paths::outermost;
use super::search_roots::SearchRoots;
use super::set_id_files::has_set_id;
use crate::run_by_tools::is_kept_in_sandbox;

/// How many levels of directories are looked at: a writable directory, and three levels below it.
const DEEPEST: usize = 4;
/// How many levels are looked at for files that tools run. Installed packages further below may have the same files.
const DEEPEST_RUN: usize = 2;
/// How many files can be kept. Each is a mount, and bubblewrap takes 9,000 arguments.
const MOST_KEPT: usize = 1_000;
/// How many names are looked at, the nearest ones first. Those directly in a writable directory do not count.
const MOST_ENTRIES: usize = 10_000;

/// Files and directories that are kept as a whole, besides those that tools run.
const KEPT: &[&str] = &[
    // Rules that limit the command itself.
    ".sekisho",
    // Hooks of git.
    ".husky",
    ".githooks",
    ".git-hooks",
    // Settings of agents, which name programs.
    ".claude",
    ".codex",
    ".cursor",
    ".gemini",
    ".mcp.json",
    // Tasks and settings that editors run or use.
    ".vscode",
    ".idea",
    ".zed",
    ".devcontainer",
    // Run by direnv when a shell enters the directory.
    ".envrc",
];

/// Why a path below a work tree stays read-only in the sandbox, however deep it is: the name that is kept. A link may
/// become a directory of that name.
pub(crate) fn kept_name(path: &Path, is_link: bool) -> Option<String> {
    let is_kept = |name: &&OsStr| KEPT.iter().any(|known| name.eq_ignore_ascii_case(known));
    if let Some(name) = path.iter().find(is_kept) {
        return Some(name.to_string_lossy().into_owned());
    }
    let (parent, name) = (path.parent().and_then(Path::file_name).unwrap_or_default(), path.file_name()?);
    (is_link && is_kept_in_sandbox(parent, name, true)).then(|| name.to_string_lossy().into_owned())
}

/// Parts of a git directory that name programs or lead to other settings, as soon as somebody makes them.
const PARTS: &[&str] = &["config", "config.worktree", "commondir", "hooks"];
/// Parts that are kept if they exist.
const EXISTING_PARTS: &[&str] = &["gitdir", "info/attributes"];
/// Directories of a git directory with more git directories: of submodules, and of linked work trees.
const OTHERS: &[&str] = &["modules", "worktrees"];
/// How many levels of directories are looked at below each of [`OTHERS`]. The name of a submodule may contain slashes.
const DEEPEST_OTHERS: usize = 5;

/// What stays read-only, stays in place, and must neither appear nor be replaced. See
/// [`HelperPlan`](sekisho_sandbox::HelperPlan).
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KeptFiles {
    pub(super) read_only: Vec<PathBuf>,
    pub(super) pinned: Vec<PathBuf>,
    pub(super) settings: Vec<PathBuf>,
}

/// Looks for such files in writable directories. A directory that is named as writable itself is not kept.
pub(super) fn find(writable: &[PlannedDir]) -> Result<KeptFiles, SandboxError> {
    let roots = SearchRoots::open(writable)?;
    let mut search = Search { roots: &roots, found: KeptFiles::default() };
    for top in roots.paths() {
        for above in top.ancestors().skip(1) {
            search.add_named(&above.join(".git"))?;
        }
    }
    // Each one, not only the outermost: the search may end above it.
    let mut open: VecDeque<(PathBuf, usize)> = writable.iter().map(|dir| (dir.path.clone(), 1)).collect();
    let mut left = MOST_ENTRIES;
    while let Some((dir, depth)) = open.pop_front() {
        let mut all = usize::MAX;
        let listed = search.list(&dir, depth, if depth == 1 { &mut all } else { &mut left })?;
        if listed.is_git_dir {
            search.found.pinned.extend((!roots.is_root(&dir)).then(|| dir.clone()));
            search.add_git_dir(&dir)?;
            search.add_named_files(git_config::named_files(&roots, &dir, &dir)?, &dir)?;
        } else if depth < DEEPEST {
            open.extend(listed.directories.into_iter().map(|dir| (dir, depth + 1)));
        }
    }
    search.found.without_named(writable)
}

/// The contents of a directory.
#[derive(Default)]
struct Listed {
    /// Whether git takes it for a git directory.
    is_git_dir: bool,
    /// The directories that are searched further.
    directories: Vec<PathBuf>,
}

impl KeptFiles {
    /// Without the writable directories themselves, and each only once.
    fn without_named(mut self, writable: &[PlannedDir]) -> Result<KeptFiles, SandboxError> {
        let is_named = |path: &PathBuf| writable.iter().any(|dir| dir.path == *path);
        self.read_only.retain(|path| !is_named(path));
        self.settings.retain(|path| !is_named(path));
        self.read_only = outermost(self.read_only);
        let is_kept = |path: &PathBuf| self.read_only.iter().any(|kept| path.starts_with(kept));
        self.pinned.retain(|path| !is_kept(path));
        for paths in [&mut self.pinned, &mut self.settings] {
            paths.sort_unstable();
            paths.dedup();
        }
        let count = self.read_only.len() + self.pinned.len() + self.settings.len();
        match self.read_only.first().or(self.pinned.first()) {
            Some(example) if count > MOST_KEPT => {
                Err(SandboxError::TooManyKept { count, most: MOST_KEPT, example: example.clone() })
            }
            _ => Ok(self),
        }
    }
}

/// What was found so far, and where the search began.
struct Search<'r> {
    roots: &'r SearchRoots,
    found: KeptFiles,
}

impl Search<'_> {
    fn list(&mut self, dir: &Path, depth: usize, left: &mut usize) -> Result<Listed, SandboxError> {
        let mut listed = Listed::default();
        let mut parts = 0;
        let parent = dir.file_name().unwrap_or_default();
        for entry in self.entries(dir)?.into_iter().flatten().flatten() {
            let Some(less) = left.checked_sub(1) else { break };
            *left = less;
            let name = entry.file_name();
            let path = dir.join(&name);
            let Ok(kind) = entry.file_type() else { continue };
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            parts += usize::from(["HEAD", "objects", "refs"].iter().any(|part| name == *part));
            let is_repository = is(".git");
            if kind.is_symlink() {
                // A link cannot be mounted over, so a command could put something else in its place.
                if is_repository || is(".sekisho") {
                    return Err(SandboxError::LinkInRepository(path));
                }
            } else if is_repository && kind.is_dir() {
                self.add_repository(&path)?;
            } else if is_repository
                || KEPT.iter().any(|known| is(known))
                || depth <= DEEPEST_RUN && is_kept_in_sandbox(parent, &name, kind.is_dir())
                || has_set_id(&entry)
            {
                if is_repository {
                    self.add_named(&path)?;
                }
                self.found.read_only.push(path);
            } else if kind.is_dir() {
                // Now, so that nobody can hide it behind many files.
                let git_dir = path.join(".git");
                let is_dir = |found: fs::Metadata| found.is_dir();
                if depth < DEEPEST && self.roots.metadata(&git_dir).is_ok_and(is_dir) {
                    self.add_repository(&git_dir)?;
                }
                listed.directories.push(path);
            }
        }
        listed.is_git_dir = parts == 3;
        Ok(listed)
    }

    /// `git_dir`: a directory `.git`.
    fn add_repository(&mut self, git_dir: &Path) -> Result<(), SandboxError> {
        self.found.pinned.push(git_dir.to_owned());
        self.add_git_dir(git_dir)?;
        self.add_named(git_dir)
    }

    fn add_git_dir(&mut self, git_dir: &Path) -> Result<(), SandboxError> {
        for part in PARTS {
            // Git itself replaces `config` whenever somebody adds a branch or a remote, so that is no sign of an attack.
            if self.add_if_it_exists(git_dir.join(part))? && *part == "config" {
                continue;
            }
            self.found.settings.push(git_dir.join(part));
        }
        for part in EXISTING_PARTS {
            self.add_if_it_exists(git_dir.join(part))?;
        }
        for others in OTHERS.iter().map(|name| git_dir.join(name)) {
            match self.roots.metadata(&others) {
                Ok(found) if found.is_symlink() => return Err(SandboxError::LinkInRepository(others)),
                Ok(found) if found.is_dir() => self.add_others(&others, DEEPEST_OTHERS)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds what the config of a repository names. `dot_git`: its `.git`, a directory or a file, which need not exist.
    fn add_named(&mut self, dot_git: &Path) -> Result<(), SandboxError> {
        let work_tree = dot_git.parent().unwrap_or(dot_git);
        for dir in git_config::config_dirs(self.roots, dot_git)? {
            self.add_named_files(git_config::named_files(self.roots, &dir, work_tree)?, work_tree)?;
        }
        Ok(())
    }

    /// Adds those of the files that are in the work tree and below a writable directory. A repository that a command
    /// made must not choose among files elsewhere. The directories on the way to them stay in place: a command could
    /// rename one and make another. If one does not exist yet, the whole path must not come into being.
    fn add_named_files(&mut self, named: Vec<PathBuf>, work_tree: &Path) -> Result<(), SandboxError> {
        for path in named.into_iter().filter(|path| path.starts_with(work_tree)) {
            let Some(top) = self.roots.path_above(&path) else { continue };
            // Below a link it cannot be kept.
            if path.parent().is_some_and(|dir| self.roots.is_directory_without_links(dir)) {
                let above = path.ancestors().skip(1).take_while(|above| *above != top);
                self.found.pinned.extend(above.map(Path::to_owned));
                if !self.add_if_it_exists(path.clone())? {
                    self.found.settings.push(path);
                }
            } else if !self.leads_through_a_link(&path) {
                self.found.settings.push(path);
            }
        }
        Ok(())
    }

    /// Whether the first part of a path that is not a directory is a link, or cannot be looked at.
    fn leads_through_a_link(&self, path: &Path) -> bool {
        let mut above = path.ancestors().collect::<Vec<_>>().into_iter().rev();
        let first = above.find(|part| {
            self.roots.path_above(part).is_some() && !self.roots.is_directory_without_links(part)
        });
        first.is_some_and(|part| match self.roots.metadata(part) {
            Ok(found) => found.is_symlink(),
            Err(error) => error.kind() != ErrorKind::NotFound,
        })
    }

    /// Adds the git directories of submodules or linked work trees, but not those behind a link. Everything else in
    /// them stays writable, so that commits work there.
    fn add_others(&mut self, dir: &Path, levels: usize) -> Result<(), SandboxError> {
        // What is renamed is not kept.
        self.found.pinned.push(dir.to_owned());
        for entry in self.entries(dir)?.into_iter().flatten().flatten() {
            let path = dir.join(entry.file_name());
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let pinned = &mut self.found.pinned;
            if pinned.len() > MOST_KEPT {
                pinned.sort_unstable();
                pinned.dedup();
            }
            if pinned.len() > MOST_KEPT {
                let count = pinned.len();
                return Err(SandboxError::TooManyKept { count, most: MOST_KEPT, example: path });
            }
            // What cannot be looked at is refused later.
            let is_there = |part: &&str| match self.roots.metadata(&path.join(part)) {
                Ok(_) => true,
                Err(error) => error.kind() != ErrorKind::NotFound,
            };
            if ["HEAD", "config", "commondir"].iter().any(is_there) {
                self.found.pinned.push(path.clone());
                self.add_git_dir(&path)?;
            } else if levels > 1 {
                self.add_others(&path, levels - 1)?;
            }
        }
        Ok(())
    }

    /// Keeps a file or directory. Returns false if there is none.
    fn add_if_it_exists(&mut self, path: PathBuf) -> Result<bool, SandboxError> {
        match self.roots.metadata(&path) {
            Ok(part) if part.is_symlink() => Err(SandboxError::LinkInRepository(path)),
            Ok(_) => {
                self.found.read_only.push(path);
                Ok(true)
            }
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
            Err(_) => Err(SandboxError::Unreadable(path)),
        }
    }

    /// What a directory contains. None if it is gone, or belongs to somebody else and may not be read.
    fn entries(&self, dir: &Path) -> Result<Option<fs::ReadDir>, SandboxError> {
        let is_own = || {
            let own = rustix::process::geteuid().as_raw();
            self.roots.metadata(dir).is_ok_and(|found| found.uid() == own)
        };
        match fs::read_dir(self.roots.opened(dir)) {
            Ok(entries) => Ok(Some(entries)),
            Err(error) if error.kind() == ErrorKind::PermissionDenied && is_own() => {
                Err(SandboxError::Unreadable(dir.to_owned()))
            }
            Err(_) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn tree(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in names {
            let path = root.join(name);
            fs::create_dir_all(if name.ends_with('/') { &path } else { path.parent().unwrap() }).unwrap();
            if !name.ends_with('/') {
                fs::write(path, "").unwrap();
            }
        }
        (dir, root)
    }

    fn found_in(root: &Path, writable: &[&str]) -> [Vec<String>; 3] {
        let writable: Vec<PlannedDir> = writable.iter().map(|name| root.join(name).into()).collect();
        let found = find(&writable).unwrap();
        [found.read_only, found.pinned, found.settings].map(|paths| {
            let name = |path: &PathBuf| path.strip_prefix(root).unwrap().display().to_string();
            let mut names: Vec<String> = paths.iter().map(name).collect();
            names.sort();
            names
        })
    }

    #[test]
    fn what_cannot_be_looked_at_is_not_taken_for_absent() {
        let (_dir, root) = tree(&["p/.git/config", "p/.git/hooks/"]);
        symlink("info", root.join("p/.git/info")).unwrap();
        let attributes = root.join("p/.git/info/attributes");
        assert_eq!(find(&[root.join("p").into()]).err(), Some(SandboxError::Unreadable(attributes)));
    }

    #[test]
    fn files_that_run_later_are_found() {
        let names = [
            "p/.git/config",
            "p/.git/hooks/",
            "p/.git/objects/",
            "p/.git/info/attributes",
            "p/.sekisho/config.json",
            "p/.MCP.json",
            "p/a/b/.git",
            "p/a/b/c/.husky/x/",
            "p/a/b/c/d/.git/config",
            "p/bare/HEAD",
            "p/bare/objects/",
            "p/bare/refs/",
            "p/bare/config",
            "p/src/config",
        ];
        let (_dir, root) = tree(&names);
        let [read_only, pinned, settings] = found_in(&root, &["p", "p/src"]);
        let expected = [
            "p/.MCP.json",
            "p/.git/config",
            "p/.git/hooks",
            "p/.git/info/attributes",
            "p/.sekisho",
            "p/a/b/.git",
            "p/a/b/c/.husky",
            "p/bare/config",
        ];
        assert_eq!(read_only, expected);
        assert_eq!(pinned, ["p/.git", "p/bare"]);
        let expected = [
            "p/.git/commondir",
            "p/.git/config.worktree",
            "p/.git/hooks",
            "p/bare/commondir",
            "p/bare/config.worktree",
            "p/bare/hooks",
        ];
        assert_eq!(settings, expected);
        // A part that somebody named is meant, and no other.
        let [read_only, _, settings] = found_in(&root, &["p", "p/.git/hooks"]);
        let hooks = "p/.git/hooks".to_owned();
        assert!(!read_only.contains(&hooks) && !settings.contains(&hooks), "{read_only:?} {settings:?}");
        let [read_only, ..] = found_in(&root, &["p", "p/a/b/c/.husky/x"]);
        assert!(read_only.contains(&"p/a/b/c/.husky".to_owned()), "{read_only:?}");
        assert_eq!(found_in(&root, &["p/src"]), [const { Vec::<String>::new() }; 3]);
    }

    #[test]
    fn files_that_the_config_names_are_found() {
        let (_dir, root) = tree(&["p/.git/hooks/", "p/tools/hooks/x"]);
        let config = "[core]\nhooksPath = tools/hooks\n[include]\npath = ../extra\npath = /etc/x\n";
        fs::write(root.join("p/.git/config"), config).unwrap();
        let [read_only, pinned, settings] = found_in(&root, &["p"]);
        assert_eq!(pinned, ["p/.git", "p/tools"]);
        assert!(read_only.contains(&"p/tools/hooks".to_owned()), "{read_only:?}");
        assert!(settings.contains(&"p/extra".to_owned()), "{settings:?}");
        // Directories on the way need not exist yet.
        symlink("tools", root.join("p/link")).unwrap();
        let config = "[core]\nhooksPath = build/git/hooks\n[include]\npath = ../link/x/y\n";
        fs::write(root.join("p/.git/config"), config).unwrap();
        let [_, pinned, settings] = found_in(&root, &["p"]);
        assert_eq!(pinned, ["p/.git"]);
        assert!(settings.contains(&"p/build/git/hooks".to_owned()), "{settings:?}");
        assert!(!settings.contains(&"p/link/x/y".to_owned()), "{settings:?}");
        // The config of a work tree, and the program that `git status` runs.
        fs::write(root.join("p/.git/config"), "[core]\nfsmonitor = tools/monitor --all\n").unwrap();
        fs::write(root.join("p/.git/config.worktree"), "[core]\nhooksPath = tools/hooks\n").unwrap();
        fs::write(root.join("p/tools/monitor"), "").unwrap();
        let [read_only, ..] = found_in(&root, &["p"]);
        for name in ["p/tools/hooks", "p/tools/monitor"] {
            assert!(read_only.contains(&name.to_owned()), "{name}: {read_only:?}");
        }
        // It is unknown what such a config names.
        fs::write(root.join("p/.git/config"), "[core]\nhooksPath = a\\x\n").unwrap();
        let expected = SandboxError::NotUnderstood(root.join("p/.git/config"));
        assert_eq!(find(&[root.join("p").into()]), Err(expected));
    }

    /// A command may have made the repository below.
    #[test]
    fn repository_names_only_files_of_its_own_work_tree() {
        let (_dir, root) = tree(&["p/.git/objects/", "p/z/.git/hooks/", "p/z/own/", "p/report"]);
        let config = "[core]\nhooksPath = ../.git/objects\n[include]\npath = ../../report\npath = ../own\n";
        fs::write(root.join("p/z/.git/config"), config).unwrap();
        let [read_only, pinned, settings] = found_in(&root, &["p"]);
        assert!(read_only.contains(&"p/z/own".to_owned()), "{read_only:?}");
        for name in ["p/.git/objects", "p/report"] {
            let name = name.to_owned();
            assert!(
                !read_only.contains(&name) && !pinned.contains(&name) && !settings.contains(&name),
                "{name}"
            );
        }
    }

    #[test]
    fn files_that_tools_run_are_kept_near_the_top() {
        let names =
            ["p/lefthook.yml", "p/hooks/pre-commit", "p/node_modules/x/lefthook.yml", "p/.jj/x", "p/.run/x"];
        let (_dir, root) = tree(&names);
        assert_eq!(found_in(&root, &["p"])[0], ["p/.run", "p/hooks/pre-commit", "p/lefthook.yml"]);
    }

    #[test]
    fn every_named_directory_is_searched() {
        let (_dir, root) = tree(&["p/a/b/c/d/.git/hooks/"]);
        assert_eq!(found_in(&root, &["p"])[0], Vec::<String>::new());
        let found = found_in(&root, &["p/a/b/c/d"]);
        assert_eq!(found[0], ["p/a/b/c/d/.git/hooks"]);
        assert_eq!(found_in(&root, &["p", "p/a/b/c/d"]), found);
    }

    #[test]
    fn exchanged_directory_is_not_searched() {
        let (_dir, root) = tree(&["p/.git/hooks/", "q/"]);
        let id = sekisho_sandbox::DirectoryId::of(&fs::metadata(root.join("p")).unwrap());
        let planned = |name: &str| PlannedDir { path: root.join(name), id: Some(id) };
        assert!(find(&[planned("p")]).is_ok());
        assert_eq!(find(&[planned("q")]), Err(SandboxError::Exchanged(root.join("q"))));
        symlink("p", root.join("link")).unwrap();
        assert_eq!(find(&[planned("link")]), Err(SandboxError::Exchanged(root.join("link"))));
    }

    /// A narrow writable directory lies in a repository, or in a linked work tree of one.
    #[test]
    fn files_that_the_config_of_a_repository_above_names_are_found() {
        let names = ["p/.git/worktrees/w/", "p/src/a/hooks/x", "w/src/a/hooks/x", "w/.git", "p/src/b/"];
        let (_dir, root) = tree(&names);
        fs::write(root.join("w/.git"), format!("gitdir: {}/p/.git/worktrees/w\n", root.display())).unwrap();
        fs::write(root.join("p/.git/worktrees/w/commondir"), "../..\n").unwrap();
        let config = "[core]\nhooksPath = src/a/hooks\n[include]\npath = ../src/gc\n";
        fs::write(root.join("p/.git/config"), config).unwrap();
        let expected =
            [["p/src/a/hooks"], ["p/src/a"], ["p/src/gc"]].map(|names| names.map(str::to_owned).to_vec());
        assert_eq!(found_in(&root, &["p/src"]), expected);
        let [read_only, pinned, _] = found_in(&root, &["w/src"]);
        assert_eq!((read_only, pinned), (vec!["w/src/a/hooks".into()], vec!["w/src/a".into()]));
        // Named itself, or elsewhere.
        for writable in ["p/src/a/hooks", "p/src/b"] {
            assert_eq!(found_in(&root, &[writable]), [const { Vec::<String>::new() }; 3], "{writable}");
        }
    }

    #[test]
    fn links_in_their_place_are_refused() {
        for name in [".git", ".sekisho", "sub/.git/hooks"] {
            let (_dir, root) = tree(&["p/sub/.git/config", "elsewhere/"]);
            symlink(root.join("elsewhere"), root.join("p").join(name)).unwrap();
            let expected = SandboxError::LinkInRepository(root.join("p").join(name));
            assert_eq!(find(&[root.join("p").into()]), Err(expected));
        }
    }

    #[test]
    fn git_directories_of_submodules_and_work_trees_are_found() {
        let names = [
            "p/.git/config",
            "p/.git/hooks/",
            "p/.git/modules/lib/deep/HEAD",
            "p/.git/modules/lib/deep/config",
            "p/.git/modules/lib/deep/modules/inner/HEAD",
            "p/.git/worktrees/w/HEAD",
            "p/.git/worktrees/w/commondir",
            "p/.git/worktrees/w/gitdir",
        ];
        let (_dir, root) = tree(&names);
        symlink("lib", root.join("p/.git/modules/link")).unwrap();
        let [read_only, pinned, settings] = found_in(&root, &["p"]);
        let below = |names: &[String]| -> Vec<String> {
            let shorter = names.iter().filter_map(|name| name.strip_prefix("p/.git/"));
            shorter.map(str::to_owned).collect()
        };
        let expected =
            ["config", "hooks", "modules/lib/deep/config", "worktrees/w/commondir", "worktrees/w/gitdir"];
        assert_eq!(below(&read_only), expected);
        let expected = [
            "modules",
            "modules/lib",
            "modules/lib/deep",
            "modules/lib/deep/modules",
            "modules/lib/deep/modules/inner",
            "worktrees",
            "worktrees/w",
        ];
        assert_eq!(below(&pinned), expected);
        for name in
            ["modules/lib/deep/commondir", "modules/lib/deep/modules/inner/config", "worktrees/w/hooks"]
        {
            assert!(below(&settings).contains(&name.to_owned()), "{name}: {settings:?}");
        }
    }

    #[test]
    fn too_many_files_are_refused_with_their_number() {
        let (_dir, root) = tree(&["p/"]);
        for number in 0..=MOST_KEPT {
            let dir = root.join("p").join(number.to_string());
            fs::create_dir(&dir).unwrap();
            fs::write(dir.join(".envrc"), "").unwrap();
        }
        let said = find(&[root.join("p").into()]).unwrap_err().to_string();
        assert!(said.contains("1001 files") && said.contains("at most 1000"), "{said}");
        fs::remove_file(root.join("p/7/.envrc")).unwrap();
        assert_eq!(found_in(&root, &["p"])[0].len(), MOST_KEPT);
    }

    #[test]
    fn planted_config_does_not_use_up_the_limit() {
        let (_dir, root) = tree(&["p/a/.git/deep/", "p/a/.git/modules/m/config"]);
        fs::write(
            root.join("p/a/.git/config"),
            format!("[core]\n{}", "hooksPath = .git/deep/x\n".repeat(MOST_KEPT)),
        )
        .unwrap();
        let [read_only, ..] = found_in(&root, &["p"]);
        assert!(read_only.contains(&"p/a/.git/modules/m/config".to_owned()), "{read_only:?}");
    }

    #[test]
    fn search_ends() {
        let (_dir, root) = tree(&["p/many/"]);
        for number in 0..=MOST_ENTRIES {
            fs::write(root.join("p/many").join(number.to_string()), "").unwrap();
        }
        for name in ["p/.sekisho", "p/many/.sekisho", "p/z/.git/hooks"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        let [read_only, ..] = found_in(&root, &["p"]);
        assert!(
            read_only.contains(&"p/.sekisho".to_owned()) && read_only.contains(&"p/z/.git/hooks".to_owned())
        );
        // Directly in a writable directory, all names are looked at.
        assert_eq!(found_in(&root, &["p/many"])[0], ["p/many/.sekisho"]);
    }
}
