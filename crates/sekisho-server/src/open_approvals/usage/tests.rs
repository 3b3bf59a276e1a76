use jiff::Timestamp;
use sekisho_gate::ApprovalId;
use sekisho_gate::caller::IdempotencyKey;

use super::{CountKey, CountedApproval, OpenUsage, UsageTable};
use crate::settings::Limits;

const NONE: OpenUsage = OpenUsage { count: 0, bytes: 0 };

fn id(second: i64) -> ApprovalId {
    ApprovalId::new(Timestamp::from_second(second).unwrap())
}

fn alone(id: ApprovalId, bytes: usize) -> CountedApproval {
    CountedApproval { id, credential: "token:x".into(), key: CountKey::Single(id), bytes }
}

/// One of several requests with the same key.
fn same(id: ApprovalId, bytes: usize) -> CountedApproval {
    let key = IdempotencyKey { credential: "token:x".into(), scope: String::new(), call_id: "c".into() };
    CountedApproval { key: CountKey::SharedKey(key), ..alone(id, bytes) }
}

fn limits(pending: usize, pending_bytes: usize) -> Limits {
    Limits { open_approvals: pending, open_approval_bytes: pending_bytes, ..Limits::default() }
}

fn held(count: usize, bytes: usize) -> OpenUsage {
    OpenUsage { count, bytes }
}

#[test]
fn open_approvals_are_counted_once_and_released() {
    let (mut open, [a, b]) = (UsageTable::default(), [id(1), id(2)]);
    for question in [alone(a, 10), alone(b, 5), alone(a, 10)] {
        open.mark_open(question);
    }
    assert_eq!((open.usage_of("token:x"), open.usage_of("token:y")), (held(2, 15), NONE));
    for _ in 0..2 {
        open.remove(a);
    }
    assert_eq!(open.usage_of("token:x"), held(1, 5));
    open.remove(b);
    assert_eq!((open.usage_of("token:x"), open.open().count()), (NONE, 0));
    assert!(open.credentials.is_empty() && open.groups.is_empty());
}

#[test]
fn space_is_reserved_once_before_the_approval_is_announced() {
    let (mut open, [a, b]) = (UsageTable::default(), [id(1), id(2)]);
    open.reserve(alone(a, 10), &limits(1, 100)).unwrap();
    assert_eq!((open.usage_of("token:x"), open.open().count()), (held(1, 10), 0));
    assert_eq!(open.reserve(alone(b, 10), &limits(1, 100)), Err("too many open questions"));
    let too_large = Err("open questions that are too large together");
    assert_eq!(open.reserve(alone(b, 10), &limits(2, 10)), too_large);
    // The approval may be announced before or after its caller continues.
    open.mark_open(alone(a, 10));
    open.confirm(a);
    open.release(a);
    open.mark_open(alone(a, 10));
    assert_eq!((open.usage_of("token:x"), open.open().count()), (held(1, 10), 1));
    open.remove(a);
    assert_eq!(open.usage_of("token:x"), NONE);
}

#[test]
fn unused_reservation_is_released() {
    let (mut open, a) = (UsageTable::default(), id(1));
    open.reserve(alone(a, 10), &limits(1, 100)).unwrap();
    open.release(a);
    assert_eq!(open.usage_of("token:x"), NONE);
    // The caller went away while the approval was stored, and it is announced anyway.
    open.mark_open(alone(a, 10));
    open.release(a);
    assert_eq!(open.usage_of("token:x"), held(1, 10));
}

#[test]
fn approval_that_ended_before_commit_stays_ended() {
    let (mut open, a) = (UsageTable::default(), id(1));
    open.reserve(alone(a, 10), &limits(1, 100)).unwrap();
    open.mark_open(alone(a, 10));
    open.remove(a);
    open.confirm(a);
    assert_eq!(open.usage_of("token:x"), NONE);
}

#[test]
fn requests_with_one_key_use_the_space_of_the_largest() {
    let (mut open, [a, b, c]) = (UsageTable::default(), [id(1), id(2), id(3)]);
    open.reserve(same(a, 10), &limits(1, 100)).unwrap();
    open.reserve(same(b, 10), &limits(1, 10)).unwrap();
    assert_eq!(open.usage_of("token:x"), held(1, 10));
    assert!(open.reserve(same(c, 11), &limits(1, 10)).is_err());
    open.reserve(same(c, 11), &limits(1, 11)).unwrap();
    assert_eq!(open.usage_of("token:x"), held(1, 11));
    open.confirm(b);
    open.release(c);
    open.release(a);
    assert_eq!(open.usage_of("token:x"), held(1, 10));
    open.remove(b);
    assert_eq!(open.usage_of("token:x"), NONE);
}

#[test]
fn snapshot_neither_leaks_nor_doubles_usage() {
    let (mut open, [a, b, c, d]) = (UsageTable::default(), [id(1), id(2), id(3), id(4)]);
    open.mark_open(alone(a, 1));
    for question in [alone(b, 2), alone(c, 4), alone(d, 8)] {
        open.reserve(question, &limits(9, 100)).unwrap();
    }
    open.reset();
    open.mark_open(alone(c, 4));
    assert_eq!(open.usage_of("token:x"), held(3, 14), "reservations survive a snapshot");
    // One was stored and is in the snapshot. One was stored and is not: it has ended, or will be announced
    // next.
    open.confirm(c);
    open.confirm(d);
    open.release(b);
    assert_eq!(open.usage_of("token:x"), held(1, 4));
}

#[test]
fn total_is_bounded_and_each_credential_has_a_small_reserve() {
    let limits = Limits { all_open_approval_bytes: 640, ..limits(100, 200) };
    let of = |credential: &str, second: i64, bytes: usize| CountedApproval {
        credential: credential.into(),
        ..alone(id(second), bytes)
    };
    let mut open = UsageTable::default();
    for (second, credential) in ["a", "b", "c", "d"].into_iter().enumerate() {
        open.reserve(of(credential, i64::try_from(second).unwrap(), 155), &limits).unwrap();
    }
    let too_large = Err("open questions that are too large together with those of others");
    assert_eq!(open.reserve(of("a", 10, 30), &limits), too_large);
    assert_eq!(open.reserve(of("e", 11, 30), &limits), too_large);
    // Small approvals are still accepted, up to a part of the total.
    open.reserve(of("a", 12, 20), &limits).unwrap();
    open.reserve(of("e", 13, 10), &limits).unwrap();
    assert_eq!(open.reserve(of("e", 14, 1), &limits), too_large);
    assert_eq!(open.reserve(of("a", 15, 1), &limits), too_large);
    assert_eq!(open.bytes, 650);
    let put: Vec<ApprovalId> = open.questions.keys().copied().collect();
    put.into_iter().for_each(|id| open.remove(id));
    assert_eq!(open.bytes, 0);
}
