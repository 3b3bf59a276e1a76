//! Every check where all is well, and where it finds something. What it finds has a way out.

use sekisho_gate::TokenId;
use sekisho_gate::audit::{Code, Key, Keys, Row, WriterId};
use sekisho_gate::tokens::{SecretHash, Token, TokenKind};
use sekisho_store::Version;
use uuid::Uuid;

use super::finding::{Finding, Level};
use super::knock::Answer;
use super::*;

#[track_caller]
pub(super) fn fine(finding: &Finding) {
    assert_eq!((finding.level, &finding.fix), (Level::Ok, &None), "{finding:?}");
}

#[track_caller]
pub(super) fn warned(finding: &Finding, said: &str) {
    let Finding { level, found, fix, .. } = finding;
    assert!(*level == Level::Warning && found.contains(said) && fix.is_some(), "{finding:?}");
}

#[track_caller]
pub(super) fn ill(finding: &Finding, said: &str) {
    let Finding { level, found, fix, .. } = finding;
    assert!(*level == Level::Problem && found.contains(said) && fix.is_some(), "{finding:?}");
}

#[test]
fn all_of_it_comes_to_one_sentence() {
    let (good, odd, ill) =
        (Finding::ok("a", "b"), Finding::warning("a", "b", "c"), Finding::problem("a", "b", "c"));
    for (found, expected) in [
        (vec![&good, &good], "Everything works."),
        (vec![&good, &odd], "Everything works; 1 thing to look at, marked !."),
        (vec![&ill], "1 thing does not work or is not safe, marked ✗."),
        (
            vec![&ill, &odd, &ill, &odd],
            "2 things do not work or are not safe, marked ✗; 2 things to look at, marked !.",
        ),
    ] {
        let found: Vec<Finding> = found.into_iter().cloned().collect();
        assert_eq!(verdict(&found).1, expected);
    }
}

#[test]
fn configs() {
    fine(&files::config(LayerKind::Managed, "/etc/x", &State::Absent, 0));
    fine(&files::config(LayerKind::Global, "~/x", &State::Counts, 3));
    let broken = State::Broken("~/x:1:2: no".into());
    ill(&files::config(LayerKind::Global, "~/x", &broken, 0), "~/x:1:2: no: every call is denied");
    ill(&files::config(LayerKind::Project, "~/x", &broken, 0), "every call here is asked about");
    fine(&files::server_file("~/server.json", Ok(true)));
    fine(&files::server_file("~/server.json", Ok(false)));
    ill(&files::server_file("~/server.json", Err("unknown field `lisen`")), "lisen");
}

#[test]
fn trust_in_the_project() {
    fine(&files::trust("a", &State::Counts, &[]));
    fine(&files::trust("a", &State::Absent, &[]));
    warned(&files::trust("a", &State::NotTrusted, &[]), "not trusted");
    warned(&files::trust("a", &State::Broken("x".into()), &[]), "does not load");
    ill(
        &files::trust("a", &State::Counts, &["trust.json: others may write it".into()]),
        "others may write it",
    );
}

#[test]
fn permissions_of_files() {
    let owned = |uid, mode| Owned { shown: "~/x".into(), uid, mode };
    fine(&files::permissions("key", None, 1000, true));
    fine(&files::permissions("key", Some(&owned(1000, 0o600)), 1000, true));
    fine(&files::permissions("config", Some(&owned(1000, 0o644)), 1000, false));
    fine(&files::permissions("config", Some(&owned(0, 0o644)), 1000, false));
    ill(&files::permissions("key", Some(&owned(1000, 0o640)), 1000, true), "read by others (mode 640)");
    ill(&files::permissions("config", Some(&owned(1000, 0o664)), 1000, false), "written by others");
    ill(&files::permissions("config", Some(&owned(1001, 0o600)), 1000, false), "belongs to somebody else");
}

#[test]
fn the_database() {
    let version = |found| Ok(Some(Version { found, known: 5 }));
    fine(&record::version("db", Ok(None)));
    fine(&record::version("db", version(5)));
    warned(&record::version("db", version(4)), "version 4 of 5");
    ill(&record::version("db", version(6)), "knows versions up to 5");
    ill(&record::version("db", Err("it is no database")), "no database");
    fine(&record::opens(Ok(())));
    ill(&record::opens(Err("locked")), "locked");
    fine(&record::soundness(Ok(&[])));
    ill(&record::soundness(Ok(&["row 3 missing from index".into()])), "row 3 missing");
    ill(&record::soundness(Err("not a database")), "not a database");
}

#[test]
fn the_key_of_the_record() {
    fine(&record::key(Some(7), Ok(true)));
    fine(&record::key(Some(0), Ok(false)));
    fine(&record::key(None, Ok(false)));
    ill(&record::key(None, Ok(true)), "a key and no record");
    ill(&record::key(Some(7), Ok(false)), "7 rows and no key");
    ill(&record::key(Some(7), Err("others can read it")), "others can read it");
}

