//! Credentials.

mod row;

pub(crate) use row::{LinkRow, TokenRow, USED_EVERY, is_used_anew};
