//! The house's own order: which crate may depend on which, and how long a file may be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Each crate and the crates of ours it may depend on. A crate that is not here has no place in the house yet.
const DIRECTION: &[(&str, &[&str])] = &[
    ("sekisho-shell", &[]),
    ("sekisho-policy", &["sekisho-shell"]),
    ("sekisho-host", &["sekisho-policy"]),
    ("sekisho-adapters", &["sekisho-policy"]),
    ("sekisho-gate", &["sekisho-policy", "sekisho-testkit"]),
    ("sekisho-store", &["sekisho-gate", "sekisho-policy", "sekisho-testkit"]),
    ("sekisho-testkit", &["sekisho-gate", "sekisho-policy"]),
    ("sekisho-server", &["sekisho-gate", "sekisho-host", "sekisho-policy", "sekisho-testkit"]),
    (
        "sekisho",
        &[
            "sekisho-adapters",
            "sekisho-gate",
            "sekisho-host",
            "sekisho-policy",
            "sekisho-server",
            "sekisho-store",
            "sekisho-testkit",
        ],
    ),
];

/// A file longer than this has more than one idea in it.
const LONGEST: usize = 600;
/// And this is where one starts to think.
const MEAN: usize = 250;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
#[expect(clippy::disallowed_methods, reason = "cargo itself knows the dependencies best")]
fn dependencies_point_one_way() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let allowed: BTreeMap<&str, &[&str]> = DIRECTION.iter().copied().collect();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let may = allowed.get(name).unwrap_or_else(|| panic!("`{name}` is not in the plan of the house"));
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

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
