//! A directory that a command exchanges for a link while git writes to it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sekisho_tools::RequiredLevel;

use super::checkout::{allow, branch, checkout, run, workshop};
use super::set_up;

const ROUNDS: usize = 4;
const FILES: usize = 1500;

/// Exchanges `doc/d` for the link `doc/link` as soon as git has written some of its files.
fn exchange_when_written(root: &Path, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        if root.join("doc/d/a00010").exists() {
            let (directory, link) = (root.join("doc/d"), root.join("doc/link"));
            let _ = renameat_with(CWD, directory, CWD, link, RenameFlags::EXCHANGE);
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn directory_exchanged_for_a_link_leads_git_nowhere_else() {
    let workshop = workshop(&allow());
    if workshop.ctx.required_level == RequiredLevel::Degraded {
        return;
    }
    let root = workshop.root();
    branch(&root, "evil", || {
        fs::create_dir_all(root.join("doc/d")).unwrap();
        for number in 0..FILES {
            fs::write(root.join(format!("doc/d/a{number:05}")), "x").unwrap();
        }
        for name in ["config", "settings"] {
            fs::write(root.join("doc/d").join(name), "[core]\n\tfsmonitor = evil\n").unwrap();
        }
    });
    for name in [".claude/settings", "src/settings"] {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), "old").unwrap();
    }
    let config = fs::read_to_string(root.join(".git/config")).unwrap();
    for target in ["../.git", "../.claude", "../src"].into_iter().cycle().take(ROUNDS) {
        fs::create_dir_all(root.join("doc")).unwrap();
        symlink(target, root.join("doc/link")).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| exchange_when_written(&root, &done));
            let handle = tokio::runtime::Handle::current();
            tokio::task::block_in_place(|| handle.block_on(run(&workshop, checkout("evil"))));
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(fs::read_to_string(root.join(".git/config")).unwrap(), config, "{target}");
        for name in [".claude/settings", "src/settings"] {
            assert_eq!(fs::read_to_string(root.join(name)).unwrap(), "old", "{target}");
        }
        for name in ["doc/d", "doc/link"] {
            let path = root.join(name);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
        set_up(&root, &["checkout", "-q", "-f", "main"]);
    }
}
