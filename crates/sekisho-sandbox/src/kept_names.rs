//! Names in git directories that must be at the end what they were at the start: files that would make git use other
//! settings or programs.
//!
//! Nothing can be mounted over a name that does not exist, and a mount is lost when a process outside the sandbox, or in
//! another one, renames what it covers. So every name is remembered with its directory. What has the name at the end and
//! did not have it at the start is renamed as soon as the program and everything that it started has ended, and so is a
//! file that was changed. The new name cannot be guessed, so the program cannot take it. A directory that existed at the
//! start is never renamed. What had a name stays open until the end, so that nothing new can get its inode number.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, chmod, fstat, openat, renameat, renameat_with, unlinkat,
};
use rustix::io::Errno;

use crate::failure::Failure;
use crate::file_state::FileState;
use crate::plan::HelperPlan;
use crate::planned_dir::find_below;

/// The longest name of a file, in bytes.
const LONGEST_NAME: usize = 255;
/// How many names the report lists.
const MOST_LISTED: usize = 10;
/// How much of a path the report shows, in characters.
const LONGEST_SHOWN: usize = 200;

/// The names, with their directories open since before the start of the program.
pub(crate) struct KeptNames(Vec<KeptName>);

struct KeptName {
    /// The directory that contains it, or, if that does not exist yet, the writable directory above.
    dir: Rc<OpenDir>,
    /// The path from there.
    below: PathBuf,
    path: PathBuf,
    /// What had the name at the start.
    before: Option<FileState>,
    /// The same, open.
    _held: Option<OwnedFd>,
}

struct OpenDir {
    dir: OwnedFd,
    path: PathBuf,
    /// Its mode when it was opened.
    mode: Mode,
}

/// What has a name, or the first link on the way to it.
struct Found {
    dir: Rc<OpenDir>,
    name: OsString,
    state: FileState,
}

impl KeptNames {
    /// Opens the directories, and makes sure that only those names exist that the plan knows as read-only files.
    pub(crate) fn open(plan: &HelperPlan) -> Result<KeptNames, Failure> {
        let mut names: Vec<KeptName> = Vec::new();
        for path in &plan.settings {
            let Some(parent) = path.parent() else { continue };
            let dir = match names.iter().find(|known| known.dir.path == parent) {
                Some(known) => Rc::clone(&known.dir),
                None => Rc::new(OpenDir::above(parent, plan)?),
            };
            let below = path.strip_prefix(&dir.path).unwrap_or(path).to_owned();
            let kept = KeptName { dir, below, path: path.clone(), before: None, _held: None };
            let found = kept.find().map_err(Failure::of("settings of a repository"))?;
            if found.is_some() != plan.read_only.iter().any(|read_only| path.starts_with(read_only)) {
                let path = path.display();
                return Err(Failure::new(format!(
                    "`{path}` was made, removed or exchanged just now; try again"
                )));
            }
            let held = found.as_ref().map(Found::open).transpose();
            let held = held.map_err(Failure::of("settings of a repository"))?;
            names.push(KeptName { before: found.map(|found| found.state), _held: held, ..kept });
        }
        Ok(KeptNames(names))
    }

    /// Renames what was made since the start. Call it when the program has ended, and only if it was started. Returns
    /// what was found, as a sentence for the report.
    pub(crate) fn rename_new(&self) -> Option<String> {
        self.rename_with(Found::rename)
    }

    fn rename_with(&self, rename: impl Fn(&Found) -> Option<OsString>) -> Option<String> {
        // All are renamed before anything is said: whoever reads it may be slow.
        let mut said: Vec<String> = self.0.iter().filter_map(|kept| kept.check(&rename)).collect();
        let more = said.len().saturating_sub(MOST_LISTED);
        if more > 0 {
            said.truncate(MOST_LISTED);
            said.push(format!("and {more} more"));
        }
        (!said.is_empty()).then(|| format!("what git runs was changed meanwhile: {}", said.join("; ")))
    }
}

