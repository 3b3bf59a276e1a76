//! What a repository can do, found without running git. The repositories are made by git itself.

use std::fs;
use std::path::Path;
use std::process::Command;

use sekisho_host::look_up;
use sekisho_policy::{Fact, Layers, Need, Policy, Repository};

#[expect(clippy::disallowed_methods, reason = "a real repository is made by git")]
fn git(directory: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(directory)
        .env("HOME", directory)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// The setting that is found, or nothing for a plain repository.
fn found(directory: &Path) -> Option<String> {
    let need = Need::Repository(directory.to_str().unwrap().into());
    let facts = look_up(&Policy::compile(Layers::default()), std::slice::from_ref(&need), None, None);
    let fact = facts.iter().find(|(asked, _)| **asked == need).map(|(_, fact)| fact.clone());
    match fact.unwrap() {
        Fact::Repository(Repository::Plain) => None,
        Fact::Repository(Repository::NamesPrograms { what }) => Some(what),
        other => panic!("{other:?}"),
    }
}

fn repository() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    git(place.path(), &["init", "-q"]);
    fs::write(place.path().join("a"), "a").unwrap();
    git(place.path(), &["add", "a"]);
    git(place.path(), &["commit", "-qm", "a"]);
    place
}

#[test]
fn a_repository_as_git_makes_it_is_plain() {
    let place = repository();
    assert_eq!(found(place.path()), None);
    fs::create_dir(place.path().join("sub")).unwrap();
    assert_eq!(found(&place.path().join("sub")), None);
    let nowhere = tempfile::tempdir().unwrap();
    assert_eq!(found(nowhere.path()), None);
}

#[test]
fn settings_that_name_programs_are_found_from_any_directory_below() {
    let place = repository();
    git(place.path(), &["config", "core.fsmonitor", "./evil"]);
    fs::create_dir(place.path().join("sub")).unwrap();
    assert_eq!(found(&place.path().join("sub")).as_deref(), Some("core.fsmonitor"));
}

#[test]
fn a_change_is_seen() {
    let place = repository();
    let need = [Need::Repository(place.path().to_str().unwrap().into())];
    let policy = Policy::compile(Layers::default());
    let mut resolver = sekisho_host::Resolver::new(None);
    let plain = resolver.look_up(&policy, &need, None);
    assert_eq!(plain, resolver.look_up(&policy, &need, None));
    git(place.path(), &["config", "diff.external", "./evil"]);
    assert_ne!(plain, resolver.look_up(&policy, &need, None));
}

#[test]
fn hooks_that_reading_sets_off_count() {
    let place = repository();
    fs::write(place.path().join(".git/hooks/post-index-change"), "#!/bin/sh\n").unwrap();
    assert_eq!(found(place.path()).as_deref(), Some("hooks/post-index-change"));
}

#[test]
fn work_trees_bare_repositories_and_submodules_are_followed() {
    let inner = repository();
    let place = repository();
    git(place.path(), &["submodule", "add", "-q", inner.path().to_str().unwrap(), "sub"]);
    assert_eq!(found(place.path()), None);
    git(&place.path().join("sub"), &["config", "core.fsmonitor", "./evil"]);
    assert_eq!(found(place.path()).as_deref(), Some("core.fsmonitor"));

    let main = repository();
    let tree = tempfile::tempdir().unwrap();
    git(main.path(), &["worktree", "add", "-q", tree.path().join("t").to_str().unwrap()]);
    git(main.path(), &["config", "core.pager", "./evil"]);
    assert_eq!(found(&tree.path().join("t")).as_deref(), Some("core.pager"));

    let bare = tempfile::tempdir().unwrap();
    git(bare.path(), &["init", "-q", "--bare"]);
    git(bare.path(), &["config", "gpg.program", "./evil"]);
    assert_eq!(found(bare.path()).as_deref(), Some("gpg.program"));
}

#[test]
fn globs_that_give_options_are_seen() {
    let place = tempfile::tempdir().unwrap();
    let gives = |pattern: &str| {
        let need =
            Need::GlobOption { directory: place.path().to_str().unwrap().into(), pattern: pattern.into() };
        look_up(&Policy::compile(Layers::default()), std::slice::from_ref(&need), None, None)
            .iter()
            .next()
            .map(|(_, fact)| fact.clone())
    };
    fs::write(place.path().join("a.txt"), "").unwrap();
    assert_eq!(gives("*"), Some(Fact::GlobOption(false)));
    fs::write(place.path().join("--pre=sh"), "").unwrap();
    assert_eq!(gives("*"), Some(Fact::GlobOption(true)));
    assert_eq!(gives("*.txt"), Some(Fact::GlobOption(false)));
    assert_eq!(gives("[!a]*"), Some(Fact::GlobOption(true)));
}
