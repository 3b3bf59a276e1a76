//! Finds everything that a bash text could run.
//!
//! [`analyse`] reads a text once, from left to right, with a recursive-descent parser for bash's own grammar.
//! It lists every simple command, redirect and assignment at any depth. Only a closed subset of that grammar
//! can be allowed automatically. Inside the subset the parser reads the text exactly as bash does. Everything
//! outside it, or not certain to be read as bash reads it, becomes an [`OpaquePart`](script::OpaquePart). The
//! commands in such a part are still listed as far as they can be found, so that deny rules see them.
#![forbid(unsafe_code)]

mod blank_folding;
mod brace_expansion;
mod budget;
mod cursor;
mod hidden_characters;
mod lenient_search;
mod parse;
pub mod programs;
pub mod script;
pub mod word;
pub mod wording;

/// Identifies the sources this crate was built from, including the program table. Results computed by one
/// build must not be used by another.
pub const FINGERPRINT: &str = env!("SEKISHO_SHELL_FINGERPRINT");

pub use blank_folding::normalise;
pub use budget::{Budget, cost_of_word, cost_of_words};
pub use hidden_characters::LENGTH_LIMIT;
pub use parse::{DEPTH_LIMIT, analyse, analyse_within};
