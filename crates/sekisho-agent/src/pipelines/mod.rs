//! Pipelines: stages of agents, each fed with the output of the one before.
//!
//! Each stage is an ordinary run of its agent, so everything that holds for runs holds for it: approvals, the gate, crashes.
//! A run of a pipeline is a small pure machine ([`machine`]), stored and owned like a run of an agent ([`stored_runs`]).
//! [`driver`] does what it asks for, and [`service`] is how a server starts and follows it.

pub mod definition;
pub mod driver;
pub mod machine;
mod prompt;
pub mod service;
mod stage_run_id;
pub mod stored_pipelines;
pub mod stored_runs;

pub use driver::PipelineDriver;
pub use service::PipelineService;
pub use stored_pipelines::Pipelines;
pub use stored_runs::PipelineRuns;
