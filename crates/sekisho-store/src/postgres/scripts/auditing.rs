//! The log's own writes: checkpoints, spools, cuts.

use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::audit::{Bad, Cut, Head, Keys, Row, Scribe, Stats, Verifier, WriterId};
use sekisho_gate::record::{Entry, Kind};

use super::super::chain::no_key;
use super::super::db::Db;
use super::super::page::Page;
use super::{PRUNING, Script, lock_of, tables};
use crate::fault::{Fault, Scripted};
use crate::rows::micros_up;

/// How many rows one transaction removes.
const AT_ONCE: usize = 1000;

/// Vouches for every chain that has told something since this writer last did. Checkpoints alone are nothing to tell of:
/// two idle writers would vouch for each other's for ever.
pub(in crate::postgres) struct Checkpoint(pub(in crate::postgres) Timestamp);

/// Goes on with a spool's chain.
pub(in crate::postgres) struct TakeIn {
    pub(in crate::postgres) spool: WriterId,
    pub(in crate::postgres) first: u64,
    pub(in crate::postgres) lines: Vec<Entry>,
}

/// Removes what is old from the beginning of one chain. How many rows; none when there is nothing more to remove.
///
/// Only rows that verify are removed: pruning must not be what wipes away the traces of somebody who changed them.
pub(in crate::postgres) struct PruneSome {
    pub(in crate::postgres) before: Timestamp,
    pub(in crate::postgres) at: Timestamp,
}

impl Script for Checkpoint {
    type Given = Option<Head>;

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Option<Head>> {
        let mut ends = tables::audit::ends(&page.db).await?;
        let draft = &mut page.draft;
        // Of its own chain, the rows of this transaction are not in the table yet.
        let own = draft.rows.iter().rev().find(|row| row.kind != Kind::Checkpoint.name());
        if let (Some(head), Some(told)) = (draft.ink.head(), own.map(|row| row.seq)) {
            ends.retain(|(end, _)| end.writer != head.writer);
            ends.push((head, told));
            ends.sort_by_key(|(end, _)| end.writer);
        }
        let grown = ends.into_iter().filter(|(head, told)| *told > draft.ink.vouches(head.writer));
        let heads: Vec<Head> = grown.map(|(head, _)| head).collect();
        if heads.is_empty() {
            return Ok(None);
        }
        let row = draft.ink.vouch(&heads, self.0)?;
        let head = row.head();
        draft.rows.push(row);
        Ok(Some(head))
    }
}

impl Script for TakeIn {
    type Given = u64;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.spool.0))
    }

    fn lines(&self) -> Vec<Entry> {
        self.lines.clone()
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<u64> {
        let (spool, first) = (self.spool, self.first);
        if spool == page.draft.ink.writer() {
            return Err(Fault::wrong(format!("`{spool}` is this writer itself and no spool")));
        }
        let head = tables::audit::head(&page.db, spool).await?;
        let there = head.map_or(0, |head| head.seq);
        if first == 0 || first > there + 1 {
            return Err(Fault::wrong(format!(
                "spool `{spool}` goes on at line {first} and only {there} are there: take in those between first"
            )));
        }
        let keys = Arc::clone(page.draft.ink.keys());
        let mut scribe = match head {
            Some(head) => Scribe::resume(head, keys),
            None => Scribe::new(spool, keys),
        };
        let lines = (first..).zip(&self.lines).filter(|(number, _)| *number > there);
        let written = lines.filter_map(|(_, line)| Some(scribe.write(page.lines.masked(line)?)));
        let rows: Option<Vec<Row>> = written.collect();
        let rows = rows.ok_or_else(no_key)?;
        tables::audit::append(&page.db, &rows).await?;
        Ok(rows.len() as u64)
    }
}

impl Script for PruneSome {
    type Given = u64;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<u64> {
        let before = micros_up(self.before);
        let db = &page.db;
        let Some((writer, last, cut)) = tables::audit::prunable(db, before).await? else { return Ok(0) };
        let mut rows = tables::audit::rows(db, Some((writer, cut)), AT_ONCE).await?;
        let old = |row: &Row| row.writer == writer && row.seq < last && row.at_us < before;
        rows.truncate(rows.iter().take_while(|row| old(row)).count());
        let Some(head) = rows.last().map(Row::head) else { return Ok(0) };
        let keys = page.draft.ink.keys();
        verify(db, writer, &rows, keys).await?.map_err(|bad| {
            Fault::wrong(format!(
                "{bad}: nothing is pruned before `sekisho audit verify` finds the log whole"
            ))
        })?;
        let cut = Cut::sign(head, self.at, keys).ok_or_else(no_key)?;
        tables::audit::cut(db, &cut).await
    }
}

async fn verify(db: &Db<'_>, writer: WriterId, rows: &[Row], keys: &Keys) -> Scripted<Result<(), Bad>> {
    let mut cuts = tables::audit::cuts(db).await?;
    cuts.retain(|cut| cut.head.writer == writer);
    Ok(Verifier::new(keys, cuts, &[])
        .and_then(|mut verifier| rows.iter().try_for_each(|row| verifier.row(row))))
}

/// Where every chain ends.
pub(in crate::postgres) async fn heads(db: &Db<'_>) -> Scripted<Vec<Head>> {
    Ok(tables::audit::ends(db).await?.into_iter().map(|(head, _)| head).collect())
}

pub(in crate::postgres) async fn stats(db: &Db<'_>, from: Timestamp, to: Timestamp) -> Scripted<Stats> {
    let tally = tables::audit::tally(db, micros_up(from), micros_up(to)).await?;
    Ok(tally.stats(tables::audit::count(db).await?, tables::audit::bytes(db).await?))
}
