//! The events.

use sekisho_gate::record::Event;

use super::super::db::Db;
use super::super::sql::record as sql;
use super::{bounded, counted};
use crate::fault::Scripted;
use crate::rows::{from_micros, parsed};

/// Appends events after all others there are, and gives the number of the last.
pub(crate) async fn announce(db: &Db<'_>, at: &[i64], bodies: &[&str]) -> Scripted<u64> {
    let row = db.one(sql::ANNOUNCE, &[&bounded(bodies.len()), &at, &bodies]).await?;
    counted(row.try_get(0)?)
}

/// The number of the last event.
pub(crate) async fn head(db: &Db<'_>) -> Scripted<u64> {
    counted(db.one(sql::HEAD, &[]).await?.try_get(0)?)
}

pub(crate) async fn after(db: &Db<'_>, after: u64, limit: usize) -> Scripted<Vec<Event>> {
    let rows = db.rows(sql::AFTER, &[&bounded(after), &bounded(limit)]).await?;
    rows.iter()
        .map(|row| {
            let body: &str = row.try_get(2)?;
            let (seq, at) = (counted(row.try_get(0)?)?, from_micros(row.try_get(1)?)?);
            Ok(Event { seq, at, change: parsed(body, "the event")? })
        })
        .collect()
}
