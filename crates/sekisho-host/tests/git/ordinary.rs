//! Repositories as git and common tools make them: nothing is asked.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::git_judge::{GitJudge, READERS};
use super::test_repositories::{TestDisk, append, executable};

/// Checks that every read-only command is allowed.
#[track_caller]
fn quiet(disk: &TestDisk, directory: &Path) {
    let judge = GitJudge::new(disk);
    for command in READERS {
        let (verdict, _) = judge.verdict(command, directory);
        let reasons = &verdict.reasons;
        assert_eq!(
            format!("{:?}", verdict.decision),
            "Allow",
            "{command} in {}: {reasons:?}",
            directory.display()
        );
    }
}

#[test]
fn no_repository_and_a_new_one() {
    let disk = TestDisk::new();
    quiet(&disk, &disk.path("w"));
    let repo = disk.repository("plain");
    quiet(&disk, &repo);
    quiet(&disk, &repo.join("src"));
    for option in ["--object-format=sha256", "--ref-format=reftable"] {
        quiet(&disk, &disk.repository_with(option.trim_start_matches('-'), &[option]));
    }
}

#[test]
fn clones() {
    let disk = TestDisk::new();
    let repo = disk.repository("origin");
    let url = format!("file://{}", repo.display());
    let top = disk.path("w");
    for (name, options) in [
        ("clone", &[][..]),
        ("shallow", &["--depth=1"]),
        ("named", &["-o", "upstream", "--single-branch"]),
        ("sparse", &["--sparse"]),
    ] {
        disk.git(&top, &[&["clone", "-q", &url, name], options].concat());
        quiet(&disk, &top.join(name));
    }
    disk.git(&top.join("sparse"), &["sparse-checkout", "set", "--sparse-index", "src"]);
    assert!(top.join("sparse/.git/config.worktree").exists());
    quiet(&disk, &top.join("sparse"));
}

#[test]
fn linked_work_trees() {
    let disk = TestDisk::new();
    let repo = disk.repository("main");
    disk.git(&repo, &["worktree", "add", "-q", "../linked"]);
    let linked = disk.path("w/linked");
    quiet(&disk, &linked);
    quiet(&disk, &linked.join("src"));
    quiet(&disk, &repo);
    // As later versions write it.
    fs::write(linked.join(".git"), "gitdir: ../main/.git/worktrees/linked\n").unwrap();
    fs::write(repo.join(".git/worktrees/linked/gitdir"), "../../../../linked/.git\n").unwrap();
    append(&repo.join(".git/config"), "[extensions]\n\trelativeWorktrees = true\n");
    let judge = GitJudge::new(&disk);
    assert!(judge.allows("git status", &linked) && judge.allows("git status", &repo));

    disk.git(&disk.path("w"), &["clone", "-q", "--bare", "main", "bare.git"]);
    disk.git(&disk.path("w/bare.git"), &["worktree", "add", "-q", "../of-bare"]);
    quiet(&disk, &disk.path("w/of-bare"));
}

#[test]
fn submodules() {
    let disk = TestDisk::new();
    disk.repository("inner");
    let repo = disk.repository("outer");
    disk.git(&repo, &["submodule", "add", "-q", "../inner", "sub"]);
    disk.git(&repo, &["submodule", "add", "-q", "-b", "main", "../inner", "libs/deep"]);
    disk.git(&repo, &["commit", "-qm", "submodules"]);
    quiet(&disk, &repo);
    quiet(&disk, &repo.join("sub"));
    quiet(&disk, &repo.join("libs/deep"));
    for options in [&["--index-version", "4"][..], &["--split-index"]] {
        disk.git(&repo, &[&["update-index"], options].concat());
        quiet(&disk, &repo);
    }
    disk.git(&repo, &["worktree", "add", "-q", "../linked"]);
    disk.git(&disk.path("w/linked"), &["submodule", "update", "-q", "--init"]);
    quiet(&disk, &disk.path("w/linked"));
    quiet(&disk, &disk.path("w/linked/sub"));
    disk.git(&repo, &["submodule", "deinit", "-q", "-f", "sub"]);
    quiet(&disk, &repo);
}

