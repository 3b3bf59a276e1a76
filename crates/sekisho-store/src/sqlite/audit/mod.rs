//! The audit log: its rows, the heads of its chains, and their cuts.

pub(super) mod rows;
mod search;

use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row as Found, params};
use sekisho_gate::CallId;
use sekisho_gate::WriteAccess;
use sekisho_gate::audit::{
    AuditLog, AuditQuery, CallKey, ChainCut, ChainHead, ChainRow, KeyRing, Mac, Stats, StatsBuilder, WriterId,
};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::AuditEntry;
use serde_json::Value;
use uuid::Uuid;

use super::input_purge;
use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::store::SqliteStore;
use super::transaction_impl::{operations, poll_ready};
use crate::audit::{self, AuditTables, repeat_in_batches};
use crate::encoding::{count_from_column, from_micros, micros_up};
use crate::entry_masking::mask_purge_candidates;
use crate::input_purge::{find_purgeable, purge_some};
use crate::pipeline_run_purge::purge_pipeline_runs;
use crate::run_purge::purge_runs;
use crate::signing_keys::{mismatch_error, register_keys};
use crate::transaction_error::{TransactionError, TransactionResult};
use rows::{kept_seq, seq};

impl AuditLog for SqliteStore {
    fn search(&self, query: AuditQuery) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.read(move |db| search::search(db, &query))
    }

    fn call_rows(&self, calls: Vec<CallKey>) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.read(move |db| search::call_rows(db, &calls))
    }

    fn rows(&self, after: Option<(WriterId, u64)>, limit: usize) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.read(move |db| rows::rows(db, after, limit))
    }

    fn row(&self, writer: WriterId, seq: u64) -> LedgerFuture<'_, Option<ChainRow>> {
        self.read(move |db| rows::row(db, writer, seq))
    }

    fn count(&self) -> LedgerFuture<'_, u64> {
        self.read(count)
    }

    fn heads(&self) -> LedgerFuture<'_, Vec<ChainHead>> {
        self.read(|db| Ok(rows::ends(db)?.into_iter().map(|(head, _)| head).collect()))
    }

    fn cuts(&self) -> LedgerFuture<'_, Vec<ChainCut>> {
        self.read(cuts)
    }

    fn earliest_activity(&self) -> LedgerFuture<'_, Option<Timestamp>> {
        self.read(first_trace)
    }

    fn stats(&self, from: Timestamp, to: Timestamp) -> LedgerFuture<'_, Stats> {
        self.read(move |db| stats(db, from, to))
    }

    fn checkpoint(&self, at: Timestamp) -> LedgerFuture<'_, Option<ChainHead>> {
        self.write(move |tx| checkpoint(tx, at))
    }

    fn prune(&self, before: Timestamp, at: Timestamp) -> LedgerFuture<'_, u64> {
        repeat_in_batches(move || {
            self.write(move |mut tx| poll_ready(audit::prune_some(&mut tx, before, at)))
        })
    }

    fn purge(&self, before: Timestamp) -> LedgerFuture<'_, u64> {
        Box::pin(async move {
            let mut after = Uuid::nil();
            while let Some(last) =
                self.write(move |mut tx| poll_ready(purge_runs(&mut tx, before, after))).await?
            {
                after = last;
            }
            after = Uuid::nil();
            while let Some(last) =
                self.write(move |mut tx| poll_ready(purge_pipeline_runs(&mut tx, before, after))).await?
            {
                after = last;
            }
            let purged = repeat_in_batches(move || self.purge_some(before)).await?;
            self.writer.empty_log().await;
            Ok(purged)
        })
    }

    fn raw_input(&self, call: CallId) -> LedgerFuture<'_, Option<Value>> {
        self.read(move |db| input_purge::raw_input(db, call))
    }

    fn import_spool(
        &self,
        _: &WriteAccess,
        spool: WriterId,
        first: u64,
        lines: Vec<AuditEntry>,
    ) -> LedgerFuture<'_, u64> {
        self.record(lines.clone(), move |mut tx| {
            poll_ready(audit::import_spool(&mut tx, spool, first, &lines))
        })
    }

    fn set_keys(&self, keys: Arc<KeyRing>) -> LedgerFuture<'_, ()> {
        self.write(move |tx| {
            if let Some(another) = poll_ready(register_keys(&mut &**tx, &keys))? {
                return Err(mismatch_error(another));
            }
            tx.take_keys(Arc::clone(&keys));
            Ok(())
        })
    }
}

