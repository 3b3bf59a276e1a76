//! Exit codes of the process.

use std::process::ExitCode;

use sekisho_policy::Decision;

/// Scripts rely on these values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Allowed, or finished without an error.
    Ok = 0,
    /// Something failed, for example a policy that does not load.
    Failure = 1,
    Denied = 2,
    /// A human has to decide.
    NeedsConfirmation = 3,
    /// The command line is invalid.
    Usage = 64,
}

impl From<Decision> for Exit {
    fn from(decision: Decision) -> Exit {
        match decision {
            Decision::Allow => Exit::Ok,
            Decision::Confirm => Exit::NeedsConfirmation,
            Decision::Deny => Exit::Denied,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
