//! A failure inside a client: the error, and whether another attempt may help.

use sekisho_gate::display::{Layout, visible};
use sekisho_policy::whole_words::whole_values;

use super::{ModelError, ModelErrorCode};

/// The most characters of a message.
const MAX_MESSAGE: usize = 700;

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) error: ModelError,
    /// Whether another attempt may help.
    pub(super) is_retryable: bool,
    /// The field of the request that the model does not take.
    pub(super) refused_field: Option<String>,
}

impl Failure {
    /// Another attempt would fail in the same way.
    pub(super) fn permanent(code: ModelErrorCode, message: impl Into<String>) -> Failure {
        let error = ModelError { code, message: message.into(), request_id: None, retry_after: None };
        Failure { error, is_retryable: false, refused_field: None }
    }

    /// Another attempt may help.
    pub(super) fn retryable(code: ModelErrorCode, message: impl Into<String>) -> Failure {
        Failure { is_retryable: true, ..Failure::permanent(code, message) }
    }

    /// The stream broke the rules of its interface.
    pub(super) fn bad_reply(why: impl AsRef<str>) -> Failure {
        Failure::permanent(ModelErrorCode::BadReply, format!("The model's reply is broken: {}", why.as_ref()))
    }

    /// The stream ended too early.
    pub(super) fn cut(why: &str) -> Failure {
        Failure::retryable(ModelErrorCode::Cut, format!("The model's reply was cut: {why}"))
    }
}

/// A provider's words on one line, with everything invisible escaped.
pub(super) fn quote(text: &str) -> String {
    visible(text.trim(), Layout::Line).into_owned()
}

/// The beginning of a text for people.
pub(super) fn shortened(text: &str) -> String {
    let mut head = whole_values(text, MAX_MESSAGE).to_owned();
    if head.len() < text.len() {
        head.push('…');
    }
    head
}
