//! Whether a repository's config names a file of its work tree, so that git runs or reads it.
//!
//! The sandbox keeps only some of these files read-only (`kept_files`), because each is a mount, and one that does not
//! exist must not appear. Here a file only needs a person, so every setting counts, also those of config files that
//! others include. Your own git config is not read.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sekisho_policy::git_config::{MalformedConfig, settings};

use super::error::SandboxError;
use super::git_config::{self, Named};
use super::paths::real_path;
use super::search_roots::SearchRoots;
use crate::contained_write::absolute;
use crate::run_by_tools::is_hook;

/// How many config files are read for a repository: those that it includes, too.
const MOST_FILES: usize = 32;

/// Characters between the words of a command line, and around those of a list.
const SEPARATORS: &[u8] = b" \t\r\n'\"`;|&()<>{}=!:,$";

/// What the configs of repositories name.
pub(crate) struct ConfigNames(Result<Vec<NamedFiles>, SandboxError>);

/// What the config of one repository names, below its work tree, with and without links on the way.
struct NamedFiles {
    /// With everything in it, if it is a directory.
    places: Vec<PathBuf>,
    /// Words of command lines. A directory among them is not meant.
    words: Vec<PathBuf>,
    /// Where the hooks are, if that is the work tree itself.
    hooks: Option<PathBuf>,
}

impl ConfigNames {
    /// Of the repositories whose work tree is this directory or one above it.
    pub(crate) fn above(dir: &Path) -> ConfigNames {
        ConfigNames(dir.ancestors().map(NamedFiles::of_work_tree).collect())
    }

    /// Why writing or replacing an absolute path needs a person, if it does.
    pub(crate) fn reason(&self, path: &Path) -> Option<&'static str> {
        match &self.0 {
            Err(_) => Some("it is unknown what the config of a repository names"),
            Ok(all) => {
                all.iter().any(|named| named.contains(path)).then_some("named in the config of a repository")
            }
        }
    }
}

impl NamedFiles {
    fn of_work_tree(work_tree: &Path) -> Result<NamedFiles, SandboxError> {
        let roots = SearchRoots::none();
        let mut found = NamedFiles { places: Vec::new(), words: Vec::new(), hooks: None };
        let is_there = |name: &str| roots.metadata(&work_tree.join(name)).is_ok();
        let mut dirs = Vec::new();
        if is_there(".git") {
            dirs.extend(git_config::config_dirs(&roots, &without_links(&work_tree.join(".git")))?);
        }
        if ["HEAD", "objects", "refs"].into_iter().all(is_there) {
            dirs.push(work_tree.to_owned());
        }
        let mut files: Vec<PathBuf> =
            dirs.iter().flat_map(|dir| ["config", "config.worktree"].map(|name| dir.join(name))).collect();
        let mut at = 0;
        while let Some(file) = files.get(at).cloned() {
            at += 1;
            for included in found.add_config(&file, work_tree, &roots)? {
                if !files.contains(&included) {
                    files.push(included);
                }
            }
            if files.len() > MOST_FILES {
                return Err(SandboxError::NotUnderstood(file));
            }
        }
        found.add_real_paths(work_tree);
        Ok(found)
    }

    /// Adds what a config file names. Returns the files that it includes.
    fn add_config(
        &mut self,
        file: &Path,
        work_tree: &Path,
        roots: &SearchRoots,
    ) -> Result<Vec<PathBuf>, SandboxError> {
        let text = git_config::small_file(roots, &without_links(file))?;
        let not_understood = |MalformedConfig| SandboxError::NotUnderstood(file.to_owned());
        let named =
            git_config::named_in(&text, file.parent().unwrap_or(file), work_tree, git_config::home_of);
        let mut included = Vec::new();
        for (kind, path) in named.map_err(not_understood)? {
            if kind == Named::Included {
                included.push(path.clone());
            }
            if kind == Named::Hooks && path == work_tree {
                self.hooks = Some(path.clone());
            }
            self.places.push(path);
        }
        self.words.extend(words(&text, work_tree).map_err(not_understood)?);
        Ok(included)
    }

    /// Adds where links lead, and removes what is not below the work tree.
    fn add_real_paths(&mut self, work_tree: &Path) {
        for paths in [&mut self.places, &mut self.words] {
            let real: Vec<PathBuf> = paths.iter().map(|path| real_path(path)).collect();
            paths.extend(real);
            paths.retain(|path| path != work_tree && starts_with(path, work_tree));
            paths.sort_unstable();
            paths.dedup();
        }
    }

