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
    let repo = repository(&disk);
    fs::write(repo.join("src/deep/.env"), "TOKEN=SECRET_MARK\n").unwrap();
    disk.git(&repo, &["add", "."]);
    for option in ["--literal-pathspecs", "--noglob-pathspecs", "--glob-pathspecs"] {
        not_allowed(&disk, &repo, &format!("git {option} grep SECRET -- . ':!*.env' ':!*.pem'"));
    }
    fs::write(repo.join("src/deep/.env"), "TOKEN=SECRET_MARK2\n").unwrap();
    not_allowed(&disk, &repo, "git --glob-pathspecs diff -- . ':!*.env'");
    allows(&disk, &repo, "git grep SECRET -- . ':!*.env' ':!*.pem'");
    allows(&disk, &repo, "git diff -- . ':!*.env'");
}

#[test]
fn double_dash_as_a_value_is_not_a_separator() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::create_dir(repo.join("--")).unwrap();
    for command in [
        "git grep -e SECRET -e -- -e a.txt",
        "git grep -e SECRET -e -- -e ':!*.env'",
        "git grep -- SECRET",
        "git grep -n -i -- 'secret_mark'",
        "git grep --no-color -- SECRET",
        "git ls-files -x -- -x a.txt | xargs cat",
    ] {
        not_allowed(&disk, &repo, command);
    }
    asks(&disk, &repo, "git grep -n -- SECRET");
    fs::write(repo.join(".env"), "TOKEN=SECRET_MARK2\n").unwrap();
    not_allowed(&disk, &repo, "git -C -- diff");
    not_allowed(&disk, &repo, "git -C -- diff HEAD");
}

#[test]
fn option_is_an_option_only_in_its_position() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::write(repo.join(".env"), "TOKEN=SECRET_MARK2 --stat\n").unwrap();
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
        not_allowed(&disk, &repo, command);
    }
    for command in ["git diff --stat -- .", "git diff --name-only HEAD", "git diff --cached --name-only"] {
        allows(&disk, &repo, command);
    }
}

#[test]
fn wildcard_in_a_directory_name_matches_other_files() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::create_dir_all(repo.join(".ssh")).unwrap();
    fs::write(repo.join(".ssh/config"), "SECRET_MARK").unwrap();
    disk.git(&repo, &["add", "-f", "."]);
    for command in [
        "git grep SECRET -- '*h/config' 'x*.rs'",
        "git grep SECRET -- '.ss*/config' 'x*.rs'",
        "git grep SECRET -- a.txt '*h/config'",
        "git ls-files 'x*' '*h/config' | xargs cat",
    ] {
        not_allowed(&disk, &repo, command);
    }
    allows(&disk, &repo, "git grep SECRET -- '*.txt'");
    allows(&disk, &repo, "git grep SECRET -- 'src/*.u' 'a*.txt'");
    allows(&disk, &repo, "git grep SECRET -- '*.rs'");
    // Git also takes a pathspec for a directory with exactly that name.
    fs::create_dir_all(repo.join("*.rs")).unwrap();
    fs::write(repo.join("*.rs/.env"), "SECRET_MARK").unwrap();
    disk.git(&repo, &["add", "-f", "."]);
    not_allowed(&disk, &repo, "git grep SECRET -- '*.rs'");
}

#[test]
fn status_shows_diffs_whatever_its_pathspecs() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::write(repo.join(".env"), "TOKEN=SECRET_MARK2\n").unwrap();
    fs::write(repo.join("a.txt"), "other\n").unwrap();
    fs::write(repo.join("src/b.u"), "other\n").unwrap();
    for command in
        ["git status -vv -- a.txt", "git -C src status -vv -- '*.u'", "git status -vv -- ':!*.env'"]
    {
        not_allowed(&disk, &repo, command);
        // There is no way to exclude the file.
        assert_eq!(GitJudge::new(&disk).verdict(command, &repo).1, None, "{command}");
    }
    for command in ["git status", "git status -- a.txt", "git status -s -- src"] {
        allows(&disk, &repo, command);
    }
}

/// Without a limit the patterns of each would be kept: a gigabyte for eight thousand letters.
#[test]
fn pathspec_of_wildcards_is_cheap() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    let judge = GitJudge::new(&disk);
    let wild = "*?".repeat(20_000);
    for command in [
        format!("git diff -- '{wild}'"),
        format!("git grep x -- '{wild}'"),
        format!("git log -p -- '{wild}'"),
        format!("git ls-files '{wild}' | xargs cat"),
    ] {
        assert!(!judge.allows(&command, &repo), "{command:.20}");
    }
    let few = "git diff -- 'src/*?*.u'";
    assert!(judge.allows(few, &repo), "{few}");
}
