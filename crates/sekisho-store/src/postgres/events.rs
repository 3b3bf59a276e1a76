//! The events.

use sekisho_gate::record::{Entry, Event, Record};

use super::db::Db;
use super::page::Page;
use super::script::Script;
use crate::encoding::{bounded, counted, from_micros, parsed};
use crate::fault::Scripted;

/// Counts, appends and tells the other processes. The counter stays locked until the commit, so this comes last.
const ANNOUNCE: &str = "WITH counter AS (\
        UPDATE meta SET value = value + $1 WHERE name = 'events' RETURNING value\
    ), appended AS (\
        INSERT INTO events (seq, at, body) \
        SELECT counter.value - $1 + line.place, line.at, line.body \
        FROM counter, UNNEST($2::bigint[], $3::text[]) WITH ORDINALITY AS line (at, body, place)\
    ) SELECT value, pg_notify('sekisho', value::text) FROM counter";

/// Appends events after all others there are, and gives the number of the last.
pub(crate) async fn announce(db: &Db<'_>, at: &[i64], bodies: &[&str]) -> Scripted<u64> {
    let row = db.one(ANNOUNCE, &[&bounded(bodies.len()), &at, &bodies]).await?;
    counted(row.try_get(0)?)
}

const HEAD: &str = "SELECT value FROM meta WHERE name = 'events'";

/// The number of the last event.
pub(crate) async fn head(db: &Db<'_>) -> Scripted<u64> {
    counted(db.one(HEAD, &[]).await?.try_get(0)?)
}

const AFTER: &str = "SELECT seq, at, body FROM events WHERE seq > $1 ORDER BY seq LIMIT $2";

pub(crate) async fn after(db: &Db<'_>, after: u64, limit: usize) -> Scripted<Vec<Event>> {
    let rows = db.rows(AFTER, &[&bounded(after), &bounded(limit)]).await?;
    rows.iter()
        .map(|row| {
            let body: &str = row.try_get(2)?;
            let (seq, at) = (counted(row.try_get(0)?)?, from_micros(row.try_get(1)?)?);
            Ok(Event { seq, at, change: parsed(body, "the event")? })
        })
        .collect()
}

/// Something else goes on the record.
pub(super) struct Note(pub(super) Vec<Record>);

impl Script for Note {
    type Given = ();

    fn lines(&self) -> Vec<Entry> {
        self.0.iter().map(|record| record.entry.clone()).collect()
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<()> {
        self.0.iter().try_for_each(|record| page.append(record))
    }
}
