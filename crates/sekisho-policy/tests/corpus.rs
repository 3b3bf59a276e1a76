//! Runs the shipped corpus.

use std::path::PathBuf;

use sekisho_policy::corpus;

/// The files of the corpus: name and text.
pub(crate) fn files() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/corpus/policy");
    let mut files: Vec<(String, String)> = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), read(&path)))
        .collect();
    files.sort();
    files
}

#[expect(clippy::disallowed_methods, reason = "the crate is pure, its tests read the corpus")]
pub(crate) fn read(path: &std::path::Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn corpus_verdicts_match() {
    let mut calls = 0;
    let mut failures = Vec::new();
    for (name, text) in &files() {
        let report = corpus::run(name, text);
        assert!(report.calls > 0, "{name} judges nothing");
        calls += report.calls;
        failures.extend(report.failures.iter().map(ToString::to_string));
    }
    println!("{calls} calls");
    assert!(failures.is_empty(), "{} of {calls} failed:\n{}", failures.len(), failures.join("\n"));
    assert!(calls >= 150, "only {calls} calls");
}

/// Runs one file and compares the failures.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let failures: Vec<String> = corpus::run("x.md", text).failures.iter().map(ToString::to_string).collect();
    assert_eq!(failures, expected);
}

#[test]
fn wrong_verdict_is_reported_with_its_location() {
    check(
        "# A\n## B\n```json layer=global\n{ \"deny\": [{ \"tool\": \"x\" }] }\n```\n```calls\nx => allow by global:1\ny => confirm, no rule\n```\n",
        &["x.md:7: A / B: `x`: expected `allow by global:1`, got `deny by global:1`"],
    );
}

#[test]
fn faulty_corpus_file_is_reported() {
    check("# A\n```calls\nx\n```", &["x.md:3: A: a call needs a verdict: `CALL => VERDICT`"]);
    check("# A\n```json layer=globul\n{}\n```", &["x.md:3: A: unknown word `layer=globul` after the fence"]);
    check("# A\n```surroundings\nroof: /w\n```", &["x.md:3: A: unknown setting `roof`"]);
    check(
        "# A\n```json layer=global broken\n{ \"version\": 1 }\n```",
        &["x.md:3: A: the global layer is marked broken, but loads"],
    );
    check(
        "# A\n```calls\nx \"text\" => confirm, no rule\n```",
        &["x.md:3: A: `x \"text\"`: `x` has no main input"],
    );
}
