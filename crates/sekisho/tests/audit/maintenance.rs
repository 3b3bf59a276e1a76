//! Keys, pruning, purging and database files.

use std::os::unix::fs::PermissionsExt;

use super::audit_fixture::AuditFixture;

#[test]
fn new_key_signs_and_old_keys_still_verify() {
    let fixture = AuditFixture::new();
    let output = fixture.out(&["audit", "rotate-key"]);
    assert_eq!(
        output,
        "key 2 signs from now on; keep a copy of ~/.local/state/sekisho/audit.key apart from the database\n"
    );
    let key = std::fs::read_to_string(fixture.key()).unwrap();
    assert_eq!(key.lines().filter(|line| !line.starts_with('#')).count(), 2);
    assert_eq!(fixture.key().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let noted = fixture.out(&["audit", "search", "--kind", "upkeep", "--json"]);
    let noted: serde_json::Value = serde_json::from_str(&noted).unwrap();
    assert_eq!((noted["key"].as_u64(), noted["approver"].as_str()), (Some(2), Some("tester")));
    assert_eq!(noted["text"], "key 2 signs the audit log from now on");
    assert!(fixture.out(&["audit", "verify"]).starts_with("intact: 12 records"));
    fixture.out(&["audit", "rotate-key"]);
    assert!(fixture.out(&["audit", "verify"]).starts_with("intact"));
}

#[test]
fn key_readable_by_others_is_refused() {
    let fixture = AuditFixture::new();
    std::fs::set_permissions(fixture.key(), std::fs::Permissions::from_mode(0o644)).unwrap();
    for arguments in
        [&["audit", "verify"][..], &["audit", "rotate-key"], &["audit", "prune", "--before", "1d", "--yes"]]
    {
        let output = fixture.fails(arguments);
        assert!(output.contains("audit.key: others can read it"), "{output}");
    }
}

#[test]
fn pruned_log_still_verifies() {
    let fixture = AuditFixture::new();
    let heads = fixture.place.home().join("heads.json");
    std::fs::write(&heads, fixture.out(&["audit", "head"])).unwrap();
    assert_eq!(
        fixture.out(&["audit", "prune", "--before", "2026-11-03T09:00:00Z", "--yes"]),
        "removed 2 records\n"
    );
    let left = fixture.out(&["audit", "search", "--kind", "verdict", "--json"]);
    assert_eq!(left.lines().count(), 2);
    assert!(
        fixture
            .out(&["audit", "search", "--kind", "upkeep"])
            .contains("rows from before 2026-11-03T09:00:00Z removed")
    );
    assert!(fixture.out(&["audit", "verify", "--head", heads.to_str().unwrap()]).starts_with("intact"));
    fixture.tamper("DELETE FROM audit_log WHERE seq = 3 AND kind = 'verdict'");
    assert!(fixture.fails(&["audit", "verify"]).contains("row 3 of writer"));
}

#[test]
fn without_a_terminal_yes_is_required() {
    let fixture = AuditFixture::new();
    for command in ["prune", "purge"] {
        let output = fixture.without_terminal(&["audit", command, "--before", "1d"]);
        assert_eq!(output.code, 1, "{}{}", output.out, output.err);
        assert!(
            output.err.contains("there is no terminal to ask on") && output.err.contains("`--yes`"),
            "{}",
            output.err
        );
    }
    assert_eq!(fixture.out(&["audit", "search", "--kind", "upkeep"]), "", "nothing was done");
    assert_eq!(fixture.out(&["audit", "purge", "--before", "1d", "--yes"]), "deleted 0 raw inputs\n");
}

#[test]
fn database_is_created_shown_and_named() {
    let fixture = AuditFixture::none();
    assert_eq!(fixture.out(&["db", "migrate"]), "~/.local/state/sekisho/ledger.db is up to date\n");
    assert!(fixture.key().exists());
    let status = fixture.out(&["db", "status"]);
    assert!(status.starts_with("place    ~/.local/state/sekisho/ledger.db\nversion  "), "{status}");
    assert!(status.contains("\nrows     0\npending  0 questions\n"), "{status}");
    assert!(fixture.out(&["audit", "verify"]).starts_with("the audit log is empty"));
    for (url, expected) in [
        ("sqlite:elsewhere.db", "[PLACE]/project/elsewhere.db is up to date\n"),
        ("sub/other.db", "[PLACE]/project/sub/other.db is up to date\n"),
    ] {
        let output =
            fixture.place.output(&fixture.command(&["db", "migrate"]).env("DATABASE_URL", url).assert());
        assert_eq!((output.code, output.out.as_str()), (0, expected), "{}", output.err);
    }
    for (url, expected) in
        [("mysql://x", "`DATABASE_URL` begins with `mysql:`"), ("sqlite:", "names no file")]
    {
        let output =
            fixture.place.output(&fixture.command(&["db", "status"]).env("DATABASE_URL", url).assert());
        assert_eq!(output.code, 64);
        assert!(output.err.contains(expected), "{}", output.err);
    }
}

#[test]
fn status_does_not_change_an_older_database() {
    let fixture = AuditFixture::none();
    crate::test_home::TestHome::write(&fixture.database(), "");
    let output = fixture.fails(&["db", "status"]);
    assert!(
        output.contains("has version 0, and this sekisho needs") && output.contains("`sekisho db migrate`"),
        "{output}"
    );
    assert_eq!(fixture.database().metadata().unwrap().len(), 0);
    fixture.out(&["db", "migrate"]);
    fixture.out(&["db", "status"]);
}

#[test]
fn file_that_is_not_a_database_is_refused() {
    let fixture = AuditFixture::none();
    crate::test_home::TestHome::write(
        &fixture.database(),
        "this is no database, only some text that is long enough",
    );
    for arguments in [&["audit", "search"][..], &["db", "status"]] {
        let output = fixture.fails(arguments);
        assert!(output.contains("ledger.db") && output.contains("restore a backup"), "{output}");
    }
}

#[test]
fn lost_key_is_not_replaced() {
    let fixture = AuditFixture::new();
    std::fs::remove_file(fixture.key()).unwrap();
    for arguments in
        [&["audit", "rotate-key"][..], &["audit", "prune", "--before", "1d", "--yes"], &["db", "migrate"]]
    {
        let output = fixture.fails(arguments);
        assert!(output.contains("restore the key of this audit log from a copy"), "{output}");
    }
    assert!(!fixture.key().exists());
}

#[test]
fn spool_is_imported_once_as_its_own_chain() {
    let fixture = AuditFixture::new();
    let spools = sekisho_host::Spools::at(&fixture.state());
    let id = uuid::Uuid::from_u128(0x5001);
    let entry = r#"{"at":"2026-11-03T12:00:00Z","kind":"verdict","tool":"bash","decision":"deny","text":"denied: hunter"}"#;
    spools.append(entry, id).unwrap();
    spools.append("{\"torn", id).unwrap();
    assert_eq!(fixture.out(&["audit", "import-spools"]), "imported 2 lines\n");
    assert_eq!(fixture.out(&["audit", "import-spools"]), "imported 0 lines\n");
    assert!(spools.all().unwrap().is_empty(), "imported spools are removed");
    assert!(fixture.out(&["audit", "search", "hunter"]).contains("denied: hunter"));
    assert!(fixture.out(&["audit", "search", "--kind", "upkeep"]).contains("could not be read"));
    assert!(fixture.out(&["audit", "verify"]).starts_with("intact"));
}
