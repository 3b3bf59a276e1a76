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

mod asked_commands;
mod audit_log;
mod call_key;
mod call_records;
mod chain_row;
mod chain_verifier;
mod chain_writer;
mod checkpoint_loop;
pub mod csv;
mod event_masking;
mod exported_row;
mod keys;
mod log_verification;
mod mac;
pub mod maintenance_records;
mod masked_entry;
mod piece_size;
mod search_words;
pub mod spool_import;
mod stats_builder;

pub use audit_log::{
    AnswerBucket, AskedCommand, AskedTool, AuditConfig, AuditLog, AuditQuery, HourStats, MAX_PAGE_BYTES,
    OutcomeCounts, Percentiles, START_CURSOR, Stats,
};
pub use call_key::CallKey;
pub use call_records::{CallOutcome, CallPage, CallRecords, CallSummary, MAX_CALL_ROWS, search_calls};
pub use chain_row::{ChainCut, ChainHead, ChainRow, WriterId};
pub use chain_verifier::{ChainError, ChainErrorKind, KnownRow, Verifier, VerifyReport};
pub use chain_writer::ChainWriter;
pub use checkpoint_loop::run_checkpoint_loop;
pub use event_masking::masked_event;
pub use exported_row::ExportedRow;
pub use keys::{KeyFileError, KeyRing, SigningKey};
pub use log_verification::{IntegrityError, IntegrityErrorKind, verify_log};
pub use mac::Mac;
pub use masked_entry::{MaskedEntries, MaskedEntry};
pub use piece_size::PieceSize;
pub use search_words::SearchWords;
pub use stats_builder::StatsBuilder;
