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
mod approval_answer;
mod app;
mod concurrency_limit;
pub mod auth;
mod json_body;
pub mod middleware;
mod exclusive_jobs;
mod error;
mod event_streams;
mod metrics;
pub mod openapi;
mod open_approvals;
mod recording_health;
mod route;
mod router;
pub mod routes;
mod rule_hits;
mod rule_key;
pub mod serve;
mod settings;
mod fair_queue;
mod warning;
pub mod wire;
mod workspace_roots;

pub use access::Access;
pub use app::{App, AppParts};
pub use error::{ErrorBody, ErrorDetail, ApiError};
pub use route::Route;
pub use settings::{Limits, StreamTiming, Settings};
pub use warning::Warning;
