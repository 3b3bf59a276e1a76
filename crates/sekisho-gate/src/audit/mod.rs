//! The record nobody can quietly change.
//!
//! Each writer keeps a chain of its own: every [`Row`] carries a message authentication code over its own content and the
//! code of the row before it. The key lies outside the database, so whoever can write the database alone can change a row
//! but not make it fit. Once a second a writer that has written puts a *checkpoint* in its chain: the heads of all chains
//! it can see. A chain that is cut short or taken away altogether is then missed by the others, and by an exported
//! [`Head`].
//!
//! All of it is pure: a [`MaskedEntry`] is a line without its secrets, a [`Scribe`] turns such lines into rows, a [`Verifier`]
//! reads rows back. Stores only move them.

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
