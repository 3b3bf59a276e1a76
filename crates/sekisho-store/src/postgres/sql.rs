//! The SQL text, and nothing else.

pub(super) mod approvals;
pub(super) mod audit;
pub(super) mod calls;
pub(super) mod keys;
pub(super) mod past;
pub(super) mod purging;
pub(super) mod record;
pub(super) mod rules;
pub(super) mod tokens;
