//! The audit log: its rows, the heads of its chains, and their cuts.

pub(super) mod rows;
mod search;

use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::WriteAccess;
use sekisho_gate::audit::{
    AuditLog, AuditQuery, CallKey, ChainCut, ChainHead, ChainRow, KeyRing, Stats, StatsBuilder, WriterId,
};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::{AuditEntry, RecordKind};
use serde_json::Value;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::connection::PgConnection;
use super::error_class::to_ledger_error;
use super::input_purge::{self, FindPurgeable, PurgeSome};
use super::open_transaction::OpenTransaction;
use super::pipeline_run_purge::PurgePipelineRuns;
use super::run_purge::PurgeRuns;
use super::signing_keys::RegisterKeys;
use super::store::PostgresStore;
use super::transaction_impl::operations;
use super::write_operation::{PRUNING, WriteOperation, lock_of};
use super::write_queue::QueuedWrite;
use crate::audit::{AuditTables, import_spool, prune_some, repeat_in_batches};
use crate::encoding::{count_from_column, from_micros, micros_up, saturating_column};
use crate::entry_masking::mask_purge_candidates;
use crate::signing_keys::mismatch_error;
use crate::transaction_error::{TransactionError, TransactionResult};
use rows::{code, number, read_head};

impl AuditLog for PostgresStore {
    fn search(&self, query: AuditQuery) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.read(move |db| Box::pin(search::search(db, query)))
    }

    fn call_rows(&self, calls: Vec<CallKey>) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.read(move |db| Box::pin(search::call_rows(db, calls)))
    }

    fn rows(&self, after: Option<(WriterId, u64)>, limit: usize) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.read(move |db| Box::pin(rows::rows(db, after, limit)))
    }

    fn row(&self, writer: WriterId, seq: u64) -> LedgerFuture<'_, Option<ChainRow>> {
        self.read(move |db| Box::pin(rows::row(db, writer, seq)))
    }

    fn count(&self) -> LedgerFuture<'_, u64> {
        self.read(|db| Box::pin(count(db)))
    }

    fn heads(&self) -> LedgerFuture<'_, Vec<ChainHead>> {
        self.read(|db| Box::pin(heads(db)))
    }

    fn cuts(&self) -> LedgerFuture<'_, Vec<ChainCut>> {
        self.read(|db| Box::pin(cuts(db)))
    }

    fn earliest_activity(&self) -> LedgerFuture<'_, Option<Timestamp>> {
        self.read(|db| Box::pin(first_trace(db)))
    }

    fn stats(&self, from: Timestamp, to: Timestamp) -> LedgerFuture<'_, Stats> {
        self.read_at_one_moment(move |db| Box::pin(stats(db, from, to)))
    }

    fn checkpoint(&self, at: Timestamp) -> LedgerFuture<'_, Option<ChainHead>> {
        self.write(Checkpoint(at))
    }

    fn prune(&self, before: Timestamp, at: Timestamp) -> LedgerFuture<'_, u64> {
        repeat_in_batches(move || self.write(PruneSome { before, at }))
    }

    fn purge(&self, before: Timestamp) -> LedgerFuture<'_, u64> {
        Box::pin(async move {
            let mut after = Uuid::nil();
            while let Some(last) = self.write(PurgeRuns { before, after }).await? {
                after = last;
            }
            after = Uuid::nil();
            while let Some(last) = self.write(PurgePipelineRuns { before, after }).await? {
                after = last;
            }
            repeat_in_batches(move || self.purge_some(before)).await
        })
    }

    fn raw_input(&self, call: CallId) -> LedgerFuture<'_, Option<Value>> {
        self.read(move |db| Box::pin(input_purge::raw_input(db, call)))
    }

    fn import_spool(
        &self,
        _: &WriteAccess,
        spool: WriterId,
        first: u64,
        lines: Vec<AuditEntry>,
    ) -> LedgerFuture<'_, u64> {
        self.write(ImportSpool { spool, first, lines })
    }

    fn set_keys(&self, keys: Arc<KeyRing>) -> LedgerFuture<'_, ()> {
        Box::pin(async move {
            if let Some(another) = self.write(RegisterKeys(Arc::clone(&keys))).await? {
                return Err(to_ledger_error(&mismatch_error(another), self.place.shown()));
            }
            let (answer, answered) = oneshot::channel();
            self.send(QueuedWrite::Keys(keys, answer)).await?;
            answered.await.map_err(|_| self.gone())
        })
    }
}

