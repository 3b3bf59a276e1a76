//! The demo's own directory: the workspace of its agent. Removed on drop.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::script::{DEPLOY, FILES, RELEASE};

/// A directory with a few files.
pub(crate) struct DemoDirectory {
    path: PathBuf,
    _directory: TempDir,
}

impl DemoDirectory {
    pub(crate) fn open() -> io::Result<DemoDirectory> {
        let directory = tempfile::Builder::new().prefix("sekisho-demo-").tempdir()?;
        let path = directory.path().canonicalize()?;
        for (name, text) in FILES {
            let file = path.join(name);
            fs::create_dir_all(file.parent().unwrap_or(&path))?;
            fs::write(file, text)?;
        }
        fs::set_permissions(path.join(RELEASE.0), fs::Permissions::from_mode(0o755))?;
        Ok(DemoDirectory { path, _directory: directory })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The lines of the changed file that it did not have at first.
    pub(super) fn new_lines(&self) -> Vec<String> {
        let now = fs::read_to_string(self.path.join(DEPLOY.0)).unwrap_or_default();
        let is_new = |line: &&str| !DEPLOY.1.lines().any(|old| old == *line);
        now.lines().filter(is_new).map(str::to_owned).collect()
    }
}
