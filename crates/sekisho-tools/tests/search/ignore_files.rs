//! Ignore files: what they leave out, and what a repository can do with them.

use std::fs;

use serde_json::json;

use super::search_project::{SearchProject, fields, notes};
use super::special_files::make_pipe;

/// Files with `needle`, ignore files, and the files that are searched.
#[track_caller]
fn check(is_repository: bool, files: &[&str], ignore_files: &[(&str, &str)], expected: &[&str]) {
    let project = SearchProject::with_files(files);
    if is_repository {
        project.make_repository();
    }
    for (name, text) in ignore_files {
        project.write(name, text);
    }
    assert_eq!(project.files(), expected, "{ignore_files:?}");
    assert_eq!(project.names("*"), expected, "{ignore_files:?}");
}

#[test]
fn precedence() {
    check(true, &["a", "b"], &[(".gitignore", "a\n")], &["b"]);
    check(false, &["a", "b"], &[(".gitignore", "a\n")], &["a", "b"]);
    check(false, &["a", "b"], &[(".ignore", "a\n")], &["b"]);
    check(false, &["a", "b"], &[(".rgignore", "a\n")], &["b"]);
    check(true, &["a", "b"], &[(".git/info/exclude", "a\n")], &["b"]);
    check(true, &["a", "b"], &[(".gitignore", "a\n"), (".ignore", "!a\n")], &["a", "b"]);
    check(true, &["a", "b"], &[(".ignore", "!a\n"), (".rgignore", "a\n")], &["b"]);
    check(true, &["d/a", "d/b"], &[(".gitignore", "a\nb\n"), ("d/.gitignore", "!b\n")], &["d/b"]);
    check(true, &["t/a", "s/t/a", "s/b"], &[(".gitignore", "/t\n")], &["s/b", "s/t/a"]);
    check(true, &["t/a", "s/t/a", "s/b"], &[(".gitignore", "t/\n")], &["s/b"]);
    check(true, &["a.o", "d/a.o", "d/a.c"], &[(".gitignore", "*.o\n# c\n\n")], &["d/a.c"]);
    // A repository inside another has its own files only.
    check(true, &["in/a", "a"], &[(".gitignore", "a\n"), ("in/.git/HEAD", "")], &["in/a"]);
    check(true, &["a", "é"], &[(".gitignore", "\u{feff}a\r\n")], &["é"]);
}

#[test]
fn rules_above_the_start_count() {
    let project = SearchProject::with_files(&["src/a", "src/b", "src/gen/c"]);
    project.make_repository();
    project.write(".gitignore", "a\n/src/gen\n");
    assert_eq!(
        project.lines(&json!({ "pattern": "needle", "path": "src", "output_mode": "files" })),
        ["src/b"]
    );
    // A directory that is named is searched, even if it is ignored.
    assert_eq!(
        project.lines(&json!({ "pattern": "needle", "path": "src/gen", "output_mode": "files" })),
        ["src/gen/c"]
    );
    // Outside of a repository, files above the workspace are not the workspace's.
    let project = SearchProject::with_files(&["src/a"]);
    project.write("../.ignore", "*\n");
    assert_eq!(project.files(), ["src/a"]);
}

#[test]
fn git_directory_is_never_searched() {
    for extra in [&[][..], &[(".ignore", "!.git\n!.git/**\n")]] {
        let project = SearchProject::with_files(&["a", ".git/x", "sub/.git/y"]);
        for (name, text) in extra {
            project.write(name, text);
        }
        let found = project.lines(&json!({ "pattern": "needle", "hidden": true, "output_mode": "files" }));
        assert_eq!(found, ["a"]);
    }
}

