//! The OpenAPI document, made from the table of routes.
//!
//! Paths, parameters, bodies, answers and who may come from the same rows that the router is made of, and the schemas from
//! the very types that are read and written; so the document cannot describe another server
//! ([decision 8](../../../../docs/decisions/0008-openapi-from-the-table-of-routes.md)).

pub(crate) mod builder;
mod error_codes;
mod examples;
mod operation;
pub(crate) mod page;
mod schemas;

use serde_json::Value;

use crate::routes;

/// The OpenAPI 3.1 document of this server.
pub fn document() -> Value {
    builder::build(&routes::table())
}

/// The document as it is published.
pub fn text() -> String {
    builder::to_text(&document())
}