impl SqliteStore {
    fn purge_some(&self, before: Timestamp) -> LedgerFuture<'_, u64> {
        Box::pin(async move {
            let found = self.write(move |mut tx| poll_ready(find_purgeable(&mut tx, before))).await?;
            if found.is_empty() {
                return Ok(0);
            }
            let place = self.writer.place();
            let masked = mask_purge_candidates(found, &place.options.audit.masks).await;
            let masked = masked.map_err(|fault| fault.to_ledger_error(&place.shown))?;
            self.write(move |mut tx| poll_ready(purge_some(&mut tx, before, &masked))).await
        })
    }
}

/// Chains have no gaps, so no rows have to be counted.
const COUNT: &str = "SELECT coalesce(sum(w.seq - coalesce(c.seq, 0)), 0) \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer";

pub(crate) fn count(db: &Connection) -> TransactionResult<u64> {
    count_from_column(db.prepare_cached(COUNT)?.query_row([], |row| row.get(0))?)
}

const BYTES: &str = "SELECT c.page_count * s.page_size FROM pragma_page_count c, pragma_page_size s";

/// Size of the file in bytes.
pub(crate) fn bytes(db: &Connection) -> TransactionResult<u64> {
    count_from_column(db.prepare_cached(BYTES)?.query_row([], |row| row.get(0))?)
}

/// The times of calls are in an index, so that no input is read.
const FIRST_TRACE: &str = "SELECT min(at) FROM (\
    SELECT min(created_at) AS at FROM calls INDEXED BY calls_by_tool UNION ALL SELECT min(at) FROM events)";

/// The earliest time of any stored call or event.
fn first_trace(db: &Connection) -> TransactionResult<Option<Timestamp>> {
    let first: Option<i64> = db.prepare_cached(FIRST_TRACE)?.query_row([], |row| row.get(0))?;
    first.map(from_micros).transpose()
}

const CUTS: &str = "SELECT writer, seq, head, at, key, code FROM cuts ORDER BY writer";

pub(crate) fn cuts(db: &Connection) -> TransactionResult<Vec<ChainCut>> {
    let mut statement = db.prepare_cached(CUTS)?;
    let cuts = statement.query_map([], |row| {
        let head = ChainHead { writer: WriterId(row.get(0)?), seq: seq(row, 1)?, code: Mac(row.get(2)?) };
        Ok(ChainCut { head, at_us: row.get(3)?, key: row.get(4)?, code: Mac(row.get(5)?) })
    })?;
    Ok(cuts.collect::<rusqlite::Result<_>>()?)
}

const PRUNABLE: &str = "SELECT w.writer, w.seq, coalesce(c.seq, 0) \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer \
    CROSS JOIN audit_log a ON a.writer = w.writer AND a.seq = coalesce(c.seq, 0) + 1 \
    WHERE a.seq < w.seq AND a.at < ?1 LIMIT 1";

/// A chain whose first row is older than a time and is not its last: its writer, its last row, and where it
/// was cut.
pub(crate) fn prunable(db: &Connection, before: i64) -> TransactionResult<Option<(WriterId, u64, u64)>> {
    let read = |row: &Found<'_>| Ok((WriterId(row.get(0)?), seq(row, 1)?, seq(row, 2)?));
    Ok(db.prepare_cached(PRUNABLE)?.query_row([before], read).optional()?)
}

const BEGIN_PRUNING: &str = "INSERT INTO meta (name, value) VALUES ('pruning', 1)";

const PRUNE: &str = "DELETE FROM audit_log WHERE writer = ?1 AND seq <= ?2";

const END_PRUNING: &str = "DELETE FROM meta WHERE name = 'pruning'";

const PUT_CUT: &str = "INSERT INTO cuts (writer, seq, head, at, key, code) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
    ON CONFLICT (writer) DO UPDATE \
    SET seq = excluded.seq, head = excluded.head, at = excluded.at, key = excluded.key, code = excluded.code";

/// Removes a chain's rows up to a cut.
pub(crate) fn cut(db: &Connection, cut: &ChainCut) -> TransactionResult<u64> {
    let (writer, seq) = (cut.head.writer.0, kept_seq(cut.head.seq)?);
    run(db, BEGIN_PRUNING, [])?;
    let removed = run(db, PRUNE, params![writer, seq])?;
    run(db, END_PRUNING, [])?;
    run(db, PUT_CUT, params![writer, seq, cut.head.code.0, cut.at_us, cut.key, cut.code.0])?;
    Ok(removed as u64)
}

