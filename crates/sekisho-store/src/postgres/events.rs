//! Events as rows of `events`.

use sekisho_gate::record::{AuditEntry, Event, Record};

use super::connection::PgConnection;
use super::open_transaction::OpenTransaction;
use super::write_operation::WriteOperation;
use crate::encoding::{count_from_column, from_micros, parsed, saturating_column};
use crate::transaction_error::TransactionResult;

/// Numbers and inserts the events and notifies other processes. The counter stays locked until the commit, so
/// this comes last.
const ANNOUNCE: &str = "WITH counter AS (\
        UPDATE meta SET value = value + $1 WHERE name = 'events' RETURNING value\
    ), appended AS (\
        INSERT INTO events (seq, at, body) \
        SELECT counter.value - $1 + line.place, line.at, line.body \
        FROM counter, UNNEST($2::bigint[], $3::text[]) WITH ORDINALITY AS line (at, body, place)\
    ) SELECT value, pg_notify('sekisho', value::text) FROM counter";

/// Appends events after all others and returns the number of the last.
pub(crate) async fn announce(db: &PgConnection<'_>, at: &[i64], bodies: &[&str]) -> TransactionResult<u64> {
    let row = db.one(ANNOUNCE, &[&saturating_column(bodies.len()), &at, &bodies]).await?;
    count_from_column(row.try_get(0)?)
}

const HEAD: &str = "SELECT value FROM meta WHERE name = 'events'";

/// The number of the last event.
pub(crate) async fn head(db: &PgConnection<'_>) -> TransactionResult<u64> {
    count_from_column(db.one(HEAD, &[]).await?.try_get(0)?)
}

const AFTER: &str = "SELECT seq, at, body FROM events WHERE seq > $1 ORDER BY seq LIMIT $2";

pub(crate) async fn after(db: &PgConnection<'_>, after: u64, limit: usize) -> TransactionResult<Vec<Event>> {
    let rows = db.rows(AFTER, &[&saturating_column(after), &saturating_column(limit)]).await?;
    rows.iter()
        .map(|row| {
            let body: &str = row.try_get(2)?;
            let (seq, at) = (count_from_column(row.try_get(0)?)?, from_micros(row.try_get(1)?)?);
            Ok(Event { seq, at, change: parsed(body, "the event")? })
        })
        .collect()
}

/// Writes a record of another component.
pub(super) struct AppendRecords(pub(super) Vec<Record>);

impl WriteOperation for AppendRecords {
    type Outcome = ();

    fn known_entries(&self) -> Vec<AuditEntry> {
        self.0.iter().map(|record| record.entry.clone()).collect()
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<()> {
        self.0.iter().try_for_each(|record| tx.append(record))
    }
}
