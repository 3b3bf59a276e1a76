//! Errors about database URLs, which must not print passwords.

use super::audit_fixture::AuditFixture;
use crate::test_home::CommandOutput;

/// Nobody listens there.
const NOBODY: &str = "postgres://ann:hush@127.0.0.1:1/app";

fn with_url(book: &AuditFixture, url: &str, arguments: &[&str]) -> CommandOutput {
    let said = book.place.output(&book.command(arguments).env("DATABASE_URL", url).assert());
    assert!(!said.err.contains("hush") && !said.out.contains("hush"), "{}{}", said.out, said.err);
    assert_eq!((said.out.as_str(), said.err.lines().count()), ("", 1), "{arguments:?}: {}", said.err);
    said
}

#[test]
fn unreachable_server_is_named_without_password() {
    let book = AuditFixture::none();
    for arguments in [
        &["db", "status"][..],
        &["db", "status", "--json"],
        &["db", "migrate"],
        &["audit", "search"],
        &["audit", "verify"],
        &["audit", "prune", "--before", "1d", "--yes"],
    ] {
        let said = with_url(&book, NOBODY, arguments);
        let named = said.err.contains("`postgres://127.0.0.1:1/app`");
        assert!(said.code == 1 && named, "{arguments:?}: {}", said.err);
        // The server may have an audit log that belongs to another key.
        assert!(!book.key().exists(), "{arguments:?}");
    }
}

#[test]
fn invalid_url_is_not_printed() {
    let book = AuditFixture::none();
    for (url, expected) in [
        ("postgres://ann:hush@hush@h/app", "%40"),
        ("postgres://ann:a?hush@h/app", "%3F"),
        ("postgres://ann:hush@h/app?sslmode=maybe", "sslmode=maybe"),
        ("postgresql://ann:hush@h:hush/app", "port"),
    ] {
        let said = with_url(&book, url, &["db", "status"]);
        assert!(said.code == 64 && said.err.contains(expected), "{url}: {}", said.err);
    }
}

#[test]
fn refused_copy_leaves_the_file_usable() {
    let book = AuditFixture::new();
    let said = book.fails(&["db", "copy", "--to", NOBODY]);
    assert!(said.contains("`postgres://127.0.0.1:1/app`") && !said.contains("hush"), "{said}");
    assert!(book.out(&["audit", "verify"]).starts_with("intact"));
    for to in ["mysql://ann:hush@h/app", "sqlite:hush.db", ""] {
        let said = book.run(&["db", "copy", "--to", to]);
        assert!(said.code == 64 && !said.err.contains("hush"), "{to}: {}", said.err);
    }
    let said = with_url(&book, NOBODY, &["db", "copy", "--to", NOBODY]);
    assert!(said.code == 64 && said.err.contains("only a SQLite file can be copied"), "{}", said.err);
    let none = AuditFixture::none();
    assert!(none.fails(&["db", "copy", "--to", NOBODY]).contains("there is no such file"));
}
