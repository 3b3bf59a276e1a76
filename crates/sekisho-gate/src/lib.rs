//! The checkpoint: judge, record, ask, permit.
//!
//! [`Gate::pass`] is the whole path of a call, in one file (`pipeline.rs`). Everything it needs comes
//! through ports: the [`Ledger`](ledger::Ledger) that stores decisions, the
//! [`Rulebook`](rulebook::Rulebook) with the active policy, the [`HostLookup`](host_ports::HostLookup)
//! of files, and the [`Clock`](clock::Clock). An approval is a pure state machine
//! ([`approval_machine`]) that every ledger runs inside its own transaction, so its outcome is decided
//! in one place.
//!
//! The gate starts no task and needs no runtime: its [`BackgroundTask`] is a future that the caller
//! runs beside it.
#![forbid(unsafe_code)]

pub mod answer;
pub mod answer_handler;
pub mod approval;
pub mod approval_machine;
mod approval_opening;
mod approval_validity;
pub mod audit;
mod audit_message;
pub mod call_request;
pub mod caller;
pub mod clock;
pub mod display;
mod display_notes;
mod event_buffer;
mod execution_outcome;
pub mod fair_queue;
pub mod feed;
mod gate;
mod gate_loop;
mod hidden_characters;
pub mod host_ports;
mod host_wildcard;
mod ids;
pub mod input_schema;
pub mod ledger;
mod ledger_write_proof;
pub mod mask;
mod memory_size;
pub mod permit;
mod pipeline;
pub mod policy_file_records;
pub mod proposals;
pub mod record;
mod record_kind;
pub mod refusal;
mod registered_record_kinds;
pub mod registered_records;
mod remote_callers;
pub mod rule_store;
pub mod rulebook;
mod submission;
mod timer;
pub mod token_store;
mod waiters;

pub use gate::{Gate, Judgement, Ports, Settings};
pub use gate_loop::BackgroundTask;
pub use ids::{ApprovalId, CallId, ExecutionId, ReplicaId, TokenId};
pub use ledger_write_proof::WriteAccess;
pub use permit::{Permit, Receipt};
pub use sekisho_policy::Digest;
pub use submission::{AllowedCall, RemoteSubmission, Submission};