#[test]
fn settings_of_common_tools() {
    let disk = TestDisk::new();
    let repo = disk.repository("tools");
    let set = |key: &str, value: &str| {
        disk.git(&repo, &["config", key, value]);
    };
    // git-lfs: its filters are in the user's own config.
    append(
        &disk.home().join(".gitconfig"),
        "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n",
    );
    set("lfs.repositoryformatversion", "0");
    set("lfs.https://example.org/a.git/info/lfs.access", "basic");
    fs::write(repo.join(".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n").unwrap();
    for hook in ["pre-push", "post-checkout", "post-commit", "post-merge", "pre-commit"] {
        let path = repo.join(".git/hooks").join(hook);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        executable(&path);
    }
    // VS Code, gh, git-flow.
    set("branch.main.vscode-merge-base", "origin/main");
    set("branch.main.github-pr-owner-number", "a#b#1");
    set("branch.main.gh-merge-base", "main");
    set("remote.origin.url", "https://example.org/a.git");
    set("remote.origin.gh-resolved", "base");
    set("gitflow.branch.master", "main");
    set("gitflow.prefix.feature", "feature/");
    set("core.sshCommand", "ssh -i ~/.ssh/work");
    set("commit.gpgSign", "true");
    set("core.excludesFile", ".git/info/exclude");
    quiet(&disk, &repo);
}

#[test]
fn hooks_that_read_only_commands_do_not_run() {
    let disk = TestDisk::new();
    let repo = disk.repository("husky");
    fs::create_dir_all(repo.join(".husky/_")).unwrap();
    for hook in ["pre-commit", "commit-msg", "h", "post-checkout"] {
        let path = repo.join(".husky/_").join(hook);
        fs::write(&path, "#!/bin/sh\n").unwrap();
        executable(&path);
    }
    disk.git(&repo, &["config", "core.hooksPath", ".husky/_"]);
    // Not executable: git does not run it.
    fs::write(repo.join(".git/hooks/post-index-change"), "#!/bin/sh\n").unwrap();
    quiet(&disk, &repo);
    fs::rename(repo.join(".git/hooks"), repo.join("hooks")).unwrap();
    symlink("../hooks", repo.join(".git/hooks")).unwrap();
    quiet(&disk, &repo);
}

#[test]
fn during_merges_and_rebases() {
    let disk = TestDisk::new();
    let repo = disk.repository("busy");
    disk.git(&repo, &["stash", "-q"]);
    disk.git(&repo, &["checkout", "-q", "-b", "other", "HEAD~1"]);
    fs::write(repo.join("a.txt"), "other\n").unwrap();
    disk.git(&repo, &["commit", "-qam", "other"]);
    assert!(!disk.run(&repo, "git", &["rebase", "main"]).status.success());
    assert!(repo.join(".git/rebase-merge").exists());
    quiet(&disk, &repo);
    disk.git(&repo, &["rebase", "--abort"]);
    assert!(!disk.run(&repo, "git", &["merge", "main"]).status.success());
    quiet(&disk, &repo);
    disk.git(&repo, &["merge", "--abort"]);
    disk.git(&repo, &["bisect", "start"]);
    disk.git(&repo, &["gc", "-q"]);
    quiet(&disk, &repo);
}

#[test]
fn files_the_user_includes_are_trusted() {
    let disk = TestDisk::new();
    let repo = disk.repository("plain");
    let top = disk.path("w");
    append(
        &disk.home().join(".gitconfig"),
        &format!(
            "[includeIf \"gitdir:{}/\"]\n\tpath = .gitconfig-work\n[include]\n\tpath = ~/none\n",
            top.display()
        ),
    );
    fs::write(disk.home().join(".gitconfig-work"), "[core]\n\tfsmonitor = true\n\thooksPath = ~/hooks\n")
        .unwrap();
    quiet(&disk, &repo);
    // In the workspace anyone could write it.
    append(&disk.home().join(".gitconfig"), &format!("[include]\n\tpath = {}/shared\n", top.display()));
    quiet(&disk, &repo);
    fs::write(top.join("shared"), "[core]\n\teditor = vi\n").unwrap();
    assert!(!GitJudge::new(&disk).allows("git status", &repo));
}

#[test]
fn users_monitor_is_asked_about_only_in_the_work_tree() {
    for (written, expected) in [
        ("[core]\n\tfsmonitor = tools/watch\n", &["Setting core.fsmonitor"][..]),
        ("[core]\n\tfsmonitor = /usr/bin/watch\n", &[]),
        ("[core]\n\tfsmonitor = ~/watch\n", &[]),
        ("[core]\n\tfsmonitor = watch\n", &[]),
        ("[core \"x\"]\n\tfsmonitor = tools/watch\n", &[]),
    ] {
        let disk = TestDisk::new();
        let repo = disk.repository("plain");
        append(&disk.home().join(".gitconfig"), written);
        assert_eq!(GitJudge::new(&disk).found(&repo), expected, "{written}");
    }
}

#[test]
fn linked_work_tree_must_be_named_by_its_repository() {
    let disk = TestDisk::new();
    let repo = disk.repository("main");
    disk.git(&repo, &["worktree", "add", "-q", "../linked"]);
    let linked = disk.path("w/linked");
    for back in ["w/linked/other", "w/main/.git"] {
        let back = format!("{}\n", disk.path(back).display());
        fs::write(repo.join(".git/worktrees/linked/gitdir"), &back).unwrap();
        let found = GitJudge::new(&disk).found(&linked);
        assert!(found.contains(&"Redirect gitdir".to_owned()), "{back}: {found:?}");
    }
}

#[test]
fn includes_inside_a_repository_are_read() {
    let disk = TestDisk::new();
    let repo = disk.repository("plain");
    disk.git(&repo, &["config", "include.path", "../shared.gitconfig"]);
    quiet(&disk, &repo);
    fs::write(repo.join("shared.gitconfig"), "[alias]\n\tst = status\n").unwrap();
    quiet(&disk, &repo);
    fs::write(repo.join("shared.gitconfig"), "[core]\n\tfsmonitor = x\n").unwrap();
    assert_eq!(GitJudge::new(&disk).found(&repo), ["Setting core.fsmonitor"]);
}
