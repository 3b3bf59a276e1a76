//! The files and directories that a repository's config names: where hooks are, further config, and the program that
//! `git status` asks for changed files.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use sekisho_policy::git_config::{MalformedConfig, settings};

use super::error::SandboxError;
use super::search_roots::SearchRoots;
use crate::contained_write::absolute;

/// The largest config that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The hooks directory (`core.hooksPath`), the included files (`include.path`) and the monitor (`core.fsmonitor`) of a git
/// directory, absolute. A config that cannot be understood is an error: git may find more in it.
pub(super) fn named_files(
    roots: &SearchRoots,
    git_dir: &Path,
    work_tree: &Path,
) -> Result<Vec<PathBuf>, SandboxError> {
    let mut found = Vec::new();
    for path in ["config", "config.worktree"].map(|name| git_dir.join(name)) {
        let text = small_file(roots, &path)?;
        let named = named_in(&text, git_dir, work_tree, home_of);
        let named = named.map_err(|MalformedConfig| SandboxError::NotUnderstood(path))?;
        found.extend(named.into_iter().filter(|(kind, _)| *kind != Named::Attributes).map(|(_, path)| path));
    }
    Ok(found)
}

/// What a setting names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// The directory of the hooks.
    Hooks,
    /// The program that `git status` asks for changed files.
    Monitor,
    /// More config.
    Included,
    /// Attributes, which choose filters.
    Attributes,
}

/// The home directory of a user, or of this one, without links.
pub(super) fn home_of(user: &[u8]) -> Option<PathBuf> {
    let home = match user {
        b"" => std::env::home_dir()?,
        user => {
            let users = fs::read("/etc/passwd").ok()?;
            let mut lines = users.split(|byte| *byte == b'\n').map(|line| line.split(|byte| *byte == b':'));
            lines.find_map(|mut fields| {
                let is_meant = fields.next() == Some(user);
                let home = fields.nth(4).filter(|home| is_meant && !home.is_empty())?;
                Some(PathBuf::from(OsStr::from_bytes(home)))
            })?
        }
    };
    home.canonicalize().ok()
}

/// The directories with the config of a repository: `.git`, or where a file `.git` leads to. None if there is no `.git`.
pub(super) fn config_dirs(roots: &SearchRoots, dot_git: &Path) -> Result<Vec<PathBuf>, SandboxError> {
    if roots.metadata(dot_git).is_ok_and(|found| found.is_dir()) {
        return Ok(vec![dot_git.to_owned()]);
    }
    let pointer = small_file(roots, dot_git)?;
    let named = pointer.strip_prefix(b"gitdir:").map(<[u8]>::trim_ascii).unwrap_or_default();
    let git_dir = absolute(dot_git.parent().unwrap_or(dot_git), Path::new(OsStr::from_bytes(named)));
    let Some(git_dir) = git_dir.filter(|_| !named.is_empty()) else { return Ok(Vec::new()) };
    // A linked work tree has its config in the repository that it belongs to.
    let shared = small_file(roots, &git_dir.join("commondir"))?;
    let shared = absolute(&git_dir, Path::new(OsStr::from_bytes(shared.trim_ascii())));
    Ok(std::iter::once(git_dir).chain(shared).collect())
}

/// The contents of a file. Empty if there is none, or if this user may not read it and so cannot use git there.
pub(super) fn small_file(roots: &SearchRoots, path: &Path) -> Result<Vec<u8>, SandboxError> {
    // A program may put a FIFO in its place, which would make this wait.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = open(roots.opened(path), flags, Mode::empty()).map(fs::File::from);
    let mut bytes = Vec::new();
    if let Some(file) = file.ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file())) {
        let not_understood = || SandboxError::NotUnderstood(path.to_owned());
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|_| not_understood())?;
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > LARGEST {
            return Err(not_understood());
        }
    }
    Ok(bytes)
}

