//! Hears of other processes' commits.
//!
//! A notification says that there is something new; what it is, is read. So whatever was missed while the connection was
//! away, or got lost on the way, is made up for by the next look, and there is one at the latest every few seconds.

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

/// Listens for as long as anybody has the store.
pub(super) async fn listen(place: Arc<Connector>, heads: Weak<CommitCounters>) {
    let mut back_off = BackOff::default();
    while heads.strong_count() > 0 {
        let (heard, mut news) = mpsc::unbounded_channel();
        if let Ok((client, driver)) = place.open(ConnectionPurpose::Listen, heard).await {
            let client = ClientWrapper::new(client, driver);
            if look(&client, &heads).await.is_ok() {
                back_off = BackOff::default();
                // The error is the connection's; there will be another one.
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
