//! Sets up logging: text on a terminal, JSON elsewhere.

use std::io;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::settings::{LogFormat, LogLevel};

/// The form of console output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConsoleFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// Starts logging to standard error.
pub(super) fn init_logging(format: Option<LogFormat>, level: LogLevel, terminal: bool) -> ConsoleFormat {
    let voice = match format {
        Some(LogFormat::Text) => ConsoleFormat::Text,
        Some(LogFormat::Json) => ConsoleFormat::Json,
        None if terminal => ConsoleFormat::Text,
        None => ConsoleFormat::Json,
    };
    let level = match level {
        LogLevel::Error => "error",
        LogLevel::Warn => "warn",
        LogLevel::Info => "info",
        LogLevel::Debug => "debug",
        LogLevel::Trace => "trace",
    };
    // Libraries log details of bytes and sockets; only their warnings and errors are useful.
    let filter = EnvFilter::new(format!(
        "warn,sekisho={level},sekisho_server={level},sekisho_gate={level},sekisho_store={level}"
    ));
    let begun = fmt().with_env_filter(filter).with_writer(io::stderr);
    // Fails if logging is already set up, which happens only in tests.
    let _ = match voice {
        ConsoleFormat::Json => begun.json().flatten_event(true).with_target(true).finish().try_init(),
        ConsoleFormat::Text => {
            let colours = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
            begun.with_ansi(colours).with_target(false).compact().finish().try_init()
        }
    };
    voice
}
