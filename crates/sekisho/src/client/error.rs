//! Errors of the HTTP client.

use sekisho_server::ErrorDetail;

use super::command_hints::with_commands;
use crate::failure::Failure;
use crate::terminal::ensure_visible;

/// Why a request failed.
#[derive(Clone, Debug)]
pub(crate) enum ClientError {
    /// No server answers at that address.
    Unreachable { place: String, why: String },
    /// The server refused the request.
    Refused { status: u16, error: ErrorDetail },
    /// The connection or the response was broken.
    Protocol(String),
}

impl ClientError {
    pub(super) fn broken(why: impl Into<String>) -> ClientError {
        ClientError::Protocol(why.into())
    }

    /// Whether the question had already ended.
    pub(crate) fn is_too_late(&self) -> bool {
        matches!(self, ClientError::Refused { status: 409 | 410, error } if error.code != "DigestMismatch")
    }

    /// Whether trying again cannot help.
    pub(crate) fn is_permanent(&self) -> bool {
        matches!(self, ClientError::Refused { status: 400..=428, .. })
    }
}

impl std::fmt::Display for ClientError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ClientError::Unreachable { place, why } => write!(f, "no server at {place}: {why}"),
            ClientError::Refused { error, .. } => {
                write!(f, "{} ({})", ensure_visible(&error.message), ensure_visible(&error.code))?;
                let hint = error.hint.as_deref().and_then(with_commands);
                hint.map_or(Ok(()), |hint| write!(f, "; {}", ensure_visible(&hint)))
            }
            ClientError::Protocol(why) => f.write_str(&ensure_visible(why)),
        }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Failure {
        let way_out = match &error {
            ClientError::Unreachable { .. } => {
                "; start one with `sekisho serve`, or give another address with `--server` or `SEKISHO_URL`"
            }
            _ => "",
        };
        Failure::new(format!("{error}{way_out}"))
    }
}
