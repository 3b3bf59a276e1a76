//! How the gate's values become columns, and come back.
//!
//! Nothing here knows a database. A value that is kept as JSON is read back before it is written: what could not be read
//! again would be a question nobody can answer and no clock can end.

mod key_hash;
mod number;
mod time;

pub(crate) use key_hash::key_hash;
pub(crate) use number::{count_from_column, saturating_column};
pub(crate) use time::{from_micros, micros, micros_up, seconds};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::transaction_error::{TransactionError, TransactionResult};

/// A value as JSON text.
pub(crate) fn json<T: Serialize>(value: &T, what: &str) -> TransactionResult<String> {
    serde_json::to_string(value)
        .map_err(|error| TransactionError::inconsistent(format!("{what} cannot be written: {error}")))
}

/// A value as JSON text that is sure to be read again as the same. The text may be another then: a sentence that quotes a
/// rule quotes it as it was written, and that is not kept.
pub(crate) fn round_trip_json<T: Serialize + DeserializeOwned + PartialEq>(
    value: &T,
    what: &str,
) -> TransactionResult<String> {
    let text = json(value, what)?;
    match parsed::<T>(&text, what)? == *value {
        true => Ok(text),
        false => Err(TransactionError::inconsistent(format!("{what} would not come back as it is"))),
    }
}

/// A value out of JSON text.
pub(crate) fn parsed<T: DeserializeOwned>(text: &str, what: &str) -> TransactionResult<T> {
    serde_json::from_str(text)
        .map_err(|error| TransactionError::inconsistent(format!("{what} cannot be read: {error}")))
}
