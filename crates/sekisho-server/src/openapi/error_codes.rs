//! The error codes, for the OpenAPI document.

use serde_json::{Map, Value, json};

/// Every error code: status, name, meaning. A test compares this table with the server's code.
pub(super) const CODES: &[(u16, &str, &str)] = &[
    (400, "InvalidRequest", "Something in the request is not valid; the message names the field"),
    (
        400,
        "EditNotChecked",
        "The edited input cannot be checked by the tool's schema; approve or deny the call as it is",
    ),
    (
        400,
        "SchemaNotTaken",
        "`inputSchema` cannot be used: it is invalid, too long, too deep, or refers to other documents",
    ),
    (401, "Unauthenticated", "The request has no token, or no valid one"),
    (403, "Forbidden", "The role of the token does not allow it"),
    (403, "ToolPermissionDenied", "The request wants tools or settings that the agent does not have"),
    (403, "HostNotAllowed", "`Host` is not one of this server's names"),
    (403, "OriginNotAllowed", "The request comes from a page of another site"),
    (404, "NotFound", "It does not exist, or the caller may not see it"),
    (404, "AGENT_RESUME_NO_SNAPSHOT_FOUND", "There is no such run"),
    (405, "MethodNotAllowed", "The path does not support this method; `Allow` lists those it supports"),
    (408, "TooSlow", "The body took too long to arrive"),
    (
        409,
        "Conflict",
        "A different answer was given before, or the same call was asked with a different input",
    ),
    (
        409,
        "AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED",
        "The tool call does not wait for an answer: it is unknown, or was answered before",
    ),
    (409, "NameTaken", "Another agent has this name"),
    (409, "DigestMismatch", "The answer is for a different call than the one in question"),
    (409, "LastAdmin", "The token is the last admin token; without it nobody could create another"),
    (409, "Busy", "The same job is already running"),
    (409, "NoKey", "The audit log cannot be verified without its key"),
    (
        409,
        "NotEditable",
        "The rule is built in or in a file other than the user's own, or its file has just changed",
    ),
    (410, "Gone", "The question has expired or was withdrawn"),
    (413, "TooLarge", "The body is too large"),
    (413, "TooManyValues", "The values in the body would use more memory than its size permits"),
    (415, "UnsupportedMediaType", "The body is not declared as JSON"),
    (426, "UpgradeRequired", "This route needs a WebSocket upgrade"),
    (429, "RateLimited", "Too many requests, open questions or failed attempts; see `Retry-After`"),
    (500, "Internal", "An internal error of the server; see its log"),
    (
        500,
        "ToolExecutionFailed",
        "The agent cannot run: its model or the settings of its tools cannot be used",
    ),
    (500, "LedgerDamaged", "The database holds data that cannot be read; run `sekisho doctor`"),
    (500, "NotWritten", "A file could not be written"),
    (503, "Closing", "The server is stopping; try again in a moment"),
    (503, "NoRoom", "Too much data is being sent or requested at the moment; try again shortly"),
    (503, "NotRecorded", "The database cannot be read or written now, so no call may run"),
];

/// The name of the shared response for a status.
fn name(status: u16) -> String {
    let first = CODES.iter().find(|(of, ..)| *of == status);
    first.map_or_else(|| format!("Error{status}"), |(_, code, _)| (*code).to_owned())
}

/// A reference to the shared response for a status.
pub(super) fn reference(status: u16) -> Value {
    json!({ "$ref": format!("#/components/responses/{}", name(status)) })
}

/// The shared responses. `error_schema` is the schema of every error.
pub(super) fn responses(error_schema: &Value) -> Value {
    let mut all: Map<String, Value> = Map::new();
    for (status, ..) in CODES {
        let codes = CODES.iter().filter(|(of, ..)| of == status);
        let descriptions: Vec<String> =
            codes.map(|(_, code, meaning)| format!("`{code}`: {meaning}.")).collect();
        let mut response = json!({
            "description": descriptions.join(" "),
            "content": { "application/json": { "schema": error_schema } },
        });
        let header = match status {
            401 => Some(("WWW-Authenticate", json!({ "schema": { "type": "string" } }))),
            429 => Some((
                "Retry-After",
                json!({ "description": "Seconds to wait", "schema": { "type": "integer", "minimum": 0 } }),
            )),
            _ => None,
        };
        if let (Some((name, header)), Some(response)) = (header, response.as_object_mut()) {
            response.insert("headers".into(), json!({ name: header }));
        }
        all.insert(name(*status), response);
    }
    Value::Object(all)
}

/// The description of a status that is not an error.
pub(super) fn success_description(status: u16) -> &'static str {
    match status {
        101 => "The connection becomes a WebSocket.",
        201 => "Created.",
        202 => "Accepted, but not finished yet.",
        204 => "Done; there is no body.",
        200..=299 => "Done.",
        300..=399 => "Redirect.",
        _ => "Error.",
    }
}
