//! What is unsafe about a configuration: codes, and the sentences people read.

use schemars::JsonSchema;
use sekisho_policy::say;
use serde::{Deserialize, Serialize};

/// What is unsafe about a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Warning {
    /// Nobody is asked: what would be asked runs.
    QuestionsOff,
    /// Other machines reach it without TLS.
    NoTls {
        /// Where it listens.
        address: String,
    },
    /// It was started without approvers.
    NoApprovers,
    /// No token can answer.
    NobodyAnswers,
    /// It runs as root.
    RunsAsRoot,
    /// Others may write in a directory.
    DirectoryWritable {
        /// The directory.
        path: String,
    },
    /// Others may write a config file.
    ConfigWritable {
        /// The file.
        path: String,
    },
    /// Others may read a file that holds a secret.
    SecretReadable {
        /// The file.
        path: String,
    },
    /// A config file does not load, so everything is denied.
    ConfigBroken {
        /// What is wrong with it, for people.
        error: String,
    },
    /// The file of a project does not load, so every call there is asked about.
    ProjectBroken {
        /// What is wrong with it, for people.
        error: String,
    },
    /// A rule allows what nobody can oversee.
    WideRule {
        /// The file and the line.
        place: String,
        /// What is wrong with it, for people.
        message: String,
    },
    /// Anything else.
    Other {
        /// What, for people.
        message: String,
    },
}

impl Warning {
    /// What is unsafe and the way out, for people.
    pub fn sentence(&self) -> String {
        let sentence = match self {
            Warning::QuestionsOff => {
                "questions are off (`TOOL_APPROVAL_ENABLED` is `false`): what would be asked runs; set it to `true`".into()
            }
            Warning::NoTls { address } => format!(
                "{address} can be reached from other machines without TLS: tokens and questions can be read on the way; give `--tls-cert` and `--tls-key`, or `--public-url https://…` of a proxy"
            ),
            Warning::NoApprovers => "nobody can answer (`--no-approvers`): every question is a no".into(),
            Warning::NobodyAnswers => {
                "nobody can answer: every question is a no; run `sekisho token link --role approver --name phone`".into()
            }
            Warning::RunsAsRoot => {
                "it runs as root: whoever breaks it has the machine; start it as a user of its own".into()
            }
            Warning::DirectoryWritable { path } => {
                format!("others may write in {path}: they could replace what lies there; `chmod 700 {path}`")
            }
            Warning::ConfigWritable { path } => {
                format!("others may write {path}, and so decide what is allowed; `chmod 600 {path}`")
            }
            Warning::SecretReadable { path } => {
                format!("others may read {path}, and a secret is in it; `chmod 600 {path}`")
            }
            Warning::ConfigBroken { error } => {
                format!("{error}: until that is put right, everything is denied")
            }
            Warning::ProjectBroken { error } => {
                format!("{error}: until that is put right, every call in that project is asked about")
            }
            Warning::WideRule { place, message } => format!("{place}: {message}; see `sekisho rules lint`"),
            Warning::Other { message } => message.clone(),
        };
        say(sentence).into_owned()
    }
}
