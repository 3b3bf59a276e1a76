//! Timestamps as microseconds since 1970.

use jiff::Timestamp;

use crate::transaction_error::{TransactionError, TransactionResult};

/// A timestamp, rounded down.
pub(crate) fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

/// A deadline, rounded up: when the column's time has come the deadline has passed, so no sweep runs twice
/// for it.
pub(crate) fn micros_up(at: Timestamp) -> i64 {
    let down = at.as_microsecond();
    if at.subsec_nanosecond() % 1000 == 0 || at.subsec_nanosecond() < 0 {
        down
    } else {
        down.saturating_add(1)
    }
}

pub(crate) const fn seconds(seconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000)
}

/// Reads a timestamp from its column.
pub(crate) fn from_micros(micros: i64) -> TransactionResult<Timestamp> {
    Timestamp::from_microsecond(micros)
        .map_err(|error| TransactionError::inconsistent(format!("`{micros}` is not a valid time: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadline_is_never_early() {
        for (nanos, up) in [(0, 0), (1, 1), (999, 1), (1000, 1), (1001, 2), (-1, 0), (-1000, -1), (-1001, -1)]
        {
            let at = Timestamp::from_nanosecond(nanos).unwrap();
            assert_eq!(micros_up(at), up, "{nanos}");
            assert!(from_micros(micros_up(at)).unwrap() >= at, "{nanos}");
        }
    }
}
