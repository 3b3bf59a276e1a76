//! The real binary, each time with a home and a project of its own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod approvals;
mod audit;
mod bad_input;
mod batch;
mod carry;
mod check;
mod circles;
mod compatibility;
mod demo;
mod help;
mod hooks;
mod house;
mod install;
mod place;
mod premises;
mod publishing;
mod rules;
mod serve;
mod trust;
