//! The checkpoint: judge, record, ask, permit.
//!
//! [`Gate::pass`] is the whole path of a call, in one file (`pipeline.rs`). Everything it needs comes
//! through ports: the [`Ledger`](ledger::Ledger) that stores decisions, the
//! [`Rulebook`](rulebook::Rulebook) with the active policy, the [`HostLookup`](file_ports::HostLookup)
//! of files, and the [`Clock`](clock::Clock). An approval is a pure state machine
//! ([`approval_machine`]) that every ledger runs inside its own transaction, so its outcome is decided
//! in one place.
//!
//! The gate starts no task and needs no runtime: its [`BackgroundTask`] is a future that the caller
//! runs beside it.
#![forbid(unsafe_code)]

mod write_access;
mod timer;
pub mod answer;
pub mod answer_handler;
pub mod approval;
pub mod call_request;
pub mod caller;
pub mod audit;
pub mod clock;
pub mod display;
mod execution_outcome;
pub mod feed;
pub mod policy_file_events;
mod gate;
mod event_buffer;
mod ids;
pub mod input_schema;
mod background_task;
mod record_kind;
pub mod ledger;
pub mod approval_machine;
pub mod mask;
mod display_notes;
mod component_kinds;
pub mod component_records;
mod pipeline;
pub mod permit;
pub mod file_ports;
pub mod proposals;
mod approval_opening;
pub mod record;
mod audit_message;
pub mod refusal;
mod remote_callers;
pub mod rulebook;
pub mod rule_store;
mod submission;
pub mod token_store;
mod fair_queue;
mod approval_validity;
mod waiters;
mod memory_size;

pub use write_access::WriteAccess;
pub use gate::{Gate, Judgement, Ports, Settings};
pub use ids::{ApprovalId, CallId, ExecutionId, ReplicaId, TokenId};
pub use background_task::BackgroundTask;
pub use permit::{Permit, Receipt};
pub use sekisho_policy::Digest;
pub use submission::{RemoteSubmission, Submission, AllowedCall};
