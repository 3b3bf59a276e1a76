//! Files in a writable directory that tools outside the sandbox run or take settings from.

use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::{Command, Output};

use sekisho_tools::SandboxSettings;
use sekisho_tools::sandbox::{Isolation, Sandbox, ToolSettings};

use crate::sandbox_fixture::{Arena, arenas, programs};

/// Git as the user of an arena, without config of theirs.
#[expect(clippy::disallowed_methods, reason = "tests start programs")]
fn git(dir: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.current_dir(dir).args(["-c", "safe.directory=*", "-c", "user.name=a", "-c", "user.email=a@b"]);
    let output = git.env("GIT_CONFIG_GLOBAL", "/dev/null").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// Gives a tree to the user of an arena.
fn give(arena: &Arena, dir: &Path) {
    chown(dir, arena.user, arena.user).unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => give(arena, &entry.path()),
            false => chown(entry.path(), arena.user, arena.user).unwrap(),
        }
    }
}

/// A repository with hooks, another one below it, and rules of the project.
fn make_project(arena: &Arena) {
    let work = arena.inside();
    for dir in [work.clone(), work.join("sub/nested")] {
        fs::create_dir_all(&dir).unwrap();
        git(&dir, &["init", "-q", "-b", "main", "."]);
        fs::create_dir_all(dir.join(".git/hooks")).unwrap();
        fs::write(dir.join(".git/hooks/own"), "").unwrap();
        git(&dir, &["commit", "-q", "--allow-empty", "-m", "first"]);
    }
    fs::create_dir_all(work.join(".sekisho")).unwrap();
    fs::write(work.join(".sekisho/config.json"), "{}").unwrap();
    give(arena, &work);
}

/// Runs bash with the project writable.
fn run(arena: &Arena, tool_settings: ToolSettings, text: &str) -> Output {
    let sandbox = Sandbox::at_level(&programs().helper, arena.isolation.clone());
    let settings = SandboxSettings {
        writable: vec![arena.inside().into()],
        tool_settings,
        ..SandboxSettings::default()
    };
    let mut plan = sandbox.plan(&settings, vec!["bash".into(), "-c".into(), text.into()]).unwrap();
    plan.working_dir = Some(arena.inside());
    arena.program(&programs().helper, &plan.to_arguments()).output().unwrap()
}

/// Each succeeds only if the file was changed.
const ATTACKS: &[&str] = &[
    "echo x > .git/hooks/zz",
    "echo x >> .git/hooks/own",
    "rm .git/hooks/own",
    "mv .git/hooks .git/other",
    "git config core.fsmonitor evil",
    "echo '[core]' >> .git/config",
    "echo '[core]' > c && mv -f c .git/config",
    "rm -f .git/config",
    "mv .git .g2",
    "mv .git/config .git/c2",
    "mv .sekisho old",
    "echo '{}' > .sekisho/config.json",
    "rm -r .sekisho",
    "chmod 777 .git/config",
    "echo x > sub/nested/.git/hooks/zz",
    "echo '[core]' >> sub/nested/.git/config",
    "mv sub/nested/.git sub/nested/g2",
    "rm -rf .git 2>/dev/null; ! [ -e .git/config ]",
];

#[test]
fn attacks_are_real() {
    let arena = Arena::new(None, Isolation::None);
    for text in ATTACKS {
        arena.reset();
        make_project(&arena);
        let output = run(&arena, ToolSettings::ReadOnly, text);
        assert!(output.status.success(), "{text} is not an attack: {output:?}");
    }
}

#[test]
fn settings_that_run_programs_later_stay_as_they_are() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        make_project(&arena);
        let text: String = ATTACKS.iter().map(|text| format!("({text}) && echo \"won: {text}\"\n")).collect();
        let output = run(&arena, ToolSettings::ReadOnly, &text);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.is_empty() && !output.stderr.is_empty(), "{}: {output:?}", arena.name());
        // Unless the program is git itself.
        let output = run(&arena, ToolSettings::Writable, "echo '[core]' >> .git/config");
        assert!(output.status.success(), "{}: {output:?}", arena.name());
    }
}

/// A file that does not exist cannot be protected while the command runs.
#[test]
fn settings_that_a_command_makes_are_renamed() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        make_project(&arena);
        let git_dir = arena.inside().join(".git");
        fs::remove_dir_all(git_dir.join("hooks")).unwrap();
        let text = "echo ../evil > .git/commondir; mkdir .git/hooks; echo x > .git/hooks/post-commit";
        let output = run(&arena, ToolSettings::ReadOnly, text);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("commondir` ") || said.contains("commondir`,"), "{}: {said}", arena.name());
        for name in ["commondir", "hooks"] {
            assert!(!git_dir.join(name).exists(), "{}, {name}", arena.name());
            assert!(git_dir.join(format!("{name}.sandbox-1")).exists(), "{}, {name}", arena.name());
        }
    }
}

#[test]
fn repositories_can_be_used() {
    for arena in arenas() {
        make_project(&arena);
        let text = "set -e; export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a \
            GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=a@b HOME=$TMPDIR; \
            for dir in . sub/nested; do (cd $dir; echo x > f; git add f; git commit -q -m second; git checkout -q -b new; \
            git tag t; git log --oneline | wc -l; echo y > f; git stash -q; git stash pop -q; git gc -q; git status --short -uno); done";
        let output = run(&arena, ToolSettings::ReadOnly, text);
        assert!(output.status.success(), "{}: {output:?}", arena.name());
        let expected = "2\n M f\n2\n M f\n";
        let found = String::from_utf8_lossy(&output.stdout);
        assert_eq!(found, expected, "{}", arena.name());
    }
}

#[test]
fn level_without_namespaces_plans_nothing_it_cannot_do() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    for (isolation, expected) in [(Isolation::None, 0), (Isolation::Namespaces, 1)] {
        let sandbox = Sandbox::at_level(&programs().helper, isolation);
        let settings = SandboxSettings { writable: vec![root.clone().into()], ..SandboxSettings::default() };
        let plan = sandbox.plan(&settings, vec!["true".into()]).unwrap();
        assert_eq!(plan.read_only.len(), expected);
    }
}
