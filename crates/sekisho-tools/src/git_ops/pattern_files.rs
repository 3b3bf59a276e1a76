//! The files that assign attributes and list ignored files for all repositories of a user.
//!
//! Without them, git stores a file unfiltered that a filter would have encrypted, and stages one that the user never
//! wants to commit. Reading them runs nothing. So they are found here, and git gets them as absolute paths: those of the
//! user and of the system wherever they are, and those that the repository's own config names if they are in the work
//! tree or the git directory. Otherwise a repository could have any file read as patterns, and what git then ignores
//! would say what is in it.
//!
//! A file in the repository may be a secret one that others named or linked. Git prints words that it does not take for
//! attributes, so such a file must be reached without links and contain nothing else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::config_values::{ConfigFile, ConfigValues, read_file};
use super::repository_paths::{RepositoryPaths, RepositoryProblem};
use crate::contained_write::absolute;
use crate::input_fields::shown_path;

/// Where the system's config and attributes are, besides `etc` beside the directory of the git program.
const SYSTEM: &str = "/etc";

/// The files, and the filters that must not be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PatternFiles {
    /// `core.attributesFile`, a regular file without links on the way.
    pub(super) attributes: Option<PathBuf>,
    /// `core.excludesFile`, in the same way.
    pub(super) excludes: Option<PathBuf>,
    /// Filters that a config defines or that these attributes assign. Git in the sandbox does not know them.
    pub(super) filters: BTreeSet<Vec<u8>>,
    /// Why it is unknown which files would be filtered or ignored. Nothing may be added then.
    pub(super) problem: Option<String>,
}

impl PatternFiles {
    /// Finds them. `home`: the user's, as `~` in the config. `XDG_CONFIG_HOME` is not known here.
    pub(super) fn find(
        repository: &RepositoryPaths,
        program: &Path,
        home: Option<&Path>,
    ) -> Result<PatternFiles, RepositoryProblem> {
        let system = system_directories(program);
        let defaults = home.map(|home| home.join(".config/git"));
        let of_system = system.iter().map(|directory| directory.join("gitconfig"));
        let of_user = defaults.iter().map(|directory| directory.join("config"));
        let files = of_system.chain(of_user).chain(home.map(|home| home.join(".gitconfig")));
        let work_tree = &repository.work_tree.path;
        let users = ConfigValues::read(files.map(ConfigFile::from), home, work_tree);
        // Git reads the second one only if an extension says so.
        let own = [
            ConfigFile { path: repository.common_dir.path.join("config"), is_conditional: false },
            ConfigFile { path: repository.git_dir.path.join("config.worktree"), is_conditional: true },
        ];
        let own = ConfigValues::read(own, home, work_tree);
        if let Some(special) = own.special {
            return Err(RepositoryProblem::Special(special));
        }
        let mut found = PatternFiles { filters: users.filters, ..PatternFiles::default() };
        found.filters.extend(own.filters);
        [users.problem, own.problem].into_iter().flatten().for_each(|problem| found.add_problem(problem));
        if let Some(special) = users.special {
            found.add_problem(format!("{} is not a regular file", shown_path(&special)));
        }
        let default = |name: &str| defaults.as_ref().map(|directory| directory.join(name));
        let attributes = users.attributes.or_else(|| default("attributes"));
        found.attributes = found.choose("core.attributesFile", own.attributes, attributes, repository);
        let excludes = users.excludes.or_else(|| default("ignore"));
        found.excludes = found.choose("core.excludesFile", own.excludes, excludes, repository);
        found.refuse_unclear_attributes(repository);
        let of_system = system.iter().map(|directory| directory.join("gitattributes"));
        for file in of_system.chain(found.attributes.clone()) {
            found.add_filters_assigned_in(&file);
        }
        Ok(found)
    }

    /// The file that git should read. As in git, the repository's own setting takes precedence. One that names no file
    /// does not: it would only make git store more.
    fn choose(
        &mut self,
        setting: &str,
        own: Option<PathBuf>,
        users: Option<PathBuf>,
        repository: &RepositoryPaths,
    ) -> Option<PathBuf> {
        let users = users.and_then(|path| self.regular_file(&path, repository));
        let Some(own) = own.and_then(|path| self.regular_file(&path, repository)) else { return users };
        if is_in(repository, &own) || users.as_ref() == Some(&own) {
            return Some(own);
        }
        self.add_problem(format!(
            "{setting} in the repository's config names {}, which is outside the work tree; set it in your own config instead",
            shown_path(&own)
        ));
        users
    }

