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

mod announcement;
mod asked;
mod chain;
mod check;
mod code;
pub mod csv;
mod exact;
mod keeping;
mod keys;
mod masked;
mod port;
mod scribe;
mod tally;
pub mod upkeep;
mod verify;

pub use announcement::announced;
pub use chain::{Cut, Head, Row, WriterId};
pub use check::{Unsound, Why, check};
pub use code::Code;
pub use exact::Exact;
pub use keeping::keep_checkpoints;
pub use keys::{Key, KeyError, Keys};
pub use masked::{MaskedEntries, MaskedEntry};
pub use port::{
    AnswerBucket, Asked, AskedCommand, Audit, BEGINNING, Hour, Outcomes, Query, Seal, Spread, Stats,
};
pub use scribe::Scribe;
pub use tally::Tally;
pub use verify::{Anchor, Bad, Fault, Report, Verifier};
