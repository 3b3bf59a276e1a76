//! Options for opening a database.

use std::time::Duration;

use sekisho_gate::audit::AuditConfig;

/// Options for opening a database. The defaults suit a gate that serves people.
#[derive(Clone)]
pub struct Options {
    /// The keys that sign the audit log, and the masks applied to it.
    pub audit: AuditConfig,
    /// Number of read connections.
    pub readers: usize,
    /// Maximum number of writes in one commit.
    pub largest_batch: usize,
    /// Time limit for a statement.
    pub statement_timeout: Duration,
    /// Time limit for waiting on another process's lock.
    pub lock_timeout: Duration,
    /// How often to check for other processes' commits when no notification arrives.
    pub poll_interval: Duration,
}

impl Options {
    /// The defaults, with the given audit configuration.
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
