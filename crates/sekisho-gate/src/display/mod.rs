//! What a person sees of a call. Every surface uses this one place.

use sekisho_policy::Danger;
use serde::{Deserialize, Serialize};

/// A call as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// `Run command?`, `Run tool?`, …
    pub title: String,
    /// The tool and its main input; for commands the normalised command.
    pub message: String,
    /// How much care it wants, and why.
    pub danger: Danger,
    /// Why it was asked.
    pub why: String,
    /// The form fit to the tool.
    pub form: Form,
    /// The whole input, pretty, with hidden characters made visible.
    pub json: String,
    /// Whether everything could be shown. What cannot be shown whole cannot be remembered.
    pub whole: bool,
    /// The files that were read to show it, and what they are known by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileMark>,
}

/// A file that was read to show a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileMark {
    /// Absolute.
    pub path: String,
    /// `absent`, or the SHA-256 of its bytes.
    pub mark: String,
}

/// The form fit to the tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum Form {
    /// The pretty JSON says it all.
    Json,
}

pub fn show(
    call: &sekisho_policy::Call,
    verdict: &sekisho_policy::Verdict,
    _files: &dyn Fn(&str) -> crate::premises::FileNow,
) -> Shown {
    Shown {
        title: "Run tool?".into(),
        message: call.tool.clone(),
        danger: verdict.danger.clone(),
        why: verdict.sentence(),
        form: Form::Json,
        json: call.input.to_string(),
        whole: true,
        files: Vec::new(),
    }
}
