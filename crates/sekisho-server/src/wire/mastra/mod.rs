//! Mastra's wire: chunks of a stream, the output of `generate`, requests, and descriptions of agents.

pub(crate) mod agent;
pub(crate) mod chunk;
pub(crate) mod encoder;
pub(crate) mod messages;
pub(crate) mod output;
mod payload;
pub(crate) mod position;
pub(crate) mod reply;
pub(crate) mod requests;
