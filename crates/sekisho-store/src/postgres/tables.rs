//! Statements, each beside the function that binds rows to it: no decisions.

pub(super) mod approvals;
pub(super) mod audit;
pub(super) mod calls;
pub(super) mod executions;
pub(super) mod keys;
pub(super) mod listing;
pub(super) mod past;
pub(super) mod purging;
pub(super) mod record;
pub(super) mod rules;
pub(super) mod schemas;
pub(super) mod search;
pub(super) mod tokens;

use crate::fault::{Fault, Scripted};

/// A count out of its column.
pub(super) fn counted(value: i64) -> Scripted<u64> {
    u64::try_from(value).map_err(|_| Fault::wrong(format!("a count is `{value}`")))
}

/// A number for a column: larger ones than fit mean all there is.
pub(super) fn bounded<T: TryInto<i64>>(number: T) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// One column of many rows.
fn column<'r, R, T>(rows: &'r [R], value: impl Fn(&'r R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}
