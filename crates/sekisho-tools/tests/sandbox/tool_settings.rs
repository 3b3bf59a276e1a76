//! Files in a writable directory that tools outside the sandbox run or take settings from.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use sekisho_tools::SandboxSettings;
use sekisho_tools::sandbox::{HelperPlan, Isolation, Sandbox, ToolSettings};

use crate::sandbox_fixture::{Arena, arenas, programs, wait_until};

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
    give_to(arena.user, dir);
}

fn give_to(user: Option<u32>, dir: &Path) {
    chown(dir, user, user).unwrap();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => give_to(user, &entry.path()),
            false => chown(entry.path(), user, user).unwrap(),
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
    run_with(arena, &arena.inside(), tool_settings, text)
}

/// Runs bash in the project, with one directory writable.
fn run_with(arena: &Arena, writable: &Path, tool_settings: ToolSettings, text: &str) -> Output {
    command_with(arena, &[writable], tool_settings, text).output().unwrap()
}

/// Bash in the project, with some directories writable.
fn command_with(arena: &Arena, writable: &[&Path], tool_settings: ToolSettings, text: &str) -> Command {
    let plan = plan_with(arena, writable, tool_settings, text);
    arena.program(&programs().helper, &plan.to_arguments())
}

fn plan_with(arena: &Arena, writable: &[&Path], tool_settings: ToolSettings, text: &str) -> HelperPlan {
    let sandbox = Sandbox::at_level(&programs().helper, arena.isolation.clone());
    let settings = SandboxSettings {
        writable: writable.iter().map(|dir| dir.to_path_buf().into()).collect(),
        tool_settings,
        ..SandboxSettings::default()
    };
    let mut plan = sandbox.plan(&settings, vec!["bash".into(), "-c".into(), text.into()]).unwrap();
    plan.working_dir = Some(arena.inside());
    plan
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
        let text = "chmod 755 .git; echo ../evil > .git/commondir; mkdir .git/hooks; echo x > .git/hooks/post-commit";
        for more in [
            "",
            "for n in $(seq 0 200); do : > .git/commondir.sandbox-$n; done",
            "chmod 555 .git",
            "chmod 0 .git",
        ] {
            let output = run(&arena, ToolSettings::ReadOnly, &format!("{text}; {more}"));
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("commondir` was made while"), "{}, {more}: {said}", arena.name());
            assert_eq!(output.status.code(), Some(125), "{}, {more}: {said}", arena.name());
            for name in ["commondir", "hooks"] {
                assert!(!git_dir.join(name).exists(), "{}, {more}, {name}", arena.name());
                let start = format!("{name}.sandbox-");
                let mut names = fs::read_dir(&git_dir).unwrap().map(|entry| entry.unwrap().file_name());
                assert!(
                    names.any(|name| name.to_string_lossy().starts_with(&start)),
                    "{}, {name}",
                    arena.name()
                );
            }
        }
    }
}

/// The second command finds the file that the first one made, so it is no new one for it. When the first one ends, the
/// file is renamed, and the second one makes it again.
#[test]
fn two_commands_at_once_leave_no_settings() {
    const WAIT: &str = "for n in $(seq 600); do CONDITION && break; sleep 0.05; done";
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        make_project(&arena);
        let work = arena.inside();
        let start = |text: &str| {
            let mut command = command_with(&arena, &[&work], ToolSettings::ReadOnly, text);
            command.stderr(Stdio::piped()).spawn().unwrap()
        };
        let made = work.join(".git/commondir");
        let wait = WAIT.replace("CONDITION", "[ -e go ]");
        let first = start(&format!("echo ../evil > .git/commondir; touch made; {wait}"));
        wait_until("the first command runs", || work.join("made").exists());
        let wait = WAIT.replace("CONDITION", "[ ! -e .git/commondir ]");
        let second = start(&format!("touch go; {wait}; echo ../evil > .git/commondir && touch again"));
        for child in [first, second] {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("commondir` was made while"), "{}: {said}", arena.name());
        }
        assert!(work.join("again").exists() && !made.exists(), "{}", arena.name());
    }
}

