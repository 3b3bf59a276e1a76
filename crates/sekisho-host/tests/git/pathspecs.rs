//! Words of a git command that look like a restriction but are not: protected files are shown, and the
//! command is asked about.

use std::fs;
use std::path::Path;

use super::git_judge::GitJudge;
use super::test_repositories::TestDisk;
use super::tracked::{allows, asks, repository, shows};

/// Checks that a command shows a protected file and is not allowed.
#[track_caller]
fn not_allowed(disk: &TestDisk, directory: &Path, command: &str) {
    assert!(shows(disk, directory, command), "{command} shows nothing");
    assert!(!GitJudge::new(disk).allows(command, directory), "{command}");
}

#[test]
fn options_that_change_pathspecs_exclude_nothing() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    fs::write(place.join("src/deep/.env"), "TOKEN=SECRET_MARK\n").unwrap();
    disk.git(&place, &["add", "."]);
    for option in ["--literal-pathspecs", "--noglob-pathspecs", "--glob-pathspecs"] {
        not_allowed(&disk, &place, &format!("git {option} grep SECRET -- . ':!*.env' ':!*.pem'"));
    }
    fs::write(place.join("src/deep/.env"), "TOKEN=SECRET_MARK2\n").unwrap();
    not_allowed(&disk, &place, "git --glob-pathspecs diff -- . ':!*.env'");
    allows(&disk, &place, "git grep SECRET -- . ':!*.env' ':!*.pem'");
    allows(&disk, &place, "git diff -- . ':!*.env'");
}

#[test]
fn double_dash_as_a_value_is_not_a_separator() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    fs::create_dir(place.join("--")).unwrap();
    for command in [
        "git grep -e SECRET -e -- -e a.txt",
        "git grep -e SECRET -e -- -e ':!*.env'",
        "git grep -- SECRET",
        "git grep -n -i -- 'secret_mark'",
        "git grep --no-color -- SECRET",
        "git ls-files -x -- -x a.txt | xargs cat",
    ] {
        not_allowed(&disk, &place, command);
    }
    asks(&disk, &place, "git grep -n -- SECRET");
    fs::write(place.join(".env"), "TOKEN=SECRET_MARK2\n").unwrap();
    not_allowed(&disk, &place, "git -C -- diff");
    not_allowed(&disk, &place, "git -C -- diff HEAD");
}

#[test]
fn option_is_an_option_only_in_its_position() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    fs::write(place.join(".env"), "TOKEN=SECRET_MARK2 --stat\n").unwrap();
    for command in [
        "git diff -- . --stat",
        "git diff --quiet --no-quiet",
        "git diff --line-prefix --stat",
        "git diff --src-prefix --stat",
        "git diff --anchored --stat",
        "git diff --ignore-matching-lines --stat",
        "git diff -S --stat",
        "git diff --stat -Dp",
    ] {
        not_allowed(&disk, &place, command);
    }
    for command in ["git diff --stat -- .", "git diff --name-only HEAD", "git diff --cached --name-only"] {
        allows(&disk, &place, command);
    }
}

#[test]
fn wildcard_in_a_directory_name_matches_other_files() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    fs::create_dir_all(place.join(".ssh")).unwrap();
    fs::write(place.join(".ssh/config"), "SECRET_MARK").unwrap();
    disk.git(&place, &["add", "-f", "."]);
    for command in [
        "git grep SECRET -- '*h/config' 'x*.rs'",
        "git grep SECRET -- '.ss*/config' 'x*.rs'",
        "git grep SECRET -- a.txt '*h/config'",
        "git ls-files 'x*' '*h/config' | xargs cat",
    ] {
        not_allowed(&disk, &place, command);
    }
    allows(&disk, &place, "git grep SECRET -- '*.txt'");
    allows(&disk, &place, "git grep SECRET -- 'src/*.u' 'a*.txt'");
    allows(&disk, &place, "git grep SECRET -- '*.rs'");
    // Git also takes a pathspec for a directory with exactly that name.
    fs::create_dir_all(place.join("*.rs")).unwrap();
    fs::write(place.join("*.rs/.env"), "SECRET_MARK").unwrap();
    disk.git(&place, &["add", "-f", "."]);
    not_allowed(&disk, &place, "git grep SECRET -- '*.rs'");
}

#[test]
fn status_shows_diffs_whatever_its_pathspecs() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    fs::write(place.join(".env"), "TOKEN=SECRET_MARK2\n").unwrap();
    fs::write(place.join("a.txt"), "other\n").unwrap();
    fs::write(place.join("src/b.u"), "other\n").unwrap();
    for command in
        ["git status -vv -- a.txt", "git -C src status -vv -- '*.u'", "git status -vv -- ':!*.env'"]
    {
        not_allowed(&disk, &place, command);
        // There is no way to exclude the file.
        assert_eq!(GitJudge::new(&disk).verdict(command, &place).1, None, "{command}");
    }
    for command in ["git status", "git status -- a.txt", "git status -s -- src"] {
        allows(&disk, &place, command);
    }
}

/// Without a limit the patterns of each would be kept: a gigabyte for eight thousand letters.
#[test]
fn pathspec_of_wildcards_is_cheap() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    let judge = GitJudge::new(&disk);
    let wild = "*?".repeat(20_000);
    for command in [
        format!("git diff -- '{wild}'"),
        format!("git grep x -- '{wild}'"),
        format!("git log -p -- '{wild}'"),
        format!("git ls-files '{wild}' | xargs cat"),
    ] {
        assert!(!judge.allows(&command, &place), "{command:.20}");
    }
    let few = "git diff -- 'src/*?*.u*'";
    assert!(judge.allows(few, &place), "{few}");
}
