//! How a database is opened.

use std::time::Duration;

use sekisho_gate::audit::AuditConfig;

/// How a database is opened. The defaults fit a gate that serves people.
#[derive(Clone)]
pub struct Options {
    /// The keys that sign the log, and the masks of what must not be in it.
    pub audit: AuditConfig,
    /// How many connections read.
    pub readers: usize,
    /// How many writes are committed together at most.
    pub largest_batch: usize,
    /// How long a statement may take.
    pub statement_timeout: Duration,
    /// How long a statement may wait for another process.
    pub lock_timeout: Duration,
    /// How often to look for what others have written, where no notification of it came.
    pub poll_interval: Duration,
}

impl Options {
    /// The defaults, with a seal.
    pub fn new(seal: AuditConfig) -> Options {
        Options {
            audit: seal,
            readers: 4,
            largest_batch: 512,
            statement_timeout: Duration::from_secs(10),
            lock_timeout: Duration::from_secs(5),
            poll_interval: Duration::from_secs(3),
        }
    }
}
