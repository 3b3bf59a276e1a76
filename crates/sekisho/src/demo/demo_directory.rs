//! The demo's own directory: the files it asks about, and the one that an approval really changes. Removed on
//! drop.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use super::script::{DEPLOY, NOTES};

/// A directory with two files.
pub(super) struct DemoDirectory {
    path: PathBuf,
    _directory: TempDir,
}

impl DemoDirectory {
    pub(super) fn open() -> io::Result<DemoDirectory> {
        let directory = tempfile::Builder::new().prefix("sekisho-demo-").tempdir()?;
        let path = directory.path().canonicalize()?;
        fs::write(path.join(NOTES.0), NOTES.1)?;
        let workshop = DemoDirectory { path, _directory: directory };
        workshop.reset()?;
        Ok(workshop)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Restores the file that is changed.
    pub(super) fn reset(&self) -> io::Result<()> {
        fs::write(self.path.join(DEPLOY.0), DEPLOY.1)
    }

    /// Makes an approved change and returns the new text of the file. Never writes outside the directory,
    /// however a person edited the input.
    pub(super) fn change(&self, input: &Value) -> Result<String, String> {
        let text =
            |field: &str| input.get(field).and_then(Value::as_str).ok_or(format!("`{field}` is missing"));
        let file = self.path.join(DEPLOY.0);
        if Path::new(text("file_path")?) != file {
            return Err(format!("the demo only changes {}", file.display()));
        }
        let (old, new) = (text("old_string")?, text("new_string")?);
        let failed = |error: io::Error| error.to_string().to_lowercase();
        let before = fs::read_to_string(&file).map_err(failed)?;
        if old.is_empty() || before.matches(old).count() != 1 {
            return Err("the text to replace is not in the file exactly once".into());
        }
        let after = before.replacen(old, new, 1);
        fs::write(&file, &after).map_err(failed)?;
        Ok(after)
    }
}
