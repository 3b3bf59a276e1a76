//! `/api/runs` and `/api/execute-with-tools`.

mod abort;
mod events;
mod execute;
mod gated_ways;
mod limits;
mod list;
mod messages;
pub(crate) mod runs_fixture;
mod tool_calls;
mod tools_of_a_run;
mod usage;
mod workspaces;
