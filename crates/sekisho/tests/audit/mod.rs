//! The commands for the record, on a database that was filled through the store.

mod agents;
mod book;
mod exporting;
mod looking;
mod servers;
mod upkeep;
mod verifying;
