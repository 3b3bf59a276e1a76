//! Converts the gate's values to columns and back.
//!
//! Nothing here depends on a database. A JSON value is parsed back before it is written: an approval that
//! could not be read again could never be answered or expire.

mod key_hash;
mod number;
mod time;

pub(crate) use key_hash::key_hash;
pub(crate) use number::{count_from_column, saturating_column};
pub(crate) use time::{from_micros, micros, micros_up, seconds};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::transaction_error::{TransactionError, TransactionResult};

pub(crate) fn json<T: Serialize>(value: &T, what: &str) -> TransactionResult<String> {
    serde_json::to_string(value)
        .map_err(|error| TransactionError::inconsistent(format!("{what} cannot be written: {error}")))
}

/// A value as JSON text that parses back to an equal value. The text itself may differ afterwards: a sentence
/// that quotes a rule quotes its original wording, which is not stored.
pub(crate) fn round_trip_json<T: Serialize + DeserializeOwned + PartialEq>(
    value: &T,
    what: &str,
) -> TransactionResult<String> {
    let text = json(value, what)?;
    match parsed::<T>(&text, what)? == *value {
        true => Ok(text),
        false => Err(TransactionError::inconsistent(format!("{what} does not survive being stored"))),
    }
}

/// Parses a value from JSON text.
pub(crate) fn parsed<T: DeserializeOwned>(text: &str, what: &str) -> TransactionResult<T> {
    serde_json::from_str(text)
        .map_err(|error| TransactionError::inconsistent(format!("{what} cannot be read: {error}")))
}
