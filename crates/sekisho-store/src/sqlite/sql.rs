//! The SQL text, and nothing else.
//!
//! Static strings: a statement is prepared once for each connection, and what a backend sends can be read in one place.

pub(super) mod approvals;
pub(super) mod calls;
pub(super) mod record;
pub(super) mod rules;
