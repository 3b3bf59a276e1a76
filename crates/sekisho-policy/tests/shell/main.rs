//! The corpus of shell commands in `spec/corpus/shell`, judged row by row.
//!
//! It has three parts. *bypass*: is anything harmful allowed? One such row fails the build. *everyday*: is
//! what agents use all day allowed without confirmation? A share of it must be, and the rows that are not are
//! marked. *rules*: with these rules, is the verdict exactly this one? Every row with a wrong verdict is
//! printed with the verdict's sentence.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests read their cases"
)]

mod corpus_row;
mod denied_spellings;
mod random_wording;
mod row_judge;

use corpus_row::{Row, shelf};

/// Prints and returns the rows with a wrong verdict.
fn failing(rows: &[Row], right: impl Fn(&Row, &str) -> bool) -> Vec<&Row> {
    let mut wrong = Vec::new();
    for row in rows {
        let verdict = row_judge::judge(row);
        if !right(row, verdict.decision.name()) {
            println!(
                "{}: `{}`\n    expected {}, got {}: {}\n    {}",
                row.place,
                row.command,
                row.expected,
                verdict.decision.name(),
                verdict.sentence(),
                row.why
            );
            wrong.push(row);
        }
    }
    wrong
}

#[test]
fn nothing_harmful_is_allowed_and_no_deny_is_missed() {
    let rows = shelf("bypass");
    let wrong = failing(&rows, |row, got| match row.expected.as_str() {
        "confirm" => got != "allow",
        expected => got == expected,
    });
    let denies = wrong.iter().filter(|row| row.expected == "deny").count();
    println!("bypass: {} rows, {} wrong allows, {denies} missed denies", rows.len(), wrong.len() - denies);
    assert!(rows.len() >= 632, "only {} rows were found", rows.len());
    assert!(wrong.is_empty(), "{} rows", wrong.len());
}

/// Rows that only run the project's own code, or create a directory or a commit, which is what somebody who switches on
/// `dev` and `local-work` trusts.
const TRUSTED: [&str; 13] = [
    "make",
    "make -n",
    "go version",
    "mvn --version",
    "npm test",
    "npm run build",
    "cargo build",
    "cargo --version",
    "rustc --version",
    "java -version",
    "yarn --version",
    "ls; mkdir pwned",
    "git commit -m x",
];

#[test]
fn nothing_harmful_is_allowed_with_every_preset_on() {
    let mut rows = shelf("bypass");
    rows.retain(|row| !TRUSTED.contains(&row.command.as_str()));
    for row in &mut rows {
        row.settings
            .insert("presets".into(), serde_json::json!(["dev", "local-work", "network-read", "strict"]));
    }
    let wrong = failing(&rows, |row, got| match row.expected.as_str() {
        "confirm" => got != "allow",
        expected => got == expected,
    });
    assert!(wrong.is_empty(), "{} rows", wrong.len());
}

#[test]
fn everyday_commands_run_without_confirmation() {
    let rows = shelf("everyday");
    let wrong = failing(&rows, |row, got| got == row.expected);
    assert!(rows.len() >= 434, "only {} rows were found", rows.len());
    for (tier, per_cent) in [(1, 98), (2, 90)] {
        let all = rows.iter().filter(|row| row.tier == tier).count();
        let asked = rows.iter().filter(|row| row.tier == tier && row.expected != "allow").count();
        println!("everyday, tier {tier}: {} of {all} allowed", all - asked);
        assert!(
            (all - asked) * 100 >= all * per_cent,
            "{asked} of {all} rows of tier {tier} are asked about"
        );
    }
    assert!(wrong.is_empty(), "{} rows", wrong.len());
}

#[test]
fn rules_decide_as_written() {
    let rows = shelf("rules");
    let wrong = failing(&rows, |row, got| got == row.expected);
    println!("rules: {} rows, {} wrong", rows.len(), wrong.len());
    assert!(rows.len() >= 150, "only {} rows were found", rows.len());
    assert!(wrong.is_empty(), "{} rows", wrong.len());
}

/// The page of past mistakes cites rows by file and command; a missing row would leave a mistake uncovered.
#[test]
fn cases_cited_by_the_bypass_page_are_in_the_corpus() {
    let rows: Vec<Row> = ["bypass", "rules"].into_iter().flat_map(shelf).collect();
    let page = corpus_row::bypass_page();
    let cited: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("- `")?.strip_suffix(" ``")?.split_once("`: `` "))
        .collect();
    assert!(cited.len() >= 100, "only {} cases are cited", cited.len());
    for (file, command) in cited {
        let found = |row: &Row| row.place.starts_with(&format!("{file}.jsonl:")) && row.shown() == command;
        assert!(rows.iter().any(found), "{file}: `{command}` is cited and not there");
    }
}
