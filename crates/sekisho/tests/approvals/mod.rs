//! The inbox in the terminal, against a server that runs.

mod answer;
mod approvals_fixture;
mod pty;
mod list_and_show;
mod watch;
