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
    let place = repository(&disk);
    fs::write(place.join(".env"), "TOKEN=SECRET_MARK2\n").unwrap();
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
    let place = disk.repository("sparse");
    fs::create_dir(place.join("sub")).unwrap();
    fs::write(place.join("sub/.env"), "SECRET_MARK\n").unwrap();
    disk.git(&place, &["add", "-f", "."]);
    disk.git(&place, &["commit", "-qm", "sub"]);
    disk.git(&place, &["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
    fs::create_dir_all(place.join("sub")).unwrap();
    fs::write(place.join("sub/.env"), "SECRET_MARK2\n").unwrap();
    for command in ["git grep SECRET", "git diff", "git ls-files | xargs cat"] {
        // Git writes the index again when it finds the directory.
        let index = fs::read(place.join(".git/index")).unwrap();
        assert!(!GitJudge::new(&disk).allows(command, &place), "{command}");
        assert!(shows(&disk, &place, command), "{command}");
        fs::write(place.join(".git/index"), index).unwrap();
    }
    allows(&disk, &place, "git status");
}

#[test]
fn file_with_equal_time_and_size_may_differ() {
    let disk = TestDisk::new();
    let place = disk.repository("times");
    fs::write(place.join(".env"), "SECRET_MARK1\n").unwrap();
    disk.git(&place, &["add", "-f", ".env"]);
    disk.git(&place, &["commit", "-qm", "env"]);
    let script = "cp -p .env ref; echo SECRET_MARK9 > .env; touch -r ref .env";
    disk.run(&place, "bash", &["-c", script]);
    not_allowed(&disk, &place, "git diff");
}

/// A change in the moment in which the index is written has the times that are stored there.
#[test]
fn file_as_young_as_the_index_may_have_changed() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    allows(&disk, &place, "git diff");
    disk.run(&place, "touch", &["-r", ".env", ".git/index"]);
    assert!(!GitJudge::new(&disk).allows("git diff", &place));
    disk.git(&place, &["status"]);
}

#[test]
fn file_that_became_a_link_counts_as_changed() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    fs::create_dir(place.join("d")).unwrap();
    fs::write(place.join("d/.env"), "SECRET_MARKd\n").unwrap();
    disk.git(&place, &["add", "-f", "."]);
    disk.git(&place, &["commit", "-qm", "d"]);
    allows(&disk, &place, "git diff");
    fs::remove_file(place.join(".env")).unwrap();
    symlink("nowhere", place.join(".env")).unwrap();
    for command in ["git diff", "git diff HEAD", "git diff -- .env"] {
        not_allowed(&disk, &place, command);
    }
    allows(&disk, &place, "git diff -- d");
    disk.git(&place, &["checkout", "-q", ".env"]);
    fs::rename(place.join("d"), place.join("e")).unwrap();
    symlink("e", place.join("d")).unwrap();
    for command in ["git diff", "git diff -- d", "git diff -- ./d"] {
        not_allowed(&disk, &place, command);
    }
    allows(&disk, &place, "git diff -- src");
}

#[test]
fn names_relative_to_another_directory_are_not_read_from_here() {
    let disk = TestDisk::new();
    let place = repository(&disk);
    fs::create_dir_all(place.join("sub/sub")).unwrap();
    fs::write(place.join("sub/notes"), "x\n").unwrap();
    disk.git(&place, &["add", "sub/notes"]);
    symlink("../../.env", place.join("sub/sub/notes")).unwrap();
    symlink(".env", place.join("notes")).unwrap();
    not_allowed(&disk, &place.join("sub"), "cat $(git ls-files --full-name)");
    not_allowed(&disk, &place, "cat $(git -C sub ls-files)");
    allows(&disk, &place.join("sub"), "cat $(git ls-files)");
}

#[test]
fn large_index_is_read_only_a_few_times() {
    let disk = TestDisk::new();
    let place = disk.repository("large");
    let blob = disk.git(&place, &["rev-parse", "HEAD:a.txt"]);
    let mut entries = String::new();
    for number in 0..150_000 {
        let name = format!("packages/module{}/source/component/file{number}.u", number / 100);
        writeln!(entries, "100644 {} 0\t{name}", blob.trim()).unwrap();
    }
    fs::write(disk.path("entries"), entries).unwrap();
    disk.run(&place, "bash", &["-c", "git update-index --index-info < ../../entries"]);
    let judge = GitJudge::new(&disk);
    for command in ["git diff", "git grep -n one", "git grep one -- src && git diff -- src"] {
        assert!(judge.allows(command, &place), "{command}");
    }
    // The index is read once for all of them.
    let many: String = (0..50).map(|number| format!("git diff -- a{number};")).collect();
    assert!(judge.allows(&many, &place));
    // From each directory again: that is too much.
    for number in 0..10 {
        fs::create_dir_all(place.join(format!("packages/module{number}"))).unwrap();
    }
    let many: String = (0..10).map(|number| format!("git -C packages/module{number} grep x;")).collect();
    assert!(!judge.allows(&many, &place));
}

/// An entry without a path replaces one of the shared index.
#[test]
fn split_index_does_not_show_what_has_changed() {
    let disk = TestDisk::new();
    let place = disk.repository("split");
    for text in ["SECRET_MARK1\n", "SECRET_MARK22\n"] {
        fs::write(place.join(".env"), text).unwrap();
        disk.git(&place, &["add", "-f", ".env"]);
        disk.git(&place, &["commit", "-qm", "env"]);
    }
    // As old as if it had not been touched for long.
    disk.run(&place, "touch", &["-d", "2001-01-01", ".env"]);
    disk.git(&place, &["update-index", "--split-index"]);
    disk.run(&place, "git", &["update-index", "--refresh"]);
    fs::write(place.join("b"), "").unwrap();
    disk.git(&place, &["add", "b"]);
    disk.git(&place, &["reset", "-q", "HEAD~1", "--", ".env"]);
    not_allowed(&disk, &place, "git diff");
    // As if no file had changed since the index was written.
    disk.run(&place, "bash", &["-c", "touch -d 2037-01-01 .git/index .git/sharedindex.*"]);
    not_allowed(&disk, &place, "git diff");
}

/// A file that matches the index may still differ from a commit.
#[test]
fn commit_is_compared_with_unchanged_files() {
    let disk = TestDisk::new();
    let place = disk.repository("commits");
    fs::write(place.join(".env"), "SECRET_MARK\n").unwrap();
    disk.git(&place, &["add", "-f", ".env"]);
    disk.run(&place, "touch", &["-d", "2001-01-01", ".env"]);
    disk.run(&place, "git", &["update-index", "--refresh"]);
    not_allowed(&disk, &place, "git diff HEAD");
    disk.git(&place, &["commit", "-qm", "env"]);
    not_allowed(&disk, &place, "git diff HEAD~1");
    not_allowed(&disk, &place, "git diff HEAD~1 -- .");
    allows(&disk, &place, "git diff");
    allows(&disk, &place, "git diff HEAD~1 --stat");
    allows(&disk, &place, "git diff HEAD -- src");
}
