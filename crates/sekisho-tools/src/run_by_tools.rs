//! Names of files that tools run, or that name programs for them to run, when a person uses the tool in the project.
//!
//! Source code and build files are not listed: a person runs those on purpose. CI workflows are not either: they run
//! elsewhere, after a push.

use std::ffi::OsStr;
use std::path::Path;

/// Directories, as one or two names one after the other, with the reason.
const DIRECTORIES: &[(&[&str], &str)] = &[
    (&[".git-hooks"], "hooks of git"),
    (&[".lefthook"], "hooks of git"),
    (&[".lefthook-local"], "hooks of git"),
    (&[".config", "git"], "settings of git"),
    (&[".config", "mise"], "settings of mise"),
    (&[".config", "jj"], "settings of Jujutsu"),
    (&[".config", "nvim"], "settings of an editor"),
    (&[".config", "tmux"], "commands of a terminal"),
    (&[".devcontainer"], "commands of a development container"),
    (&[".emacs.d"], "commands of an editor"),
    (&[".fleet"], "run configurations of an editor"),
    (&[".helix"], "settings of an editor"),
    (&[".idea"], "run configurations of an editor"),
    (&[".nova"], "tasks of an editor"),
    (&[".nvim"], "commands of an editor"),
    (&[".run"], "run configurations of an editor"),
    (&[".theia"], "tasks of an editor"),
    (&[".vim"], "commands of an editor"),
    (&[".zed"], "tasks of an editor"),
    (&[".goose"], "settings of an agent"),
    (&[".junie"], "settings of an agent"),
    (&[".mise"], "settings of mise"),
    (&["mise", "config.toml"], "settings of mise"),
    (&["mise-tasks"], "tasks of mise"),
    (&[".mvn"], "settings of Maven, which may name code"),
    (&[".yarn", "plugins"], "code that yarn runs"),
    (&[".yarn", "releases"], "the program that yarn runs"),
    (&["node_modules", ".bin"], "programs that are found by name"),
    (&[".local", "bin"], "programs that are found by name"),
];

/// Directories of other version control systems, which they write themselves, with the reason.
const REPOSITORIES: &[(&[&str], &str)] = &[
    (&[".hg"], "hooks and extensions of Mercurial"),
    (&[".jj"], "settings of Jujutsu"),
    (&[".bzr"], "settings of Breezy"),
    (&[".svn"], "settings of Subversion"),
    (&[".sl"], "settings of Sapling"),
    (&[".pijul"], "settings of Pijul"),
];

/// Directories that package managers fill, so that commands in the sandbox have to write them.
const WRITTEN_BY_INSTALLS: &[&str] = &[".bin", "plugins", "releases"];

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
    ("lefthook-local.yaml", "hooks of git"),
    ("lefthook-local.toml", "hooks of git"),
    ("lefthook-local.json", "hooks of git"),
    (".lefthook-local.yml", "hooks of git"),
    (".lefthook-local.yaml", "hooks of git"),
    (".lefthook-local.toml", "hooks of git"),
    (".lefthook-local.json", "hooks of git"),
    (".overcommit.yml", "hooks of git"),
    (".overcommit.yaml", "hooks of git"),
    ("captainhook.json", "hooks of git"),
    (".simple-git-hooks.json", "hooks of git"),
    (".simple-git-hooks.js", "hooks of git"),
    (".simple-git-hooks.cjs", "hooks of git"),
    ("simple-git-hooks.json", "hooks of git"),
    ("simple-git-hooks.js", "hooks of git"),
    ("simple-git-hooks.cjs", "hooks of git"),
    (".huskyrc", "hooks of git"),
    (".huskyrc.json", "hooks of git"),
    (".huskyrc.js", "hooks of git"),
    (".lintstagedrc", "commands that hooks of git run"),
    (".lintstagedrc.json", "commands that hooks of git run"),
    (".lintstagedrc.js", "commands that hooks of git run"),
    (".lintstagedrc.cjs", "commands that hooks of git run"),
    (".lintstagedrc.mjs", "commands that hooks of git run"),
    (".lintstagedrc.yml", "commands that hooks of git run"),
    (".lintstagedrc.yaml", "commands that hooks of git run"),
    (".pre-commit-config.yaml", "hooks of git"),
    (".pre-commit-config.yml", "hooks of git"),
    (".vimrc", "commands of an editor"),
    ("_vimrc", "commands of an editor"),
    (".gvimrc", "commands of an editor"),
    ("_exrc", "commands of an editor"),
    (".lvimrc", "commands of an editor"),
    (".local.vimrc", "commands of an editor"),
    (".exrc", "commands of an editor"),
    (".nvimrc", "commands of an editor"),
    (".nvim.lua", "commands of an editor"),
    (".dir-locals.el", "commands of an editor"),
    (".dir-locals-2.el", "commands of an editor"),
    (".emacs", "commands of an editor"),
    (".devcontainer.json", "commands of a development container"),
    (".gdbinit", "commands of a debugger"),
    (".gdbearlyinit", "commands of a debugger"),
    (".lldbinit", "commands of a debugger"),
    (".pdbrc", "commands of a debugger"),
    (".Rprofile", "code that R runs when it starts"),
    (".ghci", "code that GHCi runs when it starts"),
    (".irbrc", "code that irb runs when it starts"),
    (".pryrc", "code that pry runs when it starts"),
    (".ocamlinit", "code that OCaml runs when it starts"),
    (".octaverc", "code that Octave runs when it starts"),
    (".bazelrc", "settings of Bazel, which may name programs"),
    (".rtx.toml", "settings of mise"),
    (".opencode.json", "settings of an agent"),
    (".crush.json", "settings of an agent"),
    ("crush.json", "settings of an agent"),
    ("mcp.json", "settings of an agent"),
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
    (".pnpmfile.mjs", "code that pnpm runs"),
    ("pnpmfile.js", "code that pnpm runs"),
    ("sitecustomize.py", "code that every Python program runs"),
    ("usercustomize.py", "code that every Python program runs"),
];

