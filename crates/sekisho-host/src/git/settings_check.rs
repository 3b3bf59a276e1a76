//! Checks the settings of a repository against the list of harmless ones.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sekisho_policy::RepositoryProblem as Problem;

use super::credential_settings::is_credential;
use super::discovery::{GitDirKind, RepositoryPaths};
use super::harmless_settings::{HarmlessValues, harmless_values, is_false, is_one_of, is_plain_sort};
use super::scan::{LARGEST_TEXT, RepositoryScan};
use super::writer_settings::is_harmless_to_writers;
use crate::link_target::{is_of_process, link_target};
use sekisho_policy::git_config::{SettingName, settings};

/// How deep git follows includes.
const DEEPEST_INCLUDE: u8 = 10;

/// One config file while it is read.
struct ConfigFileScan<'a> {
    path: &'a Path,
    paths: &'a RepositoryPaths,
    includes: u8,
}

/// What a config says besides findings.
#[derive(Default)]
struct ConfigReading {
    /// Whether object names have 32 bytes, if that is stated.
    sha256: Option<bool>,
    leads_back: bool,
    /// Hook directories.
    hooks: Vec<(PathBuf, String)>,
    /// Files to read as well.
    includes: Vec<(PathBuf, String)>,
}

impl RepositoryScan {
    /// Scans every config file of the repository. Returns the length of object names in bytes.
    pub(super) fn scan_configs(&mut self, paths: &RepositoryPaths) -> usize {
        let mut reading = ConfigReading::default();
        let mut files = vec![paths.common.join("config"), paths.git_dir.join("config.worktree")];
        if paths.kind == GitDirKind::Linked {
            files.push(paths.common.join("config.worktree"));
        }
        for path in &files {
            self.scan_config(&ConfigFileScan { path, paths, includes: 0 }, &mut reading);
        }
        if paths.kind == GitDirKind::Separate && !reading.leads_back {
            self.add_finding(Problem::Redirect, &paths.tree.join(".git"));
        }
        for (hooks, key) in reading.hooks {
            self.scan_foreign_hooks(&hooks, Some(&key), paths);
            self.scan_hooks(&hooks, Some(key));
        }
        if reading.sha256 == Some(true) { 32 } else { 20 }
    }

    fn scan_config(&mut self, file: &ConfigFileScan<'_>, reading: &mut ConfigReading) {
        let Ok(content) = self.read(file.path, LARGEST_TEXT) else { return };
        let read = settings(&content.unwrap_or_default(), |name, value| {
            if !is_harmless(file, &name, value, reading) {
                self.add_setting_finding(Problem::Setting, file.path, Some(name.text()));
            }
            if !is_harmless_to_writers(&name, value) {
                self.add_writers_finding(Problem::Setting, file.path, Some(name.text()));
            }
            if is_credential(&name, value) {
                self.add_setting_finding(Problem::Credential, file.path, Some(name.text()));
            }
            // A git version that does not know the setting rejects the repository.
            let recent: [&[u8]; 3] = [b"objectformat", b"refstorage", b"relativeworktrees"];
            if name.section == b"extensions" && recent.contains(&name.key) {
                self.add_setting_finding(Problem::Absent, file.path, Some(name.text()));
            }
        });
        if read.is_err() {
            self.add_finding(Problem::Unreadable, file.path);
        }
        for (path, key) in std::mem::take(&mut reading.includes) {
            if file.includes == DEEPEST_INCLUDE {
                self.add_setting_finding(Problem::Setting, file.path, Some(key));
                continue;
            }
            self.scan_config(
                &ConfigFileScan { path: &path, paths: file.paths, includes: file.includes + 1 },
                reading,
            );
        }
    }
}

