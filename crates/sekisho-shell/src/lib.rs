//! Bash text in, everything it could run out.
//!
//! [`analyse`] reads a text once, from left to right, with a recursive-descent parser for bash's own grammar, and lists
//! every simple command, redirect and assignment at any depth. Automatic permission is only ever proven over a closed
//! subset of that grammar: inside it the reading is exactly bash's; whatever lies outside, or is not certain to be read
//! as bash reads it, is an [`Opaque`](script::Opaque) part, and the commands in it are listed as well as they can be
//! found, so that a deny still sees them.
#![forbid(unsafe_code)]

mod brace_expansion;
mod budget;
mod cursor;
mod hidden_characters;
mod lenient_search;
mod normalise;
mod parse;
pub mod programs;
pub mod script;
pub mod word;
pub mod wording;

/// Says by which sources this crate was built, the program table included. What one build has worked out is not for another.
pub const FINGERPRINT: &str = env!("SEKISHO_SHELL_FINGERPRINT");

pub use budget::{Budget, cost_of_word, cost_of_words};
pub use hidden_characters::LENGTH_LIMIT;
pub use normalise::normalise;
pub use parse::{DEPTH_LIMIT, analyse, analyse_within};