fn row(keys: &Keys) -> Row {
    let mut row = Row {
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
        previous: Code::NOTHING,
        code: Code::NOTHING,
    };
    row.code = row.expected(keys).unwrap();
    row
}

#[test]
fn the_newest_rows() {
    let keys = Keys::of(Key::new(1, [7; 32]));
    let good = row(&keys);
    fine(&record::rows(&[], &keys));
    fine(&record::rows(std::slice::from_ref(&good), &keys));
    let changed = Row { text: "rm".into(), ..good.clone() };
    ill(&record::rows(&[good.clone(), changed], &keys), "row 9");
    let other = Keys::of(Key::new(2, [7; 32]));
    ill(&record::rows(&[good], &other), "not as it was written");
}

#[test]
fn the_clock() {
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    fine(&record::clock(at("2026-11-03T10:00:00Z"), None));
    fine(&record::clock(at("2026-11-03T10:00:00Z"), Some(at("2026-11-03T10:00:30Z"))));
    ill(&record::clock(at("2026-11-03T10:00:00Z"), Some(at("2026-11-03T10:02:00Z"))), "the record goes to");
    ill(&record::clock(at("1970-01-01T00:00:09Z"), None), "which cannot be");
}

#[test]
fn somebody_who_answers() {
    let now = Timestamp::now();
    let token = |role| Token {
        id: TokenId(Uuid::from_u128(1)),
        name: "a".into(),
        role,
        kind: TokenKind::Api,
        hash: SecretHash::of(b"x"),
        agent: None,
        vouches: false,
        roots: Vec::new(),
        created_at: now,
        created_by: "t".into(),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    };
    use sekisho_gate::answer::Role;
    fine(&record::approver(&[token(Role::Approver)], 0, now));
    fine(&record::approver(&[], 1, now));
    warned(&record::approver(&[], 0, now), "nobody can answer");
    warned(&record::approver(&[token(Role::Agent), token(Role::Viewer)], 0, now), "nobody can answer");
    let gone = Token { revoked_at: Some(now), ..token(Role::Admin) };
    warned(&record::approver(&[gone], 0, now), "nobody can answer");
}

#[test]
fn the_doors() {
    let ours = Answer::Ours("ok".into());
    let sick = Answer::Ours("the ledger cannot be read".into());
    fine(&door::socket(None, &Answer::Nobody));
    fine(&door::socket(Some("s"), &ours));
    warned(&door::socket(Some("s"), &Answer::Nobody), "no server answers");
    ill(&door::socket(Some("s"), &Answer::Somebody), "not a sekisho");
    ill(&door::socket(Some("s"), &sick), "ledger");
    fine(&door::port("p", &ours, true, false));
    fine(&door::port("p", &Answer::Nobody, false, false));
    fine(&door::port("p", &Answer::Somebody, true, true));
    warned(&door::port("p", &Answer::Nobody, true, false), "but not on p");
    ill(&door::port("p", &Answer::Somebody, false, false), "not a sekisho");
    ill(&door::port("p", &sick, true, false), "ledger");
}

#[test]
fn the_kernel() {
    fine(&machine::landlock(Some("lockdown,landlock,yama\n")));
    warned(&machine::landlock(Some("lockdown,yama\n")), "no Landlock");
    warned(&machine::landlock(None), "cannot be read");
    fine(&machine::seccomp(Some("Name:\tx\nSeccomp:\t0\n")));
    warned(&machine::seccomp(Some("Name:\tx\n")), "no seccomp");
    warned(&machine::seccomp(None), "no seccomp");
    fine(&machine::namespaces(Some("15000\n"), Some("1\n"), Some("0\n")));
    fine(&machine::namespaces(Some("15000\n"), None, None));
    for (most, unprivileged, restricted) in [
        (Some("0\n"), None, None),
        (None, None, None),
        (Some("9\n"), Some("0\n"), None),
        (Some("9\n"), None, Some("1")),
    ] {
        warned(&machine::namespaces(most, unprivileged, restricted), "may not make namespaces");
    }
}

#[test]
fn room_and_limits_and_settings() {
    fine(&machine::disk(Some(50 << 30)));
    warned(&machine::disk(Some(500 << 20)), "500 MiB");
    warned(&machine::disk(None), "cannot be told");
    ill(&machine::disk(Some(63 << 20)), "63 MiB");
    fine(&machine::open_files(Some(1_048_576)));
    fine(&machine::open_files(None));
    warned(&machine::open_files(Some(256)), "256 files");
    fine(&machine::told(Ok(true)));
    warned(&machine::told(Ok(false)), "questions are off");
    ill(&machine::told(Err("`TOOL_APPROVAL_ENABLED`: `1` is neither")), "neither");
    fine(&machine::user(1000));
    warned(&machine::user(0), "root");
}
