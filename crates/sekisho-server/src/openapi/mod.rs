//! The OpenAPI document, built from the route table.
//!
//! Paths, parameters, bodies, responses and roles come from the same rows that the router is built from, and
//! the schemas from the types that are parsed and serialized. So the document cannot disagree with the server
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
