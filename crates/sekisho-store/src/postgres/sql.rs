//! The SQL text, and nothing else.

pub(super) mod approvals;
pub(super) mod calls;
pub(super) mod record;
pub(super) mod rules;
