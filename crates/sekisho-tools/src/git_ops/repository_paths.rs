//! The directories of a repository, found without git.
//!
//! Git looks for a repository in every directory on the way up, accepts any directory that looks like a repository,
//! and follows files in it that point anywhere. Here only a `.git` directory counts, or a `.git` file that points into
//! the project, or into the `worktrees` directory of a repository that points back to this `.git` file.
//!
//! Another program may exchange a directory above for a link while git is started. So the directories are known by their
//! ids, beginning with that of the project, and the helper of the sandbox lets git reach no others.

use std::fmt;
use std::fs::{self, File};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, statat};

use super::special_files;
use crate::contained_write::{absolute, open_directory_beneath, open_without_links};
use crate::input_fields::shown_path;
use crate::sandbox::{DirectoryId, PlannedDir};

/// The longest `.git` file that is read.
const MAX_POINTER: u64 = 4096;
/// How many files of a repository are looked at for links.
const MAX_ENTRIES: usize = 50_000;
/// How long a chain of `alternates` files may be.
const DEEPEST_ALTERNATES: usize = 5;

/// The directories of a repository, absolute and without links, with their ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryPaths {
    /// The top of the work tree.
    pub work_tree: PlannedDir,
    /// Its own git directory: HEAD and index.
    pub git_dir: PlannedDir,
    /// The directory that linked work trees share (config, objects, refs). Usually the same as `git_dir`.
    pub common_dir: PlannedDir,
}

/// Why a repository is not used.
#[derive(Debug)]
pub enum RepositoryProblem {
    /// There is none.
    NotFound,
    /// It belongs to another user.
    ForeignOwner(PathBuf),
    /// `.git` is a link, or a file that cannot be understood.
    Unusable(PathBuf),
    /// Its git directory is outside the project.
    Outside(PathBuf),
    /// Its work tree reaches outside the project, so nothing may be changed.
    WorkTreeOutside(PathBuf),
    /// A file in its git directory (`commondir` or `alternates`) makes it use another repository.
    Shared(PathBuf),
    /// A symbolic link in the git directory. The repository is not used, not even for reading.
    Link(PathBuf),
    /// A FIFO or device where git reads a file. The repository is not used.
    Special(PathBuf),
    /// A file that git writes in place has a second name, perhaps elsewhere.
    HardLink(PathBuf),
    /// The git directory has more files than are searched for links. The repository is not used.
    TooManyFiles(PathBuf),
    /// The project is reached through a link, or was exchanged for another directory.
    Exchanged(PathBuf),
    /// A directory cannot be read.
    Io(PathBuf, std::io::Error),
}

impl fmt::Display for RepositoryProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use RepositoryProblem::{
            Exchanged, ForeignOwner, HardLink, Io, Link, NotFound, Outside, Shared, Special, TooManyFiles,
            Unusable, WorkTreeOutside,
        };
        match self {
            NotFound => f.write_str("not a git repository (or any of the parent directories)"),
            ForeignOwner(path) => write!(f, "{} belongs to another user", shown_path(path)),
            Unusable(path) => {
                write!(f, "{} is neither a directory nor a file that names one", shown_path(path))
            }
            Outside(path) => write!(f, "the git directory {} is outside the project", shown_path(path)),
            WorkTreeOutside(path) => {
                write!(f, "the work tree {} reaches outside the project and is not changed", shown_path(path))
            }
            Shared(path) => {
                write!(f, "{} makes this repository use files of another repository", shown_path(path))
            }
            Link(path) => write!(f, "{} is a symbolic link; the repository is not used", shown_path(path)),
            Special(path) => write!(
                f,
                "{} is a FIFO or a device, which git would wait for; remove it to use the repository",
                shown_path(path)
            ),
            HardLink(path) => write!(
                f,
                "{} has a second hard link, through which git would write to another file; replace it by a copy",
                shown_path(path)
            ),
            TooManyFiles(path) => write!(
                f,
                "{} has too many files to search for symbolic links; the repository is not used",
                shown_path(path)
            ),
            Exchanged(path) => {
                write!(f, "{} is a link, or was exchanged for another directory", shown_path(path))
            }
            Io(path, error) => write!(f, "{}: {error}", shown_path(path)),
        }
    }
}

