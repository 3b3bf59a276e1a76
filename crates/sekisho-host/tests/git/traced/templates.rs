//! The repositories that generated ones start from.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::test_repositories::{TestDisk, append};

/// Kinds of repositories; each is a directory with `r` in it.
pub(super) const TEMPLATES: &[&str] = &["plain", "linked", "submodule", "busy", "partial", "packed"];

/// Makes all of them, and returns where they are.
pub(super) fn make(disk: &TestDisk) -> PathBuf {
    let repo = disk.path("templates");
    fs::create_dir(&repo).unwrap();
    for name in TEMPLATES {
        fs::create_dir(repo.join(name)).unwrap();
    }
    let full = full(disk);
    let move_to = |name: &str| fs::rename(&full, repo.join(name)).unwrap();
    let again = |name: &str| super::super::test_repositories::copy(&repo.join("plain/r"), &repo.join(name));
    move_to("plain/r");
    for name in ["linked/main", "submodule/r", "busy/r", "partial/r", "packed/r"] {
        again(name);
    }
    linked(disk, &repo.join("linked"));
    submodule(disk, &repo.join("submodule/r"));
    busy(disk, &repo.join("busy/r"));
    partial(disk, &repo.join("partial/r"));
    disk.git(&repo.join("packed/r"), &["gc", "-q"]);
    repo
}

/// With a merge, a signature, attributes, a stash, and uncommitted changes.
fn full(disk: &TestDisk) -> PathBuf {
    let repo = disk.repository("full");
    fs::remove_dir_all(repo.join(".git/hooks")).unwrap();
    fs::write(repo.join(".gitattributes"), "*.u diff=x filter=x merge=x\n*.txt diff=x.y merge=x\n").unwrap();
    disk.git(&repo, &["add", "."]);
    disk.git(&repo, &["stash", "-q"]);
    disk.git(&repo, &["checkout", "-q", "-b", "other", "HEAD~1"]);
    fs::write(repo.join("a.txt"), "other\n").unwrap();
    disk.git(&repo, &["commit", "-qam", "other"]);
    disk.git(&repo, &["checkout", "-q", "main"]);
    disk.git(&repo, &["merge", "-q", "-s", "ours", "-m", "merge", "other"]);
    sign(disk, &repo);
    disk.git(&repo, &["notes", "add", "-m", "note"]);
    append(&repo.join("src/b.u"), "changed\n");
    fs::write(repo.join("new.u"), "new\n").unwrap();
    repo
}

/// Signs the last commit.
fn sign(disk: &TestDisk, repo: &Path) {
    let commit = disk.git(repo, &["cat-file", "commit", "HEAD"]);
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";
    let (headers, message) = commit.split_once("\n\n").unwrap();
    let file = disk.path("commit");
    fs::write(&file, format!("{headers}\n{signature}\n{message}")).unwrap();
    let id = disk.git(repo, &["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
    disk.git(repo, &["update-ref", "refs/heads/main", id.trim()]);
}

fn linked(disk: &TestDisk, repo: &Path) {
    disk.git(&repo.join("main"), &["worktree", "add", "-q", "-b", "linked", "../r"]);
    // Relative, because it is copied.
    fs::write(repo.join("r/.git"), "gitdir: ../main/.git/worktrees/r\n").unwrap();
    fs::write(repo.join("main/.git/worktrees/r/gitdir"), "../../../../r/.git\n").unwrap();
    append(&repo.join("r/src/b.u"), "changed\n");
}

fn submodule(disk: &TestDisk, repo: &Path) {
    disk.repository("inner");
    let inner = disk.path("w/inner");
    disk.git(repo, &["submodule", "add", "-q", inner.to_str().unwrap(), "sub"]);
    disk.git(repo, &["commit", "-qm", "sub"]);
    fs::write(inner.join("a.txt"), "later\n").unwrap();
    disk.git(&inner, &["commit", "-qam", "later"]);
    disk.git(&repo.join("sub"), &["pull", "-q"]);
    append(&repo.join("sub/a.txt"), "changed\n");
}

fn busy(disk: &TestDisk, repo: &Path) {
    disk.git(repo, &["checkout", "-q", "-f", "other"]);
    fs::write(repo.join("a.txt"), "third\n").unwrap();
    disk.git(repo, &["commit", "-qam", "third"]);
    assert!(!disk.run(repo, "git", &["rebase", "main"]).status.success());
}

/// An object of its history is missing.
fn partial(disk: &TestDisk, repo: &Path) {
    let blob = disk.git(repo, &["rev-parse", "HEAD~1:a.txt"]);
    let (directory, file) = blob.trim().split_at(2);
    fs::remove_file(repo.join(".git/objects").join(directory).join(file)).unwrap();
}
