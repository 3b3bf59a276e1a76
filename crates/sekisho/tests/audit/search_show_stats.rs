//! `search`, `show`, `stats` and `tail`.

use sekisho_gate::WriteAccess;

use sekisho_gate::audit::AuditLog;
use sekisho_testkit::block_on;
use snapbox::{assert_data_eq, file};

use super::audit_fixture::{AuditFixture, QUESTION};

#[test]
fn records_are_printed_newest_first() {
    let fixture = AuditFixture::new();
    assert_data_eq!(fixture.out(&["audit", "search"]), file!["snapshots/search.txt"]);
    assert_data_eq!(fixture.out(&["audit", "tail", "-n", "3"]), file!["snapshots/tail.txt"]);
}

#[test]
fn record_must_match_all_filters() {
    let fixture = AuditFixture::new();
    let count = |arguments: &[&str]| {
        let arguments = [&["audit", "search", "--json"], arguments].concat();
        fixture.out(&arguments).lines().count()
    };
    for (expected, arguments) in [
        (9, &[][..]),
        (1, &["GIT PUSH"]),
        (0, &["ghp_0123456789abcdefghijABCDEFGHIJ012345"]),
        (7, &["--tool", "bash"]),
        (1, &["--decision", "deny"]),
        (4, &["--decision", "allow"]),
        (1, &["--kind", "question"]),
        (1, &["--kind", "checkpoint"]),
        (8, &["--agent", "builder"]),
        (1, &["--approver", "Ada"]),
        (4, &["--approval", QUESTION]),
        (5, &["--from", "2026-11-03T10:00:00Z"]),
        (4, &["--from", "2026-11-03", "--to", "2026-11-03T10:00"]),
        (0, &["--from", "2026-11-04"]),
        (2, &["--limit", "2"]),
        (3, &["--decision", "allow", "--kind", "verdict"]),
    ] {
        assert_eq!(count(arguments), expected, "{arguments:?}");
    }
}

#[test]
fn record_and_question_are_shown_in_full() {
    let fixture = AuditFixture::new();
    assert_data_eq!(fixture.out(&["audit", "show", "00000b0b:2"]), file!["snapshots/show-row.txt"]);
    assert_data_eq!(fixture.out(&["audit", "show", QUESTION]), file!["snapshots/show-story.txt"]);
    let json = fixture.out(&["audit", "show", QUESTION, "--json"]);
    let kinds: Vec<String> = json
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"].as_str().unwrap().into())
        .collect();
    assert_eq!(kinds, ["question", "outcome", "claim", "execution"]);
    for (what, expected) in [
        ("0b0b:99", "has no record 99"),
        ("ffff:1", "no writer id ends with `ffff`"),
        ("00000000-0000-7000-8000-0000000000ff", "the audit log has no question"),
    ] {
        let output = fixture.fails(&["audit", "show", what]);
        assert!(output.contains(expected), "{what}: {output}");
    }
}

#[test]
fn stats_are_printed_as_charts_and_as_json() {
    let fixture = AuditFixture::new();
    let span = ["--from", "2026-11-03T07:00:00Z", "--to", "2026-11-03T11:00:00Z"];
    let drawn = fixture.out(&[&["audit", "stats"], &span[..]].concat());
    let (numbers, size) = drawn.split_once("\nAudit log\n").unwrap();
    assert_data_eq!(numbers, file!["snapshots/stats.txt"]);
    assert!(
        size.starts_with("10 records, ") && size.ends_with("iB in ~/.local/state/sekisho/ledger.db\n"),
        "{size}"
    );
    let json = fixture.out(&[&["audit", "stats", "--json"], &span[..]].concat());
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["stats"]["outcomes"]["approved"], 1);
    assert_eq!(value["stats"]["answerMs"]["p50"], 7_250);
    assert_eq!(value["stats"]["commands"][0]["command"], "git push");
    let nothing = fixture.out(&["audit", "stats", "--from", "2026-01-01", "--to", "2026-01-02"]);
    assert!(nothing.contains("no decisions"), "{nothing}");
}

#[test]
fn reading_creates_nothing() {
    let fixture = AuditFixture::none();
    for arguments in [
        &["audit", "search"][..],
        &["audit", "tail", "-f"],
        &["audit", "show", QUESTION],
        &["audit", "stats"],
        &["audit", "export"],
        &["audit", "head"],
        &["audit", "prune", "--before", "1d", "--yes"],
    ] {
        let output = fixture.fails(arguments);
        assert!(output.contains("there is no audit log yet"), "{output}");
    }
    assert_eq!(fixture.out(&["db", "status"]), "~/.local/state/sekisho/ledger.db (no file yet)\n");
    assert!(!fixture.state().exists());
    let fixture = AuditFixture::new();
    std::fs::remove_file(fixture.key()).unwrap();
    assert!(fixture.out(&["audit", "search"]).contains("approved by Ada"));
    assert!(!fixture.key().exists(), "reading creates no key");
}

#[test]
fn colours_are_for_terminals() {
    let fixture = AuditFixture::new();
    for arguments in
        [&["audit", "search"][..], &["audit", "show", QUESTION], &["audit", "stats", "--from", "2026-11-03"]]
    {
        assert!(!fixture.out(arguments).contains('\u{1b}'), "{arguments:?}");
    }
}

#[test]
fn tail_follows_new_records() {
    let fixture = AuditFixture::new();
    let store = fixture.store();
    let output = fixture.follow(&["audit", "tail", "-n", "1", "-f"], || {
        let entry = sekisho_gate::record::AuditEntry::without_call(
            sekisho_gate::record::RecordKind::Trust,
            "2026-11-03T12:00:00Z".parse().unwrap(),
            None,
            "trusted meanwhile".into(),
            serde_json::Value::Null,
        );
        block_on(store.import_spool(
            WriteAccess::TESTS,
            super::audit_fixture::writer(0xcafe),
            1,
            vec![entry],
        ))
        .unwrap();
    });
    assert_eq!(output.len(), 2, "{output:?}");
    assert!(output[0].contains("10:05:00") && output[1].contains("trusted meanwhile"), "{output:?}");
}

#[test]
fn broken_pipe_is_not_an_error() {
    let fixture = AuditFixture::new();
    for command in ["export", "search", "tail", "stats", "head"] {
        assert_eq!(fixture.piped_to_nobody(&["audit", command]), "", "{command}");
    }
}