impl RepositoryPaths {
    /// Finds the repository of a directory, which must be the one with this id. `writes`: it will be changed.
    pub fn find(
        project: &Path,
        id: Option<DirectoryId>,
        writes: bool,
    ) -> Result<RepositoryPaths, RepositoryProblem> {
        let exchanged = || RepositoryProblem::Exchanged(project.into());
        let opened = open_without_links(project).map_err(|_| exchanged())?;
        let found = File::from(opened).metadata().map_err(|_| exchanged())?;
        let id = id.filter(|id| *id == DirectoryId::of(&found)).ok_or_else(exchanged)?;
        let owners = owners(rustix::process::geteuid().as_raw(), Some(found.uid()));
        for directory in project.ancestors() {
            let entry = directory.join(".git");
            let Ok(metadata) = fs::symlink_metadata(&entry) else { continue };
            if !owners.contains(&metadata.uid()) {
                return Err(RepositoryProblem::ForeignOwner(entry));
            }
            let mut found = if metadata.is_dir() {
                RepositoryPaths {
                    work_tree: directory.to_owned().into(),
                    common_dir: entry.clone().into(),
                    git_dir: entry.into(),
                }
            } else if metadata.is_file() {
                linked(directory, &entry, project)?
            } else {
                return Err(RepositoryProblem::Unusable(entry));
            };
            // Like git, ignore a `.git` directory without HEAD.
            if fs::symlink_metadata(found.git_dir.path.join("HEAD")).is_err() {
                continue;
            }
            // Git takes refs from there even if GIT_COMMON_DIR says otherwise.
            let shares = found.git_dir.path.join("commondir");
            if found.common_dir == found.git_dir && fs::symlink_metadata(&shares).is_ok() {
                return Err(RepositoryProblem::Shared(shares));
            }
            if writes && !found.work_tree.path.starts_with(project) {
                return Err(RepositoryProblem::WorkTreeOutside(found.work_tree.path));
            }
            found.identify(project, id, &owners)?;
            found.refuse_links_and_special_files(writes)?;
            if let Some(special) = special_files::in_work_tree(&found.work_tree.path, project) {
                return Err(RepositoryProblem::Special(special));
            }
            found.refuse_objects_elsewhere(project)?;
            return Ok(found);
        }
        Err(RepositoryProblem::NotFound)
    }

    /// Sets the ids, beginning with the project's: the work tree contains it, and a git directory in the work tree is
    /// opened from there.
    fn identify(&mut self, project: &Path, id: DirectoryId, owners: &[u32]) -> Result<(), RepositoryProblem> {
        let exchanged = || RepositoryProblem::Exchanged(project.into());
        let tree = open_without_links(&self.work_tree.path).map_err(|_| exchanged())?;
        let below = project.strip_prefix(&self.work_tree.path).map_err(|_| exchanged())?;
        let found = open_directory_beneath(tree.as_fd(), below).and_then(|dir| File::from(dir).metadata());
        if !found.is_ok_and(|found| DirectoryId::of(&found) == id) {
            return Err(exchanged());
        }
        for dir in [&mut self.git_dir, &mut self.common_dir] {
            let opened = match dir.path.strip_prefix(&self.work_tree.path) {
                Ok(below) => open_directory_beneath(tree.as_fd(), below),
                Err(_) => open_without_links(&dir.path),
            };
            let found = opened.and_then(|opened| File::from(opened).metadata());
            let found = found.map_err(|error| RepositoryProblem::Io(dir.path.clone(), error))?;
            if !owners.contains(&found.uid()) {
                return Err(RepositoryProblem::ForeignOwner(dir.path.clone()));
            }
            dir.id = Some(DirectoryId::of(&found));
        }
        if !self.git_dir.path.starts_with(&self.work_tree.path) {
            self.check_pointer(&tree)?;
        }
        let found = File::from(tree).metadata().map_err(|_| exchanged())?;
        self.work_tree.id = Some(DirectoryId::of(&found));
        Ok(())
    }

