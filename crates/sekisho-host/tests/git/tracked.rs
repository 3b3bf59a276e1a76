//! Protected files that git tracks: commands that show their contents are asked about, with a safe
//! alternative, and nothing else is.

use std::fs;
use std::path::{Path, PathBuf};

use sekisho_policy::{Decision, Reason};

use super::git_judge::GitJudge;
use super::test_repositories::TestDisk;

/// A repository that tracks `.env` at its top and a private key below.
pub(super) fn repository(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("r");
    fs::create_dir_all(repo.join("src/deep")).unwrap();
    fs::write(repo.join(".env"), "TOKEN=SECRET_MARK\n").unwrap();
    let key = "-----BEGIN PRIVATE KEY-----\nSECRET_MARK\n-----END PRIVATE KEY-----\n";
    fs::write(repo.join("src/deep/server.pem"), key).unwrap();
    disk.git(&repo, &["add", "."]);
    disk.git(&repo, &["commit", "-qm", "secrets"]);
    repo
}

pub(super) fn shows(disk: &TestDisk, directory: &Path, command: &str) -> bool {
    let done = disk.run(directory, "bash", &["-c", command]);
    String::from_utf8_lossy(&done.stdout).contains("SECRET_MARK")
}

/// Checks that a command is asked about because of a protected file, and that the offered alternative does
/// not show it and is allowed.
#[track_caller]
pub(super) fn asks(disk: &TestDisk, directory: &Path, command: &str) {
    let (verdict, rewrite) = GitJudge::new(disk).verdict(command, directory);
    assert!(shows(disk, directory, command), "{command} shows nothing");
    assert_eq!(verdict.decision, Decision::Confirm, "{command}");
    assert!(
        verdict.reasons.iter().any(|reason| matches!(reason, Reason::ProtectedAmong { .. })),
        "{command}: {:?}",
        verdict.reasons
    );
    let mut rewritten = rewrite.unwrap();
    // Each round excludes one name.
    for _ in 0..3 {
        let (verdict, next) = GitJudge::new(disk).verdict(&rewritten, directory);
        if verdict.decision == Decision::Allow {
            break;
        }
        rewritten = next.unwrap_or_else(|| panic!("{rewritten}: {:?}", verdict.reasons));
    }
    assert!(GitJudge::new(disk).allows(&rewritten, directory), "{rewritten}");
    assert!(!shows(disk, directory, &rewritten), "{rewritten}");
}

#[track_caller]
pub(super) fn allows(disk: &TestDisk, directory: &Path, command: &str) {
    let (verdict, _) = GitJudge::new(disk).verdict(command, directory);
    assert_eq!(verdict.decision, Decision::Allow, "{command}: {:?}", verdict.reasons);
    assert!(!shows(disk, directory, command), "{command}");
}

#[test]
fn files_are_listed_from_the_commands_directory() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::create_dir_all(repo.join("docs")).unwrap();
    fs::write(repo.join("docs/a.md"), "text\n").unwrap();
    disk.git(&repo, &["add", "."]);
    allows(&disk, &repo.join("docs"), "git ls-files | xargs cat");
    assert!(!GitJudge::new(&disk).allows("git ls-files | xargs cat", &repo.join("src")));
}

#[test]
fn search_of_tracked_files_asks_if_one_is_protected() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    asks(&disk, &repo, "git grep -n SECRET");
    asks(&disk, &repo, "git grep -e SECRET");
    asks(&disk, &repo, "git grep SECRET -- src");
    asks(&disk, &repo, "git grep SECRET -- src '*.txt' .");
    asks(&disk, &repo.join("src"), "git grep SECRET");
    asks(&disk, &repo.join("src"), "git grep SECRET -- ':(top)*.txt' deep");
    for command in ["git grep one -- a.txt", "git grep SECRET -- src/b.u", "git ls-files", "git status"] {
        allows(&disk, &repo, command);
    }
    fs::remove_file(repo.join(".env")).unwrap();
    disk.git(&repo, &["rm", "-q", "--cached", ".env"]);
    disk.git(&repo, &["rm", "-q", "src/deep/server.pem"]);
    allows(&disk, &repo, "git grep SECRET");
    // Untracked files do not matter to it.
    fs::write(repo.join(".env.local"), "TOKEN=SECRET_MARK\n").unwrap();
    allows(&disk, &repo, "git grep SECRET");
}

