//! What config files say about filters, attributes and ignored files, read without git.
//!
//! In the sandbox, git reads the repository's config alone. The user's config and that of the system name programs, and
//! include files anywhere. So only the few settings that git needs from there are read, here, as data.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use sekisho_policy::git_config::{SettingName, settings};

use super::special_files::is_special;
use crate::input_fields::shown_path;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;
/// How deep files may include others. Git has the same limit.
const DEEPEST_INCLUDE: usize = 10;
/// How many files are read, with those that others include.
const MOST_FILES: usize = 64;
/// Names no file, like an empty value.
const NOTHING: &str = "/dev/null";

/// A config file.
pub(super) struct ConfigFile {
    /// Where it is. It need not exist.
    pub(super) path: PathBuf,
    /// Whether git reads it only under a condition that is not known here.
    pub(super) is_conditional: bool,
}

impl From<PathBuf> for ConfigFile {
    fn from(path: PathBuf) -> ConfigFile {
        ConfigFile { path, is_conditional: false }
    }
}

/// What config files say.
#[derive(Debug, Default)]
pub(super) struct ConfigValues {
    /// The names of all filters, also of those that are defined under a condition.
    pub(super) filters: BTreeSet<Vec<u8>>,
    /// `core.attributesFile`, absolute. `/dev/null` if it is set to nothing.
    pub(super) attributes: Option<PathBuf>,
    /// `core.excludesFile`, in the same way.
    pub(super) excludes: Option<PathBuf>,
    /// A config file that is a FIFO or a device.
    pub(super) special: Option<PathBuf>,
    /// Why these may not be all values, or not the right ones.
    pub(super) problem: Option<String>,
}

impl ConfigValues {
    /// Reads config files in the order in which git does: later values count. `home`: what `~` stands for.
    pub(super) fn read(
        files: impl IntoIterator<Item = ConfigFile>,
        home: Option<&Path>,
        work_tree: &Path,
    ) -> ConfigValues {
        let mut reader = ConfigReader { home, work_tree, read: 0, found: ConfigValues::default() };
        for file in files {
            reader.read(&file, 0);
        }
        reader.found
    }
}

/// A setting that matters here.
enum Entry {
    Filter(Vec<u8>),
    Attributes(Vec<u8>),
    Excludes(Vec<u8>),
    Include { path: Vec<u8>, is_conditional: bool },
}

impl Entry {
    fn of(name: SettingName<'_>, value: Option<&[u8]>) -> Option<Entry> {
        let value = || value.unwrap_or_default().to_vec();
        Some(match (name.section, name.subsection, name.key) {
            (b"filter", Some(filter), _) => Entry::Filter(filter.to_vec()),
            (b"core", None, b"attributesfile") => Entry::Attributes(value()),
            (b"core", None, b"excludesfile") => Entry::Excludes(value()),
            (b"include", None, b"path") => Entry::Include { path: value(), is_conditional: false },
            (b"includeif", Some(_), b"path") => Entry::Include { path: value(), is_conditional: true },
            _ => return None,
        })
    }
}

struct ConfigReader<'a> {
    home: Option<&'a Path>,
    work_tree: &'a Path,
    /// How many files were read.
    read: usize,
    found: ConfigValues,
}

impl ConfigReader<'_> {
    fn read(&mut self, file: &ConfigFile, depth: usize) {
        self.read += 1;
        if depth > DEEPEST_INCLUDE || self.read > MOST_FILES {
            return self.add_problem(format!("{} is one of too many included files", shown_path(&file.path)));
        }
        if is_special(&file.path) {
            self.found.special.get_or_insert_with(|| file.path.clone());
            return;
        }
        let text = match read_file(&file.path) {
            Ok(text) => text.unwrap_or_default(),
            Err(problem) => return self.add_problem(problem),
        };
        let mut entries = Vec::new();
        if settings(&text, |name, value| entries.extend(Entry::of(name, value))).is_err() {
            self.add_problem(format!("{} is not understood", shown_path(&file.path)));
        }
        for entry in entries {
            self.apply(entry, file, depth);
        }
    }

    fn apply(&mut self, entry: Entry, file: &ConfigFile, depth: usize) {
        match entry {
            Entry::Filter(name) => {
                self.found.filters.insert(name);
            }
            Entry::Attributes(value) => {
                let path = self.path(&value, self.work_tree);
                let known = self.found.attributes.take();
                self.found.attributes = self.choose("core.attributesFile", known, path, file);
            }
            Entry::Excludes(value) => {
                let path = self.path(&value, self.work_tree);
                let known = self.found.excludes.take();
                self.found.excludes = self.choose("core.excludesFile", known, path, file);
            }
            Entry::Include { path, is_conditional } => {
                let directory = file.path.parent().unwrap_or(Path::new("/"));
                match self.path(&path, directory) {
                    Some(path) => {
                        let is_conditional = is_conditional || file.is_conditional;
                        self.read(&ConfigFile { path, is_conditional }, depth + 1);
                    }
                    None => {
                        let file = shown_path(&file.path);
                        self.add_problem(format!("a file that {file} includes cannot be found"));
                    }
                }
            }
        }
    }

    /// The value that counts from here on: the new one, unless it is unknown whether git uses it.
    fn choose(
        &mut self,
        setting: &str,
        known: Option<PathBuf>,
        path: Option<PathBuf>,
        file: &ConfigFile,
    ) -> Option<PathBuf> {
        let why = if path.is_none() {
            "names a file that cannot be found"
        } else if file.is_conditional && path != known {
            "counts only under a condition"
        } else {
            return path;
        };
        self.add_problem(format!("{setting} in {} {why}", shown_path(&file.path)));
        known
    }

    /// The path that a value stands for. `..` is left to the kernel, as git does. None for homes of other users and for
    /// places that only git knows.
    fn path(&self, value: &[u8], start: &Path) -> Option<PathBuf> {
        match value.strip_prefix(b":(optional)").unwrap_or(value) {
            [] => Some(PathBuf::from(NOTHING)),
            [b'~', b'/', below @ ..] => Some(self.home?.join(OsStr::from_bytes(below))),
            [b'~' | b'%', ..] => None,
            value => Some(start.join(OsStr::from_bytes(value))),
        }
    }

    fn add_problem(&mut self, problem: String) {
        self.found.problem.get_or_insert(problem);
    }
}

