//! Which tracked files git considers changed, and where it finds them: by links, times, a sparse index, a
//! large one.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::git_judge::GitJudge;
use super::test_repositories::TestDisk;
use super::tracked::{allows, repository, shows};

/// Checks that a command shows a protected file and is not allowed.
#[track_caller]
fn not_allowed(disk: &TestDisk, directory: &Path, command: &str) {
    assert!(shows(disk, directory, command), "{command} shows nothing");
    assert!(!GitJudge::new(disk).allows(command, directory), "{command} in {}", directory.display());
}

/// Git goes up from where a link leads.
#[test]
fn repository_top_is_found_from_where_a_link_leads() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::write(repo.join(".env"), "TOKEN=SECRET_MARK2\n").unwrap();
    let other = disk.repository("other");
    symlink("../r/src", other.join("link")).unwrap();
    for command in ["git -C link diff", "git -C link diff HEAD", "git -C link grep SECRET -- :/"] {
        not_allowed(&disk, &other, command);
    }
    symlink("r/src", disk.path("w/link")).unwrap();
    for command in
        ["git diff", "git diff HEAD", "git status -vv", "git grep SECRET -- :/", "git grep SECRET .."]
    {
        not_allowed(&disk, &disk.path("w/link"), command);
    }
    // A repository inside another.
    let inner = disk.repository("other/inner");
    fs::write(inner.join(".env"), "SECRET_MARK\n").unwrap();
    disk.git(&inner, &["add", "-f", ".env"]);
    symlink("inner/src", other.join("into")).unwrap();
    not_allowed(&disk, &other, "git -C into grep SECRET -- :/");
    allows(&disk, &other, "git diff");
}

#[test]
fn sparse_index_does_not_list_all_files() {
    let disk = TestDisk::new();
    let repo = disk.repository("sparse");
    fs::create_dir(repo.join("sub")).unwrap();
    fs::write(repo.join("sub/.env"), "SECRET_MARK\n").unwrap();
    disk.git(&repo, &["add", "-f", "."]);
    disk.git(&repo, &["commit", "-qm", "sub"]);
    disk.git(&repo, &["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
    fs::create_dir_all(repo.join("sub")).unwrap();
    fs::write(repo.join("sub/.env"), "SECRET_MARK2\n").unwrap();
    for command in ["git grep SECRET", "git diff", "git ls-files | xargs cat"] {
        // Git writes the index again when it finds the directory.
        let index = fs::read(repo.join(".git/index")).unwrap();
        assert!(!GitJudge::new(&disk).allows(command, &repo), "{command}");
        assert!(shows(&disk, &repo, command), "{command}");
        fs::write(repo.join(".git/index"), index).unwrap();
    }
    allows(&disk, &repo, "git status");
}

#[test]
fn file_with_equal_time_and_size_may_differ() {
    let disk = TestDisk::new();
    let repo = disk.repository("times");
    fs::write(repo.join(".env"), "SECRET_MARK1\n").unwrap();
    disk.git(&repo, &["add", "-f", ".env"]);
    disk.git(&repo, &["commit", "-qm", "env"]);
    let script = "cp -p .env ref; echo SECRET_MARK9 > .env; touch -r ref .env";
    disk.run(&repo, "bash", &["-c", script]);
    not_allowed(&disk, &repo, "git diff");
}

/// A change in the moment in which the index is written has the times that are stored there.
#[test]
fn file_as_young_as_the_index_may_have_changed() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    allows(&disk, &repo, "git diff");
    disk.run(&repo, "touch", &["-r", ".env", ".git/index"]);
    assert!(!GitJudge::new(&disk).allows("git diff", &repo));
    disk.git(&repo, &["status"]);
}

#[test]
fn file_that_became_a_link_counts_as_changed() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::create_dir(repo.join("d")).unwrap();
    fs::write(repo.join("d/.env"), "SECRET_MARKd\n").unwrap();
    disk.git(&repo, &["add", "-f", "."]);
    disk.git(&repo, &["commit", "-qm", "d"]);
    allows(&disk, &repo, "git diff");
    fs::remove_file(repo.join(".env")).unwrap();
    symlink("nowhere", repo.join(".env")).unwrap();
    for command in ["git diff", "git diff HEAD", "git diff -- .env"] {
        not_allowed(&disk, &repo, command);
    }
    allows(&disk, &repo, "git diff -- d");
    disk.git(&repo, &["checkout", "-q", ".env"]);
    fs::rename(repo.join("d"), repo.join("e")).unwrap();
    symlink("e", repo.join("d")).unwrap();
    for command in ["git diff", "git diff -- d", "git diff -- ./d"] {
        not_allowed(&disk, &repo, command);
    }
    allows(&disk, &repo, "git diff -- src");
}

