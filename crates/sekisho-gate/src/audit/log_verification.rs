//! Verifies the whole log: every chain, what checkpoints say about it, and the list of chains.
//!
//! Only a few rows are in memory at once, however long the log is. Other processes may write meanwhile.

use std::fmt;

use jiff::Timestamp;

use super::audit_log::AuditLog;
use super::chain_row::{ChainHead, WriterId};
use super::chain_verifier::{ChainError, Verifier, VerifyReport};
use super::keys::KeyRing;
use crate::ledger::LedgerError;

/// How many rows are read at a time.
const PAGE: usize = 4096;

/// The log failed verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegrityError {
    /// The number of rows read until then.
    pub rows: u64,
    /// What is wrong.
    pub why: IntegrityErrorKind,
}

/// Why a log failed verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntegrityErrorKind {
    /// A row or chain is invalid.
    Chain(ChainError),
    /// A chain has rows but is not in the list of chains, so no checkpoint covers it.
    Unlisted(WriterId),
    /// Calls or events are older than the first row, although no rows were removed by age.
    BeginsLate {
        /// The time of the oldest call or event.
        trace: Timestamp,
        /// The time of the first row. None if there are no rows.
        first: Option<Timestamp>,
    },
    /// Rows were pruned while they were read, so the result is unknown.
    Pruned,
}

impl fmt::Display for IntegrityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            IntegrityErrorKind::Chain(bad) => bad.fmt(f),
            IntegrityErrorKind::Unlisted(writer) => write!(
                f,
                "writer {writer}: it has rows but is not in the list of chains, so no checkpoint covers it"
            ),
            IntegrityErrorKind::BeginsLate { trace, first: None } => write!(
                f,
                "the log is empty, but calls or events go back to {trace:.0}: all rows were removed"
            ),
            IntegrityErrorKind::BeginsLate { trace, first: Some(first) } => write!(
                f,
                "the log begins at {first:.0}, but calls or events go back to {trace:.0}: rows were removed"
            ),
            IntegrityErrorKind::Pruned => f.write_str("rows were pruned while they were read; verify again"),
        }
    }
}

/// Verifies everything. `exported` are heads that were stored elsewhere; `progress` is called from time to
/// time with the number of rows read.
///
/// # Errors
/// The log could not be read. A log that was read and failed verification is an [`IntegrityError`].
pub async fn verify_log(
    audit: &dyn AuditLog,
    keys: &KeyRing,
    exported: &[ChainHead],
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Result<VerifyReport, IntegrityError>, LedgerError> {
    let cuts = audit.cuts().await?;
    // Read before the rows: if a call or event is added after this line, its row is read below.
    let trace = audit.earliest_activity().await?;
    // Checkpoints and exported heads are made from the list of chains, and the list is not signed. It
    // must match too.
    let listed = audit.heads().await?;
    let mut verifier = match Verifier::new(keys, cuts.clone(), exported) {
        Ok(verifier) => verifier,
        Err(bad) => return Ok(Err(IntegrityError { rows: 0, why: IntegrityErrorKind::Chain(bad) })),
    };
    let found = read(audit, &mut verifier, progress).await?;
    let rows = verifier.rows();
    let report = match found.and_then(|()| verifier.finish()) {
        Ok(report) => report,
        Err(_) if audit.cuts().await? != cuts => {
            return Ok(Err(IntegrityError { rows, why: IntegrityErrorKind::Pruned }));
        }
        Err(bad) => return Ok(Err(IntegrityError { rows, why: IntegrityErrorKind::Chain(bad) })),
    };
    let checked = check_heads(audit, &report, &listed).await?;
    Ok(match checked.and_then(|()| check_start(trace.filter(|_| cuts.is_empty()), report.first)) {
        Ok(()) => Ok(report),
        Err(why) => Err(IntegrityError { rows, why }),
    })
}

/// Compares the first row with the oldest other data.
fn check_start(trace: Option<Timestamp>, first: Option<Timestamp>) -> Result<(), IntegrityErrorKind> {
    match trace {
        Some(trace) if first.is_none_or(|first| trace < first) => {
            Err(IntegrityErrorKind::BeginsLate { trace, first })
        }
        _ => Ok(()),
    }
}

/// Reads every row, then further rows of chains that grew meanwhile, if a checkpoint names them.
async fn read(
    audit: &dyn AuditLog,
    verifier: &mut Verifier<'_>,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Result<(), ChainError>, LedgerError> {
    if let Err(bad) = verify_rows(audit, verifier, None, None, progress).await? {
        return Ok(Err(bad));
    }
    loop {
        let read_so_far = verifier.rows();
        for (writer, end, seq) in verifier.awaited() {
            let one = Some((writer, seq));
            if let Err(bad) = verify_rows(audit, verifier, Some((writer, end)), one, progress).await? {
                return Ok(Err(bad));
            }
        }
        if verifier.rows() == read_so_far {
            return Ok(Ok(()));
        }
    }
}

/// Verifies the rows after a position. With `until`, only rows of one chain, up to that row.
async fn verify_rows(
    audit: &dyn AuditLog,
    verifier: &mut Verifier<'_>,
    mut after: Option<(WriterId, u64)>,
    until: Option<(WriterId, u64)>,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Result<(), ChainError>, LedgerError> {
    loop {
        let rows = audit.rows(after, PAGE).await?;
        for row in &rows {
            if until.is_some_and(|(writer, seq)| row.writer != writer || row.seq > seq) {
                return Ok(Ok(()));
            }
            if let Err(bad) = verifier.row(row) {
                return Ok(Err(bad));
            }
        }
        progress(verifier.rows());
        let Some(last) = rows.last().filter(|_| rows.len() >= PAGE) else { return Ok(Ok(())) };
        after = Some((last.writer, last.seq));
    }
}

/// Compares the rows with checkpoints that were read after the rows they name, and with the list of chains
/// that was read before the rows.
async fn check_heads(
    audit: &dyn AuditLog,
    report: &VerifyReport,
    listed: &[ChainHead],
) -> Result<Result<(), IntegrityErrorKind>, LedgerError> {
    // If a chain still ends where the list says, that row has already been verified.
    let grown = listed.iter().filter(|head| !report.heads.contains(head));
    for head in report.late.iter().chain(grown) {
        let found = audit.row(head.writer, head.seq).await?;
        if let Err(bad) = VerifyReport::check_late_head(head, found.as_ref()) {
            return Ok(Err(IntegrityErrorKind::Chain(bad)));
        }
    }
    let listed = audit.heads().await?;
    let unlisted = report.heads.iter().find(|head| listed.iter().all(|other| other.writer != head.writer));
    Ok(unlisted.map_or(Ok(()), |head| Err(IntegrityErrorKind::Unlisted(head.writer))))
}
