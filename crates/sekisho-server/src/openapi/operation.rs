//! One route as an operation of the OpenAPI document.

use std::collections::BTreeSet;

use schemars::schema_for;
use sekisho_gate::answer::Role;
use serde_json::{Map, Value, json};

use super::schemas::Schemas;
use super::{error_codes, examples};
use crate::access::Access;
use crate::route::Route;
use crate::wire::event::LiveEvent;

/// The resource of an operation: the first segment of its path below `/api`.
pub(super) fn tag(route: &Route) -> &'static str {
    let path = route.path.strip_prefix("/api").unwrap_or(route.path);
    let first = path.trim_start_matches('/').split(['/', '.']).next().unwrap_or_default();
    match first {
        // The routes that ask, and the report of an execution, belong together.
        "can-use-tool" | "decide" | "executions" | "hooks" => "asking",
        "healthz" | "metrics" => "health",
        "ws" | "events" => "events",
        "openapi" | "docs" => "docs",
        other => other,
    }
}

/// A path as OpenAPI writes it.
pub(super) fn template(path: &str) -> String {
    path.replace("{*", "{")
}

/// A route as an operation.
pub(super) fn describe(route: &Route, schemas: &mut Schemas) -> Value {
    let roles = roles(route.access);
    let mut operation = Map::new();
    let mut put = |key: &str, value: Value| drop(operation.insert(key.into(), value));
    put("operationId", route.operation.into());
    put("summary", route.summary.into());
    put("description", description(route, &roles).into());
    put("tags", json!([tag(route)]));
    put("x-roles", json!(roles));
    if route.access == Access::Open {
        put("security", json!([]));
    }
    let parameters = parameters(route, schemas);
    if !parameters.is_empty() {
        put("parameters", parameters.into());
    }
    if let Some(takes) = route.request_body {
        let mut content = json!({ "schema": schemas.request_schema(takes) });
        if let (Some(example), Some(content)) = (examples::body(route.operation), content.as_object_mut()) {
            content.insert("example".into(), example);
        }
        put("requestBody", json!({ "required": true, "content": { "application/json": content } }));
    }
    put("responses", responses(route, schemas));
    Value::Object(operation)
}

/// The names of the roles that may use a route, lowest first.
fn roles(access: Access) -> Vec<String> {
    let all = [Role::Agent, Role::Viewer, Role::Approver, Role::Admin];
    let may = all.into_iter().filter(|role| access != Access::Open && access.admits(*role));
    may.map(|role| role.to_string()).collect()
}

fn description(route: &Route, roles: &[String]) -> String {
    let who = match roles {
        [] => "Open to anyone.".to_owned(),
        roles => format!("For the roles {}.", roles.join(", ")),
    };
    let parts = [route.notes.to_owned(), messages(route), who];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The messages of a stream.
fn messages(route: &Route) -> String {
    let streams = |(status, media, _): &(u16, &str, _)| *status == 101 || *media == "text/event-stream";
    if !route.responses.iter().any(streams) {
        return String::new();
    }
    let schema = schema_for!(LiveEvent).to_value();
    let forms = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let names = forms.filter_map(|form| form.pointer("/properties/type/const").and_then(Value::as_str));
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let names = names.join(", ");
    format!("Events are `LiveEvent`: {names}; events of other components are `PartEvent`.")
}

/// The variable names in a path.
fn variables(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|segment| {
        let name = segment.strip_prefix('{')?.strip_suffix('}')?;
        Some(name.trim_start_matches('*'))
    })
}

fn parameters(route: &Route, schemas: &mut Schemas) -> Vec<Value> {
    let mut parameters: Vec<Value> = variables(route.path)
        .map(|name| {
            json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } })
        })
        .collect();
    for parameter in route.query.map(|query| schemas.parameters(query)).unwrap_or_default() {
        let mut described = json!({ "name": parameter.name, "in": "query", "schema": parameter.schema });
        if let Some(map) = described.as_object_mut() {
            map.extend(parameter.required.then(|| ("required".to_owned(), true.into())));
            map.extend(parameter.about.map(|about| ("description".to_owned(), about.into())));
        }
        parameters.push(described);
    }
    parameters
}

fn responses(route: &Route, schemas: &mut Schemas) -> Value {
    let mut responses: Map<String, Value> = Map::new();
    for (status, media, gives) in &route.responses {
        let response = responses
            .entry(status.to_string())
            .or_insert_with(|| json!({ "description": error_codes::success_description(*status) }));
        let schema = match gives {
            Some(gives) => schemas.response_schema(*gives),
            None if *media == "application/json" => json!({ "type": "object" }),
            None => json!({ "type": "string" }),
        };
        if let (false, Some(response)) = (media.is_empty(), response.as_object_mut()) {
            let content = response.entry("content").or_insert_with(|| json!({}));
            if let Some(content) = content.as_object_mut() {
                content.insert((*media).to_owned(), json!({ "schema": schema }));
            }
        }
    }
    for status in error_statuses_of(route) {
        responses.entry(status.to_string()).or_insert_with(|| error_codes::reference(status));
    }
    Value::Object(responses)
}

/// The statuses of all errors of a route.
fn error_statuses_of(route: &Route) -> BTreeSet<u16> {
    let mut statuses: BTreeSet<u16> = route.error_statuses.iter().copied().collect();
    // The middleware checks every request before its route.
    statuses.extend([400, 403, 503]);
    if route.access != Access::Open {
        statuses.extend([401, 429]);
    }
    if route.request_body.is_some() {
        statuses.extend([408, 413, 415]);
    }
    statuses
}
