//! The user's own git config. It is trusted, but the files it takes from a repository are not.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sekisho_policy::RepositoryProblem as Problem;

use super::credential_settings::is_credential;
use super::discovery::RepositoryPaths;
use super::harmless_settings::is_one_of;
use super::scan::RepositoryScan;
use crate::link_target::{is_of_process, link_target};
use sekisho_policy::git_config::settings;

const DEEPEST_INCLUDE: u8 = 10;
const SYSTEM: &str = "/etc/gitconfig";

/// Paths in the user's config that may be inside a repository.
#[derive(Default)]
struct UserConfigPaths {
    includes: Vec<PathBuf>,
    hooks: Vec<(PathBuf, String)>,
    /// A program with a path relative to the work tree.
    program: Option<String>,
}

impl RepositoryScan {
    /// Scans what the system's and the user's config take from the repository, and what they include.
    pub(super) fn scan_user_config(&mut self, home: Option<&Path>, paths: &RepositoryPaths) {
        let own = home.map(|home| [home.join(".config/git/config"), home.join(".gitconfig")]);
        for path in std::iter::once(PathBuf::from(SYSTEM)).chain(own.into_iter().flatten()) {
            self.scan_user_file(&path, home, paths, 0);
        }
    }

    fn scan_user_file(&mut self, path: &Path, home: Option<&Path>, paths: &RepositoryPaths, depth: u8) {
        let Ok(Some(content)) = self.read_followed(path) else { return };
        let mut named = UserConfigPaths::default();
        if settings(&content, |name, value| {
            if is_credential(&name, value) {
                self.add_setting_finding(Problem::Credential, path, Some(name.text()));
            }
            let relative = |base: &Path| value.and_then(|value| path_of(value, base, home));
            match (name.section, name.key, value) {
                (b"include" | b"includeif", b"path", _) => {
                    named.includes.extend(relative(path.parent().unwrap_or(Path::new("/"))));
                }
                (b"core", b"hookspath", _) if name.subsection.is_none() => {
                    named.hooks.extend(relative(&paths.tree).map(|hooks| (hooks, name.text())));
                }
                (b"core", b"fsmonitor", Some(value)) if name.subsection.is_none() => {
                    let program = value.split(|byte| *byte == b' ').next().unwrap_or_default();
                    let in_tree = program.contains(&b'/') && !matches!(program, [b'/' | b'~', ..]);
                    if in_tree && !is_one_of(Some(value), &["true", "false"]) {
                        named.program = Some(name.text());
                    }
                }
                _ => {}
            }
        })
        .is_err()
        {
            self.add_finding(Problem::Unreadable, path);
        }
        if named.program.is_some() {
            self.add_setting_finding(Problem::Setting, path, named.program);
        }
        for (hooks, key) in named.hooks {
            let target = link_target(&hooks).unwrap_or_else(|_| hooks.clone());
            // What the user's config names in the work tree belongs to the repository, wherever a link leads.
            if paths.holds(&hooks) || paths.holds(&target) || is_of_process(&target) {
                self.scan_foreign_hooks(&hooks, Some(&key), paths);
                self.scan_hooks(&hooks, Some(key));
            }
        }
        for include in named.includes {
            self.scan_user_include(&include, home, paths, depth);
        }
    }

    /// A file that the user's config includes. Judging decides whether it is in the workspace.
    fn scan_user_include(&mut self, include: &Path, home: Option<&Path>, paths: &RepositoryPaths, depth: u8) {
        let Ok(resolved) = link_target(include) else {
            self.kind(include);
            return;
        };
        if paths.holds(&resolved) || depth == DEEPEST_INCLUDE {
            self.add_setting_finding(Problem::Setting, &resolved, Some("include.path".into()));
            return;
        }
        self.add_finding(Problem::UserInclude, &resolved);
        self.scan_user_file(include, home, paths, depth + 1);
    }
}

/// The path that a value names, with `~/` for the home directory. A path below git's own prefix or another
/// user's home is not in a repository.
fn path_of(value: &[u8], base: &Path, home: Option<&Path>) -> Option<PathBuf> {
    match value {
        [] => None,
        [b'%', b'(', ..] => None,
        // Newer git versions remove this marker.
        [b':', b'(', b'o', b'p', b't', b'i', b'o', b'n', b'a', b'l', b')', rest @ ..] => {
            path_of(rest, base, home)
        }
        [b'~', b'/', rest @ ..] => home.map(|home| home.join(OsStr::from_bytes(rest))),
        [b'~', ..] => None,
        _ => Some(base.join(OsStr::from_bytes(value))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::path_of;

    #[test]
    fn paths_are_expanded_as_in_git() {
        for (value, expected) in [
            ("a", Some("/base/a")),
            ("/a", Some("/a")),
            (":(optional)a", Some("/base/a")),
            ("~/a", Some("/home/u/a")),
            ("~u/a", None),
            ("%(prefix)/a", None),
            ("", None),
        ] {
            let found = path_of(value.as_bytes(), Path::new("/base"), Some(Path::new("/home/u")));
            assert_eq!(found, expected.map(PathBuf::from), "{value}");
        }
    }
}
