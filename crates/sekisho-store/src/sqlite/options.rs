//! How a file is opened.

use std::time::Duration;

use sekisho_gate::audit::AuditConfig;

/// How a file is opened. [`Options::new`] fits a gate that serves people.
#[derive(Clone)]
pub struct Options {
    /// What the audit log is signed with, and what must not be in it.
    pub audit: AuditConfig,
    /// How long to wait for another process that is writing.
    pub busy_timeout: Duration,
    /// How many threads read.
    pub readers: usize,
    /// How many writes are committed together at most.
    pub largest_batch: usize,
    /// How often to look for other processes' commits, while somebody listens.
    pub poll_interval: Duration,
    /// The file may not grow beyond this many pages of 4096 bytes.
    pub page_limit: Option<u32>,
}

impl Options {
    /// Nothing is written that is not signed, so there is no default for the seal.
    pub fn new(seal: AuditConfig) -> Options {
        Options {
            audit: seal,
            busy_timeout: Duration::from_secs(5),
            readers: 2,
            largest_batch: 512,
            poll_interval: Duration::from_millis(250),
            page_limit: None,
        }
    }
}
