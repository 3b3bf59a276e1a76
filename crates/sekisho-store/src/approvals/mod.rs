//! Questions.

mod row;

pub(crate) use row::{ApprovalRow, FateRow, asked_call, claimed_at, edited_call, purged};
