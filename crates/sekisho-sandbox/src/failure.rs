//! The error type of the helper: why the program could not be started in its sandbox.

use std::fmt;

/// The exit code if the sandbox could not be set up.
pub(crate) const FAILED: u8 = 125;

/// An error message, on one line: why the program could not be started in its sandbox.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure(message.into())
    }

    /// A failure of one step of setting up the sandbox.
    pub(crate) fn of<E: fmt::Display>(step: &'static str) -> impl FnOnce(E) -> Failure {
        move |error| {
            Failure(format!("cannot set up the sandbox: {step}: {}", error.to_string().to_lowercase()))
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
