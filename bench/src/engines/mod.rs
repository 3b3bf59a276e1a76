//! The engines, each with the same rules and calls.

#[cfg(feature = "peers")]
mod casbin;
#[cfg(feature = "peers")]
mod cedar;
#[cfg(feature = "peers")]
mod node;
#[cfg(feature = "peers")]
mod regex_scan;
mod sekisho;

use std::error::Error;
use std::ops::Range;
use std::time::{Duration, Instant};

#[cfg(feature = "peers")]
pub use casbin::Casbin;
#[cfg(feature = "peers")]
pub use cedar::Cedar;
#[cfg(feature = "peers")]
pub use node::{Node, NodeResult};
#[cfg(feature = "peers")]
pub use regex_scan::RegexScan;
pub use sekisho::{Sekisho, load};

use crate::workload::Workload;

/// Any error of a benchmark.
pub type Failure = Box<dyn Error>;

/// An engine's decision about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The rule that decided, by position; none for the default.
    Rule(Option<usize>),
    /// Allowed or not: all that an engine with two effects can express.
    Allowed(bool),
}

/// An engine with its rules loaded and the calls in its own form.
pub trait Engine {
    /// Its decision about the call at a position.
    fn answer(&self, call: usize) -> Answer;
    /// The time for the calls at these positions.
    fn pass(&self, calls: Range<usize>) -> Duration;
}

/// A loaded engine, and the cost of loading.
pub struct Loaded {
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// Time from text to ready.
    pub load: Duration,
    /// Bytes held for the rules.
    pub held: usize,
}

/// Loads an engine.
pub type Loader = fn(&Workload) -> Result<Loaded, Failure>;

/// The time `decide` takes for some calls.
fn timed(calls: Range<usize>, decide: impl Fn(usize)) -> Duration {
    let start = Instant::now();
    for call in calls {
        decide(call);
    }
    start.elapsed()
}
