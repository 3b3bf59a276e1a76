//! Request and response bodies, in camelCase.

pub mod agent;
pub mod approval;
pub mod audit;
pub mod call;
pub mod event;
pub(crate) mod mastra;
pub mod notification;
pub mod pipeline;
pub(crate) mod pipeline_event;
pub mod rule;
pub mod run;
pub(crate) mod run_event;
pub mod token;
pub mod tool;
pub mod trust;
pub mod usage;
