//! The `approvals` commands against a running server.

mod answer;
mod approvals_fixture;
mod list_and_show;
pub(crate) mod pty;
mod watch;