/// Whatever appears while the sandbox fails to start is somebody else's.
#[test]
fn nothing_is_renamed_if_the_command_did_not_start() {
    let arena = Arena::new(None, Isolation::None);
    make_project(&arena);
    let hooks = arena.inside().join(".git/hooks");
    fs::remove_dir_all(&hooks).unwrap();
    let program = arena.outside().join("bwrap");
    let text = format!("#!/bin/sh\nmkdir {}\nexit 1\n", hooks.display());
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let plan = HelperPlan {
        isolation: Isolation::Bubblewrap(program),
        settings: vec![hooks.clone()],
        ..plan_with(&arena, &[&arena.inside()], ToolSettings::Writable, "true")
    };
    let output = arena.program(&programs().helper, &plan.to_arguments()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("the namespaces could not be made"), "{said}");
    assert!(hooks.exists(), "{said}");
}

/// Nobody reads the error output, and it is full.
#[test]
fn settings_are_renamed_while_nobody_reads() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        make_project(&arena);
        let git_dir = arena.inside().join(".git");
        let (mut reader, mut writer) = std::io::pipe().unwrap();
        let flags = fcntl_getfl(&writer).unwrap();
        fcntl_setfl(&writer, flags | OFlags::NONBLOCK).unwrap();
        while writer.write(&[b'x'; 4096]).is_ok() {}
        while writer.write(b"x").is_ok() {}
        fcntl_setfl(&writer, flags).unwrap();
        let text = "touch .git/commondir .git/config.worktree made";
        let mut command = command_with(&arena, &[&arena.inside()], ToolSettings::ReadOnly, text);
        let mut child = command.stderr(writer).spawn().unwrap();
        drop(command);
        wait_until("the settings are renamed", || {
            let is_gone = |name: &str| !git_dir.join(name).exists();
            arena.inside().join("made").exists() && is_gone("commondir") && is_gone("config.worktree")
        });
        let mut said = String::new();
        reader.read_to_string(&mut said).unwrap();
        assert!(said.contains("config.worktree` was made while"), "{}", arena.name());
        assert!(!child.wait().unwrap().success());
    }
}

#[test]
fn directory_below_a_kept_one_can_be_named() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        make_project(&arena);
        let work = arena.inside();
        fs::create_dir_all(work.join(".claude/tmp")).unwrap();
        fs::write(work.join(".claude/settings.json"), "{}").unwrap();
        give(&arena, &work);
        let text = "echo x > .claude/tmp/x && echo good; echo x > .claude/settings.json && echo won; \
            mv .claude old && echo won; mv .claude/tmp .claude/t2 && echo won";
        let tmp = work.join(".claude/tmp");
        let output = command_with(&arena, &[&work, &tmp], ToolSettings::ReadOnly, text).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "good\n", "{}: {output:?}", arena.name());
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

/// A submodule `sm` and a linked work tree `wt` in the project.
fn add_submodule_and_work_tree(arena: &Arena) {
    let work = arena.inside();
    // Git clones only what belongs to the one who runs it.
    give_to(arena.user.map(|_| 0), &work);
    let nested = work.join("sub/nested").display().to_string();
    git(&work, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &nested, "sm"]);
    git(&work, &["commit", "-q", "-m", "submodule"]);
    git(&work, &["worktree", "add", "-q", "wt", "-b", "wt"]);
    give(arena, &work);
}

