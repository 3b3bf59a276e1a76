//! Why a web request failed.

use std::fmt;

/// Why a web request failed. The message fits after `HTTP request failed: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebError {
    /// The address is never used, whatever a rule or a human says.
    Forbidden(String),
    /// The name has no address.
    Unresolved {
        /// The name.
        host: String,
        /// What the resolver says.
        why: String,
    },
    /// No connection could be made.
    Unreachable {
        /// The name.
        host: String,
        /// What the system says.
        why: String,
    },
    /// The server does not speak HTTP as it should.
    Protocol(String),
    /// The time is up.
    TimedOut,
    /// The caller ended it.
    Aborted,
}

impl fmt::Display for WebError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WebError::Forbidden(why) | WebError::Protocol(why) => f.write_str(why),
            WebError::Unresolved { host, why } => write!(f, "`{host}` cannot be resolved: {why}"),
            WebError::Unreachable { host, why } => write!(f, "`{host}` cannot be reached: {why}"),
            WebError::TimedOut => f.write_str("the time limit is over; raise `http_timeout_secs`"),
            WebError::Aborted => f.write_str("it was aborted"),
        }
    }
}

impl std::error::Error for WebError {}
