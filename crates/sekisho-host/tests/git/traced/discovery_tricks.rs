//! Ways in which git finds a repository or its files, harmless and harmful. Judging has to distinguish them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::super::test_repositories::{append, copy, executable};
use super::workspace::Workspace;

/// Changes a case, and returns where git is run if not in `r`.
pub(super) type Trick = fn(&Path, &Workspace) -> Option<String>;

pub(super) const TRICKS: &[(&str, Trick)] = &[
    ("a hook that is not executable", |case, workspace| hook(&hooks(case), workspace, false)),
    ("a hook", |case, workspace| hook(&hooks(case), workspace, true)),
    ("hooks elsewhere, without one for readers", |case, _| {
        fs::create_dir_all(case.join("r/.husky")).unwrap();
        fs::write(case.join("r/.husky/pre-commit"), "").unwrap();
        config(case, "[core]\n\thooksPath = .husky\n")
    }),
    ("hooks elsewhere", |case, workspace| {
        hook(&case.join("r/.husky"), workspace, true);
        config(case, "[core]\n\thooksPath = .husky\n")
    }),
    ("a git directory of another name that leads back", |case, _| {
        moved(case, "repo", "gitdir: repo\n")?;
        append(&case.join("r/repo/config"), "[core]\n\tworktree = ..\n");
        None
    }),
    ("a git directory of another name", |case, _| moved(case, "repo", "gitdir: repo\n")),
    ("a gitfile with a blank", |case, _| moved(case, "repo", "gitdir: repo \n")),
    ("a gitfile with more lines", |case, _| moved(case, "repo", "gitdir: repo\nx\n")),
    ("a gitfile with CR", |case, _| {
        moved(case, "repo", "gitdir: repo\r\n")?;
        append(&case.join("r/repo/config"), "[core]\n\tworktree = ..\n");
        None
    }),
    (".git that is a link", |case, _| {
        if case.join("r/.git").is_dir() {
            fs::rename(case.join("r/.git"), case.join("outside/git")).unwrap();
            symlink("../outside/git", case.join("r/.git")).unwrap();
        }
        None
    }),
    ("a bare repository on the way", |case, workspace| {
        let docs = case.join("r/docs");
        copy(&git_dir(case), &docs);
        append(&docs.join("config"), &format!("[core]\n\tfsmonitor = {}\n", workspace.program().display()));
        Some("r/docs".into())
    }),
    ("a lookalike bare repository next to the path", |case, _| {
        copy(&git_dir(case), &case.join("r/docs"));
        None
    }),
    ("a commondir", |case, workspace| {
        copy(&git_dir(case), &case.join("r/common"));
        append(
            &case.join("r/common/config"),
            &format!("[core]\n\tfsmonitor = {}\n", workspace.program().display()),
        );
        if case.join("r/.git").is_dir() {
            fs::write(case.join("r/.git/commondir"), "../common\n").unwrap();
        }
        None
    }),
    ("HEAD that is none", |case, _| {
        if case.join("r/.git").is_dir() {
            fs::write(case.join("r/.git/HEAD"), "x\n").unwrap();
        }
        None
    }),
    ("a detached HEAD", |case, _| {
        let head = git_dir(case).join("HEAD");
        if let Ok(id) = fs::read_to_string(git_dir(case).join("refs/heads/other")) {
            fs::write(head, id).unwrap();
        }
        None
    }),
    ("a link in the git directory", |case, _| link(case, "BISECT_START", Some("BISECT_LOG"))),
    ("a link below refs", |case, _| link(case, "refs/heads/linked-out", None)),
    ("a link in place of the shallow file", |case, _| link(case, "shallow", None)),
    ("a link below info", |case, _| link(case, "info/exclude", None)),
    ("an untracked link", |case, _| {
        symlink("../outside", case.join("r/untracked")).unwrap();
        None
    }),
    ("a tracked directory that is a link", |case, _| {
        fs::remove_dir_all(case.join("r/src")).unwrap();
        fs::write(case.join("outside/b.u"), "two\n").unwrap();
        symlink("../outside", case.join("r/src")).unwrap();
        None
    }),
    ("alternates outside", |case, _| {
        fs::create_dir(case.join("outside/objects")).unwrap();
        fs::create_dir(case.join("outside/objects/pack")).unwrap();
        let info = common(case).join("objects/info");
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("alternates"), format!("{}\n", case.join("outside/objects").display())).unwrap();
        None
    }),
    ("alternates inside", |case, _| {
        fs::create_dir_all(common(case).join("spare/objects")).unwrap();
        let info = common(case).join("objects/info");
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("alternates"), "# more\n../spare/objects\n").unwrap();
        None
    }),
    ("a config with a NUL", |case, workspace| {
        config(case, &format!("[core \"fsmonitor\0\"]\n\tk = {}\n", workspace.program().display()))
    }),
    ("a config that does not end", |case, _| config(case, "[core")),
    ("a config with a BOM", |case, _| {
        let path = common(case).join("config");
        let content = fs::read(&path).unwrap();
        fs::write(path, [b"\xef\xbb\xbf", content.as_slice()].concat()).unwrap();
        None
    }),
    ("attributes with a macro", |case, _| {
        let info = common(case).join("info");
        fs::create_dir_all(&info).unwrap();
        fs::write(info.join("attributes"), "[attr]ours filter=x diff=x\n* ours\n").unwrap();
        None
    }),
    ("a promisor", |case, workspace| {
        let program = workspace.program();
        config(
            case,
            &format!(
                "[remote \"o\"]\n\turl = ext::{}\n\tpromisor = true\n[protocol \"ext\"]\n\tallow = always\n",
                program.display()
            ),
        )
    }),
    ("a repository inside that is not tracked", |case, _| {
        copy(&git_dir(case), &case.join("r/nested/.git"));
        None
    }),
    ("an empty directory .git below", |case, _| {
        fs::create_dir_all(case.join("r/sub-empty/.git")).unwrap();
        Some("r/sub-empty".into())
    }),
];

fn common(case: &Path) -> PathBuf {
    if case.join("main").exists() { case.join("main/.git") } else { git_dir(case) }
}

fn git_dir(case: &Path) -> PathBuf {
    match case.join("main").exists() {
        true => case.join("main/.git/worktrees/r"),
        false => case.join("r/.git"),
    }
}

fn hooks(case: &Path) -> PathBuf {
    common(case).join("hooks")
}

fn config(case: &Path, text: &str) -> Option<String> {
    append(&common(case).join("config"), text);
    None
}

fn hook(hooks: &Path, workspace: &Workspace, runs: bool) -> Option<String> {
    fs::create_dir_all(hooks).unwrap();
    let hook = hooks.join("post-index-change");
    fs::write(&hook, fs::read(workspace.program()).unwrap()).unwrap();
    if runs {
        executable(&hook);
    }
    None
}

fn moved(case: &Path, name: &str, gitfile: &str) -> Option<String> {
    if !case.join("r/.git").is_dir() || case.join("r/.git/modules").exists() {
        return None;
    }
    fs::rename(case.join("r/.git"), case.join("r").join(name)).unwrap();
    fs::write(case.join("r/.git"), gitfile).unwrap();
    Some("r".into())
}

fn link(case: &Path, name: &str, beside: Option<&str>) -> Option<String> {
    let path = git_dir(case).join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).unwrap();
    }
    let _ = fs::remove_file(&path);
    symlink(case.join("outside/secret"), path).unwrap();
    if let Some(beside) = beside {
        fs::write(git_dir(case).join(beside), "").unwrap();
    }
    None
}
