//! Commands with which git itself would show a secret, in ordinary repositories.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::git_judge::GitJudge;
use super::test_repositories::{TestDisk, append};

const SECRET: &str = "S3CRET";

/// Checks that the commands print the secret when git runs them, and are not allowed.
#[track_caller]
fn asks(disk: &TestDisk, directory: &Path, commands: &[&str]) {
    let judge = GitJudge::new(disk);
    for command in commands {
        let done = disk.run(directory, "bash", &["-c", command]);
        let output =
            String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        assert!(output.contains(SECRET), "{command} does nothing, so this proves nothing: {output}");
        assert!(!judge.allows(command, directory), "{command} is allowed");
    }
}

#[track_caller]
fn quiet(disk: &TestDisk, directory: &Path, commands: &[&str]) {
    let judge = GitJudge::new(disk);
    for command in commands {
        let (verdict, _) = judge.verdict(command, directory);
        assert_eq!(format!("{:?}", verdict.decision), "Allow", "{command}: {:?}", verdict.reasons);
    }
}

/// An empty directory `e`, and `s` with a secret.
fn directories(repo: &Path) {
    fs::create_dir_all(repo.join("e")).unwrap();
    fs::create_dir_all(repo.join("s")).unwrap();
    fs::write(repo.join("s/.env"), format!("KEY={SECRET}\n")).unwrap();
}

fn repository(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    directories(&repo);
    repo
}

#[test]
fn directories_outside_of_the_work_tree_are_compared() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::create_dir_all(disk.path("w/empty")).unwrap();
    let absolute = format!("git diff {} s", disk.path("w/empty").display());
    let commands = [
        &absolute,
        "git diff ../empty s",
        "git diff -- ../empty s",
        "git diff --no-color ../empty .",
        "git -C s diff ../../empty .",
        "cd s && git diff ../../empty .",
        "git diff ../{empty,r/s}",
    ];
    asks(&disk, &repo, &commands);
    let inside = [
        "git diff",
        "git diff HEAD~1 HEAD",
        "git diff HEAD~1..HEAD",
        "git diff HEAD s",
        "git diff e s",
        "git diff HEAD -- ../r/s",
        "git diff HEAD ../r/src",
        "git diff \"HEAD~1..$(git rev-parse HEAD)\" src",
        "git diff ../empty",
    ];
    quiet(&disk, &repo, &inside);
}

#[test]
fn directories_are_compared_without_a_repository() {
    let disk = TestDisk::new();
    let repo = disk.path("w/none");
    directories(&repo);
    fs::write(repo.join("f"), "").unwrap();
    symlink("s", repo.join("l")).unwrap();
    asks(&disk, &repo, &["git diff e s", "git diff e -- s", "git diff [es]"]);
    quiet(&disk, &repo, &["git status", "git diff", "git diff HEAD~1 HEAD", "git diff e src", "git log"]);
}

#[test]
fn repository_that_git_rejects_does_not_count() {
    for (from, to) in [
        ("repositoryformatversion = 0", "repositoryformatversion = 99"),
        ("repositoryformatversion = 0", "repositoryformatversion = 1\n[extensions]\n\tother = 1\n"),
        (
            "repositoryformatversion = 0",
            "repositoryformatversion = 0\n[extensions]\n\tobjectFormat = sha256\n",
        ),
    ] {
        let disk = TestDisk::new();
        let repo = repository(&disk);
        let config = fs::read_to_string(repo.join(".git/config")).unwrap();
        fs::write(repo.join(".git/config"), config.replace(from, to)).unwrap();
        asks(&disk, &repo, &["git diff e s"]);
    }
    let disk = TestDisk::new();
    let repo = repository(&disk);
    append(&repo.join(".git/config"), "[core]\n\tbare = true\n");
    let absolute = format!("git diff {0}/e {0}/s", repo.display());
    asks(&disk, &repo, &[&absolute]);
}

#[test]
fn untracked_files_are_searched() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::write(repo.join(".gitignore"), ".env\n").unwrap();
    asks(&disk, &repo, &["git grep --untracked --no-exclude-standard KEY"]);
    fs::remove_file(repo.join(".gitignore")).unwrap();
    asks(&disk, &repo, &["git grep --untracked KEY"]);
    quiet(&disk, &repo, &["git grep KEY", "git grep -n KEY -- src"]);
}

#[test]
fn files_are_included() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    let included = repo.join("s/.env");
    fs::write(&included, format!("[k]\n\tv = {SECRET}\n")).unwrap();
    fs::write(repo.join("c.ini"), format!("[include]\n\tpath = {}\n", included.display())).unwrap();
    disk.git(&repo, &["add", "c.ini"]);
    disk.git(&repo, &["commit", "-qm", "third"]);
    let commands = [
        "git config -f c.ini --includes -l",
        "git config --blob HEAD:c.ini -l",
        "git config list --includes --file c.ini",
        "git config get --includes --file c.ini k.v",
        "git config -f - -l < c.ini",
        "git config --file=- -l < c.ini",
    ];
    asks(&disk, &repo, &commands);
    quiet(&disk, &repo, &["git config -f c.ini -l", "git config list --file c.ini", "git config --list"]);
}

