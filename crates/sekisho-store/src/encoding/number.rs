//! Counts and limits, whose columns are signed.

use crate::fault::{Fault, Scripted};

/// A count out of its column.
pub(crate) fn counted(value: i64) -> Scripted<u64> {
    u64::try_from(value).map_err(|_| Fault::wrong(format!("a count is `{value}`")))
}

/// A number for a column: larger ones than fit mean all there is.
pub(crate) fn bounded<T: TryInto<i64>>(number: T) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
