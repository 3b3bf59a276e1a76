//! Finds the repository of a directory the way git does.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use sekisho_policy::RepositoryProblem as Problem;

use super::index::{self, LARGEST_INDEX};
use super::scan::{Kind, LARGEST_TEXT, RepositoryScan};
use super::tracked_files::TrackedFiles;
use crate::link_target::{is_of_process, link_target};

/// How deep nested submodules are followed, and how many repositories are scanned in all.
const DEEPEST: u8 = 4;
const MOST: usize = 256;

/// A repository and its work tree. All paths are resolved.
#[derive(Debug)]
pub(super) struct RepositoryPaths {
    /// The directory that contains `.git`.
    pub(super) tree: PathBuf,
    pub(super) git_dir: PathBuf,
    /// Where config, objects and refs are: differs from `git_dir` in a linked work tree.
    pub(super) common: PathBuf,
    pub(super) kind: GitDirKind,
}

impl RepositoryPaths {
    /// Whether a resolved path is in the work tree, in the repository, or in the repository's main work tree.
    pub(super) fn holds(&self, path: &Path) -> bool {
        let first = self.common.parent().filter(|_| self.common.file_name() == Some(OsStr::new(".git")));
        path.starts_with(&self.tree)
            || path.starts_with(&self.common)
            || first.is_some_and(|first| path.starts_with(first))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GitDirKind {
    /// `.git` is the repository.
    Plain,
    /// `.git` is a file that leads to a work tree's part of another repository, and that part leads back.
    Linked,
    /// `.git` is a file that leads to a repository, whose `core.worktree` must lead back.
    Separate,
}

impl RepositoryScan {
    /// Scans the repository that git would find from a resolved directory.
    pub(super) fn scan_directory(&mut self, directory: &Path, home: Option<&Path>) {
        for level in directory.ancestors() {
            if let Some(paths) = self.scan_level(level, 0) {
                self.scan_refusals(directory, &paths);
                self.scan_user_config(home, &paths);
                return;
            }
            if !self.findings.is_empty() {
                return;
            }
            // Git recognises a bare repository by the files in a directory.
            let exists =
                |scan: &mut RepositoryScan, name: &str| scan.kind(&level.join(name)).0 != Kind::Absent;
            if exists(self, "HEAD")
                && ["config", "commondir", "objects", "refs"].iter().any(|name| exists(self, name))
            {
                self.add_finding(Problem::LooksBare, level);
                return;
            }
        }
        self.add_finding(Problem::Absent, directory);
        // The user's own config is read anyway.
        let git_dir = directory.join(".git");
        let (tree, common) = (directory.to_owned(), git_dir.clone());
        self.scan_user_config(home, &RepositoryPaths { tree, git_dir, common, kind: GitDirKind::Plain });
    }

    /// Finds reasons for which git skips a repository: it belongs to another user, or is on another file
    /// system.
    fn scan_refusals(&mut self, directory: &Path, paths: &RepositoryPaths) {
        let state = |path: &Path| path.symlink_metadata().ok();
        let user = rustix::process::geteuid().as_raw();
        let own = |path: &Path| state(path).is_some_and(|state| state.uid() == user);
        let owned = own(&paths.tree) && own(&paths.git_dir) && own(&paths.tree.join(".git"));
        let device = |path: &Path| state(path).map(|state| state.dev());
        let here = device(directory);
        let mut levels = directory.ancestors().skip(1).take_while(|level| level.starts_with(&paths.tree));
        let together = here.is_some() && levels.all(|level| device(level) == here);
        if !(owned && together) {
            self.add_finding(Problem::Absent, &paths.tree);
        }
    }

    /// Scans the repository whose `.git` is in a directory. `None` if there is none, or if git would not
    /// accept it.
    fn scan_level(&mut self, level: &Path, depth: u8) -> Option<RepositoryPaths> {
        let paths = self.locate_at(level)?;
        self.visited += 1;
        if depth > DEEPEST || self.visited > MOST {
            self.add_finding(Problem::TooMuch, &paths.git_dir);
            return None;
        }
        self.scan_repository(&paths, depth)?;
        Some(paths)
    }

    /// Where `.git` in a directory leads. `None` if there is none, or if it leads to nothing that is
    /// followed.
    fn locate_at(&mut self, level: &Path) -> Option<RepositoryPaths> {
        let dot_git = level.join(".git");
        match self.kind(&dot_git).0 {
            Kind::Absent => {}
            Kind::Directory => {
                let (git_dir, common) = (dot_git.clone(), dot_git);
                return Some(RepositoryPaths {
                    tree: level.into(),
                    git_dir,
                    common,
                    kind: GitDirKind::Plain,
                });
            }
            Kind::File => return self.follow_gitfile(&dot_git, level),
            Kind::Link => self.add_finding(Problem::Link, &dot_git),
            Kind::Other => self.add_finding(Problem::NotRepository, &dot_git),
        }
        None
    }

    /// Follows a `.git` file to its repository.
    fn follow_gitfile(&mut self, dot_git: &Path, tree: &Path) -> Option<RepositoryPaths> {
        let content = self.read(dot_git, LARGEST_TEXT).ok()??;
        let git_dir = content.strip_prefix(b"gitdir: ").and_then(|path| directory_in(tree, path));
        let Some(git_dir) = git_dir else {
            self.add_finding(Problem::Redirect, dot_git);
            return None;
        };
        let commondir = git_dir.join("commondir");
        let Some(common) = self.read(&commondir, LARGEST_TEXT).ok()? else {
            let common = git_dir.clone();
            return Some(RepositoryPaths { tree: tree.into(), git_dir, common, kind: GitDirKind::Separate });
        };
        let Some(common) = directory_in(&git_dir, &common) else {
            self.add_finding(Problem::Redirect, &commondir);
            return None;
        };
        if git_dir.parent() != Some(&common.join("worktrees")) {
            self.add_finding(Problem::Redirect, &commondir);
            return None;
        }
        // The repository's own record of where the work tree is.
        let gitdir = git_dir.join("gitdir");
        let back = self.read(&gitdir, LARGEST_TEXT).ok()?.unwrap_or_default();
        let back = git_dir.join(OsStr::from_bytes(back.trim_ascii_end()));
        let leads_back = back.file_name() == Some(OsStr::new(".git"))
            && back.parent().and_then(|parent| link_target(parent).ok()).as_deref() == Some(tree);
        if !leads_back {
            self.add_finding(Problem::Redirect, &gitdir);
            return None;
        }
        Some(RepositoryPaths { tree: tree.into(), git_dir, common, kind: GitDirKind::Linked })
    }

    /// Scans everything in a repository that git may read. `None` if git would not accept it as a repository.
    fn scan_repository(&mut self, paths: &RepositoryPaths, depth: u8) -> Option<()> {
        let RepositoryPaths { git_dir, common, .. } = paths;
        let head = git_dir.join("HEAD");
        let content = self.read(&head, LARGEST_TEXT).ok()?;
        let is_directory = |scan: &mut RepositoryScan, name: &str| {
            let path = common.join(name);
            scan.kind(&path).0 == Kind::Directory && access(&path, Access::EXEC_OK).is_ok()
        };
        if !content.is_some_and(|content| is_head(&content)) {
            self.add_finding(Problem::NotRepository, &head);
            return None;
        }
        for name in ["objects", "refs"] {
            if !is_directory(self, name) {
                self.add_finding(Problem::NotRepository, &common.join(name));
                return None;
            }
        }
        let commondir = git_dir.join("commondir");
        if paths.kind != GitDirKind::Linked && self.kind(&commondir).0 != Kind::Absent {
            self.add_finding(Problem::Redirect, &commondir);
            return None;
        }
        let hash = self.scan_configs(paths);
        self.scan_hooks(&common.join("hooks"), None);
        self.scan_foreign_hooks(&common.join("hooks"), None, paths);
        self.scan_alternates(&common.join("objects"), common, 0);
        self.scan_left_state(paths);
        let shared = self.scan_symlinks(paths);
        let gitmodules = paths.tree.join(".gitmodules");
        if self.kind(&gitmodules).0 == Kind::Link {
            self.add_finding(Problem::Link, &gitmodules);
        }
        self.scan_indexes(paths, shared, hash, depth);
        Some(())
    }

    /// Scans the repositories inside this one that git would read.
    fn scan_indexes(&mut self, paths: &RepositoryPaths, shared: Vec<PathBuf>, hash: usize, depth: u8) {
        let (mut submodules, mut directories) = (Vec::new(), Vec::new());
        let mut indexes = Vec::new();
        for name in std::iter::once(paths.git_dir.join("index")).chain(shared) {
            let Ok(content) = self.read(&name, LARGEST_INDEX) else { continue };
            match index::read(&content.unwrap_or_default(), hash) {
                None => self.add_finding(Problem::Unreadable, &name),
                Some(found) if found.leads_out => self.add_finding(Problem::Index, &name),
                Some(found) => {
                    submodules.extend(found.submodules);
                    directories.push(found.directories);
                }
            }
            indexes.push(name);
        }
        if depth == 0 {
            self.tracked = Some(TrackedFiles { tree: paths.tree.clone(), directories, indexes, hash });
        }
        submodules.sort_unstable();
        submodules.dedup();
        let outer = std::mem::replace(&mut self.in_submodule, true);
        for path in submodules {
            let inner = paths.tree.join(OsStr::from_bytes(&path));
            match link_target(&inner) {
                // A link leads to it: the files there belong to something else.
                Ok(resolved) if resolved != inner => self.add_finding(Problem::Link, &inner),
                Ok(_) => {
                    self.scan_level(&inner, depth + 1);
                }
                // Nothing is there to scan yet. Its stamp is taken, because it may appear.
                Err(_) => {
                    self.kind(&inner);
                }
            }
        }
        self.in_submodule = outer;
    }

    /// Finds objects that are taken from elsewhere.
    fn scan_alternates(&mut self, objects: &Path, common: &Path, depth: u8) {
        let file = objects.join("info/alternates");
        let Ok(Some(content)) = self.read(&file, LARGEST_TEXT) else { return };
        for line in content.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let inside = match line {
                [b'#', ..] => continue,
                [b'"', ..] => None,
                _ => link_target(&objects.join(OsStr::from_bytes(line))).ok(),
            };
            match inside.filter(|path| path.starts_with(common) && depth < DEEPEST) {
                Some(other) => self.scan_alternates(&other, common, depth + 1),
                None => {
                    self.add_finding(Problem::Alternates, &file);
                    return;
                }
            }
        }
    }

    /// Finds a hook that read-only commands run: git refreshes the index and runs it.
    pub(super) fn scan_hooks(&mut self, hooks: &Path, key: Option<String>) {
        let hook = hooks.join("post-index-change");
        let (kind, mode) = self.kind(&hook);
        let runs = match kind {
            Kind::Absent | Kind::Directory => false,
            Kind::File => mode & 0o111 != 0,
            Kind::Link | Kind::Other => true,
        };
        if runs {
            self.add_setting_finding(Problem::Hook, &hook, key);
        }
    }
}

/// The directory that a gitfile or `commondir` names: relative to the file, without the line's end. Any other
/// blank is part of the name, and a NUL would end it.
fn directory_in(base: &Path, path: &[u8]) -> Option<PathBuf> {
    let end = path.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r'))?;
    let path = path.get(..=end)?;
    if memchr::memchr(0, path).is_some() {
        return None;
    }
    link_target(&base.join(OsStr::from_bytes(path))).ok().filter(|found| !is_of_process(found))
}

/// Whether git accepts a file as the `HEAD` of a repository.
fn is_head(content: &[u8]) -> bool {
    let content = content.get(..255).unwrap_or(content);
    match content.strip_prefix(b"ref:") {
        Some(name) => {
            let blanks = name.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
            name.get(blanks..).is_some_and(|name| name.starts_with(b"refs/"))
        }
        None => content.get(..40).is_some_and(|id| id.iter().all(u8::is_ascii_hexdigit)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{DEEPEST, GitDirKind, MOST, Problem, RepositoryPaths, RepositoryScan, is_head};

    fn problems(scan: &RepositoryScan) -> Vec<Problem> {
        scan.findings.iter().map(|finding| finding.problem).collect()
    }

    #[test]
    fn repository_holds_its_work_trees() {
        let paths = |common: &str| RepositoryPaths {
            tree: "/t".into(),
            git_dir: "/x".into(),
            common: common.into(),
            kind: GitDirKind::Linked,
        };
        for path in ["/t/a", "/r/.git/a", "/r/a"] {
            assert!(paths("/r/.git").holds(Path::new(path)), "{path}");
        }
        assert!(!paths("/r/.git").holds(Path::new("/a")));
        assert!(!paths("/r/modules/m").holds(Path::new("/r/modules/n")));
    }

    #[test]
    fn git_directory_of_nobody_may_be_refused() {
        let directory = tempfile::tempdir().unwrap();
        let tree = directory.path().to_owned();
        fs::create_dir(tree.join(".git")).unwrap();
        let refusals = |git_dir: PathBuf| {
            let paths = RepositoryPaths {
                tree: tree.clone(),
                common: git_dir.clone(),
                git_dir,
                kind: GitDirKind::Plain,
            };
            let mut scan = RepositoryScan::default();
            scan.scan_refusals(&tree, &paths);
            problems(&scan)
        };
        assert_eq!(refusals(tree.join(".git")), []);
        assert_eq!(refusals(tree.join("none")), [Problem::Absent]);
    }

    #[test]
    fn nested_and_many_repositories_are_limited() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["objects", "refs"] {
            fs::create_dir_all(directory.path().join(".git").join(name)).unwrap();
        }
        fs::write(directory.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let level = |depth: u8, visited: usize| {
            let mut scan = RepositoryScan::default();
            scan.visited = visited;
            let found = scan.scan_level(directory.path(), depth).is_some();
            (found, problems(&scan))
        };
        assert_eq!(level(DEEPEST, MOST - 1), (true, vec![]));
        assert_eq!(level(DEEPEST + 1, 0), (false, vec![Problem::TooMuch]));
        assert_eq!(level(0, MOST), (false, vec![Problem::TooMuch]));
    }

    #[test]
    fn alternates_are_followed_to_a_limit() {
        let directory = tempfile::tempdir().unwrap();
        let common = directory.path().canonicalize().unwrap();
        fs::create_dir_all(common.join("objects/info")).unwrap();
        fs::create_dir(common.join("more")).unwrap();
        fs::write(common.join("objects/info/alternates"), "../more\n").unwrap();
        let alternates = |depth: u8| {
            let mut scan = RepositoryScan::default();
            scan.scan_alternates(&common.join("objects"), &common, depth);
            problems(&scan)
        };
        assert_eq!(alternates(DEEPEST - 1), []);
        assert_eq!(alternates(DEEPEST), [Problem::Alternates]);
    }

    #[test]
    fn heads_are_recognised_as_in_git() {
        for head in ["ref: refs/heads/main\n", "ref:\t\n refs/x", "ref:refs/x"] {
            assert!(is_head(head.as_bytes()), "{head}");
        }
        assert!(is_head(format!("{}junk", "0a".repeat(20)).as_bytes()));
        for no_head in ["", " ref: refs/heads/main", "ref: foo/x", "0a", "refs/heads/main", "ref: "] {
            assert!(!is_head(no_head.as_bytes()), "{no_head}");
        }
        assert!(!is_head(format!("ref:{}refs/x", " ".repeat(255)).as_bytes()));
    }
}
