//! The repositories that generated ones start from.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::test_repositories::{TestDisk, append};

/// Kinds of repositories; each is a directory with `r` in it.
pub(super) const TEMPLATES: &[&str] = &["plain", "linked", "submodule", "busy", "partial", "packed"];

/// Makes all of them, and returns where they are.
pub(super) fn make(disk: &TestDisk) -> PathBuf {
    let place = disk.path("templates");
    fs::create_dir(&place).unwrap();
    for name in TEMPLATES {
        fs::create_dir(place.join(name)).unwrap();
    }
    let full = full(disk);
    let move_to = |name: &str| fs::rename(&full, place.join(name)).unwrap();
    let again = |name: &str| super::super::test_repositories::copy(&place.join("plain/r"), &place.join(name));
    move_to("plain/r");
    for name in ["linked/main", "submodule/r", "busy/r", "partial/r", "packed/r"] {
        again(name);
    }
    linked(disk, &place.join("linked"));
    submodule(disk, &place.join("submodule/r"));
    busy(disk, &place.join("busy/r"));
    partial(disk, &place.join("partial/r"));
    disk.git(&place.join("packed/r"), &["gc", "-q"]);
    place
}

/// With a merge, a signature, attributes, a stash, and uncommitted changes.
fn full(disk: &TestDisk) -> PathBuf {
    let place = disk.repository("full");
    fs::remove_dir_all(place.join(".git/hooks")).unwrap();
    fs::write(place.join(".gitattributes"), "*.u diff=x filter=x merge=x\n*.txt diff=x.y merge=x\n").unwrap();
    disk.git(&place, &["add", "."]);
    disk.git(&place, &["stash", "-q"]);
    disk.git(&place, &["checkout", "-q", "-b", "other", "HEAD~1"]);
    fs::write(place.join("a.txt"), "other\n").unwrap();
    disk.git(&place, &["commit", "-qam", "other"]);
    disk.git(&place, &["checkout", "-q", "main"]);
    disk.git(&place, &["merge", "-q", "-s", "ours", "-m", "merge", "other"]);
    sign(disk, &place);
    disk.git(&place, &["notes", "add", "-m", "note"]);
    append(&place.join("src/b.u"), "changed\n");
    fs::write(place.join("new.u"), "new\n").unwrap();
    place
}

/// Signs the last commit.
fn sign(disk: &TestDisk, place: &Path) {
    let commit = disk.git(place, &["cat-file", "commit", "HEAD"]);
    let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n";
    let (headers, message) = commit.split_once("\n\n").unwrap();
    let file = disk.path("commit");
    fs::write(&file, format!("{headers}\n{signature}\n{message}")).unwrap();
    let id = disk.git(place, &["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
    disk.git(place, &["update-ref", "refs/heads/main", id.trim()]);
}

fn linked(disk: &TestDisk, place: &Path) {
    disk.git(&place.join("main"), &["worktree", "add", "-q", "-b", "linked", "../r"]);
    // Relative, because it is copied.
    fs::write(place.join("r/.git"), "gitdir: ../main/.git/worktrees/r\n").unwrap();
    fs::write(place.join("main/.git/worktrees/r/gitdir"), "../../../../r/.git\n").unwrap();
    append(&place.join("r/src/b.u"), "changed\n");
}

fn submodule(disk: &TestDisk, place: &Path) {
    disk.repository("inner");
    let inner = disk.path("w/inner");
    disk.git(place, &["submodule", "add", "-q", inner.to_str().unwrap(), "sub"]);
    disk.git(place, &["commit", "-qm", "sub"]);
    fs::write(inner.join("a.txt"), "later\n").unwrap();
    disk.git(&inner, &["commit", "-qam", "later"]);
    disk.git(&place.join("sub"), &["pull", "-q"]);
    append(&place.join("sub/a.txt"), "changed\n");
}

fn busy(disk: &TestDisk, place: &Path) {
    disk.git(place, &["checkout", "-q", "-f", "other"]);
    fs::write(place.join("a.txt"), "third\n").unwrap();
    disk.git(place, &["commit", "-qam", "third"]);
    assert!(!disk.run(place, "git", &["rebase", "main"]).status.success());
}

/// An object of its history is missing.
fn partial(disk: &TestDisk, place: &Path) {
    let blob = disk.git(place, &["rev-parse", "HEAD~1:a.txt"]);
    let (directory, file) = blob.trim().split_at(2);
    fs::remove_file(place.join(".git/objects").join(directory).join(file)).unwrap();
}
