//! Names that could be taken for something else.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::json;

use super::search_project::SearchProject;

#[test]
fn names_are_shown_on_one_line() {
    for (name, shown) in [
        (&b"a\nb.rs:1:fake"[..], "a\\u{a}b.rs:1:fake"),
        (b"a\rb", "a\\u{d}b"),
        (b"\x1b[31mred", "\\u{1b}[31mred"),
        ("\u{202e}txt.exe".as_bytes(), "\\u{202e}txt.exe"),
        ("zero\u{200b}width".as_bytes(), "zero\\u{200b}width"),
        (b"\xff\xfe", "\\xFF\\xFE"),
        (b"-n", "-n"),
        (b"a b'c\"d", "a b'c\"d"),
        ("日本.txt".as_bytes(), "日本.txt"),
    ] {
        let project = SearchProject::new();
        fs::write(project.context.root.join(OsStr::from_bytes(name)), "needle\n").unwrap();
        let lines = project.lines(&json!({ "pattern": "needle" }));
        assert_eq!(lines, [format!("{shown}:1:needle")]);
        assert_eq!((project.files(), project.names("*")), (vec![shown.to_owned()], vec![shown.to_owned()]));
    }
}

#[test]
fn errors_show_names_on_one_line() {
    let project = SearchProject::new();
    let found = project.refuses_to_read("a\nb\u{202e}");
    assert!(found.ends_with("/a\\u{a}b\\u{202e}") && found.lines().count() == 1, "{found}");
}

#[test]
fn protected_names_are_shown_on_one_line() {
    let project = SearchProject::new();
    project.write("a\nb.env", "needle\n");
    let found = super::search_project::notes(project.grep(&json!({ "pattern": "needle" })));
    assert_eq!(found, "1 protected path not searched: a\\u{a}b.env.");
}
