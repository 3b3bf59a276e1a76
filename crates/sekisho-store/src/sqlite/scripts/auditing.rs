//! The log's own writes: checkpoints, spools, cuts.

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::audit::{Bad, Cut, Head, Keys, Row, Scribe, Stats, Verifier, WriterId};
use sekisho_gate::record::Entry;

use super::super::pen::no_key;
use super::{Pen, tables};
use crate::fault::{Fault, Scripted};
use crate::rows::micros_up;

/// How many rows one transaction removes.
const AT_ONCE: usize = 1000;

/// Vouches for every chain that has told something since this writer last did. Checkpoints alone are nothing to tell of:
/// two idle writers would vouch for each other's for ever.
pub(in crate::sqlite) fn checkpoint(pen: &Pen<'_>, at: Timestamp) -> Scripted<Option<Head>> {
    let vouched = pen.vouched();
    let grown = |head: &Head, told: u64| told > vouched.get(&head.writer).copied().unwrap_or(0);
    let ends = tables::audit::ends(pen)?.into_iter();
    let heads: Vec<Head> = ends.filter(|(head, told)| grown(head, *told)).map(|(head, _)| head).collect();
    if heads.is_empty() {
        return Ok(None);
    }
    pen.vouch(&heads, at).map(|row| Some(row.head()))
}

/// Goes on with a spool's chain.
pub(in crate::sqlite) fn take_in(
    pen: &Pen<'_>,
    spool: WriterId,
    first: u64,
    lines: &[Entry],
) -> Scripted<u64> {
    if spool == pen.writer() {
        return Err(Fault::wrong(format!("`{spool}` is this writer itself and no spool")));
    }
    let head = tables::audit::head(pen, spool)?;
    let there = head.map_or(0, |head| head.seq);
    if first == 0 || first > there + 1 {
        return Err(Fault::wrong(format!(
            "spool `{spool}` goes on at line {first} and only {there} are there: take in those between first"
        )));
    }
    let mut scribe = match head {
        Some(head) => Scribe::resume(head, pen.keys()),
        None => Scribe::new(spool, pen.keys()),
    };
    let mut new = 0;
    for (_, line) in (first..).zip(lines).filter(|(number, _)| *number > there) {
        let Some(row) = pen.with_masked(line, |line| scribe.write(line)) else { continue };
        tables::audit::append(pen, &row.ok_or_else(no_key)?)?;
        new += 1;
    }
    Ok(new)
}

/// Removes what is old from the beginning of one chain. How many rows; none when there is nothing more to remove.
///
/// Only rows that verify are removed: pruning must not be what wipes away the traces of somebody who changed them.
pub(in crate::sqlite) fn prune_some(pen: &Pen<'_>, before: Timestamp, at: Timestamp) -> Scripted<u64> {
    let before = micros_up(before);
    let Some((writer, last, cut)) = tables::audit::prunable(pen, before)? else { return Ok(0) };
    let mut rows = tables::audit::rows(pen, Some((writer, cut)), AT_ONCE)?;
    let old = |row: &Row| row.writer == writer && row.seq < last && row.at_us < before;
    rows.truncate(rows.iter().take_while(|row| old(row)).count());
    let Some(head) = rows.last().map(Row::head) else { return Ok(0) };
    let keys = pen.keys();
    verify(pen, writer, &rows, &keys)?.map_err(|bad| {
        Fault::wrong(format!("{bad}: nothing is pruned before `sekisho audit verify` finds the log whole"))
    })?;
    tables::audit::cut(pen, &Cut::sign(head, at, &keys).ok_or_else(no_key)?)
}

fn verify(pen: &Pen<'_>, writer: WriterId, rows: &[Row], keys: &Keys) -> Scripted<Result<(), Bad>> {
    let mut cuts = tables::audit::cuts(pen)?;
    cuts.retain(|cut| cut.head.writer == writer);
    Ok(Verifier::new(keys, cuts, &[])
        .and_then(|mut verifier| rows.iter().try_for_each(|row| verifier.row(row))))
}

pub(in crate::sqlite) fn stats(db: &Connection, from: Timestamp, to: Timestamp) -> Scripted<Stats> {
    let tally = tables::audit::tally(db, micros_up(from), micros_up(to))?;
    Ok(tally.stats(tables::audit::count(db)?, tables::audit::bytes(db)?))
}
