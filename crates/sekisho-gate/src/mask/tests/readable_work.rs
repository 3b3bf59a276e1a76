//! Ordinary work stays readable.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::masks;

#[test]
fn everyday_commands_are_unchanged() {
    let shelf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/corpus/shell/everyday");
    let masks = masks();
    let mut commands = 0;
    for file in fs::read_dir(shelf).unwrap() {
        let text = fs::read_to_string(file.unwrap().path()).unwrap();
        for row in text.lines().filter(|line| line.starts_with('{')) {
            let row: Value = serde_json::from_str(row).unwrap();
            let command = row["command"].as_str().unwrap();
            assert_eq!(masks.text(command).text, command);
            commands += 1;
        }
    }
    assert!(commands > 500, "{commands}");
}

#[test]
fn our_own_docs_are_unchanged() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let masks = masks();
    for page in
        ["README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md", "Cargo.lock"]
    {
        let text = fs::read_to_string(root.join(page)).unwrap();
        let masked = masks.text(&text);
        assert!(masked.detectors.is_empty(), "{page}: {:?}", masked.detectors);
    }
}
