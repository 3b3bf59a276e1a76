//! The door before the gate: HTTP, WebSocket and server-sent events.
//!
//! [`App`] holds the gate and the ports the routes need; [`serve`](serve::serve) lets callers of one listener in. Every
//! route is a row of one table ([`routes::table`]): its path, who may use it, what it takes and gives, and what handles
//! it. The router, the check of roles, the OpenAPI document and the test of every role against every route are all made
//! from that table, so none of them can say something else than the others.
//!
//! The server sees ports, never a store, and reads no environment: [`Settings`] are handed in.
#![forbid(unsafe_code)]

mod access;
mod app;
mod approval_answer;
pub mod auth;
mod concurrency_limit;
mod error;
mod event_streams;
mod exclusive_jobs;
mod fair_queue;
mod json_body;
mod metrics;
pub mod middleware;
mod open_approvals;
pub mod openapi;
mod recording_health;
mod route;
mod router;
pub mod routes;
mod rule_hits;
mod rule_key;
pub mod serve;
mod settings;
mod warning;
pub mod wire;
mod workspace_roots;

pub use access::Access;
pub use app::{App, AppParts};
pub use error::{ApiError, ErrorBody, ErrorDetail};
pub use route::Route;
pub use settings::{Limits, Settings, StreamTiming};
pub use warning::Warning;
