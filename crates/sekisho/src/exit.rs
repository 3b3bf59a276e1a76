//! What the process says when it ends.

use std::process::ExitCode;

use sekisho_policy::Decision;

/// Exit codes; scripts rely on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Allowed, or done.
    Ok = 0,
    /// Something failed; a policy that does not load included.
    Failure = 1,
    /// Denied.
    Denied = 2,
    /// A human has to decide.
    NeedsConfirmation = 3,
    /// The command line makes no sense.
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
