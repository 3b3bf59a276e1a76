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
mod answer;
mod app;
mod at_once;
pub mod auth;
mod body;
pub mod edge;
mod errands;
mod error;
mod live;
mod metrics;
pub mod openapi;
mod pending;
mod recording;
mod route;
mod router;
pub mod routes;
mod rule_hits;
mod rule_key;
pub mod serve;
mod settings;
mod turns;
mod warning;
pub mod wire;
mod workspace;

pub use access::Access;
pub use app::{App, Parts};
pub use error::{ErrorBody, ErrorDetail, Fault};
pub use route::Route;
pub use settings::{Limits, Pace, Settings};
pub use warning::Warning;