impl PostgresStore {
    fn purge_some(&self, before: Timestamp) -> LedgerFuture<'_, u64> {
        Box::pin(async move {
            let found = self.write(FindPurgeable(before)).await?;
            if found.is_empty() {
                return Ok(0);
            }
            let masked = mask_purge_candidates(found, &self.way.masks).await;
            let masked = masked.map_err(|fault| to_ledger_error(&fault, self.place.shown()))?;
            self.write(PurgeSome { before, masked }).await
        })
    }
}

const FIRST_TRACE: &str = "SELECT least((SELECT min(created_at) FROM calls), (SELECT min(at) FROM events))";

/// The earliest time of any stored call or event.
async fn first_trace(db: &PgConnection<'_>) -> TransactionResult<Option<Timestamp>> {
    let first: Option<i64> = db.one(FIRST_TRACE, &[]).await?.try_get(0)?;
    first.map(from_micros).transpose()
}

/// Chains have no gaps, so no rows have to be counted.
const COUNT: &str = "SELECT coalesce(sum(w.seq - coalesce(c.seq, 0)), 0)::bigint \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer";

pub(crate) async fn count(db: &PgConnection<'_>) -> TransactionResult<u64> {
    count_from_column(db.one(COUNT, &[]).await?.try_get(0)?)
}

const BYTES: &str = "SELECT pg_database_size(current_database())";

/// Size of the database in bytes.
pub(crate) async fn bytes(db: &PgConnection<'_>) -> TransactionResult<u64> {
    count_from_column(db.one(BYTES, &[]).await?.try_get(0)?)
}

const CUTS: &str = "SELECT writer, seq, head, at, key, code FROM cuts ORDER BY writer";

pub(crate) async fn cuts(db: &PgConnection<'_>) -> TransactionResult<Vec<ChainCut>> {
    let rows = db.rows(CUTS, &[]).await?;
    rows.iter()
        .map(|row| {
            let (at_us, key) = (row.try_get(3)?, number(row.try_get(4)?)?);
            Ok(ChainCut { head: read_head(row)?, at_us, key, code: code(row.try_get(5)?)? })
        })
        .collect()
}

const PRUNABLE: &str = "SELECT w.writer, w.seq, coalesce(c.seq, 0) \
    FROM writers w LEFT JOIN cuts c ON c.writer = w.writer \
    JOIN audit_log a ON a.writer = w.writer AND a.seq = coalesce(c.seq, 0) + 1 \
    WHERE a.seq < w.seq AND a.at < $1 LIMIT 1";

/// A chain whose first row is older than a time and is not its last: its writer, its last row, and where it
/// was cut.
pub(crate) async fn prunable(
    db: &PgConnection<'_>,
    before: i64,
) -> TransactionResult<Option<(WriterId, u64, u64)>> {
    let Some(row) = db.row(PRUNABLE, &[&before]).await? else { return Ok(None) };
    Ok(Some((
        WriterId(row.try_get(0)?),
        count_from_column(row.try_get(1)?)?,
        count_from_column(row.try_get(2)?)?,
    )))
}

const BEGIN_PRUNING: &str = "SELECT set_config('sekisho.pruning', 'on', true)";

const PRUNE: &str = "DELETE FROM audit_log WHERE writer = $1 AND seq <= $2";

const END_PRUNING: &str = "SELECT set_config('sekisho.pruning', 'off', true)";

const PUT_CUT: &str = "INSERT INTO cuts (writer, seq, head, at, key, code) VALUES ($1, $2, $3, $4, $5, $6) \
    ON CONFLICT (writer) DO UPDATE \
    SET seq = excluded.seq, head = excluded.head, at = excluded.at, key = excluded.key, code = excluded.code";

/// Removes a chain's rows up to a cut.
pub(crate) async fn cut(db: &PgConnection<'_>, cut: &ChainCut) -> TransactionResult<u64> {
    let (writer, seq) = (cut.head.writer.0, saturating_column(cut.head.seq));
    let key = i32::try_from(cut.key)
        .map_err(|_| TransactionError::inconsistent("the number of a signing key is too large"))?;
    db.one(BEGIN_PRUNING, &[]).await?;
    let removed = db.run(PRUNE, &[&writer, &seq]).await?;
    db.one(END_PRUNING, &[]).await?;
    let (head, code) = (cut.head.code.0.as_slice(), cut.code.0.as_slice());
    db.run(PUT_CUT, &[&writer, &seq, &head, &cut.at_us, &key, &code]).await?;
    Ok(removed)
}

const JUDGED: &str = "SELECT at / 3600000000 * 3600000000 AS hour, decision, count(*) \
    FROM audit_log WHERE kind = 'verdict' AND at >= $1 AND at < $2 GROUP BY hour, decision";

