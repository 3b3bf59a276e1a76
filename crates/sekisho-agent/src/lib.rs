//! Durable runs of the built-in agent: the loop, its driver, and clients of models.

pub mod conversation;
pub mod machine;
pub mod model;