#[test]
fn links_and_pipes_are_not_used_and_not_quoted() {
    let project = SearchProject::with_files(&["a", "b", "d/c", "e/c"]);
    project.make_repository();
    project.write("../outside/.env", "a\n{secret-hunter2\n[z-a]hunter2\n");
    project.link(".gitignore", "../outside/.env");
    project.link("d/.ignore", "../../outside/.env");
    fs::remove_dir(project.path(".git/info")).unwrap();
    project.link(".git/info", "../../outside");
    project.write("../outside/exclude", "b\n");
    make_pipe(&project, "e/.rgignore");
    make_pipe(&project, "e/.ignore");
    fs::create_dir(project.path(".ignore")).unwrap();
    assert_eq!(project.files(), ["a", "b", "d/c", "e/c"]);
    for result in [project.grep(&json!({ "pattern": "needle" })), project.glob(&json!({ "pattern": "*" }))] {
        assert!(!result.content.contains("hunter2"), "{}", result.content);
        assert_eq!(notes(result), "5 ignore files not used: a link, not a regular file, or too large.");
    }
}

#[test]
fn pipe_above_the_start_is_not_opened() {
    let project = SearchProject::with_files(&["src/a"]);
    project.make_repository();
    make_pipe(&project, ".gitignore");
    assert_eq!(
        project.lines(&json!({ "pattern": "needle", "path": "src", "output_mode": "files" })),
        ["src/a"]
    );
}

#[test]
fn unusable_lines_are_left_out_and_never_shown() {
    let project = SearchProject::with_files(&["a", "b"]);
    let lines = ["{hunter2", "[z-a]hunter2", "**{{{{", &"{a,b}".repeat(200), &"x".repeat(5000), "a"];
    project.write(".ignore", [lines.join("\n").as_bytes(), b"\n\xff\xfe\n"].concat());
    let found = project.grep(&json!({ "pattern": "needle", "output_mode": "files" }));
    assert!(!found.content.contains("hunter2"), "{}", found.content);
    assert_eq!(fields(found)["output"], json!("b"));
}

#[test]
fn large_ignore_files_are_not_used() {
    let project = SearchProject::with_files(&["a"]);
    project.write(".ignore", "a\n".repeat(200 << 10));
    assert_eq!(project.files(), ["a"]);
    let found = notes(project.grep(&json!({ "pattern": "needle" })));
    assert_eq!(found, "1 ignore file not used: a link, not a regular file, or too large.");
}

/// Many patterns in many directories cost a limited amount of work.
#[test]
fn all_ignore_files_together_are_limited() {
    let project = SearchProject::new();
    for directory in 0..80 {
        let lines: String = (0..500).map(|at| format!("other{at}\n")).collect();
        project.write(&format!("{directory:02}/.ignore"), format!("{lines}skipped\n"));
        project.write(&format!("{directory:02}/skipped"), "needle\n");
    }
    // 32 768 lines are 65 files; the rest is cut off, so files that they leave out are found. Threads can be in the
    // middle of some more.
    let found = project.names("skipped").len();
    assert!((14..=24).contains(&found), "{found}");
}

/// A wildcard of a short line takes a lot of memory when it is compiled.
#[test]
fn wildcards_of_ignore_files_are_limited() {
    let project = SearchProject::with_files(&["a", "b"]);
    project.write(".ignore", format!("a{}\nb{}\n", "*".repeat(100), "*".repeat(10)));
    assert_eq!(project.files(), ["a"]);
    let project = SearchProject::new();
    for directory in 0..80 {
        let lines: String = (0..50).map(|at| format!("x{at}{}\n", "*[!a-z]".repeat(15))).collect();
        project.write(&format!("{directory:02}/.ignore"), format!("{lines}skipped\n"));
        project.write(&format!("{directory:02}/skipped"), "needle\n");
    }
    // 65 536 wildcards are those of 43 files.
    let found = project.names("skipped").len();
    assert!((36..=46).contains(&found), "{found}");
    let told = notes(project.glob(&json!({ "pattern": "skipped" })));
    assert!(told.contains("ignore files not used"), "{told}");
}

#[test]
fn repository_cannot_bring_protected_files_back() {
    let project =
        SearchProject::with_files(&[".env", "deploy/.ssh/id_rsa", "deploy/prod.env", ".config", "a"]);
    project.write(".ignore", "!.env\n!.ssh\n!.ssh/**\n!*.env\n!.config\n");
    assert_eq!(project.files(), [".config", "a"]);
    let found = notes(project.grep(&json!({ "pattern": "needle" })));
    assert_eq!(found, "3 protected paths not searched: .env, deploy/.ssh/, deploy/prod.env.");
}
