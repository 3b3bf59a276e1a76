//! The machine of a run by itself.

mod exploration;
mod pipelines;
mod steps;
