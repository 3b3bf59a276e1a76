//! Checks the audit log: whether the database opens and is sound, whether records verify, and whether anybody
//! can answer.

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::Role;
use sekisho_gate::audit::{ChainRow, KeyRing};
use sekisho_gate::token_store::Token;
use sekisho_store::Version;

use super::diagnostic::Diagnostic;

/// The version of the database tables; `None`: there is no database yet.
pub(super) fn version(place: &str, read: Result<Option<Version>, &str>) -> Diagnostic {
    match read {
        Err(error) => {
            Diagnostic::problem("database", error, "fix that, or set `DATABASE_URL` to another database")
        }
        Ok(None) => Diagnostic::ok("database", format!("{place}: none yet; the first start creates it")),
        Ok(Some(Version { found, known })) if found > known => Diagnostic::problem(
            "database",
            format!("{place} has version {found}, but this sekisho supports versions up to {known}"),
            "update sekisho, or use another database",
        ),
        Ok(Some(Version { found, known })) if found < known => Diagnostic::warning(
            "database",
            format!("{place} has version {found} of {known}"),
            "run `sekisho db migrate`; the next start also updates it",
        ),
        Ok(Some(Version { found, .. })) => Diagnostic::ok("database", format!("{place}: version {found}")),
    }
}

/// Whether the database opens for reading and writing.
pub(super) fn opens(opened: Result<(), &str>) -> Diagnostic {
    match opened {
        Ok(()) => Diagnostic::ok("database", "opens"),
        Err(error) => {
            Diagnostic::problem("database", error, "fix that; until the database opens, every call is denied")
        }
    }
}

/// The result of the database's own integrity check.
pub(super) fn integrity_check(result: Result<&[String], &str>) -> Diagnostic {
    let fix = "stop the server, keep a copy of the file, and restore a backup; `sekisho audit verify` shows what is lost";
    match result {
        Ok([]) => Diagnostic::ok("integrity", "the file is sound"),
        Ok([first, ..]) => Diagnostic::problem("integrity", format!("the file is damaged: {first}"), fix),
        Err(error) => Diagnostic::problem("integrity", error, fix),
    }
}

/// Whether key and audit log exist together; `rows` is `None` if there is no audit log.
pub(super) fn key(rows: Option<u64>, keys: Result<bool, &str>) -> Diagnostic {
    match keys {
        Err(error) => Diagnostic::problem(
            "audit key",
            error,
            "restore it from a copy: without it nothing can be recorded or verified",
        ),
        Ok(true) if rows.is_none() => Diagnostic::problem(
            "audit key",
            "there is a key but no audit log: the database was removed, or is somewhere else",
            "restore the database, or set `DATABASE_URL` to where it is; to start a new audit log, run `sekisho db migrate`",
        ),
        Ok(true) => Diagnostic::ok("audit key", "exists"),
        Ok(false) if rows.unwrap_or(0) == 0 => {
            Diagnostic::ok("audit key", "none yet; the first record creates it")
        }
        Ok(false) => Diagnostic::problem(
            "audit key",
            format!(
                "the audit log has {} records but no key: nothing can be recorded or verified",
                rows.unwrap_or(0)
            ),
            "restore the key of this audit log from a copy",
        ),
    }
}

/// Whether the newest records are unchanged.
pub(super) fn rows(newest: &[ChainRow], keys: &KeyRing) -> Diagnostic {
    match newest.iter().find(|row| row.expected_mac(keys) != Some(row.code)) {
        None => Diagnostic::ok("audit log", format!("the newest {} records are unchanged", newest.len())),
        Some(row) => Diagnostic::problem(
            "audit log",
            format!("record {} of writer {} was changed", row.seq, row.writer),
            "run `sekisho audit verify`, compare with a backup, and check who can write to the database",
        ),
    }
}

/// How far the clock may be behind the newest record.
const LEEWAY: SignedDuration = SignedDuration::from_secs(60);
/// No sekisho was built before this time, in Unix seconds.
const BUILT: i64 = 1_750_000_000;

/// Whether the clock is plausible compared to the newest record.
pub(super) fn clock(now: Timestamp, newest: Option<Timestamp>) -> Diagnostic {
    let fix = "set the clock (`timedatectl set-ntp true`): expiring rules and open questions depend on it";
    if now.as_second() < BUILT {
        return Diagnostic::problem("clock", format!("the clock says {now:.0}, which is impossible"), fix);
    }
    match newest {
        Some(newest) if newest > now.saturating_add(LEEWAY).unwrap_or(Timestamp::MAX) => Diagnostic::problem(
            "clock",
            format!("the clock says {now:.0}, but the newest record is from {newest:.0}"),
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
            "nobody can answer: every question is denied",
            "run `sekisho token link --role approver --name phone`; the first start of a server also creates a link",
        ),
        (0, _) => Diagnostic::ok("approver", "an unused sign-in link exists"),
        (able, _) => Diagnostic::ok("approver", format!("{able} can answer")),
    }
}
