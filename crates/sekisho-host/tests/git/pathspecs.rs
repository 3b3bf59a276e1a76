//! Words of a git command that narrow nothing, although they look so: protected files are shown, and that is asked about.

use std::fs;
use std::path::Path;

use super::git_judge::GitJudge;
use super::test_repositories::TestDisk;
use super::tracked::{allows, asks, repository, shows};

/// It shows a protected file and is not let through.
#[track_caller]
fn not_allowed(disk: &TestDisk, directory: &Path, command: &str) {
    assert!(shows(disk, directory, command), "{command} shows nothing");
    assert!(!GitJudge::new(disk).allows(command, directory), "{command}");
}

#[test]
fn options_that_change_pathspecs_leave_nothing_out() {
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
fn dashes_that_are_a_value_divide_nothing() {
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
fn an_option_tells_names_where_it_is_one() {
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
fn a_wildcard_among_directories_names_files_of_its_own() {
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
    // Git takes a pathspec for a directory of that very name as well.
    fs::create_dir_all(place.join("*.rs")).unwrap();
    fs::write(place.join("*.rs/.env"), "SECRET_MARK").unwrap();
    disk.git(&place, &["add", "-f", "."]);
    not_allowed(&disk, &place, "git grep SECRET -- '*.rs'");
}

#[test]
fn the_status_shows_differences_whatever_its_pathspecs() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    fs::write(place.join(".env"), "TOKEN=SECRET_MARK2\n").unwrap();
    fs::write(place.join("a.txt"), "other\n").unwrap();
    fs::write(place.join("src/b.u"), "other\n").unwrap();
    for command in
        ["git status -vv -- a.txt", "git -C src status -vv -- '*.u'", "git status -vv -- ':!*.env'"]
    {
        not_allowed(&disk, &place, command);
        // There is nothing to leave the file out with.
        assert_eq!(GitJudge::new(&disk).verdict(command, &place).1, None, "{command}");
    }
    for command in ["git status", "git status -- a.txt", "git status -s -- src"] {
        allows(&disk, &place, command);
    }
}

/// Without a bound the patterns of each are kept: a gigabyte for eight thousand letters.
#[test]
fn a_pathspec_of_wildcards_costs_little() {
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
