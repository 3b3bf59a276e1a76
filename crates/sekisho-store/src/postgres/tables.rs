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

/// One column of many rows.
fn column<'r, R, T>(rows: &'r [R], value: impl Fn(&'r R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}
