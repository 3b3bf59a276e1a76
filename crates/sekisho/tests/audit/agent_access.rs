//! What agents may not do to the audit log.

use super::audit_fixture::AuditFixture;

#[test]
fn agents_may_not_change_the_audit_log() {
    let fixture = AuditFixture::none();
    for command in [
        "sekisho audit prune --before 1s --yes",
        "sekisho audit purge --before 1s --yes",
        "sekisho audit rotate-key",
        "sekisho db migrate",
        "cd / && env X=1 sekisho db status",
    ] {
        let output = fixture.run(&["check", "bash", command]);
        assert_eq!(output.code, 2, "{command}: {}", output.out);
    }
}
