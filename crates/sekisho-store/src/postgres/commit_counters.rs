//! The last event number and the rules revision, published to listeners.

use tokio::sync::watch;

use super::batch::CommittedCounters;
use super::connection::PgConnection;
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
    pub(super) head: u64,
    pub(super) revision: u64,
}

const HEADS: &str = "SELECT (SELECT value FROM meta WHERE name = 'events'), \
    (SELECT value FROM meta WHERE name = 'rules_revision')";

impl CounterValues {
    /// Reads both counters.
    pub(super) async fn take(db: &PgConnection<'_>) -> TransactionResult<CounterValues> {
        let row = db.one(HEADS, &[]).await?;
        Ok(CounterValues {
            head: count_from_column(row.try_get(0)?)?,
            revision: count_from_column(row.try_get(1)?)?,
        })
    }
}

impl CommitCounters {
    /// Publishes committed values. They never decrease.
    pub(super) fn publish(&self, reading: CounterValues) {
        raise(&self.revision, reading.revision);
        raise(&self.head, reading.head);
    }

    /// Publishes what a commit of this process changed.
    pub(super) fn publish_commit(&self, told: CommittedCounters) {
        if let Some(revision) = told.revision {
            raise(&self.revision, revision);
        }
        if let Some(head) = told.head {
            raise(&self.head, head);
        }
    }

    /// Whether an event with that number was already published.
    pub(super) fn know(&self, head: u64) -> bool {
        *self.head.borrow() >= head
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
