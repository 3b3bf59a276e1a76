//! Environment variables of the `approvals` commands.

use super::variable_of;

#[derive(Clone, Default)]
pub(crate) struct ClientEnvironment {
    /// The server to use.
    pub(crate) server: Option<String>,
    /// Never printed.
    pub(crate) token: Option<String>,
    /// The user's editor, with arguments.
    pub(crate) editor: Option<String>,
}

impl ClientEnvironment {
    pub(crate) fn load() -> ClientEnvironment {
        ClientEnvironment {
            server: variable_of("SEKISHO_URL"),
            token: variable_of("SEKISHO_TOKEN"),
            editor: variable_of("VISUAL").or_else(|| variable_of("EDITOR")),
        }
    }
}
