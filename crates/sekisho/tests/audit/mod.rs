//! The commands for the record, on a database that was filled through the store.

mod agents;
mod audit_fixture;
mod export;
mod search_show_stats;
mod postgres_urls;
mod maintenance;
mod verify;