    /// Makes sure that a git directory elsewhere belongs to the `.git` file of this very work tree.
    fn check_pointer(&self, tree: &OwnedFd) -> Result<(), RepositoryProblem> {
        let back = pointer(&self.git_dir.path.join("gitdir"))
            .and_then(|text| absolute(&self.git_dir.path, Path::new(&text)))
            .and_then(|path| fs::symlink_metadata(path).ok());
        let own = statat(tree, ".git", AtFlags::SYMLINK_NOFOLLOW).ok();
        match (back, own) {
            #[expect(clippy::useless_conversion, reason = "the types differ between systems")]
            (Some(back), Some(own))
                if (back.dev(), back.ino()) == (u64::from(own.st_dev), u64::from(own.st_ino)) =>
            {
                Ok(())
            }
            _ => Err(RepositoryProblem::Exchanged(self.work_tree.path.join(".git"))),
        }
    }

    /// Objects of another repository could be shown, so all of them must be in this one or in the project.
    fn refuse_objects_elsewhere(&self, project: &Path) -> Result<(), RepositoryProblem> {
        let mut open = vec![(self.common_dir.path.join("objects"), 0)];
        while let Some((objects, depth)) = open.pop() {
            let file = objects.join("info/alternates");
            let shared = || RepositoryProblem::Shared(file.clone());
            let found = match fs::symlink_metadata(&file) {
                Ok(found) => found,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(RepositoryProblem::Io(file, error)),
            };
            if !found.is_file() || found.len() > MAX_POINTER || depth >= DEEPEST_ALTERNATES {
                return Err(shared());
            }
            let text = fs::read_to_string(&file).map_err(|_| shared())?;
            for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                // Git reads such a line as a string with escapes.
                if line.starts_with('"') {
                    return Err(shared());
                }
                let other = absolute(&objects, Path::new(line)).and_then(|path| path.canonicalize().ok());
                let inside =
                    |path: &PathBuf| path.starts_with(project) || path.starts_with(&self.common_dir.path);
                open.push((other.filter(inside).ok_or_else(shared)?, depth + 1));
            }
        }
        Ok(())
    }

    /// Whether git may write a file without replacing it: messages and logs.
    fn is_written_in_place(&self, file: &Path) -> bool {
        let logs = [&self.git_dir, &self.common_dir].map(|dir| dir.path.join("logs"));
        let is_message = file.file_name().is_some_and(|name| name.as_encoded_bytes().ends_with(b"_EDITMSG"));
        is_message || logs.iter().any(|logs| file.starts_with(logs))
    }

    /// If one of git's own files is a link, git would write to the link's target. When reading, git prints lines that it
    /// cannot parse, and so could reveal the target's contents. It would wait for a FIFO. `writes`: neither may a file that
    /// git writes in place have a second hard link. Objects may, as `git clone` makes them: git replaces them, as it does
    /// refs and the index.
    fn refuse_links_and_special_files(&self, writes: bool) -> Result<(), RepositoryProblem> {
        let mut open = Vec::new();
        for directory in [&self.git_dir.path, &self.common_dir.path] {
            open.push((directory.clone(), false));
            open.extend(["info", "objects", "refs", "logs"].map(|name| (directory.join(name), true)));
        }
        let mut seen = 0;
        while let Some((directory, is_deep)) = open.pop() {
            let entries = match fs::read_dir(&directory) {
                Ok(entries) => entries,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(RepositoryProblem::Io(directory, error)),
            };
            for entry in entries {
                let failed = |error| RepositoryProblem::Io(directory.clone(), error);
                let entry = entry.map_err(failed)?;
                let kind = entry.file_type().map_err(failed)?;
                seen += 1;
                if kind.is_symlink() {
                    return Err(RepositoryProblem::Link(entry.path()));
                }
                if special_files::makes_git_wait(kind) {
                    return Err(RepositoryProblem::Special(entry.path()));
                }
                if writes && kind.is_file() && self.is_written_in_place(&entry.path()) {
                    let found = entry.metadata().map_err(failed)?;
                    if found.nlink() > 1 {
                        return Err(RepositoryProblem::HardLink(entry.path()));
                    }
                }
                if seen > MAX_ENTRIES {
                    return Err(RepositoryProblem::TooManyFiles(self.git_dir.path.clone()));
                }
                if kind.is_dir() && is_deep {
                    open.push((entry.path(), true));
                }
            }
        }
        Ok(())
    }
}

