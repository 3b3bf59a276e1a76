//! Where generated repositories are: git is run in `ws/cN/r`, and everything else in `ws/cN` belongs to it,
//! except `ws/cN/outside`.

use std::fs;
use std::path::PathBuf;

use super::super::test_repositories::{TestDisk, executable};

pub(crate) struct Workspace {
    pub(crate) disk: TestDisk,
    /// Holds `ws`, `home`, and `out` for the input and output of the sandbox.
    pub(crate) base: PathBuf,
}

impl Workspace {
    pub(crate) fn new() -> Workspace {
        let disk = TestDisk::new();
        let base = disk.home().parent().unwrap().to_owned();
        for name in ["ws", "out", "live"] {
            fs::create_dir(base.join(name)).unwrap();
        }
        let workspace = Workspace { disk, base };
        workspace.clear();
        workspace
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.join("ws")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base.join("home")
    }

    /// The program that no git command may start.
    pub(crate) fn program(&self) -> PathBuf {
        self.root().join("evil.sh")
    }

    /// Removes all repositories.
    pub(crate) fn clear(&self) {
        fs::remove_dir_all(self.root()).unwrap();
        fs::create_dir(self.root()).unwrap();
        fs::write(self.program(), "#!/bin/sh\necho evil\n").unwrap();
        executable(&self.program());
    }
}
