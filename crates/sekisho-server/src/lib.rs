//! The HTTP front of the gate: JSON API, WebSocket and server-sent events.
//!
//! [`App`] holds the gate and the ports the routes need; [`serve`](serve::serve) accepts the connections of
//! one listener. Every route is a row of one table ([`routes::table`]): its path, the roles that may use it,
//! its request and response types, and its handler. The router, the role check, the OpenAPI document and the
//! test of every role against every route are all built from that table, so they cannot disagree.
//!
//! The server depends on ports, never on a store, and does not read the environment: [`Settings`] are passed
//! in.
#![forbid(unsafe_code)]

mod access;
mod app;
mod approval_answer;
pub mod auth;
mod concurrency_limit;
mod config_warning;
mod error;
mod event_streams;
mod exclusive_jobs;
mod json_body;
mod memory_budget;
mod metrics;
pub mod middleware;
mod open_approvals;
pub mod openapi;
mod recording_health;
mod request_queue;
mod route;
mod router;
pub mod routes;
mod rule_hits;
mod rule_key;
pub mod serve;
mod settings;
pub mod wire;
mod workspace_roots;

pub use access::Access;
pub use app::{App, AppParts};
pub use config_warning::Warning;
pub use error::{ApiError, ErrorBody, ErrorDetail};
pub use route::Route;
pub use settings::{Limits, Settings, StreamTiming};
