//! How a server behaves. Made by whoever starts it; nothing here reads the environment.

use std::time::Duration;

use sekisho_host::Locations;

use crate::warning::Warning;

/// How a server behaves.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The values of `Host` that are ours, with the port: `127.0.0.1:8787`.
    pub hosts: Vec<String>,
    /// The values of `Origin` that are ours: `http://127.0.0.1:8787`.
    pub origins: Vec<String>,
    /// What links begin with: the address people open.
    pub address: String,
    /// Whether people open it under another name than it listens on: a proxy stands in front.
    pub public: bool,
    /// Whether callers come over TLS, so that cookies never leave it.
    pub secure: bool,
    /// Nobody can answer, whatever tokens there are.
    pub no_approvers: bool,
    /// The workspace roots whose project files can loosen, resolved.
    pub projects: Vec<String>,
    /// Where this machine's config files and the record of trust lie.
    pub locations: Locations,
    /// What this machine is called, where several share a ledger.
    pub machine: Option<String>,
    /// What is unsafe about this configuration; shown to those who look.
    pub warnings: Vec<Warning>,
    /// How much is taken.
    pub limits: Limits,
}

/// How much is taken from whom.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a request's body.
    pub body: usize,
    /// Bytes of memory that large bodies may take together while they arrive and are worked on.
    pub body_budget: usize,
    /// Requests a second of one credential, and how many at once after a pause.
    pub requests: (u32, u32),
    /// Failed attempts to come in, a minute, from one address.
    pub failed_sign_ins: u32,
    /// Questions of one credential that are open at once.
    pub open_approvals: usize,
    /// Bytes that the open questions of one credential take together. Everyone who listens is told of all of them at once, so
    /// nobody may make that more than a page can load.
    pub open_approval_bytes: usize,
    /// The same of all credentials together. Where it is reached, each still has room for small questions.
    pub all_open_approval_bytes: usize,
    /// Connections at once.
    pub connections: usize,
    /// How long the head of a request may take to arrive, also the first.
    pub head_timeout: Duration,
    /// How long a body may take to arrive, and how long a caller may take nothing of what it is told.
    pub body_timeout: Duration,
    /// How long those who wait are given when the server stops.
    pub shutdown_grace: Duration,
    /// How long a device stays signed in.
    pub device_lifetime: Duration,
    /// How long a link can be followed.
    pub link_lifetime: Duration,
    /// Open streams of events, of one credential.
    pub listeners: usize,
    /// How streams of events are kept alive, and given up.
    pub stream_timing: StreamTiming,
}

/// How streams of events are kept alive, and given up.
#[derive(Clone, Debug)]
pub struct StreamTiming {
    /// A WebSocket is pinged this often.
    pub ping_interval: Duration,
    /// A WebSocket from which nothing was heard for this long is gone.
    pub ping_timeout: Duration,
    /// A listener that takes nothing for this long is given up.
    pub send_timeout: Duration,
    /// A quiet stream of server-sent events gets a comment this often.
    pub comment_interval: Duration,
}

impl Default for StreamTiming {
    fn default() -> StreamTiming {
        StreamTiming {
            ping_interval: Duration::from_secs(20),
            ping_timeout: Duration::from_secs(60),
            send_timeout: Duration::from_secs(10),
            comment_interval: Duration::from_secs(15),
        }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        const DAY: u64 = 86_400;
        Limits {
            body: 4 << 20,
            body_budget: 256 << 20,
            requests: (200, 400),
            failed_sign_ins: 30,
            open_approvals: 500,
            open_approval_bytes: 16 << 20,
            all_open_approval_bytes: 64 << 20,
            connections: 16_384,
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(5),
            device_lifetime: Duration::from_secs(90 * DAY),
            link_lifetime: Duration::from_secs(600),
            listeners: 512,
            stream_timing: StreamTiming::default(),
        }
    }
}
