//! The author that the user's own git config names.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sekisho_policy::git_config::settings;

use crate::bounded_git_read;

/// Larger config files are not read, in bytes.
const LARGEST: u64 = 1 << 20;
const DEEPEST_INCLUDE: u8 = 10;

/// An author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitIdentity {
    /// `user.name`.
    pub name: String,
    /// `user.email`.
    pub email: String,
}

#[derive(Default)]
struct Found {
    name: Option<String>,
    email: Option<String>,
}

/// The author in the user's own git config: `~/.config/git/config`, then `~/.gitconfig`, with what they
/// include without a condition. None if either setting is missing.
pub fn user_git_identity(home: &Path) -> Option<GitIdentity> {
    let mut found = Found::default();
    for file in [".config/git/config", ".gitconfig"] {
        read(&home.join(file), home, &mut found, 0);
    }
    Some(GitIdentity { name: found.name?, email: found.email? })
}

fn read(path: &Path, home: &Path, found: &mut Found, depth: u8) {
    if depth > DEEPEST_INCLUDE {
        return;
    }
    let Ok(Some(content)) = bounded_git_read::read(path, LARGEST) else { return };
    // A file that is malformed counts up to its error, as it does not matter who else commits.
    let _ = settings(&content, |name, value| {
        let text =
            || value.and_then(|value| String::from_utf8(value.to_vec()).ok()).filter(|text| !text.is_empty());
        match (name.section, name.subsection, name.key) {
            (b"user", None, b"name") => found.name = text(),
            (b"user", None, b"email") => found.email = text(),
            (b"include", None, b"path") => {
                if let Some(include) = value.and_then(|value| included(value, path, home)) {
                    read(&include, home, found, depth + 1);
                }
            }
            _ => {}
        }
    });
}

fn included(value: &[u8], file: &Path, home: &Path) -> Option<PathBuf> {
    match value {
        [] | [b'%', ..] => None,
        [b'~', b'/', rest @ ..] => Some(home.join(OsStr::from_bytes(rest))),
        [b'~', ..] => None,
        _ => Some(file.parent()?.join(OsStr::from_bytes(value))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: Option<(&str, &str)>) {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = home.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = user_git_identity(home.path());
        let found = found.as_ref().map(|author| (author.name.as_str(), author.email.as_str()));
        assert_eq!(found, expected, "{files:?}");
    }

    #[test]
    fn author_is_read_from_the_users_config() {
        let both = "[user]\nname = \"Ann Other\"\nemail = ann@example.org\n";
        check(&[(".gitconfig", both)], Some(("Ann Other", "ann@example.org")));
        check(&[(".config/git/config", both)], Some(("Ann Other", "ann@example.org")));
        check(
            &[(".config/git/config", both), (".gitconfig", "[user]\nemail = a@b.c\n")],
            Some(("Ann Other", "a@b.c")),
        );
        let include = "[include]\npath = ~/me.inc\n[includeIf \"gitdir:x\"]\npath = other.inc\n";
        let other = ("other.inc", "[user]\nname = Other\n");
        check(&[(".gitconfig", include), ("me.inc", both), other], Some(("Ann Other", "ann@example.org")));
    }

    #[test]
    fn includes_are_followed_as_in_git() {
        let both = "[user]\nname = Ann\nemail = a@b.c\n";
        for name in ["%(prefix)/me", "~u/me"] {
            check(&[(".gitconfig", &format!("[include]\npath = {name}\n")), (name, both)], None);
        }
        let chain = |length: u8| {
            let home = tempfile::tempdir().unwrap();
            for at in 0..length {
                let name = if at == 0 { ".gitconfig".to_owned() } else { at.to_string() };
                let include = format!("[include]\npath = {}\n", at + 1);
                std::fs::write(home.path().join(name), include).unwrap();
            }
            std::fs::write(home.path().join(length.to_string()), both).unwrap();
            user_git_identity(home.path()).is_some()
        };
        assert!(chain(DEEPEST_INCLUDE));
        assert!(!chain(DEEPEST_INCLUDE + 1));
    }

    #[test]
    fn half_an_author_is_none() {
        check(&[], None);
        check(&[(".gitconfig", "[user]\nname = Ann\n")], None);
        check(&[(".gitconfig", "[user]\nname =\nemail = a@b.c\n")], None);
        check(&[(".gitconfig", "[user \"x\"]\nname = Ann\nemail = a@b.c\n")], None);
        check(&[(".gitconfig", "[include]\npath = .gitconfig\n")], None);
    }

    #[test]
    fn pipes_are_not_read() {
        let home = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
            rustix::fs::mknodat(rustix::fs::CWD, home.path().join(name), rustix::fs::FileType::Fifo, mode, 0)
                .unwrap();
        };
        make("pipe");
        let include = "[include]\npath = pipe\n[user]\nname = Ann\nemail = a@b.c\n";
        std::fs::write(home.path().join(".gitconfig"), include).unwrap();
        let found = user_git_identity(home.path());
        assert_eq!(found.map(|author| author.name).as_deref(), Some("Ann"));
        std::fs::remove_file(home.path().join(".gitconfig")).unwrap();
        make(".gitconfig");
        assert_eq!(user_git_identity(home.path()), None);
    }
}
