//! The record: does it open, is it sound, does it hold, can somebody answer.

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{KeyRing, ChainRow};
use sekisho_gate::token_store::Token;
use sekisho_store::Version;

use super::diagnostic::Diagnostic;

/// The version of the database's tables; `None`: there is no database yet.
pub(super) fn version(place: &str, read: Result<Option<Version>, &str>) -> Diagnostic {
    match read {
        Err(error) => {
            Diagnostic::problem("database", error, "do what it says, or name another with `DATABASE_URL`")
        }
        Ok(None) => Diagnostic::ok("database", format!("{place}: none yet; the first start makes it")),
        Ok(Some(Version { found, known })) if found > known => Diagnostic::problem(
            "database",
            format!("{place} has version {found}, and this sekisho knows versions up to {known}"),
            "update sekisho, or name another database",
        ),
        Ok(Some(Version { found, known })) if found < known => Diagnostic::warning(
            "database",
            format!("{place} has version {found} of {known}"),
            "run `sekisho db migrate`; the next start does so too",
        ),
        Ok(Some(Version { found, .. })) => Diagnostic::ok("database", format!("{place}: version {found}")),
    }
}

/// Whether the database opens for reading and writing.
pub(super) fn opens(opened: Result<(), &str>) -> Diagnostic {
    match opened {
        Ok(()) => Diagnostic::ok("database", "it opens"),
        Err(error) => Diagnostic::problem(
            "database",
            error,
            "do what it says; while it does not open, every call is denied",
        ),
    }
}

/// What the database itself says about its file.
pub(super) fn integrity_check(said: Result<&[String], &str>) -> Diagnostic {
    let fix = "stop the server, keep a copy of the file, and put back a backup; `sekisho audit verify` tells what is lost";
    match said {
        Ok([]) => Diagnostic::ok("integrity", "the file is sound"),
        Ok([first, ..]) => Diagnostic::problem("integrity", format!("the file is damaged: {first}"), fix),
        Err(error) => Diagnostic::problem("integrity", error, fix),
    }
}

/// Whether the key of the record is there when there is a record, and the other way round; `None`: there is no record.
pub(super) fn key(rows: Option<u64>, keys: Result<bool, &str>) -> Diagnostic {
    match keys {
        Err(error) => Diagnostic::problem(
            "audit key",
            error,
            "put back a copy of it: without it nothing can be written or verified",
        ),
        Ok(true) if rows.is_none() => Diagnostic::problem(
            "audit key",
            "there is a key and no record: the record was removed, or is in another place",
            "put the record back, or name where it is with `DATABASE_URL`; to begin a new one on purpose, `sekisho db migrate`",
        ),
        Ok(true) => Diagnostic::ok("audit key", "it is there"),
        Ok(false) if rows.unwrap_or(0) == 0 => Diagnostic::ok("audit key", "none yet; the first row makes it"),
        Ok(false) => Diagnostic::problem(
            "audit key",
            format!(
                "there is a record of {} rows and no key: nothing can be written or verified",
                rows.unwrap_or(0)
            ),
            "put back the copy that belongs to this record",
        ),
    }
}

/// Whether the newest rows are as they were written.
pub(super) fn rows(newest: &[ChainRow], keys: &KeyRing) -> Diagnostic {
    match newest.iter().find(|row| row.expected_mac(keys) != Some(row.code)) {
        None => Diagnostic::ok("record", format!("the newest {} rows are as they were written", newest.len())),
        Some(row) => Diagnostic::problem(
            "record",
            format!("row {} of writer {} is not as it was written", row.seq, row.writer),
            "run `sekisho audit verify`; compare with a copy, and ask who can write the database",
        ),
    }
}

/// How far the clock may lie before the newest row.
const LEEWAY: SignedDuration = SignedDuration::from_secs(60);
/// No sekisho was built before this moment.
const BUILT: i64 = 1_750_000_000;

/// Whether the clock makes sense beside the newest row.
pub(super) fn clock(now: Timestamp, newest: Option<Timestamp>) -> Diagnostic {
    let fix =
        "set the clock (`timedatectl set-ntp true`): rules that expire and questions that wait depend on it";
    if now.as_second() < BUILT {
        return Diagnostic::problem("clock", format!("it is {now:.0} by the clock, which cannot be"), fix);
    }
    match newest {
        Some(newest) if newest > now.saturating_add(LEEWAY).unwrap_or(Timestamp::MAX) => Diagnostic::problem(
            "clock",
            format!("it is {now:.0} by the clock, and the record goes to {newest:.0}"),
            fix,
        ),
        _ => Diagnostic::ok("clock", format!("{now:.0}")),
    }
}

/// Whether anybody can answer.
pub(super) fn approver(tokens: &[Token], open_links: u64, now: Timestamp) -> Diagnostic {
    let able = tokens.iter().filter(|token| token.is_valid_at(now) && token.role >= Role::Approver).count();
    match (able, open_links) {
        (0, 0) => Diagnostic::warning(
            "approver",
            "nobody can answer: every question is a no",
            "`sekisho token link --role approver --name phone`; the first start of a server makes a link too",
        ),
        (0, _) => Diagnostic::ok("approver", "a link waits to be followed"),
        (able, _) => Diagnostic::ok("approver", format!("{able} can answer")),
    }
}