#[test]
fn submodules_and_linked_work_trees_can_be_used() {
    for arena in arenas() {
        make_project(&arena);
        add_submodule_and_work_tree(&arena);
        let text = "set -e; export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=a \
            GIT_CONFIG_KEY_1=user.email GIT_CONFIG_VALUE_1=a@b HOME=$TMPDIR; \
            git worktree add -q wt2 -b wt2; \
            for dir in sm wt wt2; do (cd $dir; echo x > f; git add f; git commit -q -m more; git log --oneline | wc -l); done; \
            git gc -q; git reflog expire --all";
        let output = run(&arena, ToolSettings::ReadOnly, text);
        assert!(output.status.success(), "{}: {output:?}", arena.name());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "2\n3\n3\n", "{}", arena.name());
    }
}

#[test]
fn settings_of_submodules_and_linked_work_trees_stay_as_they_are() {
    const ATTACKS: &[&str] = &[
        "echo '[core]' >> .git/modules/sm/config",
        "mv .git/modules/sm .git/modules/s2",
        "mv .git/modules .git/m2",
        "echo ../../../evil > .git/worktrees/wt/commondir",
        "rm -f .git/worktrees/wt/commondir",
        "echo /x > .git/worktrees/wt/gitdir",
        "mv .git/worktrees/wt .git/worktrees/w2",
        "mv .git/worktrees .git/w2",
        "echo 'gitdir: /x' > wt/.git",
    ];
    let text: String = ATTACKS.iter().map(|text| format!("({text}) && echo \"won: {text}\"\n")).collect();
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        make_project(&arena);
        add_submodule_and_work_tree(&arena);
        let output = run(&arena, ToolSettings::ReadOnly, &text);
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{}: {output:?}", arena.name());
    }
}

/// `core.hooksPath` and `include.path` lead into the only directory that may be written.
#[test]
fn files_that_the_config_names_stay_in_a_narrow_directory() {
    const ATTACKS: &[&str] = &[
        "echo x > src/tools/hooks/pre-commit",
        "mv src/tools src/t2",
        "mv src/tools/hooks src/tools/h2",
        "echo '[core]' > src/tools/more",
        "rm -f src/tools/more",
    ];
    let text: String = ATTACKS.iter().map(|text| format!("({text}) && echo \"won: {text}\"\n")).collect();
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        make_project(&arena);
        let work = arena.inside();
        fs::create_dir_all(work.join("src/tools/hooks")).unwrap();
        fs::write(work.join("src/tools/more"), "").unwrap();
        git(&work, &["config", "core.hooksPath", "src/tools/hooks"]);
        git(&work, &["config", "include.path", "../src/tools/more"]);
        give(&arena, &work);
        for writable in [work.join("src"), work.clone()] {
            let output = run_with(&arena, &writable, ToolSettings::ReadOnly, &text);
            assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{}: {output:?}", arena.name());
        }
        let text = "echo x > src/f && echo y > src/tools/g && rm src/tools/g";
        let output = run_with(&arena, &work.join("src"), ToolSettings::ReadOnly, text);
        assert!(output.status.success(), "{}: {output:?}", arena.name());
    }
}

/// Nothing on the way to the hooks exists when the command starts.
#[test]
fn hooks_in_directories_that_a_command_makes_are_renamed() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        make_project(&arena);
        let work = arena.inside();
        git(&work, &["config", "core.hooksPath", "build/git/hooks"]);
        give(&arena, &work);
        for text in [
            "mkdir -p build/git/hooks; echo x > build/git/hooks/pre-commit",
            "mkdir -p evil/hooks build; ln -s ../evil build/git",
        ] {
            let output = run(&arena, ToolSettings::ReadOnly, text);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said.contains("was made while the command ran"), "{}, {text}: {output:?}", arena.name());
            assert!(!work.join("build/git/hooks").exists(), "{}, {text}", arena.name());
            fs::remove_dir_all(work.join("build")).unwrap();
        }
        // While nothing is there, the directories on the way are the command's.
        let output = run(&arena, ToolSettings::ReadOnly, "mkdir -p build/x && mv build b && rm -r b");
        assert!(output.status.success(), "{}: {output:?}", arena.name());
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
