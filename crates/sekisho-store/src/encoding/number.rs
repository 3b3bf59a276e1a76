//! Counts and limits, whose columns are signed.

use crate::transaction_error::{TransactionError, TransactionResult};

/// A count out of its column.
pub(crate) fn count_from_column(value: i64) -> TransactionResult<u64> {
    u64::try_from(value).map_err(|_| TransactionError::inconsistent(format!("a count is `{value}`")))
}

/// A number for a column: larger ones than fit mean all there is.
pub(crate) fn saturating_column<T: TryInto<i64>>(number: T) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}
