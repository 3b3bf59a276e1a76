//! What the record may not hold.
//!
//! The audit log outlives the calls it tells of, so secrets are taken out before a line is written: by the shape of
//! well-known keys, by the place where a secret stands (a header, a URL, a value under a telling name), and by the
//! exact values the operator configured. The record must still tell what was done. So a detector takes the smallest
//! piece that is secret and leaves commands, paths and hosts to be read; no detector reaches over words only because a
//! quote or a marker was opened, or an agent could hide a command behind one.
//!
//! One automaton finds the places where a detector could start. Text without such a place is read once and handed back
//! as it is. A detector then looks from its place on, never back further than a fixed reach and never twice over the
//! same stretch, so the work grows with the text and no faster, whoever wrote the text.

mod adjacent;
mod any_program;
mod assign;
mod base64;
mod beside;
mod browser;
mod calls;
mod command;
mod commands;
mod contexts;
mod detector;
mod detectors;
mod device;
mod earlier;
mod exact;
mod fallback;
mod fields;
mod find;
mod flags;
mod generated;
mod header;
mod insert;
mod jwk;
mod line;
mod login_list;
mod logins;
mod looked;
mod manifest;
mod masks;
mod members;
mod merge;
mod name;
mod pem;
mod piped;
mod plain;
mod programs;
mod prompt;
mod protocol;
mod reader;
mod row;
mod scan;
mod sentence;
mod shape;
mod shapes;
mod sinks;
mod sql;
mod table;
mod target;
#[cfg(test)]
mod tests;
mod unique;
mod url;
mod vendors;
mod words;

pub use detector::Detector;
pub use detectors::detectors;
pub use line::{lines, one_line};
pub use masks::Masks;
pub use merge::Masked;
pub use row::RowMasks;