/// Ends of the names of files, with the reason.
const ENDINGS: &[(&str, &str)] = &[
    (".code-workspace", "settings of an editor"),
    (".sublime-project", "settings of an editor"),
    (".pth", "code that every Python program runs"),
];

/// Directories that often contain hooks of git, if its config says so.
const HOOK_DIRECTORIES: &[&str] = &["hooks", "git-hooks", "githooks"];

/// What git calls its hooks.
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// What runs or uses an absolute path, if a tool does. Names are compared without regard to case.
pub(crate) fn run_by_tools(path: &Path) -> Option<&'static str> {
    let names: Vec<&OsStr> = path.iter().collect();
    let is = |name: &&OsStr, known: &&str| name.eq_ignore_ascii_case(known);
    for (directory, reason) in DIRECTORIES.iter().chain(REPOSITORIES) {
        let here = |names: &[&OsStr]| names.iter().zip(*directory).all(|(name, known)| is(name, known));
        if names.windows(directory.len()).any(here) {
            return Some(reason);
        }
    }
    let (name, parents) = names.split_last()?;
    file_reason(parents.last().copied().unwrap_or_default(), name)
}

/// What runs or uses a file in a directory with the name `parent`.
fn file_reason(parent: &OsStr, name: &OsStr) -> Option<&'static str> {
    if let Some((_, reason)) = FILES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)) {
        return Some(reason);
    }
    let lower = name.to_ascii_lowercase();
    let ends = |ending: &str| lower.as_encoded_bytes().ends_with(ending.as_bytes());
    if let Some((_, reason)) = ENDINGS.iter().find(|(ending, _)| ends(ending)) {
        return Some(reason);
    }
    let is_in = |list: &[&str], name: &OsStr| list.iter().any(|known| name.eq_ignore_ascii_case(known));
    (is_in(HOOK_DIRECTORIES, parent) && is_hook(name)).then_some("hooks of git")
}

/// Whether git runs a file of this name, if it is where the hooks are.
pub(crate) fn is_hook(name: &OsStr) -> bool {
    HOOKS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a file or directory stays read-only in the sandbox. What version control systems and package managers write
/// themselves does not.
pub(crate) fn is_kept_in_sandbox(parent: &OsStr, name: &OsStr, is_dir: bool) -> bool {
    if !is_dir {
        return file_reason(parent, name).is_some();
    }
    let is_known = |known: &[&str]| match known {
        [first, last] => parent.eq_ignore_ascii_case(first) && name.eq_ignore_ascii_case(last),
        [only] => name.eq_ignore_ascii_case(only),
        _ => false,
    };
    let is_written = WRITTEN_BY_INSTALLS.iter().any(|known| name.eq_ignore_ascii_case(known));
    !is_written && DIRECTORIES.iter().any(|(known, _)| is_known(known))
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
            ("/p/.lefthook-local.yml", Some("hooks of git")),
            ("/p/hooks/pre-receive", Some("hooks of git")),
            ("/p/a.code-workspace", Some("settings of an editor")),
            ("/p/site/X.PTH", Some("code that every Python program runs")),
            ("/p/.Rprofile", Some("code that R runs when it starts")),
            ("/p/node_modules/.bin/tsc", Some("programs that are found by name")),
            ("/p/.pijul/config", Some("settings of Pijul")),
            ("/p/.yarn/cache/x.zip", None),
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

    #[test]
    fn commands_may_write_what_installs_write() {
        let check = |parent: &str, name: &str, is_dir: bool, expected: bool| {
            let found = is_kept_in_sandbox(OsStr::new(parent), OsStr::new(name), is_dir);
            assert_eq!(found, expected, "{parent}/{name}");
        };
        check("p", "lefthook.yml", false, true);
        check("hooks", "pre-commit", false, true);
        check("p", ".run", true, true);
        check(".config", "git", true, true);
        check("src", "git", true, false);
        check("node_modules", ".bin", true, false);
        check(".yarn", "releases", true, false);
        check("p", ".jj", true, false);
        check("p", "main.rs", false, false);
        // A file with the name of a directory.
        check("p", ".run", false, false);
    }
}
