//! Durable runs of the built-in agent: the loop, its driver, and clients of models.
//!
//! [`machine`] is the loop as a pure function: events in, a step to store and effects out. [`driver`] does the effects
//! through the tools and the gate, and stores each step through the port [`Runs`]. [`model`] has the clients of models.
//! Agents and their tools are stored through the port [`Agents`].

pub mod agents;
pub mod conversation;
pub mod driver;
pub mod machine;
pub mod model;
pub mod run_settings;
pub mod runs;

pub use agents::Agents;
pub use driver::{RunDriver, RunError, RunHost};
pub use run_settings::RunSettings;
pub use runs::Runs;
