//! The audit commands, on a database that was filled through the store.

mod agent_access;
mod audit_fixture;
mod export;
mod maintenance;
mod postgres_urls;
mod search_show_stats;
mod verify;
