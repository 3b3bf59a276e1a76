//! The routes, by their path: what is asked at `/api/rules/test` is tested in `api/rules/test.rs`.

mod api;
mod healthz;
mod metrics;
pub(crate) mod pages;
