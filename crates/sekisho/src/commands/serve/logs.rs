//! Log lines: for people on a terminal, JSON elsewhere.

use std::io;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::settings::{Format, Level};

/// How the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voice {
    /// To people.
    Text,
    /// To programs.
    Json,
}

/// Begins to log to standard error.
pub(super) fn start(format: Option<Format>, level: Level, terminal: bool) -> Voice {
    let voice = match format {
        Some(Format::Text) => Voice::Text,
        Some(Format::Json) => Voice::Json,
        None if terminal => Voice::Text,
        None => Voice::Json,
    };
    let level = match level {
        Level::Error => "error",
        Level::Warn => "warn",
        Level::Info => "info",
        Level::Debug => "debug",
        Level::Trace => "trace",
    };
    // Libraries beneath us speak of bytes and sockets; only their trouble is worth reading.
    let filter = EnvFilter::new(format!(
        "warn,sekisho={level},sekisho_server={level},sekisho_gate={level},sekisho_store={level}"
    ));
    let begun = fmt().with_env_filter(filter).with_writer(io::stderr);
    // One that was begun before stays: that is so in tests only.
    let _ = match voice {
        Voice::Json => begun.json().flatten_event(true).with_target(true).finish().try_init(),
        Voice::Text => {
            let colours = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
            begun.with_ansi(colours).with_target(false).compact().finish().try_init()
        }
    };
    voice
}
