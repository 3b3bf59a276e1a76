//! Counts and limits in signed columns.

use crate::transaction_error::{TransactionError, TransactionResult};

/// Reads a count from its column.
pub(crate) fn count_from_column(value: i64) -> TransactionResult<u64> {
    u64::try_from(value)
        .map_err(|_| TransactionError::inconsistent(format!("`{value}` is not a valid count")))
}

/// A number for a column. Values that do not fit become the maximum.
pub(crate) fn saturating_column<T: TryInto<i64>>(number: T) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
