//! Names in git directories that must be at the end what they were at the start: files that would make git use other
//! settings or programs.
//!
//! Nothing can be mounted over a name that does not exist, and a mount is lost when a process outside the sandbox, or in
//! another one, renames what it covers. So every name is remembered with its directory. What has the name at the end and
//! did not have it at the start is renamed as soon as the program and everything that it started has ended. The new name
//! cannot be guessed, so the program cannot take it. What existed at the start is never renamed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{
    AtFlags, FileType, Mode, RenameFlags, Stat, chmod, fstat, renameat, renameat_with, statat, unlinkat,
};
use rustix::io::Errno;

use crate::failure::Failure;
use crate::plan::HelperPlan;
use crate::planned_dir::find_below;

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 255;

/// The names, with their directories open since before the start of the program.
pub(crate) struct KeptNames(Vec<KeptName>);

struct KeptName {
    dir: Rc<OpenDir>,
    name: OsString,
    path: PathBuf,
    /// What had the name at the start.
    before: Option<FileState>,
}

struct OpenDir {
    dir: OwnedFd,
    path: PathBuf,
    /// Its mode at the start.
    mode: Mode,
}

/// Which file it is, and for anything but a directory also when it was last changed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileState {
    id: (u64, u64),
    changed: Option<(i64, i64)>,
}

impl KeptNames {
    /// Opens the directories, and makes sure that only those names exist that the plan knows as read-only files.
    pub(crate) fn open(plan: &HelperPlan) -> Result<KeptNames, Failure> {
        let mut names: Vec<KeptName> = Vec::new();
        for path in &plan.settings {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { continue };
            let dir = match names.iter().find(|known| known.dir.path == parent) {
                Some(known) => Rc::clone(&known.dir),
                None => Rc::new(OpenDir::open(parent, plan)?),
            };
            let kept = KeptName { dir, name: name.to_owned(), path: path.clone(), before: None };
            let before = kept.state().map_err(Failure::of("settings of a repository"))?;
            if before.is_some() != plan.read_only.iter().any(|read_only| path.starts_with(read_only)) {
                let path = path.display();
                return Err(Failure::new(format!(
                    "`{path}` was made, removed or exchanged just now; try again"
                )));
            }
            names.push(KeptName { before, ..kept });
        }
        Ok(KeptNames(names))
    }

    /// Renames what was made since the start. Call it when the program has ended, and only if it was started. Returns
    /// what was found, as a sentence for the report.
    pub(crate) fn rename_new(&self) -> Option<String> {
        self.rename_with(KeptName::rename)
    }

    fn rename_with(&self, rename: impl Fn(&KeptName) -> Option<OsString>) -> Option<String> {
        // All are renamed before anything is said: whoever reads it may be slow.
        let said: Vec<String> = self.0.iter().filter_map(|kept| kept.check(&rename)).collect();
        (!said.is_empty()).then(|| format!("what git runs was changed meanwhile: {}", said.join("; ")))
    }
}

impl OpenDir {
    /// Opens a directory below one of the writable ones. No link is followed.
    fn open(path: &Path, plan: &HelperPlan) -> Result<OpenDir, Failure> {
        let tops = plan.outermost_writable();
        let top = tops.iter().find(|top| path.starts_with(&top.path));
        let top =
            top.ok_or_else(|| Failure::new("internal error: a setting outside the writable directories"))?;
        let below = path.strip_prefix(&top.path).unwrap_or(path);
        let failed = Failure::of("directory of a repository");
        let dir = find_below(&top.open()?, below).map_err(failed)?;
        let mode = fstat(&dir).map_err(Failure::of("directory of a repository"))?.st_mode;
        Ok(OpenDir { dir, path: path.to_owned(), mode: Mode::from_raw_mode(mode) })
    }

    /// Runs something for which the owner needs permission, also if the program took it away.
    fn with_permission<T>(&self, run: impl Fn() -> Result<T, Errno>) -> Result<T, Errno> {
        match run() {
            Err(Errno::ACCESS) => {
                // The descriptor was not opened for this, but its path works. If it fails, so does the rest.
                let path = format!("/proc/self/fd/{}", self.dir.as_raw_fd());
                let _ = chmod(&path, self.mode | Mode::RWXU);
                let result = run();
                let _ = chmod(&path, self.mode);
                result
            }
            result => result,
        }
    }
}

