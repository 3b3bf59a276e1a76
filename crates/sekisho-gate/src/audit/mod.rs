//! The tamper-evident audit log.
//!
//! Each writer has a chain of its own: every [`ChainRow`] carries a message authentication code over
//! its content and the code of the previous row. The key is stored outside the database, so an attacker
//! with only the database can change a row but cannot sign it. Once a second, a writer that has written
//! something adds a *checkpoint* to its chain: the heads of all chains it can see. If a chain is cut
//! short or removed, the other chains and any exported [`ChainHead`] reveal it.
//!
//! All of this is pure: a [`MaskedEntry`] is an entry without secrets, a [`ChainWriter`] turns entries
//! into rows, a [`Verifier`] checks rows. Stores only move them.

mod event_masking;
mod asked_commands;
mod chain_row;
mod log_verification;
mod mac;
pub mod csv;
mod exported_row;
mod checkpoint_loop;
mod keys;
mod masked_entry;
mod audit_log;
mod chain_writer;
mod stats_builder;
pub mod maintenance;
mod chain_verifier;

pub use event_masking::masked_event;
pub use chain_row::{ChainCut, ChainHead, ChainRow, WriterId};
pub use log_verification::{IntegrityError, IntegrityErrorKind, verify_log};
pub use mac::Mac;
pub use exported_row::ExportedRow;
pub use checkpoint_loop::run_checkpoint_loop;
pub use keys::{SigningKey, KeyFileError, KeyRing};
pub use masked_entry::{MaskedEntries, MaskedEntry};
pub use audit_log::{
    AnswerBucket, AskedTool, AskedCommand, AuditLog, START_CURSOR, HourStats, OutcomeCounts, AuditQuery, AuditConfig, Percentiles, Stats,
};
pub use chain_writer::ChainWriter;
pub use stats_builder::StatsBuilder;
pub use chain_verifier::{KnownRow, ChainError, ChainErrorKind, VerifyReport, Verifier};
