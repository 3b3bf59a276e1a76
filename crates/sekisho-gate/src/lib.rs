//! The checkpoint.
#![forbid(unsafe_code)]

pub mod answer;
pub mod approval;
pub mod asker;
pub mod clock;
mod digest;
pub mod display;
mod ids;
pub mod ledger;
pub mod machine;
pub mod mask;
pub mod premises;
pub mod proposals;
pub mod record;
pub mod refusal;
pub mod rules;

pub use digest::Digest;
pub use ids::{ApprovalId, CallId, ExecutionId, ReplicaId};
