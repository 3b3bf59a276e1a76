//! Names that the program must not leave behind: files that would make git use other settings or programs.
//!
//! Nothing can be mounted over a name that does not exist. So what the program makes there is renamed as soon as the
//! program and everything that it started has ended. The new name cannot be guessed, so the program cannot take it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

use rustix::fs::{AtFlags, Mode, RenameFlags, chmod, fstat, renameat, renameat_with, statat, unlinkat};
use rustix::io::Errno;

use crate::failure::Failure;
use crate::plan::HelperPlan;
use crate::planned_dir::open_without_links;

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 255;

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

    /// Renames what the program made, and says so. Call it when the program has ended. Returns what is still there,
    /// as a sentence for the report.
    pub(crate) fn rename_new(&self) -> Option<String> {
        self.rename_with(AbsentName::rename)
    }

    fn rename_with(&self, rename: impl Fn(&AbsentName) -> Option<OsString>) -> Option<String> {
        let mut left = Vec::new();
        for absent in self.0.iter().filter(|absent| absent.is_made()) {
            let path = absent.path.display();
            let done = match rename(absent) {
                Some(new) => format!("it is now `{}`", new.display()),
                None if unlinkat(&absent.dir, &absent.name, AtFlags::empty()).is_ok() => {
                    "it was removed".into()
                }
                None => "it could not be renamed".into(),
            };
            // Nobody may read it any more.
            let _ = writeln!(
                std::io::stderr(),
                "sekisho-sandbox: the program made `{path}`, which changes what git runs; {done}"
            );
            if absent.exists() {
                left.push(format!("`{path}`"));
            }
        }
        (!left.is_empty()).then(|| {
            let left = left.join(", ");
            format!("it made {left}, which changes what git runs and could not be renamed; remove it before you use git there")
        })
    }
}

impl AbsentName {
    /// Whether the program made it. Gives the permission back that is needed to know.
    fn is_made(&self) -> bool {
        let found = statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW);
        if matches!(found, Err(Errno::ACCESS)) {
            self.give_back_permission();
        }
        self.exists()
    }

    /// Whether something has the name, or may have it.
    fn exists(&self) -> bool {
        !matches!(statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW), Err(Errno::NOENT))
    }

    /// The new name.
    fn rename(&self) -> Option<OsString> {
        let new = new_name(&self.name)?;
        match self.rename_to(&new) {
            Ok(()) => Some(new),
            Err(Errno::ACCESS) => {
                self.give_back_permission();
                self.rename_to(&new).ok().map(|()| new)
            }
            Err(_) => None,
        }
    }

    /// Makes the directory writable for its owner again, as it must have been when the program made the name.
    fn give_back_permission(&self) {
        if let Ok(found) = fstat(&self.dir) {
            let mode = Mode::from_raw_mode(found.st_mode) | Mode::RWXU;
            // The descriptor was not opened for this, but its path works. If it fails, so does the renaming.
            let _ = chmod(format!("/proc/self/fd/{}", self.dir.as_raw_fd()), mode);
        }
    }

    fn rename_to(&self, new: &OsStr) -> Result<(), Errno> {
        match renameat_with(&self.dir, &self.name, &self.dir, new, RenameFlags::NOREPLACE) {
            // A file system that cannot promise this.
            Err(Errno::INVAL) => renameat(&self.dir, &self.name, &self.dir, new),
            renamed => renamed,
        }
    }
}

/// A name that nobody can guess.
fn new_name(name: &OsStr) -> Option<OsString> {
    let mut random = [0; 8];
    File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut random)).ok()?;
    let mut new = name.to_owned();
    new.push(format!(".sandbox-{:016x}", u64::from_ne_bytes(random)));
    if new.len() > LONGEST_NAME {
        new = format!("sandbox-{:016x}", u64::from_ne_bytes(random)).into();
    }
    Some(new)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn new_files_get_another_name() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let long = "h".repeat(LONGEST_NAME);
        let absent = ["commondir", "hooks", &long].map(|name| root.join(name));
        let plan = HelperPlan { absent: absent.to_vec(), ..HelperPlan::default() };
        let names = AbsentNames::open(&plan).unwrap();
        assert_eq!(names.rename_new(), None);
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
        // Names that a program could expect.
        for number in 0..=200 {
            fs::write(root.join(format!("hooks.sandbox-{number}")), "").unwrap();
        }
        fs::write(root.join("commondir"), "..").unwrap();
        fs::create_dir_all(root.join("hooks/x")).unwrap();
        fs::write(root.join(&long), "").unwrap();
        assert_eq!(names.rename_new(), None);
        assert!(absent.iter().all(|path| !path.exists()));
        let has_x = |entry: &fs::DirEntry| entry.path().join("x").exists();
        assert_eq!(fs::read_dir(&root).unwrap().filter(|entry| has_x(entry.as_ref().unwrap())).count(), 1);
        assert_eq!(fs::read_dir(&root).unwrap().count(), 204);
    }

    #[test]
    fn what_stays_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let plan = HelperPlan { absent: vec![root.join("hooks")], ..HelperPlan::default() };
        let names = AbsentNames::open(&plan).unwrap();
        fs::create_dir(root.join("hooks")).unwrap();
        let said = names.rename_with(|_| None).unwrap();
        assert!(said.starts_with(&format!("it made `{}/hooks`", root.display())), "{said}");
        assert_eq!(names.rename_with(AbsentName::rename), None);
        // A file that cannot be renamed is removed.
        fs::write(root.join("hooks"), "").unwrap();
        assert_eq!(names.rename_with(|_| None), None);
        assert!(!root.join("hooks").exists());
    }
}
