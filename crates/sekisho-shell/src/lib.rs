//! Bash text in, everything it could run out.
#![forbid(unsafe_code)]

pub mod programs;
pub mod script;
pub mod word;
