//! Every check, with good values and with bad ones. Every problem comes with a fix.

use sekisho_gate::TokenId;
use sekisho_gate::audit::{ChainRow, KeyRing, Mac, SigningKey, WriterId};
use sekisho_gate::token_store::{SecretHash, Token, TokenKind};
use sekisho_store::Version;
use uuid::Uuid;

use super::diagnostic::{Diagnostic, Severity};
use super::health_probe::ProbeResult;
use super::*;

#[track_caller]
pub(super) fn fine(finding: &Diagnostic) {
    assert_eq!((finding.level, &finding.fix), (Severity::Ok, &None), "{finding:?}");
}

#[track_caller]
pub(super) fn warned(finding: &Diagnostic, expected: &str) {
    let Diagnostic { level, found, fix, .. } = finding;
    assert!(*level == Severity::Warning && found.contains(expected) && fix.is_some(), "{finding:?}");
}

#[track_caller]
pub(super) fn ill(finding: &Diagnostic, expected: &str) {
    let Diagnostic { level, found, fix, .. } = finding;
    assert!(*level == Severity::Problem && found.contains(expected) && fix.is_some(), "{finding:?}");
}

#[test]
fn all_of_it_comes_to_one_sentence() {
    let (good, odd, ill) =
        (Diagnostic::ok("a", "b"), Diagnostic::warning("a", "b", "c"), Diagnostic::problem("a", "b", "c"));
    for (found, expected) in [
        (vec![&good, &good], "Everything works."),
        (vec![&good, &odd], "Everything works; 1 thing to look at, marked !."),
        (vec![&ill], "1 thing does not work or is not safe, marked ✗."),
        (
            vec![&ill, &odd, &ill, &odd],
            "2 things do not work or are not safe, marked ✗; 2 things to look at, marked !.",
        ),
    ] {
        let found: Vec<Diagnostic> = found.into_iter().cloned().collect();
        assert_eq!(verdict(&found).1, expected);
    }
}

#[test]
fn configs() {
    fine(&file_checks::config(LayerKind::Managed, "/etc/x", &LayerFileState::Absent, 0));
    fine(&file_checks::config(LayerKind::Global, "~/x", &LayerFileState::Active, 3));
    let broken = LayerFileState::Broken("~/x:1:2: no".into());
    ill(&file_checks::config(LayerKind::Global, "~/x", &broken, 0), "~/x:1:2: no: every call is denied");
    ill(
        &file_checks::config(LayerKind::Project, "~/x", &broken, 0),
        "every call in this project becomes a question",
    );
    fine(&file_checks::server_file("~/server.json", Ok(true)));
    fine(&file_checks::server_file("~/server.json", Ok(false)));
    ill(&file_checks::server_file("~/server.json", Err("unknown field `lisen`")), "lisen");
}

#[test]
fn project_trust() {
    fine(&file_checks::trust("a", &LayerFileState::Active, &[]));
    fine(&file_checks::trust("a", &LayerFileState::Absent, &[]));
    warned(&file_checks::trust("a", &LayerFileState::NotTrusted, &[]), "not trusted");
    warned(&file_checks::trust("a", &LayerFileState::Broken("x".into()), &[]), "does not load");
    ill(
        &file_checks::trust("a", &LayerFileState::Active, &["trust.json: others may write it".into()]),
        "others may write it",
    );
}

#[test]
fn permissions_of_files() {
    let owned = |uid, mode| FileOwnership { shown: "~/x".into(), uid, mode };
    fine(&file_checks::permissions("key", None, 1000, true));
    fine(&file_checks::permissions("key", Some(&owned(1000, 0o600)), 1000, true));
    fine(&file_checks::permissions("config", Some(&owned(1000, 0o644)), 1000, false));
    fine(&file_checks::permissions("config", Some(&owned(0, 0o644)), 1000, false));
    ill(&file_checks::permissions("key", Some(&owned(1000, 0o640)), 1000, true), "read by others (mode 640)");
    ill(&file_checks::permissions("config", Some(&owned(1000, 0o664)), 1000, false), "written by others");
    ill(
        &file_checks::permissions("config", Some(&owned(1001, 0o600)), 1000, false),
        "belongs to another user",
    );
}

#[test]
fn the_database() {
    let version = |found| Ok(Some(Version { found, known: 5 }));
    fine(&record_checks::version("db", Ok(None)));
    fine(&record_checks::version("db", version(5)));
    warned(&record_checks::version("db", version(4)), "version 4 of 5");
    ill(&record_checks::version("db", version(6)), "supports versions up to 5");
    ill(&record_checks::version("db", Err("it is no database")), "no database");
    fine(&record_checks::opens(Ok(())));
    ill(&record_checks::opens(Err("locked")), "locked");
    fine(&record_checks::integrity_check(Ok(&[])));
    ill(&record_checks::integrity_check(Ok(&["row 3 missing from index".into()])), "row 3 missing");
    ill(&record_checks::integrity_check(Err("not a database")), "not a database");
}

#[test]
fn audit_key() {
    fine(&record_checks::key(Some(7), Ok(true)));
    fine(&record_checks::key(Some(0), Ok(false)));
    fine(&record_checks::key(None, Ok(false)));
    ill(&record_checks::key(None, Ok(true)), "a key but no audit log");
    ill(&record_checks::key(Some(7), Ok(false)), "7 records but no key");
    ill(&record_checks::key(Some(7), Err("others can read it")), "others can read it");
}

