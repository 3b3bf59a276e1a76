//! How the gate's values become columns, and come back.
//!
//! Nothing here knows a database. A value that is kept as JSON is read back before it is written: what could not be read
//! again would be a question nobody can answer and no clock can end.

mod approval;
mod call;
mod durable;
mod key;
mod past;
mod rule;
mod time;
mod token;

pub(crate) use approval::{ApprovalRow, FateRow, KeptQuestion, Purgeable, Purged, claimed_at, edited_call};
pub(crate) use call::{CallRow, ExecutionRow};
pub(crate) use durable::key_hash;
pub(crate) use key::{SHARE, SOME_ROWS, another, has_signed, refused};
pub(crate) use past::{PastRow, claimed, newest};
pub(crate) use rule::{Common, PermissionRow, RuleRow, SessionRow};
pub(crate) use time::{from_micros, micros, micros_up, seconds};
pub(crate) use token::{LinkRow, TokenRow, USED_EVERY, is_used_anew};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fault::{Fault, Scripted};

/// A value as JSON text.
pub(crate) fn json<T: Serialize>(value: &T, what: &str) -> Scripted<String> {
    serde_json::to_string(value).map_err(|error| Fault::wrong(format!("{what} cannot be written: {error}")))
}

/// A value as JSON text that is sure to be read again as the same. The text may be another then: a sentence that quotes a
/// rule quotes it as it was written, and that is not kept.
pub(crate) fn legible_json<T: Serialize + DeserializeOwned + PartialEq>(
    value: &T,
    what: &str,
) -> Scripted<String> {
    let text = json(value, what)?;
    match parsed::<T>(&text, what)? == *value {
        true => Ok(text),
        false => Err(Fault::wrong(format!("{what} would not come back as it is"))),
    }
}

/// A value out of JSON text.
pub(crate) fn parsed<T: DeserializeOwned>(text: &str, what: &str) -> Scripted<T> {
    serde_json::from_str(text).map_err(|error| Fault::wrong(format!("{what} cannot be read: {error}")))
}
