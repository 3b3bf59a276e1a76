//! Keys, pruning, purging and database files.

use std::os::unix::fs::PermissionsExt;

use super::audit_fixture::AuditFixture;

#[test]
fn new_key_signs_and_old_keys_still_verify() {
    let book = AuditFixture::new();
    let said = book.out(&["audit", "rotate-key"]);
    assert_eq!(
        said,
        "key 2 signs from now on; keep a copy of ~/.local/state/sekisho/audit.key apart from the database\n"
    );
    let key = std::fs::read_to_string(book.key()).unwrap();
    assert_eq!(key.lines().filter(|line| !line.starts_with('#')).count(), 2);
    assert_eq!(book.key().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let noted = book.out(&["audit", "search", "--kind", "upkeep", "--json"]);
    let noted: serde_json::Value = serde_json::from_str(&noted).unwrap();
    assert_eq!((noted["key"].as_u64(), noted["approver"].as_str()), (Some(2), Some("tester")));
    assert_eq!(noted["text"], "key 2 signs the record from now on");
    assert!(book.out(&["audit", "verify"]).starts_with("intact: 12 records"));
    book.out(&["audit", "rotate-key"]);
    assert!(book.out(&["audit", "verify"]).starts_with("intact"));
}

#[test]
fn key_readable_by_others_is_refused() {
    let book = AuditFixture::new();
    std::fs::set_permissions(book.key(), std::fs::Permissions::from_mode(0o644)).unwrap();
    for arguments in
        [&["audit", "verify"][..], &["audit", "rotate-key"], &["audit", "prune", "--before", "1d", "--yes"]]
    {
        let said = book.fails(arguments);
        assert!(said.contains("audit.key: others can read it"), "{said}");
    }
}

#[test]
fn pruned_log_still_verifies() {
    let book = AuditFixture::new();
    let heads = book.place.home().join("heads.json");
    std::fs::write(&heads, book.out(&["audit", "head"])).unwrap();
    assert_eq!(
        book.out(&["audit", "prune", "--before", "2026-11-03T09:00:00Z", "--yes"]),
        "removed 2 records\n"
    );
    let left = book.out(&["audit", "search", "--kind", "verdict", "--json"]);
    assert_eq!(left.lines().count(), 2);
    assert!(
        book.out(&["audit", "search", "--kind", "upkeep"])
            .contains("rows from before 2026-11-03T09:00:00Z are removed")
    );
    assert!(book.out(&["audit", "verify", "--head", heads.to_str().unwrap()]).starts_with("intact"));
    book.tamper("DELETE FROM audit_log WHERE seq = 3 AND kind = 'verdict'");
    assert!(book.fails(&["audit", "verify"]).contains("row 3 of writer"));
}

#[test]
fn without_a_terminal_yes_is_required() {
    let book = AuditFixture::new();
    for command in ["prune", "purge"] {
        let said = book.without_terminal(&["audit", command, "--before", "1d"]);
        assert_eq!(said.code, 1, "{}{}", said.out, said.err);
        assert!(
            said.err.contains("there is no terminal to ask on") && said.err.contains("`--yes`"),
            "{}",
            said.err
        );
    }
    assert_eq!(book.out(&["audit", "search", "--kind", "upkeep"]), "", "nothing was done");
    assert_eq!(book.out(&["audit", "purge", "--before", "1d", "--yes"]), "deleted 0 raw inputs\n");
}

#[test]
fn database_is_created_shown_and_named() {
    let book = AuditFixture::none();
    assert_eq!(book.out(&["db", "migrate"]), "~/.local/state/sekisho/ledger.db is up to date\n");
    assert!(book.key().exists());
    let status = book.out(&["db", "status"]);
    assert!(status.starts_with("place    ~/.local/state/sekisho/ledger.db\nversion  "), "{status}");
    assert!(status.contains("\nrows     0\npending  0 questions\n"), "{status}");
    assert!(book.out(&["audit", "verify"]).starts_with("the audit log is empty"));
    for (url, expected) in [
        ("sqlite:elsewhere.db", "[PLACE]/project/elsewhere.db is up to date\n"),
        ("sub/other.db", "[PLACE]/project/sub/other.db is up to date\n"),
    ] {
        let said = book.place.output(&book.command(&["db", "migrate"]).env("DATABASE_URL", url).assert());
        assert_eq!((said.code, said.out.as_str()), (0, expected), "{}", said.err);
    }
    for (url, expected) in
        [("mysql://x", "`DATABASE_URL` begins with `mysql:`"), ("sqlite:", "names no file")]
    {
        let said = book.place.output(&book.command(&["db", "status"]).env("DATABASE_URL", url).assert());
        assert_eq!(said.code, 64);
        assert!(said.err.contains(expected), "{}", said.err);
    }
}

#[test]
fn status_does_not_change_an_older_database() {
    let book = AuditFixture::none();
    crate::test_home::TestHome::write(&book.database(), "");
    let said = book.fails(&["db", "status"]);
    assert!(
        said.contains("has version 0, and this sekisho needs") && said.contains("`sekisho db migrate`"),
        "{said}"
    );
    assert_eq!(book.database().metadata().unwrap().len(), 0);
    book.out(&["db", "migrate"]);
    book.out(&["db", "status"]);
}

#[test]
fn file_that_is_not_a_database_is_refused() {
    let book = AuditFixture::none();
    crate::test_home::TestHome::write(
        &book.database(),
        "this is no database, only some text that is long enough",
    );
    for arguments in [&["audit", "search"][..], &["db", "status"]] {
        let said = book.fails(arguments);
        assert!(said.contains("ledger.db") && said.contains("restore it from a copy"), "{said}");
    }
}

#[test]
fn lost_key_is_not_replaced() {
    let book = AuditFixture::new();
    std::fs::remove_file(book.key()).unwrap();
    for arguments in
        [&["audit", "rotate-key"][..], &["audit", "prune", "--before", "1d", "--yes"], &["db", "migrate"]]
    {
        let said = book.fails(arguments);
        assert!(said.contains("restore the key of this audit log from a copy"), "{said}");
    }
    assert!(!book.key().exists());
}

#[test]
fn spool_is_imported_once_as_its_own_chain() {
    let book = AuditFixture::new();
    let spools = sekisho_host::Spools::at(&book.state());
    let id = uuid::Uuid::from_u128(0x5001);
    let entry = r#"{"at":"2026-11-03T12:00:00Z","kind":"verdict","tool":"bash","decision":"deny","text":"denied: hunter"}"#;
    spools.append(entry, id).unwrap();
    spools.append("{\"torn", id).unwrap();
    assert_eq!(book.out(&["audit", "take-in"]), "imported 2 lines\n");
    assert_eq!(book.out(&["audit", "take-in"]), "imported 0 lines\n");
    assert!(spools.all().unwrap().is_empty(), "imported spools are removed");
    assert!(book.out(&["audit", "search", "hunter"]).contains("denied: hunter"));
    assert!(book.out(&["audit", "search", "--kind", "upkeep"]).contains("could not be read"));
    assert!(book.out(&["audit", "verify"]).starts_with("intact"));
}
