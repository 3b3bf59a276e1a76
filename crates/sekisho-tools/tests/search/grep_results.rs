//! What `grep` finds and shows.

use serde_json::{Value, json};

use super::search_project::{SearchProject, fields, notes};

fn project() -> SearchProject {
    let project = SearchProject::new();
    project.write("b.rs", "fn alpha() {}\nfn beta() {}\n// Alpha again\n");
    project.write("a/x.toml", "alpha = 1\n");
    project.write("a/y.rs", "none\n");
    project.write("c.md", "one\ntwo\nalpha\nfour\nfive\nsix\nseven\nalpha\n");
    project
}

#[track_caller]
fn check(input: Value, expected: &[&str]) {
    assert_eq!(project().lines(&input), expected, "{input}");
}

#[test]
fn lines_are_sorted_by_path() {
    check(
        json!({ "pattern": "alpha" }),
        &["a/x.toml:1:alpha = 1", "b.rs:1:fn alpha() {}", "c.md:3:alpha", "c.md:8:alpha"],
    );
    check(json!({ "pattern": "^alpha$" }), &["c.md:3:alpha", "c.md:8:alpha"]);
    check(json!({ "pattern": "ALPHA" }), &[]);
    check(
        json!({ "pattern": "ALPHA", "ignore_case": true, "path": "b.rs" }),
        &["b.rs:1:fn alpha() {}", "b.rs:3:// Alpha again"],
    );
    check(json!({ "pattern": "alpha", "path": "a" }), &["a/x.toml:1:alpha = 1"]);
    check(json!({ "pattern": "alpha", "glob": "*.rs" }), &["b.rs:1:fn alpha() {}"]);
    check(json!({ "pattern": "alpha", "glob": "!*.md !a" }), &["b.rs:1:fn alpha() {}"]);
}

#[test]
fn modes() {
    check(json!({ "pattern": "alpha", "output_mode": "files" }), &["a/x.toml", "b.rs", "c.md"]);
    check(json!({ "pattern": "alpha", "output_mode": "count" }), &["a/x.toml:1", "b.rs:1", "c.md:2"]);
    check(json!({ "pattern": "alpha", "output_mode": "files", "path": "c.md" }), &["c.md"]);
}

#[test]
fn context_lines_and_gaps() {
    check(
        json!({ "pattern": "alpha", "context": 1, "glob": "*.md *.toml" }),
        &[
            "a/x.toml:1:alpha = 1",
            "--",
            "c.md-2-two",
            "c.md:3:alpha",
            "c.md-4-four",
            "--",
            "c.md-7-seven",
            "c.md:8:alpha",
        ],
    );
}

#[test]
fn fields_of_the_result() {
    let project = project();
    let found = fields(project.grep(&json!({ "pattern": "alpha" })));
    let expected = json!({
        "output_mode": "content",
        "output": "a/x.toml:1:alpha = 1\nb.rs:1:fn alpha() {}\nc.md:3:alpha\nc.md:8:alpha",
        "shown": 4, "total": 4, "files_with_matches": 3, "files_searched": 4, "complete": true, "notes": [],
    });
    assert_eq!(found, expected);
    let found = fields(project.grep(&json!({ "pattern": "alpha", "max_results": 2 })));
    assert_eq!(found["output"], json!("a/x.toml:1:alpha = 1\nb.rs:1:fn alpha() {}"));
    assert_eq!((&found["shown"], &found["total"], &found["complete"]), (&json!(2), &json!(4), &json!(false)));
    assert_eq!(
        found["notes"],
        json!(["2 matching lines of 4 not shown. Narrow the search by 'pattern', 'path' or 'glob'."])
    );
    let found = fields(project.grep(&json!({ "pattern": "no such text" })));
    assert_eq!(
        (&found["output"], &found["total"], &found["complete"]),
        (&json!(""), &json!(0), &json!(true))
    );
}

#[test]
fn one_file_does_not_fill_the_results() {
    let project = SearchProject::new();
    project.write("a", "needle\n".repeat(80));
    project.write("b", "needle\n");
    let lines = project.lines(&json!({ "pattern": "needle" }));
    assert_eq!(lines.len(), 52);
    assert_eq!(lines[50..], ["[30 more matching lines in a]", "b:1:needle"]);
    // A file that is named is shown as far as the results go.
    let lines = project.lines(&json!({ "pattern": "needle", "path": "a" }));
    assert_eq!(lines.len(), 80);
}

#[test]
fn files_outside_the_workspace_have_whole_paths() {
    let project = SearchProject::new();
    let outside = project.path("../outside").canonicalize().unwrap();
    let lines = project.lines(&json!({ "pattern": "needle", "path": outside.to_str().unwrap() }));
    assert_eq!(lines, [format!("{}/text:1:outside needle", outside.display())]);
    let lines = project.lines(&json!({ "pattern": "needle", "path": "../outside/text" }));
    assert_eq!(lines, [format!("{}/text:1:outside needle", outside.display())]);
}

#[test]
fn encodings() {
    let project = SearchProject::new();
    let utf16: Vec<u8> = "\u{feff}näedle 🦀\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    project.write("a", utf16);
    project.write("b", b"caf\xe9 edle\r\n");
    project.write("c", b"edle\n\0\n");
    assert_eq!(project.lines(&json!({ "pattern": "edle" })), ["a:1:näedle 🦀", "b:1:caf\\xE9 edle"]);
    assert_eq!(notes(project.grep(&json!({ "pattern": "edle" }))), "1 binary file not searched.");
}

#[test]
fn lines_after_a_match_that_is_not_shown_are_not_shown() {
    let project = SearchProject::new();
    project.write("d.txt", "alpha\none\nalpha\ntwo\nalpha\nthree\n");
    let input = json!({ "pattern": "alpha", "context": 1, "max_results": 1 });
    let expected = ["d.txt:1:alpha", "d.txt-2-one", "[2 more matching lines in d.txt]"];
    assert_eq!(project.lines(&input), expected);
}
