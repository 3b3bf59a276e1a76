//! What agents may not do to the audit log.

use super::audit_fixture::AuditFixture;

#[test]
fn agents_may_not_change_the_audit_log() {
    let book = AuditFixture::none();
    for command in [
        "sekisho audit prune --before 1s --yes",
        "sekisho audit purge --before 1s --yes",
        "sekisho audit rotate-key",
        "sekisho db migrate",
        "cd / && env X=1 sekisho db status",
    ] {
        let said = book.run(&["check", "bash", command]);
        assert_eq!(said.code, 2, "{command}: {}", said.out);
    }
}