const ASKED: &str = "SELECT at / 3600000000 * 3600000000 AS hour, tool, count(*) \
    FROM audit_log WHERE kind = 'question' AND at >= $1 AND at < $2 GROUP BY hour, tool";

const ASKED_ABOUT: &str = "SELECT approval, tool, body \
    FROM audit_log WHERE kind = 'question' AND at >= $1 AND at < $2 \
    ORDER BY at DESC, writer DESC, seq DESC LIMIT $3";

const ENDED: &str = "SELECT at, approval, tool, body \
    FROM audit_log WHERE kind = 'outcome' AND at >= $1 AND at < $2";

/// Counts what happened in a time span.
pub(crate) async fn tally(db: &PgConnection<'_>, from: i64, to: i64) -> TransactionResult<StatsBuilder> {
    let mut tally = StatsBuilder::default();
    for row in &db.rows(JUDGED, &[&from, &to]).await? {
        tally.judged(row.try_get(0)?, row.try_get(1)?, count_from_column(row.try_get(2)?)?);
    }
    for row in &db.rows(ASKED, &[&from, &to]).await? {
        tally.asked(row.try_get(0)?, row.try_get(1)?, count_from_column(row.try_get(2)?)?);
    }
    for row in &db.rows(ASKED_ABOUT, &[&from, &to, &i64::from(StatsBuilder::QUESTIONS)]).await? {
        tally.asked_about(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
    }
    for row in &db.rows(ENDED, &[&from, &to]).await? {
        tally.ended(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?);
    }
    Ok(tally)
}

operations! {
    impl AuditTables for OpenTransaction<'_> {
        chain_head(writer: WriterId) -> Option<ChainHead> = rows::head;
        append_rows(rows: &[ChainRow]) -> () = rows::append;
        prunable(before: i64) -> Option<(WriterId, u64, u64)> = prunable;
        rows_after(after: (WriterId, u64), limit: usize) -> Vec<ChainRow> = rows::rows_after;
        all_cuts() -> Vec<ChainCut> = cuts;
        cut(place: &ChainCut) -> u64 = cut;
    }
}

/// Writes a checkpoint for every chain with a new entry since this writer's last checkpoint. Checkpoints do
/// not count as new entries: two idle writers would confirm each other's for ever.
struct Checkpoint(Timestamp);

impl WriteOperation for Checkpoint {
    type Outcome = Option<ChainHead>;

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Option<ChainHead>> {
        let mut ends = rows::ends(&tx.db).await?;
        let draft = &mut tx.draft;
        // This transaction's own rows are not in the table yet.
        let own = draft.rows.iter().rev().find(|row| row.kind != RecordKind::Checkpoint.name());
        if let (Some(head), Some(told)) = (draft.chain_state.head(), own.map(|row| row.seq)) {
            ends.retain(|(end, _)| end.writer != head.writer);
            ends.push((head, told));
            ends.sort_by_key(|(end, _)| end.writer);
        }
        let grown =
            ends.into_iter().filter(|(head, told)| *told > draft.chain_state.checkpointed_up_to(head.writer));
        let heads: Vec<ChainHead> = grown.map(|(head, _)| head).collect();
        if heads.is_empty() {
            return Ok(None);
        }
        let row = draft.chain_state.write_checkpoint(&heads, self.0)?;
        let head = row.head();
        draft.rows.push(row);
        Ok(Some(head))
    }
}

/// Appends a spool's lines to its chain.
struct ImportSpool {
    spool: WriterId,
    first: u64,
    lines: Vec<AuditEntry>,
}

impl WriteOperation for ImportSpool {
    type Outcome = u64;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.spool.0))
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        self.lines.clone()
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<u64> {
        import_spool(tx, self.spool, self.first, &self.lines).await
    }
}

/// Removes old rows from the beginning of one chain.
struct PruneSome {
    before: Timestamp,
    at: Timestamp,
}

impl WriteOperation for PruneSome {
    type Outcome = u64;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<u64> {
        prune_some(tx, self.before, self.at).await
    }
}

/// The heads of all chains.
async fn heads(db: &PgConnection<'_>) -> TransactionResult<Vec<ChainHead>> {
    Ok(rows::ends(db).await?.into_iter().map(|(head, _)| head).collect())
}

async fn stats(db: &PgConnection<'_>, from: Timestamp, to: Timestamp) -> TransactionResult<Stats> {
    let tally = tally(db, micros_up(from), micros_up(to)).await?;
    Ok(tally.stats(count(db).await?, bytes(db).await?))
}
