//! The checkpoint: judge, record, ask, permit.
//!
//! [`Gate::pass`] is the whole way of a call, on one page (`passage.rs`). Everything it needs comes through ports: the
//! [`Ledger`](ledger::Ledger) that keeps what was decided, the [`Rulebook`](rulebook::Rulebook) with the policy in force,
//! the [`Preview`](premises::Preview) of files, the [`Clock`](clock::Clock). A question is a pure state machine
//! ([`machine`]) that every ledger runs inside its own transaction, so there is one outcome, decided in one place.
//!
//! The gate starts no task and needs no runtime: its [`Keeper`] is a future the caller runs beside it.
#![forbid(unsafe_code)]

mod access;
mod alarm;
pub mod answer;
pub mod answering;
pub mod approval;
pub mod ask;
pub mod asker;
pub mod audit;
pub mod clock;
pub mod display;
mod ending;
pub mod feed;
pub mod files;
mod gate;
mod hub;
mod ids;
pub mod input_schema;
mod keeper;
mod kind;
pub mod ledger;
pub mod machine;
pub mod mask;
mod note;
mod part_kinds;
pub mod parts;
mod passage;
pub mod permit;
pub mod premises;
pub mod proposals;
mod question;
pub mod record;
mod record_line;
pub mod refusal;
mod remote;
pub mod rulebook;
pub mod rules;
mod submission;
pub mod tokens;
mod turns;
mod validity;
mod waiting;
mod weight;

pub use access::WriteAccess;
pub use gate::{Gate, Judged, Ports, Settings};
pub use ids::{ApprovalId, CallId, ExecutionId, ReplicaId, TokenId};
pub use keeper::Keeper;
pub use permit::{Permit, Receipt};
pub use sekisho_policy::Digest;
pub use submission::{Begun, Submission, Told};
