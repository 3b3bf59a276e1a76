//! Why a command could not do what it was asked.

use sekisho_host::HostError;

use crate::exit::Exit;

/// What went wrong, one line each with the way out, and the exit code that goes with it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// Empty when there is nobody to read it.
    pub(crate) message: String,
    /// More lines, shown before the message: what the message speaks of.
    pub(crate) shown: String,
}

impl Failure {
    /// Something failed.
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { exit: Exit::Failure, message: message.into(), shown: String::new() }
    }

    /// The command line makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Failure {
        Failure { exit: Exit::Usage, ..Failure::new(message) }
    }
}

impl From<HostError> for Failure {
    fn from(error: HostError) -> Failure {
        let message = error.to_string();
        match error {
            HostError::NotTrusted { diff, .. } => Failure { shown: diff, ..Failure::new(message) },
            _ => Failure::new(message),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        // Whoever reads our output went away: there is nobody to tell.
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure::new("");
        }
        Failure::new(format!("cannot read or write: {}", error.to_string().to_lowercase()))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::from(std::io::Error::from(error))
    }
}