#[test]
fn directory_option_is_followed() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    std::os::unix::fs::symlink("src/deep", repo.join("link")).unwrap();
    asks(&disk, &repo.join("link"), "git grep SECRET -- .");
    asks(&disk, &repo.join("link"), "git grep SECRET -- ../deep");
    allows(&disk, &repo.join("src"), "git grep SECRET -- b.u");
}

#[test]
fn diff_asks_if_a_protected_file_changed() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::write(repo.join("a.txt"), "other\n").unwrap();
    allows(&disk, &repo, "git diff");
    fs::write(repo.join(".env"), "TOKEN=SECRET_MARK2\n").unwrap();
    for command in ["git diff", "git diff HEAD", "git diff --stat -p", "git diff -U1", "git diff -- ."] {
        asks(&disk, &repo, command);
    }
    asks(&disk, &repo.join("src"), "git diff");
    // What else runs does not keep the alternative from being offered.
    asks(&disk, &repo, "pwd; git diff");
    for command in
        ["git diff --stat", "git diff --name-only", "git diff -- src", "git diff -- a.txt", "git status -s"]
    {
        allows(&disk, &repo, command);
    }
    fs::remove_file(repo.join(".env")).unwrap();
    asks(&disk, &repo, "git diff");
}

#[test]
fn tracked_names_are_opened_where_they_lead() {
    let disk = TestDisk::new();
    let repo = disk.repository("plain");
    allows(&disk, &repo, "git ls-files | xargs cat");
    // Other files do not count.
    fs::create_dir_all(repo.join("node_modules/x")).unwrap();
    fs::write(repo.join("node_modules/x/.env"), "SECRET_MARK").unwrap();
    allows(&disk, &repo, "git ls-files | xargs cat");
    // A file of the index has become a link, or is behind one.
    fs::create_dir_all(disk.home().join(".ssh")).unwrap();
    fs::write(disk.home().join(".ssh/id_rsa"), "SECRET_MARK").unwrap();
    fs::remove_file(repo.join("a.txt")).unwrap();
    std::os::unix::fs::symlink(disk.home().join(".ssh/id_rsa"), repo.join("a.txt")).unwrap();
    let judge = GitJudge::new(&disk);
    assert!(shows(&disk, &repo, "git ls-files | xargs cat"));
    assert!(!judge.allows("git ls-files | xargs cat", &repo));
    fs::remove_file(repo.join("a.txt")).unwrap();
    fs::write(disk.home().join(".ssh/b.u"), "SECRET_MARK").unwrap();
    fs::remove_dir_all(repo.join("src")).unwrap();
    std::os::unix::fs::symlink(disk.home().join(".ssh"), repo.join("src")).unwrap();
    assert!(shows(&disk, &repo, "git ls-files | xargs cat"));
    assert!(!judge.allows("git ls-files | xargs cat", &repo));
}

/// Everyday commands, in a repository without a protected file and in one where none changed.
#[test]
fn everyday_commands_are_allowed() {
    let disk = TestDisk::new();
    let repo = disk.repository("plain");
    for command in [
        "git diff HEAD~1 -- src",
        "git log -p -- src/b.u",
        "git grep -n one",
        "git grep one -- src",
        "git grep -e a --and -e b",
        "git diff --cached --name-only",
        "git diff main...HEAD",
        "git diff -w --word-diff -M HEAD~1",
        "git ls-files '*.u' | xargs wc -l",
        "cat $(git ls-files '*.u')",
        "git status -v",
    ] {
        allows(&disk, &repo, command);
    }
    let repo = repository(&disk);
    for command in [
        "git diff --stat HEAD~1",
        "git diff -- src",
        "git grep SECRET -- . ':!*.env' ':!*.pem'",
        "git grep -n -e SECRET --and -e x -- ':(top,exclude)*.env' ':(top,exclude)*.pem'",
        "git ls-files '*.u' | xargs wc -l",
    ] {
        allows(&disk, &repo, command);
    }
}
