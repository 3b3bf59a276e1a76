//! Builds the OpenAPI document from a route table.

use std::collections::BTreeSet;

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::schemas::Schemas;
use super::{error_codes, operation};
use crate::error::ErrorBody;
use crate::route::{Route, SchemaFn};
use crate::wire::event::{LiveEvent, LiveReply, RegisteredEvent};

/// The description of the API.
const ABOUT: &str = "Sekisho is a checkpoint between AI agents and the tools they call. Agents ask whether a call may run, people \
answer what the rules leave open, and everything is recorded in an audit log.\n\nJSON is in camelCase. Errors are \
`{\"error\": {\"code\", \"message\", \"hint\"?}}`. Send a token as `Authorization: Bearer sks_…`; browsers use a cookie and a page key. \
`x-roles` lists the roles that may use an operation.";

/// Types that only streams carry.
fn stream_message_schemas() -> Vec<SchemaFn> {
    vec![
        SchemaGenerator::subschema_for::<LiveEvent>,
        SchemaGenerator::subschema_for::<RegisteredEvent>,
        SchemaGenerator::subschema_for::<LiveReply>,
    ]
}

/// The OpenAPI 3.1 document of a route table.
pub(crate) fn build(table: &[Route]) -> Value {
    let mut schemas = Schemas::new();
    let error_schema = schemas.response_schema(SchemaGenerator::subschema_for::<ErrorBody>);
    let mut paths: Map<String, Value> = Map::new();
    let mut tags = BTreeSet::new();
    for route in table.iter().filter(|route| is_api(route)) {
        tags.insert(operation::tag(route));
        let described = operation::describe(route, &mut schemas);
        let path = paths.entry(operation::template(route.path)).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.method.as_str().to_ascii_lowercase(), described);
        }
    }
    let tags: Vec<Value> = tags.into_iter().map(|tag| json!({ "name": tag })).collect();
    let extra =
        stream_message_schemas().into_iter().map(|describe| schemas.response_schema(describe)).collect();
    let mut document = json!({
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {
            "title": "Sekisho",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "The checkpoint between AI agents and the tools they call",
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/", "description": "The server this document comes from" }],
        "security": [{ "token": [] }, { "cookie": [], "page": [] }],
        "tags": tags,
        "paths": paths,
        "components": {
            "securitySchemes": security(),
            "responses": error_codes::responses(&error_schema),
        },
    });
    schemas.put_into(&mut document, extra);
    // So that the text does not depend on which map type the JSON library was built with.
    document.sort_all_objects();
    document
}

/// The document as it is published.
pub(crate) fn to_text(document: &Value) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

/// Whether a route is for programs; the rest are pages and their files.
fn is_api(route: &Route) -> bool {
    route.path.starts_with("/api/") || ["/healthz", "/metrics"].contains(&route.path)
}

fn security() -> Value {
    json!({
        "token": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "sks_<id>_<secret>",
            "description": "A token; `sekisho token create` creates one.",
        },
        "cookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": "sekisho-8787",
            "description": "The cookie of a signed-in browser: half of its credential. Its name ends with the server's port, and begins with `__Host-` over TLS.",
        },
        "page": {
            "type": "apiKey",
            "in": "header",
            "name": "X-Sekisho-Page",
            "description": "The other half of the browser's credential: the `pageKey` from signing in.",
        },
    })
}