#[test]
fn path_with_a_marker_is_not_followed() {
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    disk.git(&repo, &["config", "core.hooksPath", ":(optional)h"]);
    assert_eq!(GitJudge::new(&disk).found(&repo), ["Setting core.hookspath"]);
}

#[test]
fn pathspec_can_name_a_tracked_secret() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    disk.git(&repo, &["add", "s/.env"]);
    disk.git(&repo, &["commit", "-qm", "third"]);
    append(&repo.join("s/.env"), &format!("more={SECRET}\n"));
    let commands = [
        "git diff -- '*nv'",
        "git diff -- *nv",
        "git diff 's*.env'",
        "git diff ':(icase)*NV'",
        "git grep S3 -- '*env'",
        "git log -p -- '*nv'",
    ];
    asks(&disk, &repo, &commands);
    let others =
        ["git diff -- '*.rs'", "git grep x -- '*.toml'", "git log -p -- 'src/*'", "git diff -- ':!*env'"];
    quiet(&disk, &repo, &others);
}

#[test]
fn quoted_names_are_read() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::create_dir_all(repo.join("src")).unwrap();
    fs::write(repo.join("src/\u{e9}"), "x\n").unwrap();
    fs::write(repo.join("src/a.rs"), "foo\n").unwrap();
    disk.git(&repo, &["add", "src"]);
    disk.git(&repo, &["commit", "-qm", "third"]);
    let secret = repo.join("s/.env");
    fs::create_dir_all(repo.join("\"src")).unwrap();
    symlink(&secret, repo.join("\"src/\\303\\251\"")).unwrap();
    let quoted = [
        "cat $(git ls-files src)",
        "git ls-files src | while read -r f; do cat \"$f\"; done",
        "git ls-files src | xargs -d '\\n' cat",
    ];
    asks(&disk, &repo, &quoted);
    fs::remove_dir_all(repo.join("\"src")).unwrap();
    fs::create_dir_all(repo.join("HEAD:src")).unwrap();
    symlink(&secret, repo.join("HEAD:src/a.rs")).unwrap();
    asks(&disk, &repo, &["git grep -l foo HEAD -- src | xargs cat", "cat $(git grep -l foo HEAD)"]);
    fs::remove_dir_all(repo.join("HEAD:src")).unwrap();
    fs::write(repo.join(".e"), "foo\n").unwrap();
    fs::write(repo.join("nv"), "foo\n").unwrap();
    fs::write(repo.join(".env"), SECRET).unwrap();
    disk.git(&repo, &["add", ".e", "nv"]);
    asks(&disk, &repo, &["cat $(git ls-files -z .e nv)", "cat $(git grep -lz foo -- .e nv)"]);
    let others = ["cat $(git ls-files '*.rs')", "git ls-files '*.rs' | xargs wc -l"];
    quiet(&disk, &repo, &others);
}

#[test]
fn credentials_in_settings_are_printed() {
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    disk.git(&repo, &["config", "remote.origin.url", &format!("https://u:{SECRET}@example.org/a")]);
    let commands = [
        "git config --list",
        "git config list",
        "git config --get-regexp .",
        "git config remote.origin.url",
        "git remote -v",
        "git remote get-url origin",
    ];
    asks(&disk, &repo, &commands);
    quiet(&disk, &repo, &["git status", "git config user.name", "git remote", "git log -p"]);

    let disk = TestDisk::new();
    let repo = disk.repository("r");
    disk.git(&repo, &["config", "remote.origin.url", "https://user@example.org/a"]);
    quiet(&disk, &repo, &["git config --list", "git remote -v"]);
    disk.git(&repo, &["config", "remote.query.url", "https://example.org/r?private_token=glpat-0123"]);
    for command in ["git config --list", "git remote -v"] {
        assert!(!GitJudge::new(&disk).allows(command, &repo), "{command}");
    }
    quiet(&disk, &repo, &["cat ~/.gitconfig"]);
    append(&disk.home().join(".gitconfig"), &format!("[github]\n\ttoken = {SECRET}\n"));
    let commands = ["git config --list", "git config --global --get github.token", "cat ~/.gitconfig"];
    asks(&disk, &repo, &commands);
    asks(&disk, &disk.path("w"), &["git config --global --list"]);
}

#[test]
fn lines_that_are_not_attributes_are_shown() {
    let disk = TestDisk::new();
    let repo = disk.repository("r");
    fs::write(repo.join(".env"), format!("* !!{SECRET}\n")).unwrap();
    disk.git(&repo, &["config", "core.attributesFile", ".env"]);
    asks(&disk, &repo, &["git diff"]);
    disk.git(&repo, &["config", "core.attributesFile", ".gitattributes-local"]);
    quiet(&disk, &repo, &["git diff"]);
}

#[test]
fn exclude_pathspec_is_a_name_without_a_repository() {
    let disk = TestDisk::new();
    let repo = disk.path("w/plain");
    fs::create_dir_all(repo.join(":!e")).unwrap();
    fs::create_dir_all(repo.join(":(exclude)e")).unwrap();
    directories(&repo);
    asks(&disk, &repo, &["git diff ':!e' s", "git diff -- ':!e' s", "git diff ':(exclude)e' s"]);
}
