//! What can go wrong, as the document tells it.

use serde_json::{Map, Value, json};

/// Every code there is: its status, its name, what it means. A test holds this against the code of the server.
pub(super) const CODES: &[(u16, &str, &str)] = &[
    (400, "InvalidRequest", "Something in the request makes no sense; the message names the field"),
    (
        400,
        "EditNotChecked",
        "The edited input cannot be checked by the tool's schema; approve or deny the call as it is",
    ),
    (
        400,
        "SchemaNotTaken",
        "`inputSchema` cannot be used to check by: too long, too deep, or its references lead elsewhere",
    ),
    (401, "Unauthenticated", "No token came, or none that counts"),
    (403, "Forbidden", "The role of the token does not allow it"),
    (403, "HostNotAllowed", "`Host` is none of the names this server has"),
    (403, "OriginNotAllowed", "The request comes from a page of another site"),
    (404, "NotFound", "There is no such thing, or none that the caller may see"),
    (405, "MethodNotAllowed", "The path has no such method; `Allow` says which it has"),
    (408, "TooSlow", "The body took too long to arrive"),
    (409, "Conflict", "Another answer was given before, or the same call was asked with another input"),
    (409, "DigestMismatch", "The answer was meant for something other than what is being asked"),
    (409, "LastAdmin", "The token is the last of an admin; nobody could make another"),
    (409, "Busy", "Somebody else does the same just now"),
    (409, "NoKey", "The record cannot be verified without its key"),
    (
        409,
        "NotEditable",
        "The rule is built in or stands in another file than the user's own, or its file has just changed",
    ),
    (410, "Gone", "The question has expired or was withdrawn"),
    (413, "TooLarge", "The body is larger than is taken"),
    (413, "TooManyValues", "The values in the body would take more memory than is given for its size"),
    (415, "UnsupportedMediaType", "The body is not declared as JSON"),
    (426, "UpgradeRequired", "This is a WebSocket"),
    (429, "RateLimited", "Too many requests, open questions or failed attempts; see `Retry-After`"),
    (500, "Internal", "An answer could not be written: a fault of the server"),
    (500, "LedgerDamaged", "The database holds what cannot be read; run `sekisho doctor`"),
    (500, "NotWritten", "A file could not be written"),
    (503, "Closing", "The server is stopping; ask the next one, or again in a moment"),
    (503, "NoRoom", "More is being sent or asked for at once than there is room for; ask again in a moment"),
    (503, "NotRecorded", "The database cannot be read or written now, so nothing is let through"),
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

/// The shared responses. `fault` is the schema of every error.
pub(super) fn responses(fault: &Value) -> Value {
    let mut all: Map<String, Value> = Map::new();
    for (status, ..) in CODES {
        let codes = CODES.iter().filter(|(of, ..)| of == status);
        let told: Vec<String> = codes.map(|(_, code, meaning)| format!("`{code}`: {meaning}.")).collect();
        let mut response = json!({
            "description": told.join(" "),
            "content": { "application/json": { "schema": fault } },
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

/// What a status says where nothing went wrong.
pub(super) fn good(status: u16) -> &'static str {
    match status {
        101 => "The connection becomes a WebSocket.",
        201 => "It was made.",
        202 => "It was taken on and is not finished.",
        204 => "Done; there is nothing to tell.",
        200..=299 => "Done.",
        300..=399 => "It is elsewhere.",
        _ => "It did not work.",
    }
}
