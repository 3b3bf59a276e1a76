//! The commands of the corpus, harmless and harmful. The judge decides which are run.

use std::collections::BTreeSet;
use std::path::Path;

/// Every `command` in the JSON lines below `spec/corpus/shell`.
pub(crate) fn commands() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/corpus/shell");
    let mut found = BTreeSet::new();
    collect(&directory, &mut found);
    assert!(!found.is_empty(), "no command in any *.jsonl below spec/corpus/shell: the corpus is missing");
    found.into_iter().collect()
}

fn collect(directory: &Path, found: &mut BTreeSet<String>) {
    let entries = std::fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("the corpus spec/corpus/shell cannot be read: {error}"));
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let text = std::fs::read_to_string(&path).unwrap();
            for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
                let row: serde_json::Value =
                    serde_json::from_str(line).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                let command = row.get("command").and_then(|command| command.as_str());
                // Bash ends a script at a NUL, and NUL separates the scripts in the list.
                found.extend(command.filter(|command| !command.contains('\0')).map(Into::into));
            }
        }
    }
}
