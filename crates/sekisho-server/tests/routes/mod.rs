//! Tests by route: the tests of `/api/rules/test` are in `api/rules/test.rs`.

mod api;
mod healthz;
mod metrics;
pub(crate) mod pages;