/// Reads the index only. The caller counts, because grouping would sort all rows.
const JUDGED: &str = "SELECT at, decision \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'verdict' AND at >= ?1 AND at < ?2";

/// Reads the index only.
const ASKED: &str = "SELECT at, tool \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'question' AND at >= ?1 AND at < ?2";

/// The newest, from the end of the index.
const ASKED_ABOUT: &str = "SELECT approval, tool, body \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'question' AND at >= ?1 AND at < ?2 \
    ORDER BY at DESC, writer DESC, seq DESC LIMIT ?3";

const ENDED: &str = "SELECT at, approval, tool, body \
    FROM audit_log INDEXED BY audit_log_by_kind WHERE kind = 'outcome' AND at >= ?1 AND at < ?2";

/// Counts what happened in a time span.
pub(crate) fn tally(db: &Connection, from: i64, to: i64) -> TransactionResult<StatsBuilder> {
    let mut tally = StatsBuilder::default();
    let mut statement = db.prepare_cached(JUDGED)?;
    let mut found = statement.query([from, to])?;
    while let Some(row) = found.next()? {
        tally.judged(row.get(0)?, text(row, 1)?, 1);
    }
    let mut statement = db.prepare_cached(ASKED)?;
    let mut found = statement.query([from, to])?;
    while let Some(row) = found.next()? {
        tally.asked(row.get(0)?, text(row, 1)?, 1);
    }
    let mut statement = db.prepare_cached(ASKED_ABOUT)?;
    let mut found = statement.query([from, to, i64::from(StatsBuilder::QUESTIONS)])?;
    while let Some(row) = found.next()? {
        tally.asked_about(row.get(0)?, text(row, 1)?, text(row, 2)?.unwrap_or_default());
    }
    let mut statement = db.prepare_cached(ENDED)?;
    let mut found = statement.query([from, to])?;
    while let Some(row) = found.next()? {
        tally.ended(row.get(0)?, row.get(1)?, text(row, 2)?, text(row, 3)?.unwrap_or_default());
    }
    Ok(tally)
}

/// A text column without copying it.
fn text<'a>(row: &'a Found<'_>, column: usize) -> TransactionResult<Option<&'a str>> {
    let value = row.get_ref(column)?.as_str_or_null();
    value.map_err(|error| {
        TransactionError::inconsistent(format!("a column of the audit log is not text: {error}"))
    })
}

operations! {
    impl AuditTables for &OpenTransaction<'_> {
        chain_head(writer: WriterId) -> Option<ChainHead> = rows::head;
        append_rows(rows: &[ChainRow]) -> () = rows::append_all;
        prunable(before: i64) -> Option<(WriterId, u64, u64)> = prunable;
        rows_after(after: (WriterId, u64), limit: usize) -> Vec<ChainRow> = rows::rows_after;
        all_cuts() -> Vec<ChainCut> = cuts;
        cut(place: &ChainCut) -> u64 = cut;
    }
}

/// Writes a checkpoint for every chain with a new entry since this writer's last checkpoint. Checkpoints do
/// not count as new entries: two idle writers would confirm each other's for ever.
fn checkpoint(tx: &OpenTransaction<'_>, at: Timestamp) -> TransactionResult<Option<ChainHead>> {
    let covered_rows = tx.checkpointed();
    let grown = |head: &ChainHead, told: u64| told > covered_rows.get(&head.writer).copied().unwrap_or(0);
    let ends = rows::ends(tx)?.into_iter();
    let heads: Vec<ChainHead> =
        ends.filter(|(head, told)| grown(head, *told)).map(|(head, _)| head).collect();
    if heads.is_empty() {
        return Ok(None);
    }
    tx.write_checkpoint(&heads, at).map(|row| Some(row.head()))
}

fn stats(db: &Connection, from: Timestamp, to: Timestamp) -> TransactionResult<Stats> {
    let tally = tally(db, micros_up(from), micros_up(to))?;
    Ok(tally.stats(count(db)?, bytes(db)?))
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (JUDGED, "COVERING INDEX audit_log_by_kind"),
            (ASKED, "COVERING INDEX audit_log_by_kind"),
            (ASKED_ABOUT, "INDEX audit_log_by_kind"),
            (ENDED, "INDEX audit_log_by_kind"),
            (PRUNE, "sqlite_autoindex_audit_log_1"),
        ]);
    }
}
