//! `file_write` and `edit` while another program exchanges a directory for a link to the outside as often as it can.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sekisho_tools::contained_write::{Lookup, WriteMode, WriteRoots};

use crate::project::Project;

/// How many writes are tried during the exchanges.
#[expect(clippy::disallowed_methods, reason = "the long version is asked for by a variable")]
fn rounds() -> usize {
    std::env::var("SEKISHO_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(5_000)
}

/// Calls a function in every round while a directory and a link change places. The function says whether it wrote.
fn race(there: &Path, link: &Path, write: impl Fn(usize, Lookup) -> bool) {
    let done = AtomicBool::new(false);
    let mut arrived = 0;
    std::thread::scope(|scope| {
        let swaps = scope.spawn(|| {
            let mut swaps = 0_u64;
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, there, CWD, link, RenameFlags::EXCHANGE).unwrap();
                swaps += 1;
            }
            swaps
        });
        for round in 0..rounds() {
            let lookup = if round % 2 == 0 { Lookup::Kernel } else { Lookup::Stepwise };
            arrived += usize::from(write(round, lookup));
        }
        done.store(true, Ordering::Relaxed);
        assert!(swaps.join().unwrap() > 0);
    });
    assert!(arrived > 0, "no round wrote anything");
}

fn assert_untouched(project: &Project, secret: &str) {
    assert_eq!(project.text(secret), "outside", "a write escaped");
    let directory = project.path(secret).parent().unwrap().to_owned();
    assert_eq!(fs::read_dir(directory).unwrap().count(), 1, "a file escaped");
}

/// Overwrites, appends or edits a file, or creates one in a new directory.
fn write_once(roots: &WriteRoots, directory: &Path, round: usize) -> bool {
    let location = roots.locate(&directory.join("secret")).unwrap();
    match round % 8 / 2 {
        0 => location.write(b"escaped", WriteMode::Overwrite).is_ok(),
        1 => location.write(b"+", WriteMode::Append).is_ok(),
        2 => location.rewrite(|_| Ok::<_, ()>(b"escaped".to_vec())).is_ok(),
        _ => {
            let deep = roots.locate(&directory.join("deep/x")).unwrap();
            deep.write(b"escaped", WriteMode::Overwrite).is_ok()
        }
    }
}

#[test]
fn directory_below_an_allowed_one_swapped_with_a_link_is_never_followed() {
    let project = Project::new_in_memory();
    let (there, link) = (project.path("work/doc/a"), project.path("work/link"));
    fs::create_dir(&there).unwrap();
    symlink(project.path("outside"), &link).unwrap();
    race(&there, &link, |round, lookup| {
        let allowed = &project.context.allowed_write_dirs;
        let roots = WriteRoots::open_with(&project.context.root, allowed, lookup).unwrap();
        write_once(&roots, &there, round)
    });
    assert_untouched(&project, "outside/secret");
}

/// The link is there, then the directory, then the link again while the allowed directory is being opened. It is deep,
/// so that resolving its path takes long enough for that.
#[test]
fn directory_above_an_allowed_one_swapped_with_a_link_is_never_followed() {
    let project = Project::new_in_memory();
    let (there, link) = (project.path("there"), project.path("link"));
    let deep = vec!["d"; 100].join("/");
    let (out, outside) = (there.join(&deep), project.path("outside").join(&deep));
    for directory in [&out, &outside] {
        fs::create_dir_all(directory).unwrap();
    }
    fs::rename(project.path("outside/secret"), outside.join("secret")).unwrap();
    symlink("outside", &link).unwrap();
    let allowed = [out.clone()];
    race(&there, &link, |round, lookup| {
        WriteRoots::open_with(&project.context.root, &allowed, lookup)
            .is_ok_and(|roots| write_once(&roots, &out, round))
    });
    assert_untouched(&project, &format!("outside/{deep}/secret"));
}

/// The same with the workspace itself.
#[test]
fn workspace_swapped_with_a_link_is_never_followed() {
    let project = Project::new_in_memory();
    let (there, link) = (project.path("there"), project.path("link"));
    for doc in ["there/work/doc", "outside/work/doc"] {
        fs::create_dir_all(project.path(doc)).unwrap();
    }
    fs::rename(project.path("outside/secret"), project.path("outside/work/doc/secret")).unwrap();
    symlink("outside", &link).unwrap();
    race(&there, &link, |round, lookup| {
        WriteRoots::open_with(&there.join("work"), &["doc".into()], lookup)
            .is_ok_and(|roots| write_once(&roots, &there.join("work/doc"), round))
    });
    assert_untouched(&project, "outside/work/doc/secret");
}