/// Who may own a repository. Git skips its own owner check when it is told which directory to use, so the check is made
/// here. Root may also use a repository that belongs to the owner of the project.
fn owners(user: u32, project_owner: Option<u32>) -> Vec<u32> {
    std::iter::once(user).chain(project_owner.filter(|_| user == 0)).collect()
}

/// The repository that a `.git` file names.
fn linked(work_tree: &Path, entry: &Path, project: &Path) -> Result<RepositoryPaths, RepositoryProblem> {
    let unusable = || RepositoryProblem::Unusable(entry.into());
    let text = pointer(entry).ok_or_else(unusable)?;
    let target = text.strip_prefix("gitdir: ").ok_or_else(unusable)?;
    let git_dir = real(&absolute(work_tree, Path::new(target)).ok_or_else(unusable)?)?;
    let common_dir = shared(&git_dir, entry);
    if common_dir.is_none() && !git_dir.starts_with(project) {
        return Err(RepositoryProblem::Outside(git_dir));
    }
    let common_dir = common_dir.unwrap_or_else(|| git_dir.clone());
    Ok(RepositoryPaths {
        work_tree: work_tree.to_owned().into(),
        git_dir: git_dir.into(),
        common_dir: common_dir.into(),
    })
}

/// The common directory of a linked work tree: `COMMON/worktrees/NAME`, whose file `gitdir` names this `.git` file.
/// Whoever controls only the work tree cannot write that file.
fn shared(git_dir: &Path, entry: &Path) -> Option<PathBuf> {
    let back = absolute(git_dir, Path::new(&pointer(&git_dir.join("gitdir"))?))?;
    let common = absolute(git_dir, Path::new(&pointer(&git_dir.join("commondir"))?))?.canonicalize().ok()?;
    let worktrees = git_dir.parent()?;
    let points_back = back.canonicalize().ok()? == entry.canonicalize().ok()?;
    let is_below = worktrees.file_name()? == "worktrees" && worktrees.parent()? == common;
    (points_back && is_below).then_some(common)
}

/// The text of a small file, without its line end.
fn pointer(path: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_POINTER {
        return None;
    }
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim_end_matches(['\n', '\r']);
    (!text.contains(['\0', '\n'])).then(|| text.to_owned())
}

fn real(path: &Path) -> Result<PathBuf, RepositoryProblem> {
    path.canonicalize().map_err(|error| RepositoryProblem::Io(path.into(), error))
}

#[cfg(test)]
mod tests {
    use super::owners;

    #[test]
    fn only_root_uses_repositories_of_others() {
        assert_eq!(owners(1000, Some(1000)), [1000]);
        assert_eq!(owners(1000, Some(0)), [1000]);
        assert_eq!(owners(1000, Some(1001)), [1000]);
        assert_eq!(owners(0, Some(1000)), [0, 1000]);
        assert_eq!(owners(0, None), [0]);
    }
}
