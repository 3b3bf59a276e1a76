//! Large files, deep and wide directories, time limits and cancellation.

use std::fs::{self, File};
use std::path::Path;
use std::time::Instant;

use rustix::fs::{Mode, OFlags, mkdirat, open, openat};
use serde_json::json;

use super::search_project::{SearchProject, fields, notes};

const TEN_GIGABYTES: u64 = 10 << 30;

#[test]
fn sparse_file_of_ten_gigabytes() {
    let project = SearchProject::with_files(&["a"]);
    File::create(project.path("holes")).unwrap().set_len(TEN_GIGABYTES).unwrap();
    project.write("text-then-holes", "needle 日本\n".repeat(2000));
    File::options()
        .write(true)
        .open(project.path("text-then-holes"))
        .unwrap()
        .set_len(TEN_GIGABYTES)
        .unwrap();
    assert!(project.refuses_to_read("holes").ends_with("a binary file, 10737418240 bytes."));
    let found = fields(project.read(&json!({ "path": "text-then-holes", "limit": 2 })));
    assert_eq!(found["content"], json!("1\tneedle 日本\n2\tneedle 日本\n"));
    assert_eq!((&found["total_lines"], &found["next_offset"]), (&json!(null), &json!(3)));
    let found = fields(project.grep(&json!({ "pattern": "needle" })));
    assert_eq!(
        (&found["output"], &found["notes"]),
        (&json!("a:1:needle"), &json!(["2 binary files not searched."]))
    );
}

#[test]
fn line_of_fifty_megabytes() {
    const LENGTH: usize = 50 << 20;
    let project = SearchProject::with_files(&["a"]);
    project.write("line", vec![b'x'; LENGTH]);
    let found = fields(project.read(&json!({ "path": "line" })));
    let expected = format!("1\t{}… [{} more bytes]\n", "x".repeat(2000), LENGTH - 2000);
    assert!(found["content"] == json!(expected));
    assert_eq!(found["total_lines"], json!(1));
    let found = fields(project.grep(&json!({ "pattern": "needle|x" })));
    assert_eq!(found["output"], json!("a:1:needle"));
    assert_eq!(
        found["notes"],
        json!(["1 file could not be searched: unreadable, or a line is longer than 1 MiB."])
    );
}

#[test]
fn output_is_limited() {
    let project = SearchProject::new();
    project.write("f", format!("{}\n", "needle ".repeat(300)).repeat(2000));
    let found = fields(project.read(&json!({ "path": "f" })));
    assert!(found["content"].as_str().unwrap().len() <= 110_000);
    for at in 0..300 {
        project.write(&format!("{}/{at}", "d".repeat(200)), format!("needle {}\n", "x".repeat(490)));
    }
    let found = fields(project.grep(&json!({ "pattern": "needle", "max_results": 1000 })));
    assert!(found["output"].as_str().unwrap().len() <= 50_000);
    assert_eq!(found["total"], json!(2300));
    let found = fields(project.glob(&json!({ "pattern": "*", "max_results": 1000 })));
    assert!(found["files"].to_string().len() <= 60_000);
    assert_eq!((&found["total"], &found["complete"]), (&json!(301), &json!(false)));
}

/// Longer than any path that the kernel takes.
#[test]
fn five_thousand_levels() {
    const LEVELS: usize = 5000;
    let project = SearchProject::with_files(&["a"]);
    let top = project.path("deep");
    fs::create_dir(&top).unwrap();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut directory = open(&top, flags, Mode::empty()).unwrap();
    for _ in 0..LEVELS {
        mkdirat(&directory, "d", Mode::from_raw_mode(0o755)).unwrap();
        directory = openat(&directory, "d", flags, Mode::empty()).unwrap();
    }
    for result in [project.grep(&json!({ "pattern": "needle" })), project.glob(&json!({ "pattern": "a" }))] {
        assert_eq!(notes(result), "1 directory was left out: the path is too long.");
    }
    assert_eq!(project.files(), ["a"]);
    remove_chain(&top);
}

/// Removes directories that are nested too deep for a path.
fn remove_chain(top: &Path) {
    let (first, second, aside) = (top.join("d"), top.join("d/d"), top.join("aside"));
    while second.exists() {
        fs::rename(&second, &aside).unwrap();
        fs::remove_dir(&first).unwrap();
        fs::rename(&aside, &first).unwrap();
    }
}

#[test]
fn many_files() {
    let project = SearchProject::new();
    for directory in 0..20 {
        let path = project.path(&directory.to_string());
        fs::create_dir(&path).unwrap();
        for file in 0..1000 {
            let contents: &[u8] = if file == 7 { b"needle\n" } else { b"" };
            fs::write(path.join(file.to_string()), contents).unwrap();
        }
    }
    let found =
        fields(project.grep(&json!({ "pattern": "needle", "max_results": 5, "output_mode": "files" })));
    assert_eq!(found["output"], json!("0/7\n1/7\n10/7\n11/7\n12/7"));
    assert_eq!((&found["total"], &found["files_searched"]), (&json!(20), &json!(20_000)));
    let found = fields(project.glob(&json!({ "pattern": "*" })));
    assert_eq!((&found["shown"], &found["total"]), (&json!(100), &json!(20_000)));
    let found = fields(project.glob(&json!({ "pattern": "3/99?" })));
    assert_eq!(found["total"], json!(10));
}

#[test]
fn results_are_the_same_in_every_run() {
    let project = SearchProject::new();
    for at in 0..200 {
        project.write(&format!("{}/{}/f", at % 7, at), "needle\nneedle\n");
    }
    let input = json!({ "pattern": "needle", "max_results": 33 });
    let first = project.grep(&input).content;
    for _ in 0..20 {
        assert_eq!(project.grep(&input).content, first);
    }
}

#[test]
fn time_limit_is_kept() {
    let mut project = SearchProject::with_files(&["a"]);
    project.context.deadline = Some(Instant::now());
    let result = project.read(&json!({ "path": "a" }));
    assert!(result.is_error && result.content.contains("took too long"), "{}", result.content);
    for result in [project.grep(&json!({ "pattern": "needle" })), project.glob(&json!({ "pattern": "*" }))] {
        let found = fields(result);
        assert_eq!((&found["total"], &found["complete"]), (&json!(0), &json!(false)));
        let note = "The time limit was reached, so not everything was searched. Search fewer files.";
        assert_eq!(found["notes"], json!([note]));
    }
    let found = fields(project.grep(&json!({ "pattern": "needle", "path": "a" })));
    assert_eq!(found["complete"], json!(false));
}

#[test]
fn cancelled_tools_stop() {
    let project = SearchProject::with_files(&["a"]);
    project.context.cancellation.cancel();
    let message = |result: sekisho_tools::ToolResult| result.is_error.then_some(result.content).unwrap();
    assert_eq!(message(project.read(&json!({ "path": "a" }))), "Reading was cancelled.");
    for input in [json!({ "pattern": "needle" }), json!({ "pattern": "needle", "path": "a" })] {
        assert_eq!(message(project.grep(&input)), "The search was cancelled.");
    }
    assert_eq!(message(project.glob(&json!({ "pattern": "*" }))), "The search was cancelled.");
}
