//! Files that are no files: reading one must neither wait nor have an effect.

use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use super::search_project::{SearchProject, fields};

pub(super) fn make_pipe(project: &SearchProject, name: &str) {
    mknodat(CWD, project.path(name), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
}

#[test]
fn read_refuses_them() {
    let mut project = SearchProject::new();
    // What is protected is refused for another reason first, unless somebody approved it.
    project.approved_by_human = true;
    make_pipe(&project, "pipe");
    let _listener = UnixListener::bind(project.path("socket")).unwrap();
    project.link("link-to-pipe", "pipe");
    project.link("zero", "/dev/zero");
    for (path, why) in [
        ("pipe", "it is a pipe"),
        ("link-to-pipe", "it is a pipe"),
        ("socket", "it is a socket"),
        ("/dev/zero", "it is a device"),
        ("zero", "it is a device"),
        ("/dev/null", "it is a device"),
        ("/dev/tty", "it is a device"),
        ("/proc/self/mem", "the kernel makes its contents when it is read"),
        ("/proc/kmsg", "the kernel makes its contents when it is read"),
        ("/proc/self/environ", "the kernel makes its contents when it is read"),
        ("/proc/self/fd", "the kernel makes its contents when it is read"),
        ("/sys/kernel", "the kernel makes its contents when it is read"),
    ] {
        if !path.starts_with('/') || std::path::Path::new(path).symlink_metadata().is_ok() {
            let found = project.refuses_to_read(path);
            assert!(found.ends_with(&format!("{why}.")), "{path}: {found}");
        }
    }
}

#[test]
fn search_of_one_is_refused() {
    let project = SearchProject::new();
    make_pipe(&project, "pipe");
    for path in ["pipe", "/dev/zero", "/proc/self", "/proc/self/mem"] {
        for result in [
            project.grep(&json!({ "pattern": "x", "path": path })),
            project.glob(&json!({ "pattern": "*", "path": path })),
        ] {
            assert!(result.is_error && result.content.starts_with("Failed to search"), "{}", result.content);
        }
    }
}

#[test]
fn search_passes_over_them() {
    let project = SearchProject::with_files(&["a", "z"]);
    make_pipe(&project, "pipe");
    let _listener = UnixListener::bind(project.path("socket")).unwrap();
    project.link("zero", "/dev/zero");
    project.link("proc", "/proc");
    let found = fields(project.grep(&json!({ "pattern": "needle", "output_mode": "files" })));
    assert_eq!((&found["output"], &found["files_searched"]), (&json!("a\nz"), &json!(2)));
    assert_eq!(project.names("*"), ["a", "z"]);
}
