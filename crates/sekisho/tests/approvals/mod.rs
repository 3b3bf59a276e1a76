//! The inbox in the terminal, against a server that runs.

mod answering;
mod desk;
mod pty;
mod reading;
mod watching;