/// What the settings of a config name, absolute. `git_dir`: the directory of the config.
pub(super) fn named_in(
    text: &[u8],
    git_dir: &Path,
    work_tree: &Path,
    home_of: impl Fn(&[u8]) -> Option<PathBuf>,
) -> Result<Vec<(Named, PathBuf)>, MalformedConfig> {
    let mut found = Vec::new();
    settings(text, |name, value| {
        let value = value.unwrap_or_default();
        let (kind, start, value) = match (name.section, name.subsection, name.key) {
            (b"core", None, b"hookspath") => (Named::Hooks, work_tree, value),
            (b"core", None, b"attributesfile") => (Named::Attributes, work_tree, value),
            // A command line. Without a slash, it is the name of an installed program, or yes or no.
            (b"core", None, b"fsmonitor") => {
                let program = value.split(u8::is_ascii_whitespace).next().unwrap_or_default();
                (Named::Monitor, work_tree, if program.contains(&b'/') { program } else { b"" })
            }
            (b"include", None, b"path") | (b"includeif", Some(_), b"path") => {
                (Named::Included, git_dir, value)
            }
            _ => return,
        };
        let value = value.strip_prefix(b":(optional)").unwrap_or(value);
        if value.is_empty() || value.starts_with(b"%") {
            return;
        }
        let path = match value.strip_prefix(b"~") {
            None => absolute(start, Path::new(OsStr::from_bytes(value))),
            Some(rest) => {
                let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
                let (user, below) = rest.split_at(end);
                let below = below.strip_prefix(b"/").unwrap_or(below);
                let home = home_of(user);
                home.and_then(|home| absolute(&home, Path::new(OsStr::from_bytes(below))))
            }
        };
        found.extend(path.map(|path| (kind, path)));
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        let found = named_in(text.as_bytes(), Path::new("/w/.git"), Path::new("/w"), homes);
        let found = found.map(|named| named.into_iter().map(|(_, path)| path).collect());
        assert_eq!(found, Ok(expected), "{text}");
    }

    fn homes(user: &[u8]) -> Option<PathBuf> {
        match user {
            b"" => Some("/home/ann".into()),
            b"bob" => Some("/home/bob".into()),
            _ => None,
        }
    }

    #[test]
    fn paths_in_home_directories_are_found() {
        check("[core]\nhooksPath = ~/p/tools/hooks\n", &["/home/ann/p/tools/hooks"]);
        check("[include]\npath = ~bob/p/x\npath = ~eve/p/x\n", &["/home/bob/p/x"]);
        check("[core]\nhooksPath = :(optional)tools/hooks\n", &["/w/tools/hooks"]);
        assert!(home_of(b"root").is_none_or(|home| home.is_absolute()));
        assert_eq!(home_of(b"no such user"), None);
    }

    #[test]
    fn program_that_monitors_files_is_found() {
        check("[core]\nfsmonitor = tools/monitor --all\n", &["/w/tools/monitor"]);
        check("[core]\nfsmonitor = true\n[core]\nfsmonitor = rs-git-fsmonitor\n", &[]);
    }

    #[test]
    fn hooks_and_included_files_are_found() {
        check("", &[]);
        check("[core]\n\thooksPath = tools/hooks\n", &["/w/tools/hooks"]);
        check("[core] HOOKSPATH=\".husky/_\" # own\n", &["/w/.husky/_"]);
        check("[include]\n\tpath = ../.gitconfig\n", &["/w/.gitconfig"]);
        check("[includeIf \"gitdir:/w/\"]\n\tpath = more\n", &["/w/.git/more"]);
        check("[include]\npath = ~eve/x\n[core]\nhooksPath = /abs/hooks ; x\n", &["/abs/hooks"]);
        check("[core]\n\tbare = false\n\tworktree = ../x\n", &[]);
        // Other settings of the same name.
        check("[other]\nhooksPath = x\n[submodule \"s\"]\npath = s\n", &[]);
    }

    #[test]
    fn values_are_read_as_git_reads_them() {
        for (value, expected) in [
            ("tools/hooks # see [core]", "tools/hooks"),
            ("tools/hooks ; see docs]", "tools/hooks"),
            ("\"h#k\"", "h#k"),
            ("to\"ol\"s/hooks", "tools/hooks"),
            ("tools/\\\"hooks", "tools/\"hooks"),
            ("tools/\\\nhooks", "tools/hooks"),
            ("./tools/../tools/hooks/", "tools/hooks"),
        ] {
            check(&format!("[core]\n hooksPath = {value}\n"), &[&format!("/w/{expected}")]);
        }
    }

    #[test]
    fn what_git_refuses_is_not_understood() {
        for text in
            ["hooksPath = x\n", "[core]\nhooksPath = tools\\hooks\n", "[core\n", "[core]\nhooksPath = x\0\n"]
        {
            assert_eq!(
                named_in(text.as_bytes(), Path::new("/w/.git"), Path::new("/w"), homes),
                Err(MalformedConfig),
                "{text}"
            );
        }
    }
}
