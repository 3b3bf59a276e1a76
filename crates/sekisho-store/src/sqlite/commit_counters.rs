//! The last event number and the rules revision, published to listeners.

use rusqlite::Connection;
use tokio::sync::watch;

use super::events;
use crate::encoding::count_from_column;
use crate::transaction_error::TransactionResult;

/// What listeners watch.
#[derive(Debug, Default)]
pub(super) struct CommitCounters {
    head: watch::Sender<u64>,
    revision: watch::Sender<u64>,
}

/// Both counters, read together.
#[derive(Clone, Copy, Debug)]
pub(super) struct CounterValues {
    head: u64,
    revision: u64,
}

impl CounterValues {
    /// Reads both counters.
    pub(super) fn take(db: &Connection) -> TransactionResult<CounterValues> {
        Ok(CounterValues { head: events::head(db)?, revision: revision(db)? })
    }
}

const REVISION: &str = "SELECT value FROM meta WHERE name = 'rules_revision'";

pub(crate) fn revision(db: &Connection) -> TransactionResult<u64> {
    count_from_column(db.prepare_cached(REVISION)?.query_row([], |row| row.get(0))?)
}

impl CommitCounters {
    /// Publishes committed values. They never decrease.
    pub(super) fn publish(&self, reading: CounterValues) {
        raise(&self.head, reading.head);
        raise(&self.revision, reading.revision);
    }

    /// Whether anybody is listening.
    pub(super) fn are_watched(&self) -> bool {
        self.head.receiver_count() + self.revision.receiver_count() > 0
    }

    pub(super) fn head(&self) -> watch::Receiver<u64> {
        self.head.subscribe()
    }

    pub(super) fn revision(&self) -> watch::Receiver<u64> {
        self.revision.subscribe()
    }
}

fn raise(sender: &watch::Sender<u64>, to: u64) {
    sender.send_if_modified(|value| {
        let grows = to > *value;
        *value = to.max(*value);
        grows
    });
}
