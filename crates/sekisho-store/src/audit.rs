//! The audit log's own transactions: importing spool lines and pruning.

use jiff::Timestamp;
use sekisho_gate::audit::{
    ChainCut, ChainError, ChainHead, ChainRow, ChainWriter, KeyRing, Verifier, WriterId,
};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::AuditEntry;

use crate::encoding::micros_up;
use crate::transaction::{TableFuture, Transaction};
use crate::transaction_error::{TransactionError, TransactionResult, no_key};

/// How many rows one transaction removes.
const AT_ONCE: usize = 1000;

/// Operations on the tables of the audit log.
pub(crate) trait AuditTables: Transaction {
    /// The head of a chain.
    fn chain_head(&self, writer: WriterId) -> impl TableFuture<Option<ChainHead>>;

    /// Appends consecutive rows of one chain and updates its head.
    fn append_rows(&self, rows: &[ChainRow]) -> impl TableFuture<()>;

    /// A chain whose first row is older than a time and is not its last: its writer, its last row, and where
    /// it was cut.
    fn prunable(&self, before: i64) -> impl TableFuture<Option<(WriterId, u64, u64)>>;

    /// Rows in chain order, after the given row.
    fn rows_after(&self, after: (WriterId, u64), limit: usize) -> impl TableFuture<Vec<ChainRow>>;

    fn all_cuts(&self) -> impl TableFuture<Vec<ChainCut>>;

    /// Removes a chain's rows up to a cut.
    fn cut(&self, cut: &ChainCut) -> impl TableFuture<u64>;
}

/// Appends a spool's lines to its chain.
pub(crate) async fn import_spool(
    tables: &mut impl AuditTables,
    spool: WriterId,
    first: u64,
    lines: &[AuditEntry],
) -> TransactionResult<u64> {
    if spool == tables.writer() {
        return Err(TransactionError::inconsistent(format!(
            "`{spool}` is this writer's own id, not a spool"
        )));
    }
    let head = tables.chain_head(spool).await?;
    let there = head.map_or(0, |head| head.seq);
    if first == 0 || first > there + 1 {
        return Err(TransactionError::inconsistent(format!(
            "spool `{spool}` continues at line {first}, but only {there} lines are stored: import the lines between first"
        )));
    }
    let mut chain_writer = match head {
        Some(head) => ChainWriter::resume(head, tables.keys()),
        None => ChainWriter::new(spool, tables.keys()),
    };
    let mut rows = Vec::new();
    for (_, line) in (first..).zip(lines).filter(|(number, _)| *number > there) {
        rows.extend(tables.write_chain_row(&mut chain_writer, line)?);
    }
    tables.append_rows(&rows).await?;
    Ok(rows.len() as u64)
}

/// Removes old rows from the beginning of one chain. Returns how many; 0 when nothing is left to remove.
///
/// Only rows that verify are removed: pruning must not destroy the evidence of tampering.
pub(crate) async fn prune_some(
    tables: &mut impl AuditTables,
    before: Timestamp,
    at: Timestamp,
) -> TransactionResult<u64> {
    let before = micros_up(before);
    let Some((writer, last, cut)) = tables.prunable(before).await? else { return Ok(0) };
    let mut rows = tables.rows_after((writer, cut), AT_ONCE).await?;
    let old = |row: &ChainRow| row.writer == writer && row.seq < last && row.at_us < before;
    rows.truncate(rows.iter().take_while(|row| old(row)).count());
    let Some(head) = rows.last().map(ChainRow::head) else { return Ok(0) };
    let keys = tables.keys();
    let mut cuts = tables.all_cuts().await?;
    cuts.retain(|cut| cut.head.writer == writer);
    verified(cuts, &rows, &keys).map_err(|bad| {
        TransactionError::inconsistent(format!(
            "{bad}: nothing is pruned until `sekisho audit verify` passes"
        ))
    })?;
    let cut = ChainCut::sign(head, at, &keys).ok_or_else(no_key)?;
    tables.cut(&cut).await
}

fn verified(cuts: Vec<ChainCut>, rows: &[ChainRow], keys: &KeyRing) -> Result<(), ChainError> {
    let mut verifier = Verifier::new(keys, cuts, &[])?;
    rows.iter().try_for_each(|row| verifier.row(row))
}

/// Repeats a transaction until it has nothing left to do. Each transaction is short, so that other writers do
/// not wait long.
pub(crate) fn repeat_in_batches<'a>(
    some: impl Fn() -> LedgerFuture<'a, u64> + Send + 'a,
) -> LedgerFuture<'a, u64> {
    Box::pin(async move {
        let mut all = 0;
        loop {
            match some().await? {
                0 => return Ok(all),
                done => all += done,
            }
        }
    })
}
