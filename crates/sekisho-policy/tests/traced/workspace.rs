//! The workspace that scripts run in: a git repository full of traps, and a home directory with a key.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The kind of the workspace's own repository.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Repo {
    /// Its config names no program.
    Plain,
    /// Its config names a program in every setting that can.
    Hostile,
}

/// A workspace on disk, removed when dropped.
pub(crate) struct Workspace {
    /// Contains `ws`, `home`, and `out` for the input and output of the sandbox.
    pub(crate) base: PathBuf,
}

impl Workspace {
    pub(crate) fn new(repo: Repo) -> Workspace {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("sekisho-traced-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let base = std::env::temp_dir().canonicalize().unwrap().join(name);
        std::fs::create_dir(&base).unwrap();
        let workspace = Workspace { base };
        let kind = if repo == Repo::Hostile { "hostile" } else { "plain" };
        let status = Command::new("bash")
            .args(["--norc", "--noprofile", "-c", include_str!("workspace.sh"), "workspace.sh"])
            .arg(&workspace.base)
            .arg(kind)
            .status()
            .expect("bash starts");
        assert!(status.success(), "the workspace could not be made; it needs bash and git");
        workspace
    }

    pub(crate) fn root(&self) -> String {
        text(&self.base.join("ws"))
    }

    pub(crate) fn home(&self) -> String {
        text(&self.base.join("home"))
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // A leftover in the temporary directory is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.base);
    }
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().expect("paths of the test are UTF-8").to_owned()
}