    /// The path without links, if there is such a file. One in the repository must not be reached through a link.
    fn regular_file(&mut self, path: &Path, repository: &RepositoryPaths) -> Option<PathBuf> {
        let read = read_file(path);
        let real = read.map(|text| text.and_then(|_| path.canonicalize().ok()));
        let real = real.unwrap_or_else(|problem| {
            self.add_problem(problem);
            None
        })?;
        let named = absolute(Path::new("/"), path)?;
        if is_in(repository, &named) && named != real {
            self.add_problem(format!("{} is reached through a link", shown_path(&named)));
            return None;
        }
        Some(real)
    }

    /// Keeps git from reading a file in the repository of which it would print words.
    fn refuse_unclear_attributes(&mut self, repository: &RepositoryPaths) {
        let Some(file) = self.attributes.take_if(|file| is_in(repository, file)) else { return };
        match read_file(&file) {
            Ok(text) if text.as_deref().is_none_or(has_only_attributes) => self.attributes = Some(file),
            Ok(_) => self.add_problem(format!("{} is not a file with attributes", shown_path(&file))),
            Err(problem) => self.add_problem(problem),
        }
    }

    /// Adds the filters that a file with attributes assigns. Where they are defined does not matter.
    fn add_filters_assigned_in(&mut self, file: &Path) {
        match read_file(file) {
            Ok(text) => self.filters.extend(assigned_filters(&text.unwrap_or_default())),
            Err(problem) => self.add_problem(problem),
        }
    }

    fn add_problem(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }
}

/// Whether a path is in the work tree or a git directory.
fn is_in(repository: &RepositoryPaths, path: &Path) -> bool {
    let RepositoryPaths { work_tree, git_dir, common_dir } = repository;
    [work_tree, git_dir, common_dir].iter().any(|dir| path.starts_with(&dir.path))
}

/// Whether every line is empty, a comment, or a pattern or macro with attributes. Patterns in quotes are not understood.
fn has_only_attributes(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').all(|line| {
        let mut words = line.split(|byte| b" \t\r".contains(byte)).filter(|word| !word.is_empty());
        match words.next() {
            None | Some([b'#', ..]) => true,
            Some([b'"', ..]) => false,
            Some(first) => {
                let is_named = first.strip_prefix(b"[attr]").is_none_or(is_attribute_name);
                is_named && words.all(is_attribute)
            }
        }
    })
}

/// `name`, `-name`, `!name` or `name=value`.
fn is_attribute(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"!")).unwrap_or(word);
    is_attribute_name(word.split(|byte| *byte == b'=').next().unwrap_or_default())
}

fn is_attribute_name(name: &[u8]) -> bool {
    let is_known = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    !name.is_empty() && !name.starts_with(b"-") && name.iter().all(is_known)
}

/// Every `filter=NAME` in a text with attributes.
fn assigned_filters(text: &[u8]) -> BTreeSet<Vec<u8>> {
    let words = text.split(|byte| byte.is_ascii_whitespace() || *byte == 0);
    words.filter_map(|word| word.strip_prefix(b"filter=")).map(<[u8]>::to_vec).collect()
}

/// Where git may have been built to look for the system's files.
fn system_directories(program: &Path) -> BTreeSet<PathBuf> {
    let real = program.canonicalize().ok();
    let prefixes = [Some(program), real.as_deref()].into_iter().flatten().filter_map(|program| {
        let prefix = program.parent()?.parent()?;
        Some(prefix.join("etc"))
    });
    prefixes.chain([PathBuf::from(SYSTEM)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assigned_filters_are_found() {
        let text = b"# x\n*.enc filter=crypt diff=crypt\n[attr]big filter=lfs -text\r\n*.a -filter\n*.b filter\n*.c filter=a=b";
        let found: Vec<Vec<u8>> = assigned_filters(text).into_iter().collect();
        assert_eq!(found, [&b"a=b"[..], b"crypt", b"lfs"]);
    }

    #[test]
    fn only_attributes_are_understood() {
        for text in
            ["", "# x y!\n\n", "*.a filter=x -text !eol diff=a=b\r\n", "[attr]big -diff\n*.b big", "a b.c"]
        {
            assert!(has_only_attributes(text.as_bytes()), "{text:?}");
        }
        for text in ["KEY = value", "a pass/word", "\"a b\" -text", "[attr]a! b", "a --b", "a \u{e9}", "a =b"]
        {
            assert!(!has_only_attributes(text.as_bytes()), "{text:?}");
        }
    }

    #[test]
    fn files_of_the_system_are_beside_the_program() {
        let found = system_directories(Path::new("/strange/place/bin/git"));
        let expected = ["/etc", "/strange/place/etc"].map(PathBuf::from);
        assert_eq!(found, BTreeSet::from(expected));
    }
}
