//! The real binary, killed in the middle: nothing that was asked or answered is lost, and nothing is answered twice.
#![expect(clippy::unwrap_used, reason = "tests")]

mod callers;
mod house;
mod http;
mod people;
mod restart;
mod several;
