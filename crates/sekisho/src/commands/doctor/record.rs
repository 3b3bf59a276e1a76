//! The record: does it open, is it sound, does it hold, can somebody answer.

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{Keys, Row};
use sekisho_gate::tokens::Token;
use sekisho_store::Version;

use super::finding::Finding;

/// The version of the database's tables; `None`: there is no database yet.
pub(super) fn version(place: &str, read: Result<Option<Version>, &str>) -> Finding {
    match read {
        Err(error) => {
            Finding::problem("database", error, "do what it says, or name another with `DATABASE_URL`")
        }
        Ok(None) => Finding::ok("database", format!("{place}: none yet; the first start makes it")),
        Ok(Some(Version { found, known })) if found > known => Finding::problem(
            "database",
            format!("{place} has version {found}, and this sekisho knows versions up to {known}"),
            "update sekisho, or name another database",
        ),
        Ok(Some(Version { found, known })) if found < known => Finding::warning(
            "database",
            format!("{place} has version {found} of {known}"),
            "run `sekisho db migrate`; the next start does so too",
        ),
        Ok(Some(Version { found, .. })) => Finding::ok("database", format!("{place}: version {found}")),
    }
}

/// Whether the database opens for reading and writing.
pub(super) fn opens(opened: Result<(), &str>) -> Finding {
    match opened {
        Ok(()) => Finding::ok("database", "it opens"),
        Err(error) => Finding::problem(
            "database",
            error,
            "do what it says; while it does not open, every call is denied",
        ),
    }
}

/// What the database itself says about its file.
pub(super) fn soundness(said: Result<&[String], &str>) -> Finding {
    let fix = "stop the server, keep a copy of the file, and put back a backup; `sekisho audit verify` tells what is lost";
    match said {
        Ok([]) => Finding::ok("integrity", "the file is sound"),
        Ok([first, ..]) => Finding::problem("integrity", format!("the file is damaged: {first}"), fix),
        Err(error) => Finding::problem("integrity", error, fix),
    }
}

/// Whether the key of the record is there when there is a record, and the other way round; `None`: there is no record.
pub(super) fn key(rows: Option<u64>, keys: Result<bool, &str>) -> Finding {
    match keys {
        Err(error) => Finding::problem(
            "audit key",
            error,
            "put back a copy of it: without it nothing can be written or verified",
        ),
        Ok(true) if rows.is_none() => Finding::problem(
            "audit key",
            "there is a key and no record: the record was removed, or is in another place",
            "put the record back, or name where it is with `DATABASE_URL`; to begin a new one on purpose, `sekisho db migrate`",
        ),
        Ok(true) => Finding::ok("audit key", "it is there"),
        Ok(false) if rows.unwrap_or(0) == 0 => Finding::ok("audit key", "none yet; the first row makes it"),
        Ok(false) => Finding::problem(
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
pub(super) fn rows(newest: &[Row], keys: &Keys) -> Finding {
    match newest.iter().find(|row| row.expected(keys) != Some(row.code)) {
        None => Finding::ok("record", format!("the newest {} rows are as they were written", newest.len())),
        Some(row) => Finding::problem(
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
pub(super) fn clock(now: Timestamp, newest: Option<Timestamp>) -> Finding {
    let fix =
        "set the clock (`timedatectl set-ntp true`): rules that expire and questions that wait depend on it";
    if now.as_second() < BUILT {
        return Finding::problem("clock", format!("it is {now:.0} by the clock, which cannot be"), fix);
    }
    match newest {
        Some(newest) if newest > now.saturating_add(LEEWAY).unwrap_or(Timestamp::MAX) => Finding::problem(
            "clock",
            format!("it is {now:.0} by the clock, and the record goes to {newest:.0}"),
            fix,
        ),
        _ => Finding::ok("clock", format!("{now:.0}")),
    }
}

/// Whether anybody can answer.
pub(super) fn approver(tokens: &[Token], open_links: u64, now: Timestamp) -> Finding {
    let able = tokens.iter().filter(|token| token.counts(now) && token.role >= Role::Approver).count();
    match (able, open_links) {
        (0, 0) => Finding::warning(
            "approver",
            "nobody can answer: every question is a no",
            "`sekisho token link --role approver --name phone`; the first start of a server makes a link too",
        ),
        (0, _) => Finding::ok("approver", "a link waits to be followed"),
        (able, _) => Finding::ok("approver", format!("{able} can answer")),
    }
}
