//! The loop of a run as a pure machine: events in, a step to store and effects out.
//!
//! The state alone says what has to be done next ([`RunState::effects`]), so a process that takes up a run after a
//! crash does what the lost one would have done. A step is stored before any of its effects begins. Effects can be
//! repeated: asking a model again costs tokens and nothing else, and the gate gives out at most one permit for a
//! call, however often it is submitted.

mod chunk;
mod event;
mod outcome;
mod state;

pub use chunk::{Chunk, FinishReason};
pub use event::{Effect, RunEvent, SpentBudget, Step};
pub use outcome::{CallOutcome, EDITED};
pub use state::{CallState, Phase, RunLimits, RunState, TrackedCall};
