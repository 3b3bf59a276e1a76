//! Tests by route: the tests of `/api/rules/test` are in `api/rules/test.rs`.

pub(crate) mod api;
mod healthz;
mod mastra;
mod metrics;
pub(crate) mod pages;
