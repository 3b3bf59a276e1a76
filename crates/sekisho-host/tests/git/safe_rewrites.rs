//! Findings say what a repository would do, and offer a way to write the command so that it does not.

use std::fs;

use super::git_judge::{GitJudge, asks_about_repository};
use super::test_repositories::{TestDisk, executable};

/// A setting, a command that is asked about because of it, and the form that is allowed.
const SETTINGS: &[(&str, &str, &str, Option<&str>)] = &[
    ("core.fsmonitor", "./x", "git status", Some("git -c core.fsmonitor=false status")),
    ("core.fsmonitor", "true", "git ls-files", Some("git -c core.fsmonitor=false ls-files")),
    ("core.pager", "./x", "git log", Some("git --no-pager log")),
    ("pager.log", "./x", "git -C . log -1", Some("git --no-pager -C . log -1")),
    ("diff.external", "./x", "git diff a.txt", Some("git diff --no-ext-diff a.txt")),
    ("diff.external", "./x", "git status", None),
    ("diff.x.textconv", "./x", "git show HEAD", Some("git show --no-textconv HEAD")),
    ("diff.x.textconv", "./x", "git blame a.txt", Some("git blame --no-textconv a.txt")),
    ("log.showSignature", "true", "git log -1", Some("git -c log.showSignature=false log -1")),
    ("diff.submodule", "diff", "git log -p", Some("git -c diff.submodule=short log -p")),
    ("remote.origin.promisor", "true", "git show", Some("git --no-lazy-fetch show")),
    ("filter.x.clean", "./x", "git status", None),
    ("gpg.program", "./x", "git log", None),
    ("merge.x.driver", "./x", "git log", None),
    ("blame.ignoreRevsFile", ".env", "git blame a.txt", None),
    ("core.attributesFile", "../../outside", "git diff", None),
    ("core.worktree", "../..", "git status", None),
    ("branch.sort", "signature", "git branch", None),
    ("some.thing", "x", "git status", None),
];

#[test]
fn allowed_command_is_offered() {
    for (key, value, command, expected) in SETTINGS {
        let disk = TestDisk::new();
        let repo = disk.repository("r");
        disk.git(&repo, &["config", key, value]);
        let judge = GitJudge::new(&disk);
        let (verdict, rewritten) = judge.verdict(command, &repo);
        assert!(asks_about_repository(&verdict), "{command} with {key}: {verdict:?}");
        let message = verdict.sentence().to_lowercase();
        assert!(message.contains(&key.to_lowercase()), "{command} with {key}: {message}");
        assert_eq!(rewritten.as_deref(), *expected, "{command} with {key}");
        if let Some(rewritten) = rewritten {
            assert!(judge.allows(&rewritten, &repo), "{rewritten} with {key}");
        }
    }
}

#[test]
fn everything_is_switched_off_or_nothing_is_offered() {
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    disk.git(&repo, &["config", "core.fsmonitor", "./x"]);
    disk.git(&repo, &["config", "diff.external", "./x"]);
    let hook = repo.join(".git/hooks/post-index-change");
    fs::write(&hook, "#!/bin/sh\n").unwrap();
    executable(&hook);
    let judge = GitJudge::new(&disk);
    let (_, rewritten) = judge.verdict("ls && git diff --stat", &repo);
    let expected = "ls && git -c core.fsmonitor=false -c core.hooksPath=/dev/null diff --no-ext-diff --stat";
    assert_eq!(rewritten.as_deref(), Some(expected));
    assert!(judge.allows(expected, &repo));
    disk.git(&repo, &["config", "filter.x.clean", "./x"]);
    assert_eq!(judge.verdict("git diff", &repo).1, None);
}

#[test]
fn partial_clone_is_asked_about() {
    let disk = TestDisk::new();
    let repo = disk.repository("origin");
    disk.git(&repo, &["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", repo.display());
    disk.git(&disk.path("w"), &["clone", "-q", "--filter=blob:none", &url, "partial"]);
    let judge = GitJudge::new(&disk);
    let partial = disk.path("w/partial");
    assert!(!judge.allows("git log -p", &partial));
    assert!(judge.allows("git --no-lazy-fetch log -p", &partial));
    assert!(judge.allows("git log -p", &repo));
}

/// What is changed, how, and how it is undone.
type Change<'a> = (&'a str, &'a dyn Fn(), &'a dyn Fn());

/// A second scan notices every change.
#[test]
fn changes_are_noticed() {
    use sekisho_policy::FactQuery;
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    let need = [FactQuery::Repository(repo.to_str().unwrap().into())];
    let home = disk.home();
    let mut resolver = sekisho_host::FactResolver::new(Some(&home));
    let policy = sekisho_policy::Policy::compile(sekisho_policy::Layers::default());
    let plain = resolver.look_up(&policy, &need, None);
    assert_eq!(plain, resolver.look_up(&policy, &need, None));
    let hooks = repo.join(".git/hooks/post-index-change");
    let changes: [Change<'_>; 6] = [
        ("a setting", &|| drop(disk.git(&repo, &["config", "diff.external", "./evil"])), &|| {
            drop(disk.git(&repo, &["config", "--unset", "diff.external"]))
        }),
        (
            "a hook",
            &|| {
                fs::write(&hooks, "").unwrap();
                executable(&hooks);
            },
            &|| fs::remove_file(&hooks).unwrap(),
        ),
        ("a link", &|| std::os::unix::fs::symlink("/x", repo.join(".git/BISECT_START")).unwrap(), &|| {
            fs::remove_file(repo.join(".git/BISECT_START")).unwrap()
        }),
        (
            "a link deeper down",
            &|| std::os::unix::fs::symlink("/x", repo.join(".git/refs/heads/x")).unwrap(),
            &|| fs::remove_file(repo.join(".git/refs/heads/x")).unwrap(),
        ),
        ("worktree config", &|| fs::write(repo.join(".git/config.worktree"), "[x]y").unwrap(), &|| {
            fs::remove_file(repo.join(".git/config.worktree")).unwrap()
        }),
        ("alternates", &|| fs::write(repo.join(".git/objects/info/alternates"), "/x").unwrap(), &|| {
            fs::remove_file(repo.join(".git/objects/info/alternates")).unwrap()
        }),
    ];
    for (what, change, back) in changes {
        change();
        assert_ne!(plain, resolver.look_up(&policy, &need, None), "{what}");
        back();
        assert_eq!(plain, resolver.look_up(&policy, &need, None), "{what}");
    }
}