/// The contents of a small file, also through links. None if there is none. Never waits.
pub(super) fn read_file(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let unreadable = |why: String| format!("{} cannot be read: {why}", shown_path(path));
    if path == Path::new(NOTHING) {
        return Ok(None);
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    let found = file.metadata().map_err(|error| unreadable(error.to_string()))?;
    if !found.is_file() {
        let is_nothing = path.canonicalize().is_ok_and(|real| real == Path::new(NOTHING));
        return if is_nothing { Ok(None) } else { Err(unreadable("it is not a regular file".into())) };
    }
    let mut text = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut text).map_err(|error| unreadable(error.to_string()))?;
    match u64::try_from(text.len()) {
        Ok(length) if length <= LARGEST => Ok(Some(text)),
        _ => Err(unreadable("it is too large".into())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// What `config` in a home directory says, with the file `more` beside it.
    fn check(config: &str, more: &str, attributes: Option<&str>, problem: Option<&str>) {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        fs::write(home.join("config"), config).unwrap();
        fs::write(home.join("more"), more).unwrap();
        let files = ["config", "missing"].map(|name| ConfigFile::from(home.join(name)));
        let found = ConfigValues::read(files, Some(&home), Path::new("/w"));
        assert_eq!(found.attributes, attributes.map(|path| home.join(path)), "{config}");
        let is_expected = match (&found.problem, problem) {
            (Some(found), Some(expected)) => found.contains(expected),
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(is_expected, "{config}: {:?}", found.problem);
    }

    #[test]
    fn last_value_counts() {
        check("[core]\nattributesFile = ~/a\n[core]\nattributesFile = ~/b\n", "", Some("b"), None);
        check("[core]\nattributesFile = x/../a\n", "", Some("/w/x/../a"), None);
        check("[core]\nattributesFile =\n", "", Some("/dev/null"), None);
        check("[include]\npath = more\n", "[core]\nattributesFile = ~/a\n", Some("a"), None);
        let before = "[core]\nattributesFile = ~/a\n[include]\npath = ~/more\n";
        check(before, "[core]\nattributesFile = ~/b\n", Some("b"), None);
        check("[other]\nattributesFile = a\n", "", None, None);
    }

    #[test]
    fn unknown_values_are_a_problem() {
        let included = "[includeIf \"gitdir:/x/\"]\npath = more\n";
        check(included, "[core]\nattributesFile = ~/a\n", None, Some("under a condition"));
        check(included, "[user]\nname = a\n", None, None);
        check("[core]\nattributesFile = ~eve/a\n", "", None, Some("cannot be found"));
        check("[include]\npath = config\n", "", None, Some("too many"));
        check("[core\n", "", None, Some("not understood"));
    }

    #[test]
    fn filters_are_found_wherever_they_are_defined() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config");
        let text =
            "[filter \"a.b\"]\nclean = x\n[filter.c]\nsmudge = x\n[includeIf \"onbranch:x\"]\npath = more\n";
        fs::write(&path, text).unwrap();
        fs::write(dir.path().join("more"), "[filter \"d\"]\nrequired\n").unwrap();
        let found = ConfigValues::read([ConfigFile::from(path)], None, Path::new("/w"));
        let names: Vec<&[u8]> = found.filters.iter().map(Vec::as_slice).collect();
        assert_eq!(names, [&b"a.b"[..], b"c", b"d"]);
    }
}
