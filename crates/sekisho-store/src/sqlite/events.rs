//! Events as rows of `events`.

use jiff::Timestamp;
use rusqlite::{Connection, params};
use sekisho_gate::record::{Event, EventPayload};

use super::statement::run;
use crate::encoding::{count_from_column, from_micros, micros, parsed, round_trip_json, saturating_column};
use crate::transaction_error::TransactionResult;

const ANNOUNCE: &str =
    "INSERT INTO events (seq, at, body) SELECT coalesce(max(seq), 0) + 1, ?1, ?2 FROM events";

/// Inserts an event.
pub(crate) fn announce(db: &Connection, change: &EventPayload, at: Timestamp) -> TransactionResult<()> {
    let body = round_trip_json(change, "the change")?;
    run(db, ANNOUNCE, params![micros(at), body]).map(drop)
}

const HEAD: &str = "SELECT coalesce(max(seq), 0) FROM events";

/// The number of the last event.
pub(crate) fn head(db: &Connection) -> TransactionResult<u64> {
    let head: i64 = db.prepare_cached(HEAD)?.query_row([], |row| row.get(0))?;
    count_from_column(head)
}

const AFTER: &str = "SELECT seq, at, body FROM events WHERE seq > ?1 ORDER BY seq LIMIT ?2";

pub(crate) fn after(db: &Connection, after: u64, limit: usize) -> TransactionResult<Vec<Event>> {
    let after = saturating_column(after);
    let limit = saturating_column(limit);
    let mut statement = db.prepare_cached(AFTER)?;
    let rows = statement.query_map(params![after, limit], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
    })?;
    rows.map(|row| {
        let (seq, at, body) = row?;
        Ok(Event { seq: count_from_column(seq)?, at: from_micros(at)?, change: parsed(&body, "the event")? })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[(HEAD, "SEARCH events"), (AFTER, "SEARCH events")]);
    }
}
