//! Kept rules.

mod row;

pub(crate) use row::{Common, PermissionRow, RuleRow, SessionRow};
