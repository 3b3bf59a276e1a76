//! The store against a real file.

mod conforming;
mod failing;
mod keeping;
mod killing;
mod opening;
mod rules;
mod schema;
mod sharing;
mod support;
mod sweeping;
