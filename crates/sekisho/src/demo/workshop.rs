//! The demo's own directory: the files it speaks of, and the one that a yes really changes. Removed when it is dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::script::{DEPLOY, NOTES};

/// A directory with two files.
pub(super) struct Workshop {
    path: PathBuf,
    _directory: TempDir,
}

impl Workshop {
    /// Makes one.
    pub(super) fn open() -> io::Result<Workshop> {
        let directory = tempfile::Builder::new().prefix("sekisho-demo-").tempdir()?;
        let path = directory.path().canonicalize()?;
        fs::write(path.join(NOTES.0), NOTES.1)?;
        let workshop = Workshop { path, _directory: directory };
        workshop.reset()?;
        Ok(workshop)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file that is changed back as it was.
    pub(super) fn reset(&self) -> io::Result<()> {
        fs::write(self.path.join(DEPLOY.0), DEPLOY.1)
    }

    /// Makes a change that was allowed; gives the file as it is then. Nothing is written outside the directory, whatever a
    /// person changed the input to.
    pub(super) fn change(&self, input: &Value) -> Result<String, String> {
        let text =
            |field: &str| input.get(field).and_then(Value::as_str).ok_or(format!("there is no `{field}`"));
        let file = self.path.join(DEPLOY.0);
        if Path::new(text("file_path")?) != file {
            return Err(format!("the demo changes {} only", file.display()));
        }
        let (old, new) = (text("old_string")?, text("new_string")?);
        let failed = |error: io::Error| error.to_string().to_lowercase();
        let before = fs::read_to_string(&file).map_err(failed)?;
        if old.is_empty() || before.matches(old).count() != 1 {
            return Err("what is to be replaced is not in the file exactly once".into());
        }
        let after = before.replacen(old, new, 1);
        fs::write(&file, &after).map_err(failed)?;
        Ok(after)
    }
}