impl KeptName {
    /// What has the name now.
    fn state(&self) -> Result<Option<FileState>, Errno> {
        let found = self.dir.with_permission(|| statat(&self.dir.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW));
        match found {
            Ok(found) => Ok(Some(FileState::of(&found))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Deals with what has the name, if something else had it at the start, and says what it was.
    fn check(&self, rename: &impl Fn(&KeptName) -> Option<OsString>) -> Option<String> {
        let path = self.path.display();
        let now = self.state();
        if now == Ok(self.before) {
            return None;
        }
        let same_file = |now: FileState| self.before.is_some_and(|before| before.id == now.id);
        match now {
            Ok(None) => return Some(format!("`{path}` was removed")),
            Ok(Some(now)) if same_file(now) => return Some(format!("`{path}` was changed; look at it")),
            Ok(Some(_)) | Err(_) => {}
        }
        let remove = || unlinkat(&self.dir.dir, &self.name, AtFlags::empty());
        let done = match rename(self) {
            Some(new) => format!("it is now `{}`", new.display()),
            None if self.dir.with_permission(remove).is_ok() => "it was removed".into(),
            None => "it could not be renamed; remove it before you use git there".into(),
        };
        Some(format!("`{path}` was made while the command ran, and {done}"))
    }

    /// The new name.
    fn rename(&self) -> Option<OsString> {
        let new = new_name(&self.name)?;
        self.dir.with_permission(|| self.rename_to(&new)).ok().map(|()| new)
    }

    fn rename_to(&self, new: &OsStr) -> Result<(), Errno> {
        let dir = &self.dir.dir;
        match renameat_with(dir, &self.name, dir, new, RenameFlags::NOREPLACE) {
            // A file system that cannot promise this.
            Err(Errno::INVAL) => renameat(dir, &self.name, dir, new),
            renamed => renamed,
        }
    }
}

impl FileState {
    fn of(found: &Stat) -> FileState {
        let is_dir = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
        let changed = (found.st_ctime, i64::try_from(found.st_ctime_nsec).unwrap_or_default());
        FileState { id: (found.st_dev, found.st_ino), changed: (!is_dir).then_some(changed) }
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

    /// A directory, and a plan in which these names do not exist in it.
    fn plan(names: &[&str]) -> (tempfile::TempDir, PathBuf, HelperPlan) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let settings = names.iter().map(|name| root.join(name)).collect();
        let plan = HelperPlan { writable: vec![root.clone().into()], settings, ..HelperPlan::default() };
        (dir, root, plan)
    }

    #[test]
    fn new_files_get_another_name() {
        let long = "h".repeat(LONGEST_NAME);
        let (_dir, root, plan) = plan(&["commondir", "hooks", &long]);
        let names = KeptNames::open(&plan).unwrap();
        assert_eq!(names.rename_new(), None);
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
        // Names that a program could expect.
        for number in 0..=200 {
            fs::write(root.join(format!("hooks.sandbox-{number}")), "").unwrap();
        }
        fs::write(root.join("commondir"), "..").unwrap();
        fs::create_dir_all(root.join("hooks/x")).unwrap();
        fs::write(root.join(&long), "").unwrap();
        let said = names.rename_new().unwrap();
        for name in ["commondir", "hooks", &long] {
            let expected =
                format!("`{}/{name}` was made while the command ran, and it is now", root.display());
            assert!(said.contains(&expected), "{said}");
        }
        assert!(plan.settings.iter().all(|path| !path.exists()));
        let has_x = |entry: &fs::DirEntry| entry.path().join("x").exists();
        assert_eq!(fs::read_dir(&root).unwrap().filter(|entry| has_x(entry.as_ref().unwrap())).count(), 1);
        assert_eq!(fs::read_dir(&root).unwrap().count(), 204);
        assert_eq!(names.rename_new(), None);
    }

    #[test]
    fn what_stays_is_reported() {
        let (_dir, root, plan) = plan(&["hooks"]);
        let names = KeptNames::open(&plan).unwrap();
        fs::create_dir(root.join("hooks")).unwrap();
        let said = names.rename_with(|_| None).unwrap();
        assert!(said.ends_with("it could not be renamed; remove it before you use git there"), "{said}");
        assert!(names.rename_new().is_some());
        // A file that cannot be renamed is removed.
        fs::write(root.join("hooks"), "").unwrap();
        assert!(names.rename_with(|_| None).unwrap().ends_with("it was removed"));
        assert!(!root.join("hooks").exists());
    }

    /// What another process makes in place of an existing file is new. The file itself never gets another name.
    #[test]
    fn what_existed_at_the_start_is_not_renamed() {
        let (_dir, root, mut plan) = plan(&["commondir", "hooks"]);
        plan.read_only = plan.settings.clone();
        fs::write(root.join("commondir"), "..").unwrap();
        fs::create_dir(root.join("hooks")).unwrap();
        let names = KeptNames::open(&plan).unwrap();
        // A person may add a hook.
        fs::write(root.join("hooks/pre-commit"), "").unwrap();
        assert_eq!(names.rename_new(), None);
        fs::write(root.join("commondir"), "../evil").unwrap();
        fs::remove_dir_all(root.join("hooks")).unwrap();
        let said = names.rename_new().unwrap();
        assert!(said.contains("commondir` was changed") && said.contains("hooks` was removed"), "{said}");
        assert!(root.join("commondir").exists());
        fs::write(root.join("new"), "../evil").unwrap();
        fs::rename(root.join("new"), root.join("commondir")).unwrap();
        assert!(names.rename_new().unwrap().contains("commondir` was made"), "{said}");
        assert!(!root.join("commondir").exists());
    }

    /// The plan was made before, and a directory may have been exchanged meanwhile.
    #[test]
    fn plan_that_is_not_true_any_more_is_refused() {
        let (_dir, root, mut plan) = plan(&["hooks"]);
        fs::create_dir(root.join("hooks")).unwrap();
        let refused =
            |plan: &HelperPlan| KeptNames::open(plan).is_err_and(|why| why.to_string().contains("just now"));
        assert!(refused(&plan));
        plan.read_only = plan.settings.clone();
        assert!(!refused(&plan));
        fs::remove_dir(root.join("hooks")).unwrap();
        assert!(refused(&plan));
    }

    #[test]
    fn mode_of_the_directory_is_given_back() {
        use std::os::unix::fs::PermissionsExt;

        let (_dir, root, plan) = plan(&["hooks"]);
        fs::set_permissions(&root, fs::Permissions::from_mode(0o750)).unwrap();
        let names = KeptNames::open(&plan).unwrap();
        fs::create_dir(root.join("hooks")).unwrap();
        let dir = &names.0.first().unwrap().dir;
        fs::set_permissions(&root, fs::Permissions::from_mode(0o000)).unwrap();
        let tries = std::cell::Cell::new(0);
        let result = dir.with_permission(|| {
            tries.set(tries.get() + 1);
            if tries.get() == 1 { Err(Errno::ACCESS) } else { Ok(()) }
        });
        assert_eq!(result, Ok(()));
        assert_eq!(fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o750);
    }
}