fn row(keys: &KeyRing) -> ChainRow {
    let mut row = ChainRow {
        writer: WriterId(Uuid::from_u128(1)),
        seq: 9,
        key: 1,
        at_us: 0,
        kind: "verdict".into(),
        call: None,
        approval: None,
        execution: None,
        tool: None,
        server: None,
        agent: None,
        credential: None,
        decision: None,
        approver: None,
        text: "ls".into(),
        body: "{}".into(),
        previous: Mac::ZERO,
        code: Mac::ZERO,
    };
    row.code = row.expected_mac(keys).unwrap();
    row
}

#[test]
fn newest_records() {
    let keys = KeyRing::of(SigningKey::new(1, [7; 32]));
    let good = row(&keys);
    fine(&record_checks::rows(&[], &keys));
    fine(&record_checks::rows(std::slice::from_ref(&good), &keys));
    let changed = ChainRow { text: "rm".into(), ..good.clone() };
    ill(&record_checks::rows(&[good.clone(), changed], &keys), "record 9");
    let other = KeyRing::of(SigningKey::new(2, [7; 32]));
    ill(&record_checks::rows(&[good], &other), "was changed");
}

#[test]
fn the_clock() {
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    fine(&record_checks::clock(at("2026-11-03T10:00:00Z"), None));
    fine(&record_checks::clock(at("2026-11-03T10:00:00Z"), Some(at("2026-11-03T10:00:30Z"))));
    ill(
        &record_checks::clock(at("2026-11-03T10:00:00Z"), Some(at("2026-11-03T10:02:00Z"))),
        "the newest record is from",
    );
    ill(&record_checks::clock(at("1970-01-01T00:00:09Z"), None), "which is impossible");
}

#[test]
fn approver_exists() {
    let now = Timestamp::now();
    let token = |role| Token {
        id: TokenId(Uuid::from_u128(1)),
        name: "a".into(),
        role,
        kind: TokenKind::Api,
        hash: SecretHash::of(b"x"),
        agent: None,
        vouches_for_server: false,
        roots: Vec::new(),
        created_at: now,
        created_by: "t".into(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    use sekisho_gate::answer::Role;
    fine(&record_checks::approver(&[token(Role::Approver)], 0, now));
    fine(&record_checks::approver(&[], 1, now));
    warned(&record_checks::approver(&[], 0, now), "nobody can answer");
    warned(&record_checks::approver(&[token(Role::Agent), token(Role::Viewer)], 0, now), "nobody can answer");
    let gone = Token { revoked_at: Some(now), ..token(Role::Admin) };
    warned(&record_checks::approver(&[gone], 0, now), "nobody can answer");
}

#[test]
fn the_doors() {
    let ours = ProbeResult::Sekisho("ok".into());
    let sick = ProbeResult::Sekisho("the ledger cannot be read".into());
    fine(&server_checks::check_socket(None, &ProbeResult::NoAnswer));
    fine(&server_checks::check_socket(Some("s"), &ours));
    warned(&server_checks::check_socket(Some("s"), &ProbeResult::NoAnswer), "no server answers");
    ill(&server_checks::check_socket(Some("s"), &ProbeResult::Other), "another program");
    ill(&server_checks::check_socket(Some("s"), &sick), "ledger");
    fine(&server_checks::check_port("p", &ours, true, false));
    fine(&server_checks::check_port("p", &ProbeResult::NoAnswer, false, false));
    fine(&server_checks::check_port("p", &ProbeResult::Other, true, true));
    warned(&server_checks::check_port("p", &ProbeResult::NoAnswer, true, false), "but not on p");
    ill(&server_checks::check_port("p", &ProbeResult::Other, false, false), "another program");
    ill(&server_checks::check_port("p", &sick, true, false), "ledger");
}

#[test]
fn the_kernel() {
    fine(&system_checks::sandbox(SandboxLevel::Bubblewrap, None));
    fine(&system_checks::sandbox(SandboxLevel::Namespaces, Some("bwrap: no")));
    warned(&system_checks::sandbox(SandboxLevel::Landlock, Some("no namespaces")), "(no namespaces)");
    warned(&system_checks::sandbox(SandboxLevel::Partial, None), "only parts");
    warned(&system_checks::sandbox(SandboxLevel::None, Some("old kernel")), "no sandbox (old kernel)");
    fine(&system_checks::seccomp(Some("Name:\tx\nSeccomp:\t0\n")));
    warned(&system_checks::seccomp(Some("Name:\tx\n")), "no seccomp");
    warned(&system_checks::seccomp(None), "no seccomp");
    fine(&system_checks::namespaces(Some("15000\n"), Some("1\n"), Some("0\n")));
    fine(&system_checks::namespaces(Some("15000\n"), None, None));
    for (most, unprivileged, restricted) in [
        (Some("0\n"), None, None),
        (None, None, None),
        (Some("9\n"), Some("0\n"), None),
        (Some("9\n"), None, Some("1")),
    ] {
        warned(&system_checks::namespaces(most, unprivileged, restricted), "may not create namespaces");
    }
}

#[test]
fn disk_limits_and_settings() {
    fine(&system_checks::disk(Some(50 << 30)));
    warned(&system_checks::disk(Some(500 << 20)), "500 MiB");
    warned(&system_checks::disk(None), "cannot read");
    ill(&system_checks::disk(Some(63 << 20)), "63 MiB");
    fine(&system_checks::open_files(Some(1_048_576)));
    fine(&system_checks::open_files(None));
    warned(&system_checks::open_files(Some(256)), "256 files");
    fine(&system_checks::check_server_settings(Ok(true)));
    warned(&system_checks::check_server_settings(Ok(false)), "questions are off");
    ill(&system_checks::check_server_settings(Err("`TOOL_APPROVAL_ENABLED`: `1` is neither")), "neither");
    fine(&system_checks::check_user(1000));
    warned(&system_checks::check_user(0), "root");
}