impl OpenDir {
    /// Opens a directory below one of the writable ones, or that one if it does not exist. No link is followed.
    fn above(path: &Path, plan: &HelperPlan) -> Result<OpenDir, Failure> {
        let tops = plan.outermost_writable();
        let top = tops.iter().find(|top| path.starts_with(&top.path));
        let top =
            top.ok_or_else(|| Failure::new("internal error: a setting outside the writable directories"))?;
        let below = path.strip_prefix(&top.path).unwrap_or(path);
        let opened = top.open()?;
        let found = match find_below(&opened, below) {
            Ok(dir) if is_dir(&dir) => OpenDir::of(dir, path.to_owned()),
            Ok(_) | Err(Errno::NOENT | Errno::NOTDIR) => OpenDir::of(opened, top.path.clone()),
            Err(error) => Err(error),
        };
        found.map_err(Failure::of("directory of a repository"))
    }

    fn of(dir: OwnedFd, path: PathBuf) -> Result<OpenDir, Errno> {
        let mode = Mode::from_raw_mode(fstat(&dir)?.st_mode);
        Ok(OpenDir { dir, path, mode })
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

fn is_dir(opened: &OwnedFd) -> bool {
    fstat(opened).is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory)
}

impl KeptName {
    /// What has the name now. A link on the way counts: git would follow it.
    fn find(&self) -> Result<Option<Found>, Errno> {
        let mut dir = Rc::clone(&self.dir);
        let mut names = self.below.iter().peekable();
        while let Some(name) = names.next() {
            let state = match dir.with_permission(|| FileState::at(&dir.dir, name)) {
                Ok(state) => state,
                Err(Errno::NOENT) => return Ok(None),
                Err(error) => return Err(error),
            };
            if names.peek().is_none() || state.kind == FileType::Symlink {
                return Ok(Some(Found { dir, name: name.to_owned(), state }));
            }
            if state.kind != FileType::Directory {
                return Ok(None);
            }
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let next = dir.with_permission(|| openat(&dir.dir, name, flags, Mode::empty()))?;
            dir = Rc::new(OpenDir::of(next, dir.path.join(name))?);
        }
        Ok(None)
    }

