//! Commands and tool inputs that were collected without the detectors in view: how much of what nobody has thought of is
//! found.
//!
//! `survey.txt` has one of them per paragraph, with its secrets in `«»`.

use serde_json::{Value, json};

use super::masks;

/// How many of a hundred must be found. The others are known: their places say nothing about a secret.
const LEAST: usize = 95;

#[test]
fn most_of_what_was_collected_elsewhere_is_masked() {
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
    assert!(all > 300, "{all}");
    assert!(missed.len() * 100 <= (100 - LEAST) * all, "{} of {all}:\n{}", missed.len(), missed.join("\n"));
}
