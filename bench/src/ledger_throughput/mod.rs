//! Verdicts per second, each durable before its caller continues: a store with many callers, compared with
//! one transaction per verdict.
//!
//! A backend is a store and its peer, made by one function ([`sqlite`], [`postgres`]). Both write the same
//! tables with the same indexes, and the peer's rows are masked, chained and signed like the store's.

mod postgres;
mod sqlite;

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::{Admission, Ledger};
use sekisho_gate::record::EventPayload;
use sekisho_gate::{CallId, ExecutionId};
use sekisho_policy::Effect;
use sekisho_testkit::fixtures;

pub use crate::postgres_server::PostgresServer;
pub use postgres::postgres;
pub use sqlite::sqlite;

/// Why a measurement failed.
pub type Failure = Box<dyn Error + Send + Sync>;

/// How long a round takes.
const ROUND: Duration = Duration::from_secs(1);

/// Writes the rows of one verdict in their own transaction.
pub type InsertOne = dyn FnMut(&Admission) -> Result<(), Failure>;

/// A store, and a peer that writes the same rows one by one.
pub struct Backend {
    /// Its name for display.
    pub name: &'static str,
    /// The target: how many times faster than its peer the store should be.
    pub target: f64,
    /// The ledger.
    pub ledger: Arc<dyn Ledger>,
    /// Writes one verdict as the peer does.
    pub insert_one: Box<InsertOne>,
}

/// Verdicts per second with this many callers, each of which waits for its verdict before it submits the next
/// call.
pub async fn concurrent_rate(ledger: &Arc<dyn Ledger>, callers: usize) -> Result<f64, Failure> {
    let start = Instant::now();
    let callers: Vec<_> = (0..callers)
        .map(|_| {
            let (ledger, template) = (Arc::clone(ledger), template());
            tokio::spawn(async move {
                let mut done = 0_u32;
                while start.elapsed() < ROUND {
                    ledger.admit(WriteAccess::TESTS, next(&template)).await?;
                    done += 1;
                }
                Ok::<u32, Failure>(done)
            })
        })
        .collect();
    let mut done = 0;
    for caller in callers {
        done += caller.await??;
    }
    Ok(f64::from(done) / start.elapsed().as_secs_f64())
}

/// Verdicts per second with one transaction per verdict.
pub fn sequential_rate(insert_one: &mut InsertOne) -> Result<f64, Failure> {
    let (template, start) = (template(), Instant::now());
    let mut done = 0_u32;
    while start.elapsed() < ROUND {
        insert_one(&next(&template))?;
        done += 1;
    }
    Ok(f64::from(done) / start.elapsed().as_secs_f64())
}

fn template() -> Admission {
    fixtures::admission(
        fixtures::call("1"),
        fixtures::caller(),
        fixtures::seconds_after_start(0),
        Effect::Allow,
    )
}

/// The next admission; only its ids differ.
fn next(template: &Admission) -> Admission {
    let at = jiff::Timestamp::now();
    let (call, execution) = (CallId::new(at), ExecutionId::new(at));
    let mut next = Admission { at, execution: Some(execution), ..template.clone() };
    next.call.id = call;
    next.record.entry.at = at;
    next.record.entry.call = Some(call);
    next.record.entry.execution = Some(execution);
    let tool = next.call.call.tool.clone();
    let credential = Some(next.call.asker.credential.clone());
    next.record.event = Some(EventPayload::Started { execution, tool, approval: None, credential, run: None });
    next
}
