//! Names that the program must not leave behind: files that would make git use other settings or programs.
//!
//! Nothing can be mounted over a name that does not exist. So what the program makes there is renamed as soon as the
//! program and everything that it started has ended.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::{RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::failure::Failure;
use crate::plan::HelperPlan;
use crate::planned_dir::open_without_links;

/// How many new names are tried.
const ATTEMPTS: u32 = 100;

/// The names, with their directories open since before the start of the program.
pub(crate) struct AbsentNames(Vec<AbsentName>);

struct AbsentName {
    dir: OwnedFd,
    name: OsString,
    path: PathBuf,
}

impl AbsentNames {
    /// Opens the directories.
    pub(crate) fn open(plan: &HelperPlan) -> Result<AbsentNames, Failure> {
        let mut names = Vec::new();
        for path in &plan.absent {
            let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else { continue };
            let dir = open_without_links(dir).map_err(Failure::of("directory of a repository"))?;
            names.push(AbsentName { dir, name: name.to_owned(), path: path.clone() });
        }
        Ok(AbsentNames(names))
    }

    /// Renames what the program made, and says so. Call it when the program has ended.
    pub(crate) fn rename_new(&self) {
        for AbsentName { dir, name, path } in &self.0 {
            if let Some(new) = rename(dir, name) {
                let (path, new) = (path.display(), new.display());
                // Nobody may read it any more.
                let _ = writeln!(
                    std::io::stderr(),
                    "sekisho-sandbox: the program made `{path}`, which changes what git runs; it is now `{new}`"
                );
            }
        }
    }
}

/// The new name, if there was something to rename.
fn rename(dir: &OwnedFd, name: &OsStr) -> Option<OsString> {
    for number in 1..=ATTEMPTS {
        let mut new = name.to_owned();
        new.push(format!(".sandbox-{number}"));
        match renameat_with(dir, name, dir, &new, RenameFlags::NOREPLACE) {
            Ok(()) => return Some(new),
            Err(Errno::EXIST) => {}
            // A file system that cannot promise this.
            Err(Errno::INVAL) => return rustix::fs::renameat(dir, name, dir, &new).ok().map(|()| new),
            Err(_) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn new_files_get_another_name() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let plan =
            HelperPlan { absent: vec![root.join("commondir"), root.join("hooks")], ..HelperPlan::default() };
        let names = AbsentNames::open(&plan).unwrap();
        names.rename_new();
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
        fs::write(root.join("hooks.sandbox-1"), "").unwrap();
        fs::write(root.join("commondir"), "..").unwrap();
        fs::create_dir_all(root.join("hooks/x")).unwrap();
        names.rename_new();
        assert!(!root.join("commondir").exists() && !root.join("hooks").exists());
        assert!(root.join("commondir.sandbox-1").exists() && root.join("hooks.sandbox-2/x").exists());
    }
}