    /// Whether a path is named, or contains something that is. It may become a link.
    fn contains(&self, path: &Path) -> bool {
        let is_hook = || path.file_name().is_some_and(is_hook);
        self.places.iter().any(|place| starts_with(path, place))
            || self.places.iter().chain(&self.words).any(|named| starts_with(named, path))
            || self.hooks.as_deref().is_some_and(|hooks| path.parent() == Some(hooks) && is_hook())
    }
}

/// Git follows links to its files.
fn without_links(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The words of all values that may be files of the work tree. The first word of a command without a slash is looked for
/// elsewhere.
fn words(text: &[u8], work_tree: &Path) -> Result<Vec<PathBuf>, MalformedConfig> {
    let mut found = Vec::new();
    settings(text, |_, value| {
        let split = value.unwrap_or_default().split(|byte| SEPARATORS.contains(byte));
        let words = split.filter(|word| !word.is_empty() && !word.starts_with(b"-"));
        for (at, word) in words.enumerate() {
            if at > 0 || word.contains(&b'/') {
                found.extend(absolute(work_tree, Path::new(OsStr::from_bytes(word))));
            }
        }
    })?;
    Ok(found)
}

/// Compares names without regard to case, as some file systems do.
fn starts_with(path: &Path, start: &Path) -> bool {
    let mut names = path.iter();
    start.iter().all(|known| names.next().is_some_and(|name| name.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Whether writing these paths of a work tree with this config needs a person.
    fn check(config: &str, named: &[&str], others: &[&str]) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("w");
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::create_dir_all(root.join("tools")).unwrap();
        symlink("tools", root.join("link")).unwrap();
        fs::write(root.join(".git/config"), config).unwrap();
        fs::write(root.join("more"), "[diff \"y\"]\ncommand = tools/inner\n").unwrap();
        for (paths, expected) in [(named, true), (others, false)] {
            for path in paths {
                let path = root.join(path);
                let reason = ConfigNames::above(path.parent().unwrap()).reason(&path);
                assert_eq!(reason.is_some(), expected, "{path:?}: {config}");
            }
        }
    }

    #[test]
    fn files_that_settings_name_are_found() {
        check("[core]\nhooksPath = doc/h\n", &["doc/h/pre-commit", "doc/h", "DOC/h/x"], &["doc/x", "doc/hx"]);
        check("[core]\nhooksPath = link\n", &["tools/pre-commit", "link/x"], &["doc/x"]);
        check("[core]\nattributesFile = attributes\n", &["attributes"], &["doc/attributes"]);
        check("[core]\nfsmonitor = tools/monitor --all\n", &["tools/monitor"], &["tools/other"]);
        check("[gpg]\nprogram = ./doc/sign\n", &["doc/sign"], &["doc/x"]);
        check("[filter \"x\"]\nclean = sh doc/clean.sh %f\n", &["doc/clean.sh"], &["doc/x", "sh"]);
        check("[filter \"x\"]\nclean = node clean.js\n", &["clean.js"], &["node", "doc/clean.js"]);
        check(
            "[alias]\nx = \"!f() { 'tools/a b' \\\"$@\\\"; env X=doc/y z; }; f\"\n",
            &["doc/y"],
            &["tools/x"],
        );
        check("[include]\npath = ../more\n", &["more", "tools/inner"], &["tools/x"]);
        // The work tree itself is not meant.
        check("[core]\nhooksPath = .\n", &["pre-commit"], &["doc/x", "doc/pre-commit", "README"]);
        check("[remote \"o\"]\nurl = https://host/doc/x\n", &[], &["doc/x"]);
        check("", &[], &["doc/x"]);
    }

    #[test]
    fn links_to_repositories_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["repository", "linked"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("settings"), "[core]\nhooksPath = scripts\n").unwrap();
        symlink("../settings", root.join("repository/config")).unwrap();
        symlink("../repository", root.join("linked/.git")).unwrap();
        let names = ConfigNames::above(&root.join("linked"));
        assert!(names.reason(&root.join("linked/scripts/pre-commit")).is_some());
        assert!(names.reason(&root.join("linked/other")).is_none());
    }

    #[test]
    fn config_that_is_not_understood_needs_a_person() {
        check("[core\n", &["doc/x"], &[]);
    }
}
