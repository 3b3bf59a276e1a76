//! What is unsafe about a configuration: codes, and sentences for people.

use schemars::JsonSchema;
use sekisho_policy::say;
use serde::{Deserialize, Serialize};

/// What is unsafe about a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Warning {
    /// Questions are off: calls that would be asked about run.
    QuestionsOff,
    /// Other machines reach the server without TLS.
    NoTls {
        /// The address it listens on.
        address: String,
    },
    /// The server was started without approvers.
    NoApprovers,
    /// No valid token may answer.
    NobodyAnswers,
    /// The server runs as root.
    RunsAsRoot,
    /// Other users may write to a directory.
    DirectoryWritable {
        /// The directory.
        path: String,
    },
    /// Other users may write to a config file.
    ConfigWritable {
        /// The file.
        path: String,
    },
    /// Other users may read a file that holds a secret.
    SecretReadable {
        /// The file.
        path: String,
    },
    /// A config file does not load, so everything is denied.
    ConfigBroken {
        /// The error, for people.
        error: String,
    },
    /// A project file does not load, so every call in that project is asked about.
    ProjectBroken {
        /// The error, for people.
        error: String,
    },
    /// A rule allows more than a person can oversee.
    WideRule {
        /// The file and the line.
        place: String,
        /// The problem, for people.
        message: String,
    },
    /// Anything else.
    Other {
        /// The warning, for people.
        message: String,
    },
}

impl Warning {
    /// What is unsafe and what to do, for people.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            Warning::QuestionsOff => {
                "questions are off (`TOOL_APPROVAL_ENABLED` is `false`): calls that would be asked about run; set it to `true`".into()
            }
            Warning::NoTls { address } => format!(
                "{address} can be reached from other machines without TLS: anyone on the network can read tokens and questions; set `--tls-cert` and `--tls-key`, or `--public-url https://…` if a proxy is in front"
            ),
            Warning::NoApprovers => "nobody can answer (`--no-approvers`): every question is denied".into(),
            Warning::NobodyAnswers => {
                "nobody can answer: every question is denied; run `sekisho token link --role approver --name phone`".into()
            }
            Warning::RunsAsRoot => {
                "the server runs as root: an attacker who breaks it controls the machine; run it as a separate user".into()
            }
            Warning::DirectoryWritable { path } => {
                format!("others may write to {path} and replace its files; run `chmod 700 {path}`")
            }
            Warning::ConfigWritable { path } => {
                format!("others may write {path} and so decide what is allowed; run `chmod 600 {path}`")
            }
            Warning::SecretReadable { path } => {
                format!("others may read {path}, which holds a secret; run `chmod 600 {path}`")
            }
            Warning::ConfigBroken { error } => {
                format!("{error}: everything is denied until this is fixed")
            }
            Warning::ProjectBroken { error } => {
                format!("{error}: every call in that project is asked about until this is fixed")
            }
            Warning::WideRule { place, message } => format!("{place}: {message}; see `sekisho rules lint`"),
            Warning::Other { message } => message.clone(),
        };
        say(sentence).into_owned()
    }
}
