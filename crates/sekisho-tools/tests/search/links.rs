//! Links: where they lead counts, also if somebody changes them after the call was judged.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::search_project::{SearchProject, fields};

const ANOTHER: &str = "leads to another file than when the call was judged. Try again.";
const PROTECTED: &str = "is protected (.env*) and needs the approval of a human.";

#[test]
fn link_to_a_secret_is_as_protected_as_the_secret() {
    let mut project = SearchProject::new();
    project.write("../outside/.env", "KEY=hunter2\n");
    project.link("notes.txt", "../outside/.env");
    project.link("dir", "../outside");
    for path in ["notes.txt", "dir/.env", "../outside/.env", "dir/../../outside/.env"] {
        let found = project.refuses_to_read(path);
        assert!(found.ends_with(PROTECTED) && !found.contains("hunter2"), "{path}: {found}");
        let found = project.grep(&json!({ "pattern": "KEY", "path": path }));
        assert!(found.is_error && found.content.ends_with(PROTECTED), "{path}: {}", found.content);
    }
    // Somebody saw where it leads, and approved that.
    let real = project.path("../outside/.env").canonicalize().unwrap();
    project.approve("notes.txt", real.to_str().unwrap());
    assert_eq!(project.text("notes.txt"), "1\tKEY=hunter2\n");
}

#[test]
fn link_that_was_swapped_after_judging_is_not_followed() {
    for approved in [false, true] {
        let mut project = SearchProject::with_files(&["notes.txt", "sub/file", "other.txt"]);
        project.write(".env", "KEY=hunter2\n");
        project.write("../outside/.env", "KEY=hunter2\n");
        project.judge("notes.txt", "notes.txt");
        project.judge("sub", "sub");
        project.judge("sub/file", "sub/file");
        project.approved_by_human = approved;
        assert_eq!(project.text("notes.txt"), "1\tneedle\n");
        fs::remove_file(project.path("notes.txt")).unwrap();
        fs::remove_dir_all(project.path("sub")).unwrap();
        for target in [".env", "../outside/.env", "other.txt", "../outside/text"] {
            let _ = fs::remove_file(project.path("notes.txt"));
            project.link("notes.txt", target);
            let found = project.refuses_to_read("notes.txt");
            assert!(found.ends_with(ANOTHER), "{target}: {found}");
            let found = project.grep(&json!({ "pattern": ".", "path": "notes.txt" }));
            assert!(found.is_error && found.content.ends_with(ANOTHER), "{target}: {}", found.content);
        }
        project.link("sub", "../outside");
        assert!(project.refuses_to_read("sub/file").contains("not found"));
        for found in [
            project.grep(&json!({ "pattern": ".", "path": "sub" })),
            project.glob(&json!({ "pattern": "*", "path": "sub" })),
            project.glob(&json!({ "pattern": "sub/*" })),
        ] {
            assert!(found.is_error && found.content.ends_with(ANOTHER), "{}", found.content);
        }
    }
}

#[test]
fn approval_of_one_file_is_not_one_of_another() {
    let mut project = SearchProject::with_files(&["notes.txt"]);
    project.write(".env", "KEY=hunter2\n");
    project.approve("notes.txt", "notes.txt");
    assert!(project.refuses_to_read(".env").ends_with(PROTECTED));
    project.approve(".env", ".env");
    assert_eq!(project.text(".env"), "1\tKEY=hunter2\n");
    project.approved_by_human = false;
    assert!(project.refuses_to_read(".env").ends_with(PROTECTED));
}

#[test]
fn loops_end() {
    let project = SearchProject::with_files(&["a"]);
    project.link("loop", "loop");
    project.link("up", ".");
    project.link("one", "two");
    project.link("two", "one");
    for path in ["loop", "loop/x", "one"] {
        assert!(project.refuses_to_read(path).contains("Too many levels of symbolic links"), "{path}");
    }
    assert_eq!((project.files(), project.names("*")), (vec!["a".to_owned()], vec!["a".to_owned()]));
}

#[test]
fn search_follows_no_link() {
    let project = SearchProject::with_files(&["a"]);
    project.link("file", "../outside/text");
    project.link("dir", "../outside");
    project.link("deep/er/dir", "../../../outside");
    assert_eq!((project.files(), project.names("**")), (vec!["a".to_owned()], vec!["a".to_owned()]));
    // A directory that is named may be a link: the policy has judged where it leads.
    let found = project.lines(&json!({ "pattern": "needle", "path": "dir" }));
    assert_eq!(found, ["dir/text:1:outside needle"]);
}

/// A directory is a link in one moment and a directory in the next.
#[test]
fn directory_swapped_during_a_search_does_not_lead_outside() {
    let project = SearchProject::new();
    for at in 0..20 {
        project.write(&format!("d{at}/sub/inner/text"), "inside needle\n");
    }
    project.write("../outside/inner/text", "outside needle\n");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for at in 0..20 {
                    let (sub, away) =
                        (project.path(&format!("d{at}/sub")), project.path(&format!("d{at}/.away")));
                    fs::rename(&sub, &away).unwrap();
                    symlink("../../outside", &sub).unwrap();
                    fs::remove_file(&sub).unwrap();
                    fs::rename(&away, &sub).unwrap();
                }
            }
        });
        for _ in 0..60 {
            let found = fields(project.grep(&json!({ "pattern": "needle" })));
            assert!(!found["output"].as_str().unwrap().contains("outside"), "{found}");
            let found = fields(project.glob(&json!({ "pattern": "text" })));
            assert!(found["total"].as_u64().unwrap() <= 20, "{found}");
        }
        done.store(true, Ordering::Relaxed);
    });
}
