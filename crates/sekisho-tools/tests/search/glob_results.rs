//! What `glob_search` lists.

use std::fs::File;
use std::time::{Duration, SystemTime};

use serde_json::json;

use super::search_project::{SearchProject, fields};

#[track_caller]
fn check(pattern: &str, expected: &[&str]) {
    let project = SearchProject::with_files(&[
        "main.rs",
        "src/lib.rs",
        "src/deep/er/x.rs",
        "src/a.toml",
        ".github/ci.yml",
        ".hidden.rs",
        "docs/a [1].md",
    ]);
    assert_eq!(project.names(pattern), expected, "{pattern}");
}

#[test]
fn globs() {
    check("*.rs", &["main.rs", "src/deep/er/x.rs", "src/lib.rs"]);
    check("**/*.rs", &["main.rs", "src/deep/er/x.rs", "src/lib.rs"]);
    check("src/*.rs", &["src/lib.rs"]);
    check("src/**", &["src/a.toml", "src/deep/er/x.rs", "src/lib.rs"]);
    check("./src/*.{rs,toml}", &["src/a.toml", "src/lib.rs"]);
    check("src/lib.rs", &["src/lib.rs"]);
    check("x.r?", &["src/deep/er/x.rs"]);
    check("[lm]*.rs", &["main.rs", "src/lib.rs"]);
    check("docs/a \\[1\\].md", &["docs/a [1].md"]);
    check("main{,.rs}", &["main.rs"]);
    check("missing/*.rs", &[]);
    check("*.RS", &[]);
}

#[test]
fn hidden_files_are_listed_if_the_glob_names_them() {
    check("*.yml", &[]);
    check(".github/*.yml", &[".github/ci.yml"]);
    check(".*.rs", &[".hidden.rs"]);
}

#[test]
fn last_modified_comes_first() {
    let project = SearchProject::with_files(&["a", "b", "c", "d"]);
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    for (name, age) in [("a", 3), ("b", 1), ("c", 3), ("d", 2)] {
        let time = long_ago - Duration::from_secs(age);
        File::options().write(true).open(project.path(name)).unwrap().set_modified(time).unwrap();
    }
    let found = fields(project.glob(&json!({ "pattern": "*" })));
    let expected = json!({
        "files": ["b", "d", "a", "c"], "shown": 4, "total": 4, "complete": true, "notes": [],
    });
    assert_eq!(found, expected);
    let found = fields(project.glob(&json!({ "pattern": "*", "max_results": 2 })));
    let expected = json!({
        "files": ["b", "d"], "shown": 2, "total": 4, "complete": false,
        "notes": ["2 files of 4 not shown. Narrow the search by 'pattern' or 'path'."],
    });
    assert_eq!(found, expected);
}

#[test]
fn directories_by_path_and_by_pattern() {
    let project = SearchProject::with_files(&["src/sub/a.rs", "sub/b.rs"]);
    let found = |input| fields(project.glob(&input))["files"].clone();
    assert_eq!(found(json!({ "pattern": "sub/*.rs", "path": "src" })), json!(["src/sub/a.rs"]));
    let outside = project.path("../outside").canonicalize().unwrap();
    let expected = json!([format!("{}/text", outside.display())]);
    assert_eq!(found(json!({ "pattern": "*", "path": "../outside" })), expected);
    assert_eq!(found(json!({ "pattern": format!("{}/*", outside.display()) })), expected);
}