#[test]
fn names_relative_to_another_directory_are_not_read_from_here() {
    let disk = TestDisk::new();
    let repo = repository(&disk);
    fs::create_dir_all(repo.join("sub/sub")).unwrap();
    fs::write(repo.join("sub/notes"), "x\n").unwrap();
    disk.git(&repo, &["add", "sub/notes"]);
    symlink("../../.env", repo.join("sub/sub/notes")).unwrap();
    symlink(".env", repo.join("notes")).unwrap();
    not_allowed(&disk, &repo.join("sub"), "cat $(git ls-files --full-name)");
    not_allowed(&disk, &repo, "cat $(git -C sub ls-files)");
    allows(&disk, &repo.join("sub"), "cat $(git ls-files)");
}

#[test]
fn large_index_is_read_only_a_few_times() {
    let disk = TestDisk::new();
    let repo = disk.repository("large");
    let blob = disk.git(&repo, &["rev-parse", "HEAD:a.txt"]);
    let mut entries = String::new();
    for number in 0..150_000 {
        let name = format!("packages/module{}/source/component/file{number}.u", number / 100);
        writeln!(entries, "100644 {} 0\t{name}", blob.trim()).unwrap();
    }
    fs::write(disk.path("entries"), entries).unwrap();
    disk.run(&repo, "bash", &["-c", "git update-index --index-info < ../../entries"]);
    let judge = GitJudge::new(&disk);
    for command in ["git diff", "git grep -n one", "git grep one -- src && git diff -- src"] {
        assert!(judge.allows(command, &repo), "{command}");
    }
    // The index is read once for all of them.
    let many: String = (0..50).map(|number| format!("git diff -- a{number};")).collect();
    assert!(judge.allows(&many, &repo));
    // From each directory again: that is too much.
    for number in 0..10 {
        fs::create_dir_all(repo.join(format!("packages/module{number}"))).unwrap();
    }
    let many: String = (0..10).map(|number| format!("git -C packages/module{number} grep x;")).collect();
    assert!(!judge.allows(&many, &repo));
}

/// An entry without a path replaces one of the shared index.
#[test]
fn split_index_does_not_show_what_has_changed() {
    let disk = TestDisk::new();
    let repo = disk.repository("split");
    for text in ["SECRET_MARK1\n", "SECRET_MARK22\n"] {
        fs::write(repo.join(".env"), text).unwrap();
        disk.git(&repo, &["add", "-f", ".env"]);
        disk.git(&repo, &["commit", "-qm", "env"]);
    }
    // As old as if it had not been touched for long.
    disk.run(&repo, "touch", &["-d", "2001-01-01", ".env"]);
    disk.git(&repo, &["update-index", "--split-index"]);
    disk.run(&repo, "git", &["update-index", "--refresh"]);
    fs::write(repo.join("b"), "").unwrap();
    disk.git(&repo, &["add", "b"]);
    disk.git(&repo, &["reset", "-q", "HEAD~1", "--", ".env"]);
    not_allowed(&disk, &repo, "git diff");
    // As if no file had changed since the index was written.
    disk.run(&repo, "bash", &["-c", "touch -d 2037-01-01 .git/index .git/sharedindex.*"]);
    not_allowed(&disk, &repo, "git diff");
}

/// A file that matches the index may still differ from a commit.
#[test]
fn commit_is_compared_with_unchanged_files() {
    let disk = TestDisk::new();
    let repo = disk.repository("commits");
    fs::write(repo.join(".env"), "SECRET_MARK\n").unwrap();
    disk.git(&repo, &["add", "-f", ".env"]);
    disk.run(&repo, "touch", &["-d", "2001-01-01", ".env"]);
    disk.run(&repo, "git", &["update-index", "--refresh"]);
    not_allowed(&disk, &repo, "git diff HEAD");
    disk.git(&repo, &["commit", "-qm", "env"]);
    not_allowed(&disk, &repo, "git diff HEAD~1");
    not_allowed(&disk, &repo, "git diff HEAD~1 -- .");
    allows(&disk, &repo, "git diff");
    allows(&disk, &repo, "git diff HEAD~1 --stat");
    allows(&disk, &repo, "git diff HEAD -- src");
}
