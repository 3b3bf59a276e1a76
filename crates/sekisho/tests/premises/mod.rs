//! The rulebook over this machine's files: what is remembered, what is trusted, and what counts at once.

mod desk;
mod remembering;
mod tightening;
