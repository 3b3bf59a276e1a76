//! Settings and hooks that matter only to commands that change the repository: `git add`, `git commit`, `git switch`.
//!
//! The other lists say what is harmless to commands that only read. These commands also run hooks, sign, and collect
//! garbage.

use std::fs;
use std::path::Path;

use sekisho_policy::RepositoryProblem as Problem;
use sekisho_policy::git_config::SettingName;

use super::discovery::RepositoryPaths;
use super::harmless_settings::is_false;
use super::scan::{Kind, RepositoryScan};
use crate::link_target::link_target;

/// Keys of `gc` that start no program, write nowhere else, and keep what is recoverable.
const GC: &[&str] = &[
    "aggressivedepth",
    "aggressivewindow",
    "auto",
    "autodetach",
    "autopacklimit",
    "bigpackthreshold",
    "cruftpacks",
    "logexpiry",
    "maxcruftsize",
    "packrefs",
    "writecommitgraph",
];

/// Sections in which every setting that is harmless to readers is also harmless to `git add`, `git commit` with a message,
/// a new branch, and the maintenance that these start. Sorted.
const SECTIONS: &[&str] = &[
    "add",
    "advice",
    "alias",
    "am",
    "apply",
    "bash",
    "bitmappseudomerge",
    "blame",
    "branch",
    "branchless",
    "browser",
    "bugtraq",
    "checkout",
    "clean",
    "clone",
    "color",
    "column",
    "commit",
    "commitgraph",
    "completion",
    "core",
    "credential",
    "credentialcache",
    "credentialstore",
    "delta",
    "diff",
    "difftool",
    "extensions",
    "feature",
    "fetch",
    "forge",
    "format",
    "fsck",
    "git-town",
    "git-town-branch",
    "gitbutler",
    "gitflow",
    "github",
    "gitlab",
    "grep",
    "gui",
    "guitool",
    "help",
    "http",
    "hub",
    "husky",
    "i18n",
    "imap",
    "include",
    "includeif",
    "index",
    "init",
    "lfs",
    "log",
    "magit",
    "mailmap",
    "maintenance",
    "man",
    "merge",
    "mergetool",
    "notes",
    "pack",
    "pager",
    "protocol",
    "pull",
    "push",
    "rebase",
    "receive",
    "remote",
    "remotes",
    "repack",
    "rerere",
    "revert",
    "safe",
    "sendemail",
    "stash",
    "status",
    "submodule",
    "tag",
    "tig",
    "transfer",
    "uploadpack",
    "url",
    "user",
    "versionsort",
    "vscode",
    "web",
    "worktree",
];

/// Whether a setting is harmless to a command that changes the repository, if it is to those that read.
pub(super) fn is_harmless_to_writers(name: &SettingName<'_>, value: Option<&[u8]>) -> bool {
    match (name.section, name.key) {
        (b"gc", key) => name.subsection.is_none() && GC.iter().any(|known| known.as_bytes() == key),
        (b"commit", b"gpgsign") => is_false(value),
        // The user may sign all commits; the repository does not choose the key.
        (b"user", b"signingkey") => false,
        (section, _) => SECTIONS.binary_search_by(|known| known.as_bytes().cmp(section)).is_ok(),
    }
}

impl RepositoryScan {
    /// Finds what an interrupted command left for the next one: a commit records resolved conflicts in files that
    /// `MERGE_RR` names, and applies `MERGE_AUTOSTASH`.
    pub(super) fn scan_left_state(&mut self, paths: &RepositoryPaths) {
        if self.in_submodule {
            return;
        }
        for name in ["MERGE_RR", "MERGE_AUTOSTASH"] {
            let state = paths.git_dir.join(name);
            let is_empty =
                self.kind(&state).0 == Kind::Absent || state.metadata().is_ok_and(|state| state.len() == 0);
            if !is_empty {
                self.add_writers_finding(Problem::Redirect, &state, None);
            }
        }
        let conflicts = paths.common.join("rr-cache");
        if self.kind(&conflicts).0 == Kind::Link {
            self.add_writers_finding(Problem::Link, &conflicts, None);
        }
    }

    /// Finds hooks that are not the repository's own.
    pub(super) fn scan_foreign_hooks(&mut self, hooks: &Path, key: Option<&str>, paths: &RepositoryPaths) {
        // Only the repository itself is changed.
        if self.in_submodule || self.kind(hooks).0 == Kind::Absent {
            return;
        }
        let Ok(entries) = fs::read_dir(hooks) else {
            // A directory that cannot be listed may still contain hooks that run.
            return self.add_writers_finding(Problem::Unreadable, hooks, key.map(str::to_owned));
        };
        let is_own = |path: &Path| link_target(path).is_ok_and(|path| paths.holds(&path));
        let are_own = is_own(hooks);
        for entry in entries.flatten() {
            let is_sample = entry.path().extension().is_some_and(|end| end == "sample");
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if !is_sample && (!are_own || (is_link && !is_own(&entry.path()))) {
                self.add_writers_finding(Problem::Hook, &entry.path(), key.map(str::to_owned));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_obey_more_settings() {
        let check = |name: &str, value: &str, expected: bool| {
            let name_read = SettingName::new(name.as_bytes()).unwrap();
            assert_eq!(
                is_harmless_to_writers(&name_read, Some(value.as_bytes())),
                expected,
                "{name}={value}"
            );
        };
        for name in
            ["gc.recentobjectshook", "gc.repackfilter", "gc.repackfilterto", "gc.pruneexpire", "gc.x.auto"]
        {
            check(name, "x", false);
        }
        check("gc.auto", "0", true);
        check("commit.gpgsign", "true", false);
        check("commit.gpgsign", "false", true);
        check("commit.verbose", "true", true);
        check("user.signingkey", "~/.ssh/id", false);
        check("user.name", "x", true);
        check("gpg.format", "ssh", false);
        check("trailer.sign.command", "x", false);
        check("frobnicate.program", "x", false);
        check("push.default", "current", true);
    }

    #[test]
    fn sections_are_sorted() {
        assert!(SECTIONS.is_sorted());
    }
}
