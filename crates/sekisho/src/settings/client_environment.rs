//! What the environment says about the inbox in the terminal.

use super::variable_of;

/// Which server, with which token, and which editor.
#[derive(Clone, Default)]
pub(crate) struct ClientEnvironment {
    /// The server to talk to.
    pub(crate) server: Option<String>,
    /// The token to bring; never printed.
    pub(crate) token: Option<String>,
    /// The editor people want, with its arguments.
    pub(crate) editor: Option<String>,
}

impl ClientEnvironment {
    /// Reads the environment.
    pub(crate) fn load() -> ClientEnvironment {
        ClientEnvironment {
            server: variable_of("SEKISHO_URL"),
            token: variable_of("SEKISHO_TOKEN"),
            editor: variable_of("VISUAL").or_else(|| variable_of("EDITOR")),
        }
    }
}
