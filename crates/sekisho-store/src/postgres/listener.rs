//! Listens for commits of other processes.
//!
//! A notification only says that something is new; the values are read from the database. So a notification
//! lost with a connection does no harm: the next read catches up, and there is one at least every few
//! seconds.

use std::sync::{Arc, Weak};
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::backoff::BackOff;
use super::commit_counters::{CommitCounters, CounterValues};
use super::connection::PgConnection;
use super::connector::{ConnectionPurpose, Connector};
use crate::transaction_error::TransactionResult;

/// Listens for as long as the store is open.
pub(super) async fn listen(place: Arc<Connector>, heads: Weak<CommitCounters>) {
    let mut back_off = BackOff::default();
    while heads.strong_count() > 0 {
        let (heard, mut news) = mpsc::unbounded_channel();
        if let Ok((client, driver)) = place.open(ConnectionPurpose::Listen, heard).await {
            let client = ClientWrapper::new(client, driver);
            if look(&client, &heads).await.is_ok() {
                back_off = BackOff::default();
                // The connection failed; another one will be opened.
                let _lost = follow(&client, &mut news, &heads, place.options.poll_interval).await;
            }
        }
        back_off.wait().await;
    }
}

async fn follow(
    client: &ClientWrapper,
    news: &mut mpsc::UnboundedReceiver<String>,
    heads: &Weak<CommitCounters>,
    look_every: Duration,
) -> TransactionResult<()> {
    while heads.strong_count() > 0 {
        let known = match timeout(look_every, news.recv()).await {
            Ok(None) => return Ok(()),
            Ok(Some(first)) => {
                let mut latest = first.parse().unwrap_or(u64::MAX);
                while let Ok(more) = news.try_recv() {
                    latest = latest.max(more.parse().unwrap_or(u64::MAX));
                }
                heads.upgrade().is_none_or(|heads| heads.know(latest))
            }
            Err(_) => false,
        };
        if !known {
            look(client, heads).await?;
        }
    }
    Ok(())
}

async fn look(client: &ClientWrapper, heads: &Weak<CommitCounters>) -> TransactionResult<()> {
    let reading = CounterValues::take(&PgConnection::new(client)).await?;
    if let Some(heads) = heads.upgrade() {
        heads.publish(reading);
    }
    Ok(())
}