    /// Deals with what has the name, if something else had it at the start, and says what it was.
    fn check(&self, rename: &impl Fn(&Found) -> Option<OsString>) -> Option<String> {
        let path = shown(&self.path);
        let found = match self.find() {
            Ok(found) => found,
            Err(error) => {
                return Some(format!(
                    "`{path}` cannot be looked at ({error}); look at it before you use git there"
                ));
            }
        };
        let state = found.as_ref().map(|found| found.state);
        if state == self.before {
            return None;
        }
        let Some(found) = found else { return Some(format!("`{path}` was removed")) };
        let remove = || unlinkat(&found.dir.dir, &found.name, AtFlags::empty());
        let done = match rename(&found) {
            Some(new) => format!("it is now `{}`", shown(Path::new(&new))),
            None if found.dir.with_permission(remove).is_ok() => "it was removed".into(),
            None => "it could not be renamed; remove it before you use git there".into(),
        };
        let changed = self.before.is_some_and(|before| before.is_same_file(&found.state));
        let what = if changed { "changed" } else { "made" };
        let path = shown(&found.dir.path.join(&found.name));
        Some(format!("`{path}` was {what} while the command ran, and {done}"))
    }
}

impl Found {
    /// Opens it only to know it.
    fn open(&self) -> Result<OwnedFd, Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.dir.with_permission(|| openat(&self.dir.dir, &self.name, flags, Mode::empty()))
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

/// A path for the report: the end of a long one.
fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    let skipped = text.chars().count().saturating_sub(LONGEST_SHOWN);
    match skipped {
        0 => text.into_owned(),
        skipped => format!("…{}", text.chars().skip(skipped).collect::<String>()),
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
            let path = shown(&root.join(name));
            let expected = format!("`{path}` was made while the command ran, and it is now");
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

    /// What another process makes in place of an existing file is new. A directory itself never gets another name.
    #[test]
    fn directory_that_existed_at_the_start_is_not_renamed() {
        let (_dir, root, mut plan) = plan(&["commondir", "hooks"]);
        plan.read_only = plan.settings.clone();
        fs::write(root.join("commondir"), "..").unwrap();
        fs::create_dir(root.join("hooks")).unwrap();
        let names = KeptNames::open(&plan).unwrap();
        // A person may add a hook.
        fs::write(root.join("hooks/pre-commit"), "").unwrap();
        assert_eq!(names.rename_new(), None);
        assert!(root.join("hooks").exists());
        fs::remove_dir_all(root.join("hooks")).unwrap();
        fs::write(root.join("new"), "../evil").unwrap();
        fs::rename(root.join("new"), root.join("commondir")).unwrap();
        let said = names.rename_new().unwrap();
        assert!(said.contains("commondir` was made") && said.contains("hooks` was removed"), "{said}");
        assert!(!root.join("commondir").exists());
    }

    /// File systems give the number of a removed directory to the next one.
    #[test]
    fn new_directory_is_not_taken_for_the_old_one() {
        let (_dir, root, mut plan) = plan(&["hooks"]);
        plan.read_only = plan.settings.clone();
        fs::create_dir(root.join("hooks")).unwrap();
        for _ in 0..20 {
            let names = KeptNames::open(&plan).unwrap();
            fs::remove_dir_all(root.join("hooks")).unwrap();
            fs::create_dir(root.join("hooks")).unwrap();
            let said = names.rename_new().unwrap_or_default();
            assert!(said.contains("hooks` was made"), "{said}");
            fs::create_dir(root.join("hooks")).unwrap();
        }
    }

    /// Two commands run. The second one finds the file that the first one made, and keeps it by a link of another name
    /// when the supervisor of the first one renames it.
    #[test]
    fn file_that_comes_back_by_a_hard_link_is_renamed() {
        let (_dir, root, mut plan) = plan(&["commondir"]);
        let first = KeptNames::open(&plan).unwrap();
        fs::write(root.join("commondir"), "../evil").unwrap();
        plan.read_only = plan.settings.clone();
        let second = KeptNames::open(&plan).unwrap();
        // Times of files have steps of some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(50));
        fs::hard_link(root.join("commondir"), root.join("x")).unwrap();
        assert!(first.rename_new().is_some());
        fs::rename(root.join("x"), root.join("commondir")).unwrap();
        let said = second.rename_new().unwrap();
        assert!(said.contains("commondir` was changed while"), "{said}");
        assert!(!root.join("commondir").exists());
    }

    /// The config names a path whose directories do not exist yet.
    #[test]
    fn name_in_a_directory_made_later_is_renamed() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        for case in ["directories", "no permission", "link", "link at the end"] {
            let (_dir, root, plan) = plan(&["build/git/hooks"]);
            let names = KeptNames::open(&plan).unwrap();
            assert_eq!(names.rename_new(), None);
            fs::create_dir(root.join("build")).unwrap();
            assert_eq!(names.rename_new(), None, "{case}");
            fs::create_dir_all(root.join("evil/hooks")).unwrap();
            match case {
                "link" => symlink("../evil", root.join("build/git")).unwrap(),
                "link at the end" => {
                    fs::create_dir(root.join("build/git")).unwrap();
                    symlink("../../evil/hooks", root.join("build/git/hooks")).unwrap();
                }
                _ => fs::create_dir_all(root.join("build/git/hooks")).unwrap(),
            }
            if case == "no permission" {
                fs::set_permissions(root.join("build"), fs::Permissions::from_mode(0o000)).unwrap();
            }
            let said = names.rename_new().unwrap_or_default();
            assert!(said.contains("was made while the command ran, and it is now"), "{case}: {said}");
            fs::set_permissions(root.join("build"), fs::Permissions::from_mode(0o755)).unwrap();
            assert!(!root.join("build/git/hooks").exists(), "{case}");
            assert!(root.join("evil/hooks").exists(), "{case}");
            assert_eq!(names.rename_new(), None, "{case}");
        }
    }

    #[test]
    fn report_is_short() {
        let many: Vec<String> = (0..300).map(|number| format!("hooks{number}{}", "h".repeat(200))).collect();
        let names: Vec<&str> = many.iter().map(String::as_str).collect();
        let (_dir, root, plan) = plan(&names);
        let kept = KeptNames::open(&plan).unwrap();
        for name in &names {
            fs::create_dir(root.join(name)).unwrap();
        }
        let said = kept.rename_new().unwrap();
        assert!(said.ends_with("; and 290 more") && said.len() < 6 << 10, "{} bytes: {said}", said.len());
        assert!(names.iter().all(|name| !root.join(name).exists()));
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
