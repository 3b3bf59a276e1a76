//! Rules of the workspace: which crate may depend on which, and how long a file may be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each crate and those of our crates that it may depend on. A new crate must be added here.
const DIRECTION: &[(&str, &[&str])] = &[
    ("sekisho-shell", &[]),
    ("sekisho-policy", &["sekisho-shell"]),
    ("sekisho-host", &["sekisho-policy"]),
    ("sekisho-adapters", &["sekisho-policy"]),
    ("sekisho-hook", &["sekisho-adapters", "sekisho-host", "sekisho-policy"]),
    ("sekisho-gate", &["sekisho-policy", "sekisho-testkit"]),
    (
        "sekisho-store",
        &["sekisho-agent", "sekisho-gate", "sekisho-policy", "sekisho-testkit", "sekisho-tools"],
    ),
    ("sekisho-testkit", &["sekisho-agent", "sekisho-gate", "sekisho-policy", "sekisho-tools"]),
    ("sekisho-sandbox", &[]),
    (
        "sekisho-tools",
        &["sekisho-gate", "sekisho-policy", "sekisho-sandbox", "sekisho-shell", "sekisho-testkit"],
    ),
    ("sekisho-agent", &["sekisho-gate", "sekisho-policy", "sekisho-testkit", "sekisho-tools"]),
    ("sekisho-ui", &[]),
    (
        "sekisho-server",
        &[
            "sekisho-adapters",
            "sekisho-agent",
            "sekisho-gate",
            "sekisho-host",
            "sekisho-policy",
            "sekisho-testkit",
            "sekisho-ui",
        ],
    ),
    (
        "sekisho",
        &[
            "sekisho-adapters",
            "sekisho-agent",
            "sekisho-gate",
            "sekisho-host",
            "sekisho-policy",
            "sekisho-server",
            "sekisho-store",
            "sekisho-testkit",
            "sekisho-tools",
        ],
    ),
];

/// Maximum number of lines of a file.
const LONGEST: usize = 600;
/// Maximum mean number of lines.
const MEAN: usize = 250;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::disallowed_methods, reason = "cargo knows the dependencies")]
fn metadata(more: &[&str]) -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline"])
        .args(more)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a program that starts for every tool call must not depend on: an async runtime, a command-line
/// parser, a database, TLS.
const TOO_HEAVY: &[&str] = &[
    "async-std",
    "axum",
    "clap",
    "deadpool-postgres",
    "futures-util",
    "hyper",
    "native-tls",
    "openssl",
    "postgres",
    "reqwest",
    "ring",
    "rusqlite",
    "rustls",
    "smol",
    "sqlx",
    "tokio",
    "tokio-postgres",
];

/// The names of all crates that a crate is built with.
fn dependencies_of(start: &str) -> Vec<String> {
    let metadata = metadata(&["--filter-platform", "x86_64-unknown-linux-gnu"]);
    let name = |id: &str| -> String {
        let packages = metadata["packages"].as_array().unwrap();
        packages.iter().find(|package| package["id"] == id).unwrap()["name"].as_str().unwrap().into()
    };
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let start = nodes.iter().find(|node| name(node["id"].as_str().unwrap()) == start).unwrap();
    let mut open = vec![start];
    let mut seen = std::collections::BTreeSet::new();
    while let Some(node) = open.pop() {
        if !seen.insert(node["id"].as_str().unwrap()) {
            continue;
        }
        for dependency in node["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                open.extend(nodes.iter().find(|node| node["id"] == dependency["pkg"]));
            }
        }
    }
    seen.into_iter().map(name).collect()
}

#[test]
fn small_programs_have_few_dependencies() {
    for (program, expected) in [("sekisho-hook", "sekisho-policy"), ("sekisho-sandbox", "landlock")] {
        let names = dependencies_of(program);
        assert!(names.iter().any(|name| name == expected), "{names:?}");
        for heavy in TOO_HEAVY {
            assert!(!names.iter().any(|name| name == heavy), "`{program}` depends on `{heavy}`");
        }
    }
}

#[test]
fn dependencies_point_one_way() {
    let metadata = metadata(&["--no-deps"]);
    let allowed: BTreeMap<&str, &[&str]> = DIRECTION.iter().copied().collect();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let may = allowed.get(name).unwrap_or_else(|| panic!("`{name}` is not in the list of crates"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let other = dependency["name"].as_str().unwrap();
            assert!(
                !other.starts_with("sekisho") || may.contains(&other),
                "`{name}` may not depend on `{other}`"
            );
        }
    }
}

#[test]
fn released_crates_write_through_the_gate() {
    let metadata = metadata(&["--no-deps"]);
    let packages = metadata["packages"].as_array().unwrap();
    let shipped = packages.iter().filter(|package| package["name"] != "sekisho-testkit");
    for package in shipped {
        let name = &package["name"];
        for dependency in package["dependencies"].as_array().unwrap() {
            let for_tests = dependency["kind"] == "dev";
            let is_testkit = dependency["name"] == "sekisho-testkit";
            let testing =
                dependency["features"].as_array().unwrap().iter().any(|feature| feature == "testing");
            assert!(for_tests || !(is_testkit || testing), "{name} ships with {}", dependency["name"]);
        }
    }
}

#[test]
fn files_stay_small() {
    let mut files = Vec::new();
    collect(&root().join("crates"), &mut files);
    let lengths: Vec<(usize, PathBuf)> = files
        .into_iter()
        .map(|path| (std::fs::read_to_string(&path).unwrap().lines().count(), path))
        .collect();
    for (length, path) in &lengths {
        assert!(*length <= LONGEST, "{} has {length} lines", path.display());
    }
    let mean = lengths.iter().map(|(length, _)| length).sum::<usize>() / lengths.len();
    assert!(mean <= MEAN, "files have {mean} lines on average");
}

pub(crate) fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
