//! Errors about database URLs, which must not print passwords.

use super::audit_fixture::AuditFixture;
use crate::test_home::CommandOutput;

/// Nobody listens there.
const NOBODY: &str = "postgres://ann:hush@127.0.0.1:1/app";

fn with_url(fixture: &AuditFixture, url: &str, arguments: &[&str]) -> CommandOutput {
    let output = fixture.place.output(&fixture.command(arguments).env("DATABASE_URL", url).assert());
    assert!(!output.err.contains("hush") && !output.out.contains("hush"), "{}{}", output.out, output.err);
    assert_eq!((output.out.as_str(), output.err.lines().count()), ("", 1), "{arguments:?}: {}", output.err);
    output
}

#[test]
fn unreachable_server_is_named_without_password() {
    let fixture = AuditFixture::none();
    for arguments in [
        &["db", "status"][..],
        &["db", "status", "--json"],
        &["db", "migrate"],
        &["audit", "search"],
        &["audit", "verify"],
        &["audit", "prune", "--before", "1d", "--yes"],
    ] {
        let output = with_url(&fixture, NOBODY, arguments);
        let named = output.err.contains("`postgres://127.0.0.1:1/app`");
        assert!(output.code == 1 && named, "{arguments:?}: {}", output.err);
        // The server may have an audit log that belongs to another key.
        assert!(!fixture.key().exists(), "{arguments:?}");
    }
}

#[test]
fn invalid_url_is_not_printed() {
    let fixture = AuditFixture::none();
    for (url, expected) in [
        ("postgres://ann:hush@hush@h/app", "%40"),
        ("postgres://ann:a?hush@h/app", "%3F"),
        ("postgres://ann:hush@h/app?sslmode=maybe", "sslmode=maybe"),
        ("postgresql://ann:hush@h:hush/app", "port"),
    ] {
        let output = with_url(&fixture, url, &["db", "status"]);
        assert!(output.code == 64 && output.err.contains(expected), "{url}: {}", output.err);
    }
}

#[test]
fn refused_copy_leaves_the_file_usable() {
    let fixture = AuditFixture::new();
    let output = fixture.fails(&["db", "copy", "--to", NOBODY]);
    assert!(output.contains("`postgres://127.0.0.1:1/app`") && !output.contains("hush"), "{output}");
    assert!(fixture.out(&["audit", "verify"]).starts_with("intact"));
    for to in ["mysql://ann:hush@h/app", "sqlite:hush.db", ""] {
        let output = fixture.run(&["db", "copy", "--to", to]);
        assert!(output.code == 64 && !output.err.contains("hush"), "{to}: {}", output.err);
    }
    let output = with_url(&fixture, NOBODY, &["db", "copy", "--to", NOBODY]);
    assert!(output.code == 64 && output.err.contains("only a SQLite file can be copied"), "{}", output.err);
    let none = AuditFixture::none();
    assert!(none.fails(&["db", "copy", "--to", NOBODY]).contains("there is no such file"));
}
