//! Verdicts a second, each durable before its caller goes on: a ledger with many callers, and beside it the same rows with
//! a transaction for each.
//!
//! A backend is a ledger and its peer, made by one function ([`sqlite`], [`postgres`]). Both write the same tables with the same
//! indexes, and the peer's rows are masked, chained and signed as the ledger's are.

mod postgres;
mod server;
mod sqlite;

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::{Admission, Ledger};
use sekisho_gate::record::Change;
use sekisho_gate::{CallId, ExecutionId};
use sekisho_policy::Effect;
use sekisho_testkit::fixtures;

pub use postgres::postgres;
pub use sqlite::sqlite;

/// Why a figure could not be had.
pub type Failure = Box<dyn Error + Send + Sync>;

/// How long a round is.
const ROUND: Duration = Duration::from_secs(1);

/// Writes the rows of one verdict in a transaction of their own.
pub type OneByOne = dyn FnMut(&Admission) -> Result<(), Failure>;

/// A ledger, and what writes the same one by one.
pub struct Backend {
    /// What people call it.
    pub name: &'static str,
    /// How many times its peer's rows are expected of the ledger.
    pub target: f64,
    /// The ledger.
    pub ledger: Arc<dyn Ledger>,
    /// Its peer.
    pub each: Box<OneByOne>,
}

/// Verdicts a second with so many callers, each of which waits for its verdict before it asks for the next.
pub async fn together(ledger: &Arc<dyn Ledger>, callers: usize) -> Result<f64, Failure> {
    let start = Instant::now();
    let callers: Vec<_> = (0..callers)
        .map(|_| {
            let (ledger, like) = (Arc::clone(ledger), template());
            tokio::spawn(async move {
                let mut done = 0_u32;
                while start.elapsed() < ROUND {
                    ledger.admit(WriteAccess::TESTS, next(&like)).await?;
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

/// Verdicts a second with a transaction each.
pub fn one_by_one(each: &mut OneByOne) -> Result<f64, Failure> {
    let (like, start) = (template(), Instant::now());
    let mut done = 0_u32;
    while start.elapsed() < ROUND {
        each(&next(&like))?;
        done += 1;
    }
    Ok(f64::from(done) / start.elapsed().as_secs_f64())
}

fn template() -> Admission {
    fixtures::admission(fixtures::call("1"), fixtures::asker(), fixtures::after(0), Effect::Allow)
}

/// The next admission; the same for all but for its ids.
fn next(like: &Admission) -> Admission {
    let at = jiff::Timestamp::now();
    let (call, execution) = (CallId::new(at), ExecutionId::new(at));
    let mut next = Admission { at, execution: Some(execution), ..like.clone() };
    next.call.id = call;
    next.record.entry.at = at;
    next.record.entry.call = Some(call);
    next.record.entry.execution = Some(execution);
    let tool = next.call.call.tool.clone();
    let credential = Some(next.call.asker.credential.clone());
    next.record.change = Some(Change::Started { execution, tool, approval: None, credential });
    next
}
