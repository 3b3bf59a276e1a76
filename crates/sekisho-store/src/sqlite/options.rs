//! Options for opening a file.

use std::time::Duration;

use sekisho_gate::audit::AuditConfig;

/// Options for opening a file. [`Options::new`] suits a gate that serves people.
#[derive(Clone)]
pub struct Options {
    /// The keys that sign the audit log, and the masks applied to it.
    pub audit: AuditConfig,
    /// How long to wait for another process that is writing.
    pub busy_timeout: Duration,
    /// Number of reader threads.
    pub readers: usize,
    /// Maximum number of writes in one commit.
    pub largest_batch: usize,
    /// How often to check for other processes' commits while anybody listens.
    pub poll_interval: Duration,
    /// Maximum size of the file, in pages of 4096 bytes.
    pub page_limit: Option<u32>,
}

impl Options {
    /// The defaults, with the given audit configuration. The audit configuration has no default, because
    /// nothing is written unsigned.
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
