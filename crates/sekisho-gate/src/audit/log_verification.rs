//! Reading the whole log back: every chain, what other chains say of it, and the list of chains.
//!
//! Few rows are in memory at once, however many there are, and others may go on writing meanwhile.

use std::fmt;

use jiff::Timestamp;

use super::chain_row::{ChainHead, WriterId};
use super::keys::KeyRing;
use super::audit_log::AuditLog;
use super::chain_verifier::{ChainError, VerifyReport, Verifier};
use crate::ledger::LedgerError;

/// Rows that are in memory at once.
const PAGE: usize = 4096;

/// That the log does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegrityError {
    /// How many rows were read until then.
    pub rows: u64,
    /// Why.
    pub why: IntegrityErrorKind,
}

/// Why a log does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IntegrityErrorKind {
    /// A row or a chain does not fit.
    Chain(ChainError),
    /// A chain's rows are there, but it was taken off the list of chains, so nobody vouches for it.
    Unlisted(WriterId),
    /// There are calls or events from before the first row, and no rows were removed by age.
    BeginsLate {
        /// When the first of them was.
        trace: Timestamp,
        /// When the first row was written; none: there is no row.
        first: Option<Timestamp>,
    },
    /// Rows were removed by age while they were read, so that nothing can be said.
    Pruned,
}

impl fmt::Display for IntegrityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            IntegrityErrorKind::Chain(bad) => bad.fmt(f),
            IntegrityErrorKind::Unlisted(writer) => write!(
                f,
                "writer {writer}: its rows are there, but it was taken off the list of chains, so nobody vouches for it"
            ),
            IntegrityErrorKind::BeginsLate { trace, first: None } => write!(
                f,
                "the log is empty, though the database keeps calls or events since {trace:.0}: all rows were removed"
            ),
            IntegrityErrorKind::BeginsLate { trace, first: Some(first) } => write!(
                f,
                "the log begins at {first:.0}, though the database keeps calls or events since {trace:.0}: rows were removed"
            ),
            IntegrityErrorKind::Pruned => f.write_str("rows were pruned while they were read; verify again"),
        }
    }
}

/// Checks everything. `kept` are heads that were kept elsewhere; `progress` is told now and then how many rows were read.
///
/// # Errors
/// The log could not be read. That it was read and does not hold is [`Unsound`].
pub async fn verify_log(
    audit: &dyn AuditLog,
    keys: &KeyRing,
    kept: &[ChainHead],
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Result<VerifyReport, IntegrityError>, LedgerError> {
    let cuts = audit.cuts().await?;
    // Looked for before the rows are read: what comes in between has its row.
    let trace = audit.earliest_activity().await?;
    // The list of chains is what checkpoints and exported heads are made from, and it is not signed: it has to fit too.
    let listed = audit.heads().await?;
    let mut verifier = match Verifier::new(keys, cuts.clone(), kept) {
        Ok(verifier) => verifier,
        Err(bad) => return Ok(Err(IntegrityError { rows: 0, why: IntegrityErrorKind::Chain(bad) })),
    };
    let found = read(audit, &mut verifier, progress).await?;
    let rows = verifier.rows();
    let report = match found.and_then(|()| verifier.finish()) {
        Ok(report) => report,
        Err(_) if audit.cuts().await? != cuts => return Ok(Err(IntegrityError { rows, why: IntegrityErrorKind::Pruned })),
        Err(bad) => return Ok(Err(IntegrityError { rows, why: IntegrityErrorKind::Chain(bad) })),
    };
    let fits = fits(audit, &report, &listed).await?;
    Ok(match fits.and_then(|()| begins(trace.filter(|_| cuts.is_empty()), report.first)) {
        Ok(()) => Ok(report),
        Err(why) => Err(IntegrityError { rows, why }),
    })
}

/// Holds the first row against what else tells of the time before it.
fn begins(trace: Option<Timestamp>, first: Option<Timestamp>) -> Result<(), IntegrityErrorKind> {
    match trace {
        Some(trace) if first.is_none_or(|first| trace < first) => Err(IntegrityErrorKind::BeginsLate { trace, first }),
        _ => Ok(()),
    }
}

/// Reads every row; then, of chains that went on meanwhile, the rows that others already tell of.
async fn read(
    audit: &dyn AuditLog,
    verifier: &mut Verifier<'_>,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<Result<(), ChainError>, LedgerError> {
    if let Err(bad) = each(audit, verifier, None, None, progress).await? {
        return Ok(Err(bad));
    }
    loop {
        let read_so_far = verifier.rows();
        for (writer, end, seq) in verifier.awaited() {
            let one = Some((writer, seq));
            if let Err(bad) = each(audit, verifier, Some((writer, end)), one, progress).await? {
                return Ok(Err(bad));
            }
        }
        if verifier.rows() == read_so_far {
            return Ok(Ok(()));
        }
    }
}

/// Verifies the rows after a place; with `until` those of one chain, up to that row.
async fn each(
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

/// Holds what is said of rows elsewhere in the database against the rows: by checkpoints that were read after them, and by
/// the list of chains as it was before.
async fn fits(audit: &dyn AuditLog, report: &VerifyReport, listed: &[ChainHead]) -> Result<Result<(), IntegrityErrorKind>, LedgerError> {
    // Where a chain still ends as it was listed, it was just read.
    let grown = listed.iter().filter(|head| !report.heads.contains(head));
    for told in report.late.iter().chain(grown) {
        let found = audit.row(told.writer, told.seq).await?;
        if let Err(bad) = VerifyReport::check_late_head(told, found.as_ref()) {
            return Ok(Err(IntegrityErrorKind::Chain(bad)));
        }
    }
    let listed = audit.heads().await?;
    let unlisted = report.heads.iter().find(|head| listed.iter().all(|other| other.writer != head.writer));
    Ok(unlisted.map_or(Ok(()), |head| Err(IntegrityErrorKind::Unlisted(head.writer))))
}