/// Whether a setting is harmless as it is. Further files to check are added to `reading`.
fn is_harmless(
    file: &ConfigFileScan<'_>,
    name: &SettingName<'_>,
    value: Option<&[u8]>,
    reading: &mut ConfigReading,
) -> bool {
    let Some(values) = harmless_values(name) else { return false };
    let paths = file.paths;
    match values {
        HarmlessValues::Any => true,
        HarmlessValues::Never => false,
        HarmlessValues::False => is_false(value),
        HarmlessValues::OneOf(list) => is_one_of(value, list),
        // It counts only in this file, and only once.
        HarmlessValues::ObjectFormat => {
            let sha256 = is_one_of(value, &["sha256"]);
            let counts = file.includes == 0 && file.path == paths.common.join("config");
            (sha256 || is_one_of(value, &["sha1"]))
                && counts
                && *reading.sha256.get_or_insert(sha256) == sha256
        }
        HarmlessValues::Sort => is_plain_sort(value),
        // Relative paths start at the top of the work tree.
        HarmlessValues::PatternFile => path_of(value, &paths.tree).is_some_and(|path| {
            resolved(&path).is_some_and(|path| paths.holds(&path) && is_named_for_patterns(&path))
        }),
        HarmlessValues::Hooks => match path_of(value, &paths.tree) {
            // Git runs them in another directory.
            Some(hooks) if link_target(&hooks).is_ok_and(|hooks| is_of_process(&hooks)) => false,
            Some(hooks) => {
                reading.hooks.push((hooks, name.text()));
                true
            }
            None => false,
        },
        HarmlessValues::WorkTree => {
            let leads_back = path_of(value, &paths.git_dir)
                .and_then(|path| link_target(&path).ok())
                .is_some_and(|path| path == paths.tree);
            reading.leads_back |= leads_back && file.includes == 0 && paths.kind == GitDirKind::Separate;
            // In a linked work tree, git ignores it in the shared config.
            let shared = paths.kind == GitDirKind::Linked && file.path == paths.common.join("config");
            leads_back || shared
        }
        HarmlessValues::Include => {
            let from = file.path.parent().unwrap_or(&paths.tree);
            match path_of(value, from) {
                Some(path) if is_inside(&path, paths) => {
                    reading.includes.push((path, name.text()));
                    true
                }
                _ => false,
            }
        }
    }
}

/// The path that a value names. `None` for an empty value, for a path below a home directory or git's own
/// prefix, and for one with a marker (`:(optional)`).
fn path_of(value: Option<&[u8]>, base: &Path) -> Option<PathBuf> {
    let value = value.filter(|value| !value.is_empty() && !value.starts_with(b"~"))?;
    (!value.starts_with(b"%(") && !value.starts_with(b":")).then(|| base.join(OsStr::from_bytes(value)))
}

/// Whether a path leads into the repository, with links followed.
fn is_inside(path: &Path, paths: &RepositoryPaths) -> bool {
    resolved(path).is_some_and(|path| paths.holds(&path))
}

/// Where a path leads. A path that does not exist is placed in its resolved parent directory.
fn resolved(path: &Path) -> Option<PathBuf> {
    match path.symlink_metadata() {
        Ok(_) => link_target(path).ok(),
        Err(_) => {
            let parent = path.parent().and_then(|parent| link_target(parent).ok());
            parent.zip(path.file_name()).map(|(parent, name)| parent.join(name))
        }
    }
}

/// Whether a file is named like a pattern file.
fn is_named_for_patterns(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let parts: [&[u8]; 3] = [b"ignore", b"exclude", b"attributes"];
    parts.iter().any(|part| memchr::memmem::find(name, part).is_some())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::path_of;

    #[test]
    fn only_plain_paths_are_followed() {
        let path = |value: &str| path_of(Some(value.as_bytes()), Path::new("/r"));
        assert_eq!(path("hooks/x"), Some(PathBuf::from("/r/hooks/x")));
        assert_eq!(path("/etc/x"), Some(PathBuf::from("/etc/x")));
        for value in ["", "~/x", "~u/x", "%(prefix)/x", ":(optional)x"] {
            assert_eq!(path(value), None, "{value}");
        }
        assert_eq!(path_of(None, Path::new("/r")), None);
    }
}
