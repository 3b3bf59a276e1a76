//! Commands, settings and tool inputs of many programs, most of them collected independently of the
//! detectors, to measure how many unforeseen secrets are found.
//!
//! `survey.txt` has one of them per paragraph, with its secrets in `«»`.

use serde_json::{Value, json};

use super::masks;

/// The minimum percentage that must be found. The others are known misses: nothing around them suggests
/// a secret.
const LEAST: usize = 97;

#[test]
fn most_surveyed_secrets_are_masked() {
    let masks = masks();
    let mut missed = Vec::new();
    let mut all = 0;
    for marked in include_str!("survey.txt").split("\n\n").map(str::trim_end) {
        let text = marked.replace(['«', '»'], "");
        let input: Value = serde_json::from_str(&text).unwrap_or_else(|_| json!({ "command": text }));
        let row = masks.of_row(["runs"], [&input]).value(&input).to_string();
        let mut secrets = marked.split('«').skip(1).filter_map(|rest| rest.split_once('»'));
        if secrets.any(|(secret, _)| row.contains(json!(secret).to_string().trim_matches('"'))) {
            missed.push(marked);
        }
        all += 1;
    }
    assert!(all > 900, "{all}");
    assert!(missed.len() * 100 <= (100 - LEAST) * all, "{} of {all}:\n{}", missed.len(), missed.join("\n"));
}
