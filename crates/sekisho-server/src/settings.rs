//! Server settings. The program that starts the server builds them; nothing here reads the environment.

use std::time::Duration;

use sekisho_host::Locations;

use crate::config_warning::Warning;

/// Server settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Accepted values of `Host`, with the port: `127.0.0.1:8787`.
    pub hosts: Vec<String>,
    /// Accepted values of `Origin`: `http://127.0.0.1:8787`.
    pub origins: Vec<String>,
    /// The address people open. Links start with it.
    pub address: String,
    /// Whether people open the server under a different name than it listens on, because a proxy is in front.
    pub public: bool,
    /// Whether callers connect over TLS. Cookies are then sent over TLS only.
    pub secure: bool,
    /// Nobody can answer, whatever tokens exist.
    pub no_approvers: bool,
    /// The resolved workspace roots whose project files may loosen the rules.
    pub projects: Vec<String>,
    /// Where this machine's config files and trust records are.
    pub locations: Locations,
    /// The name of this machine, where several machines share a ledger.
    pub machine: Option<String>,
    /// What is unsafe about this configuration; shown to people who may read.
    pub warnings: Vec<Warning>,
    /// Sizes, rates and times.
    pub limits: Limits,
}

/// Limits on size, rate and time.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a request body.
    pub body: usize,
    /// Bytes of memory that large bodies may use together while they arrive and are processed.
    pub memory_budget: usize,
    /// Requests per second of one credential, and the burst after a pause.
    pub requests: (u32, u32),
    /// Failed sign-ins per minute from one address.
    pub failed_sign_ins: u32,
    /// Approvals of one credential that may be open at once.
    pub open_approvals: usize,
    /// Bytes that the open approvals of one credential may use together. Every subscriber receives all of
    /// them at once, so the total must stay small enough for a page to load.
    pub open_approval_bytes: usize,
    /// The same for all credentials together. When it is reached, each credential can still open small
    /// approvals.
    pub all_open_approval_bytes: usize,
    /// Connections at once.
    pub connections: usize,
    /// How long the head of a request may take to arrive, including the first on a connection.
    pub head_timeout: Duration,
    /// How long a body may take to arrive, and how long a client may read nothing of a response.
    pub body_timeout: Duration,
    /// How long waiting callers get when the server stops.
    pub shutdown_grace: Duration,
    /// How long a device stays signed in.
    pub device_lifetime: Duration,
    /// How long a sign-in link is valid.
    pub link_lifetime: Duration,
    /// Open event streams of one credential.
    pub listeners: usize,
    /// Keep-alive and timeouts of event streams.
    pub stream_timing: StreamTiming,
}

/// Keep-alive and timeouts of event streams.
#[derive(Clone, Debug)]
pub struct StreamTiming {
    /// How often a WebSocket is pinged.
    pub ping_interval: Duration,
    /// A WebSocket that has sent nothing for this long is closed.
    pub ping_timeout: Duration,
    /// A subscriber that reads nothing for this long is disconnected.
    pub send_timeout: Duration,
    /// How often an idle stream of server-sent events gets a comment.
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
            memory_budget: 256 << 20,
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
