//! Where sekisho's files are, and where the workspace begins.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::HostError;
use crate::named_directory::named_directory;
use crate::real_path::{LONGEST, real_path};
use crate::root_identity::RootIdentity;

/// The config file of a project, relative to its root.
pub const PROJECT_CONFIG: &str = ".sekisho/config.json";

/// Where sekisho's own files are on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locations {
    /// The administrator's config.
    pub managed: PathBuf,
    /// The user's config.
    pub global: PathBuf,
    /// Whether the user named the global config. If it is then missing, that is an error, because the
    /// intended rules are missing.
    pub global_is_named: bool,
    /// The directory for sekisho's own state: trust, locks, hooks.
    pub state: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// What leads to our own server, as it appears in a command: `127.0.0.1:8787`, the path of its socket.
    pub doors: Vec<String>,
}

impl Locations {
    /// The files of sekisho that a policy depends on.
    pub fn files(&self) -> Vec<PathBuf> {
        // A directory counts as changed when a file in it is replaced.
        vec![
            self.managed.clone(),
            self.global.clone(),
            self.state.join("trust.json"),
            self.state.join("hooks"),
        ]
    }
}

/// Where an agent works. Both directories exist and are free of links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// The workspace root, fixed for a session.
    pub root: PathBuf,
    /// The directory the agent is in.
    pub cwd: PathBuf,
}

impl Workspace {
    /// Finds the root: as requested, else as the agent reports it, else the git top level, else `cwd` itself. The
    /// requested one must not be reached through a link that a sandboxed command could have made.
    pub fn find(
        requested: Option<&Path>,
        reported: Option<&Path>,
        cwd: &Path,
    ) -> Result<Workspace, HostError> {
        let cwd = directory(cwd)?;
        let root = match (requested, reported) {
            (Some(root), _) => named_directory(root)?,
            (None, Some(root)) => directory(root)?,
            (None, None) => git_top_level(&cwd).unwrap_or(&cwd).to_path_buf(),
        };
        Ok(Workspace { root, cwd })
    }

    /// The same workspace with the agent in another directory. The root stays.
    pub fn at(&self, cwd: &Path) -> Result<Workspace, HostError> {
        Ok(Workspace { root: self.root.clone(), cwd: directory(cwd)? })
    }

    /// The project file that can loosen.
    pub fn config(&self) -> PathBuf {
        self.root.join(PROJECT_CONFIG)
    }

    /// Every path where a project file can be: at the root, above it, and down to the agent's directory.
    pub fn configs(&self) -> Vec<PathBuf> {
        let directories: BTreeSet<&Path> = self.root.ancestors().chain(self.cwd.ancestors()).collect();
        directories.into_iter().map(|directory| directory.join(PROJECT_CONFIG)).collect()
    }
}

/// The project files that apply to a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProjectFiles {
    files: Vec<PathBuf>,
    loosens: Option<PathBuf>,
    /// Which directory the root must be, if that is known.
    root: Option<RootIdentity>,
}

impl ProjectFiles {
    /// The project files of a workspace: the file at its root can loosen.
    pub fn of(workspace: &Workspace) -> ProjectFiles {
        ProjectFiles { files: workspace.configs(), loosens: Some(workspace.config()), root: None }
    }

    /// The project files at and above some directories, none of which can loosen. The directories may be any
    /// claim: if a link leads elsewhere, the files of both paths count, and a name that does not exist hides
    /// none.
    pub fn restrict_only<'a>(directories: impl IntoIterator<Item = &'a Path>) -> ProjectFiles {
        let mut files = BTreeSet::new();
        for directory in directories.into_iter().filter(|directory| directory.is_absolute()) {
            let resolved = real_path(directory);
            for start in [directory, &resolved] {
                let short = start.ancestors().filter(|above| above.as_os_str().len() < LONGEST);
                files.extend(short.map(|above| above.join(PROJECT_CONFIG)));
            }
        }
        ProjectFiles { files: files.into_iter().collect(), loosens: None, root: None }
    }

    /// Lets the file at a root loosen.
    #[must_use]
    pub fn with_loosening_root(mut self, root: &Path) -> ProjectFiles {
        self.loosens = Some(root.join(PROJECT_CONFIG));
        self
    }

    /// Says which directory the root must be, by the numbers of its device and inode. While another one is there, the
    /// files do not load.
    #[must_use]
    pub fn with_root_identity(mut self, path: &Path, device: u64, inode: u64) -> ProjectFiles {
        self.root = Some(RootIdentity { path: path.to_owned(), device, inode });
        self
    }

    pub(crate) fn root_identity(&self) -> Option<&RootIdentity> {
        self.root.as_ref()
    }

    /// The paths of the files.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    pub(crate) fn can_loosen(&self, file: &Path) -> bool {
        self.loosens.as_deref() == Some(file)
    }
}

/// An existing directory, free of links.
fn directory(path: &Path) -> Result<PathBuf, HostError> {
    let found = path.canonicalize().map_err(|error| HostError::io(path, &error))?;
    if found.is_dir() { Ok(found) } else { Err(HostError::file(path, "not a directory")) }
}

/// The nearest directory at or above `cwd` that git would accept as a repository.
fn git_top_level(cwd: &Path) -> Option<&Path> {
    cwd.ancestors().find(|directory| {
        let git = directory.join(".git");
        // A worktree or submodule has a file there. Git skips a directory without `HEAD`.
        git.is_file() || git.join("HEAD").symlink_metadata().is_ok()
    })
}
