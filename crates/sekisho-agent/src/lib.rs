//! Durable runs of the built-in agent: the loop, its driver, and clients of models.
//!
//! [`machine`] is the loop as a pure function: events in, a step to store and effects out. [`driver`] does the effects
//! through the tools and the gate, and stores each step through the port [`Runs`]. [`model`] has the clients of models.
//! Agents and their tools are stored through the port [`Agents`]. [`host`] gives the runs of agents what they may use, and
//! [`service`] is how a server starts, answers and follows them. [`pipelines`] chains runs of agents. [`spending`]
//! counts what they cost.

pub mod agents;
mod context_window;
pub mod conversation;
pub mod driver;
pub mod grants;
pub mod host;
pub mod machine;
pub mod model;
pub mod pipelines;
pub mod run_settings;
pub mod run_summary;
pub mod run_trees;
pub mod runs;
pub mod service;
pub mod spending;

pub use agents::Agents;
pub use driver::{RunDriver, RunError, RunHost};
pub use host::{AgentHost, HostConfig, HostParts, Models, SubAgentLimits};
pub use pipelines::{PipelineRuns, PipelineService, Pipelines};
pub use run_settings::RunSettings;
pub use runs::Runs;
pub use service::AgentService;

// Part of the settings of agents and runs.
pub use sekisho_tools::ToolConfig;
