//! Why a command failed.

use sekisho_host::HostError;

use crate::exit::Exit;

/// An error message for the user and the exit code. Each line of the message is printed as one error.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// Empty if nobody can read it.
    pub(crate) message: String,
    /// More lines, printed before the message: for example the diff that the message refers to.
    pub(crate) shown: String,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure { exit: Exit::Failure, message: message.into(), shown: String::new() }
    }

    /// The command line is invalid.
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
        // The reader of our output has gone, so there is nobody to print an error for.
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
