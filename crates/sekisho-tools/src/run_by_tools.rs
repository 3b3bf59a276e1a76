//! Names of files that tools run, or that name programs for them to run, when a person uses the tool in the project.
//!
//! Source code and build files are not listed: a person runs those on purpose. CI workflows are not either: they run
//! elsewhere, after a push.

use std::ffi::OsStr;
use std::path::Path;

/// Directories, as one or two names one after the other, with the reason.
const DIRECTORIES: &[(&[&str], &str)] = &[
    (&[".hg"], "hooks and extensions of Mercurial"),
    (&[".jj"], "settings of Jujutsu"),
    (&[".bzr"], "settings of Breezy"),
    (&[".svn"], "settings of Subversion"),
    (&[".git-hooks"], "hooks of git"),
    (&[".config", "git"], "settings of git"),
    (&[".config", "mise"], "settings of mise"),
    (&[".config", "jj"], "settings of Jujutsu"),
    (&[".config", "nvim"], "settings of an editor"),
    (&[".devcontainer"], "commands of a development container"),
    (&[".idea"], "run configurations of an editor"),
    (&[".run"], "run configurations of an editor"),
    (&[".zed"], "tasks of an editor"),
    (&[".local", "bin"], "programs that are found by name"),
];

/// Files, with the reason.
const FILES: &[(&str, &str)] = &[
    (".gitconfig", "settings of git"),
    (".hgrc", "settings of Mercurial"),
    (".lefthook.yml", "hooks of git"),
    (".lefthook.yaml", "hooks of git"),
    (".lefthook.toml", "hooks of git"),
    (".lefthook.json", "hooks of git"),
    ("lefthook.yml", "hooks of git"),
    ("lefthook.yaml", "hooks of git"),
    ("lefthook.toml", "hooks of git"),
    ("lefthook.json", "hooks of git"),
    ("lefthook-local.yml", "hooks of git"),
    (".overcommit.yml", "hooks of git"),
    (".pre-commit-config.yaml", "hooks of git"),
    (".pre-commit-config.yml", "hooks of git"),
    (".vimrc", "commands of an editor"),
    (".gvimrc", "commands of an editor"),
    (".exrc", "commands of an editor"),
    (".nvimrc", "commands of an editor"),
    (".nvim.lua", "commands of an editor"),
    (".dir-locals.el", "commands of an editor"),
    (".dir-locals-2.el", "commands of an editor"),
    (".emacs", "commands of an editor"),
    (".devcontainer.json", "commands of a development container"),
    (".gdbinit", "commands of a debugger"),
    (".lldbinit", "commands of a debugger"),
    (".mise.toml", "settings of mise"),
    ("mise.toml", "settings of mise"),
    (".mise.local.toml", "settings of mise"),
    ("mise.local.toml", "settings of mise"),
    (".tmux.conf", "commands of a terminal"),
    (".screenrc", "commands of a terminal"),
    (".inputrc", "keys of the shell, which may run commands"),
    (".yarnrc", "the program that yarn runs"),
    (".yarnrc.yml", "the program that yarn runs"),
    (".pnpmfile.cjs", "code that pnpm runs"),
    ("sitecustomize.py", "code that every Python program runs"),
    ("usercustomize.py", "code that every Python program runs"),
];

/// Directories that often contain hooks of git, if its config says so.
const HOOK_DIRECTORIES: &[&str] = &["hooks", "git-hooks", "githooks"];

/// What git calls its hooks.
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-rewrite",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "prepare-commit-msg",
    "reference-transaction",
];

/// What runs or uses an absolute path, if a tool does. Names are compared without regard to case.
pub(crate) fn run_by_tools(path: &Path) -> Option<&'static str> {
    let names: Vec<&OsStr> = path.iter().collect();
    let is = |name: &&OsStr, known: &&str| name.eq_ignore_ascii_case(known);
    for (directory, reason) in DIRECTORIES {
        let here = |names: &[&OsStr]| names.iter().zip(*directory).all(|(name, known)| is(name, known));
        if names.windows(directory.len()).any(here) {
            return Some(reason);
        }
    }
    let (name, parents) = names.split_last()?;
    if let Some((_, reason)) = FILES.iter().find(|(known, _)| is(name, known)) {
        return Some(reason);
    }
    let in_hooks =
        parents.last().is_some_and(|parent| HOOK_DIRECTORIES.iter().any(|known| is(parent, known)));
    (in_hooks && HOOKS.iter().any(|known| is(name, known))).then_some("hooks of git")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_tools_run_are_found() {
        for (path, expected) in [
            ("/p/.hg/hgrc", Some("hooks and extensions of Mercurial")),
            ("/p/sub/.jj/repo/config.toml", Some("settings of Jujutsu")),
            ("/p/.config/git/config", Some("settings of git")),
            ("/p/.GitConfig", Some("settings of git")),
            ("/p/hooks/pre-commit", Some("hooks of git")),
            ("/p/.git-hooks/anything", Some("hooks of git")),
            ("/p/lefthook.yml", Some("hooks of git")),
            ("/p/.nvim.lua", Some("commands of an editor")),
            ("/p/.devcontainer/devcontainer.json", Some("commands of a development container")),
            ("/p/.local/bin/git", Some("programs that are found by name")),
            ("/p/sitecustomize.py", Some("code that every Python program runs")),
            ("/p/.config/other", None),
            ("/p/git/config", None),
            ("/p/local/bin/git", None),
            ("/p/src/hooks/use_state.ts", None),
            ("/p/pre-commit", None),
            ("/p/.github/workflows/ci.yml", None),
            ("/p/src/main.rs", None),
        ] {
            assert_eq!(run_by_tools(Path::new(path)), expected, "{path}");
        }
    }
}
