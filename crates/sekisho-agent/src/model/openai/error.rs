//! What the errors of OpenAI and compatible servers mean.

use serde_json::Value;

use crate::model::ModelErrorCode;
use crate::model::failure::{Failure, quote};

/// Codes of accounts that may spend no more.
const QUOTA_CODES: [&str; 2] = ["insufficient_quota", "billing_hard_limit_reached"];
/// Codes and types of conversations that are longer than the window.
const WINDOW_CODES: [&str; 2] = ["context_length_exceeded", "exceed_context_size_error"];
/// Codes of a field that the model does not take. `param` names it.
const FIELD_CODES: [&str; 2] = ["unsupported_parameter", "unsupported_value"];
/// The words of servers that have no code for it.
const WINDOW_WORDS: &str = "maximum context length";

/// An error response. Its body may be anything.
pub(super) fn response_failure(status: u16, body: &str) -> Failure {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    failure(Some(status), error_of(&body).unwrap_or(&Value::Null))
}

/// An error inside a stream: `None` if the chunk has none. It may be at the top, or in a choice.
pub(super) fn chunk_failure(chunk: &Value) -> Option<Failure> {
    let error = error_of(chunk).or_else(|| error_of(chunk.pointer("/choices/0")?))?;
    let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let mut failure = failure(status, error);
    failure.error.message = format!("The provider failed while it replied: {}", failure.error.message);
    Some(failure)
}

/// The error of an object. vLLM's older form is the object itself.
fn error_of(value: &Value) -> Option<&Value> {
    let is_error = value.get("object").and_then(Value::as_str) == Some("error");
    value.get("error").filter(|error| !error.is_null()).or_else(|| is_error.then_some(value))
}

fn failure(status: Option<u16>, error: &Value) -> Failure {
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let words = error.as_str().unwrap_or_else(|| text("message"));
    let raw = error.pointer("/metadata/raw").and_then(Value::as_str).unwrap_or_default();
    let kinds = [text("code"), text("type")];
    let kind = kinds.into_iter().find(|kind| !kind.is_empty()).unwrap_or_default();
    let parts = [kind, words, raw].map(quote);
    let message = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
    let message = if message.is_empty() { "no explanation".to_owned() } else { message };
    let is_window = kinds.iter().any(|kind| WINDOW_CODES.contains(kind))
        || (matches!(status, Some(400) | None)
            && [words, raw].iter().any(|words| words.contains(WINDOW_WORDS)));
    let (code, is_retryable) = match status {
        _ if kinds.iter().any(|kind| QUOTA_CODES.contains(kind)) => (ModelErrorCode::OutOfQuota, false),
        _ if is_window => (ModelErrorCode::TooLong, false),
        Some(401 | 403) => (ModelErrorCode::Unauthorized, false),
        Some(402) => (ModelErrorCode::OutOfQuota, false),
        Some(413) => (ModelErrorCode::TooLong, false),
        Some(429 | 503 | 529) => (ModelErrorCode::Overloaded, true),
        Some(400..=407 | 410..=499) => (ModelErrorCode::BadRequest, false),
        _ if kinds.contains(&"invalid_request_error") => (ModelErrorCode::BadRequest, false),
        _ => (ModelErrorCode::ProviderFailed, true),
    };
    let is_refused = code == ModelErrorCode::BadRequest && FIELD_CODES.contains(&text("code"));
    let refused_field = is_refused.then(|| text("param").to_owned());
    Failure { is_retryable, refused_field, ..Failure::permanent(code, message) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::ModelErrorCode::{
        BadRequest, OutOfQuota, Overloaded, ProviderFailed, TooLong, Unauthorized,
    };

    #[track_caller]
    fn check(status: u16, body: Value, code: ModelErrorCode, is_retryable: bool) {
        let failure = response_failure(status, &body.to_string());
        assert_eq!((failure.error.code, failure.is_retryable), (code, is_retryable), "{status} {body}");
    }

    #[test]
    fn responses_have_codes() {
        let error = |kind: &str, code: Value, message: &str| json!({ "error": { "message": message, "type": kind, "param": null, "code": code } });
        check(400, error("invalid_request_error", Value::Null, "bad"), BadRequest, false);
        check(400, error("invalid_request_error", json!("context_length_exceeded"), "m"), TooLong, false);
        check(401, error("invalid_request_error", json!("invalid_api_key"), "m"), Unauthorized, false);
        check(402, error("", json!(402), "no credits"), OutOfQuota, false);
        check(403, Value::Null, Unauthorized, false);
        check(404, error("", json!("model_not_found"), "m"), BadRequest, false);
        check(408, Value::Null, ProviderFailed, true);
        check(409, Value::Null, ProviderFailed, true);
        check(413, Value::Null, TooLong, false);
        check(422, Value::Null, BadRequest, false);
        check(429, error("requests", json!("rate_limit_exceeded"), "m"), Overloaded, true);
        check(429, error("insufficient_quota", json!("insufficient_quota"), "m"), OutOfQuota, false);
        check(500, error("server_error", Value::Null, "m"), ProviderFailed, true);
        check(502, json!("<html>"), ProviderFailed, true);
        check(503, Value::Null, Overloaded, true);
    }

    #[test]
    fn servers_say_in_their_own_ways_that_a_conversation_is_too_long() {
        let vllm = "This model's maximum context length is 8 tokens.";
        check(
            400,
            json!({ "error": { "message": vllm, "type": "BadRequestError", "code": 400 } }),
            TooLong,
            false,
        );
        check(400, json!({ "object": "error", "message": vllm, "code": 400 }), TooLong, false);
        let llama = json!({ "code": 400, "message": "m", "type": "exceed_context_size_error", "n_ctx": 8 });
        check(400, json!({ "error": llama }), TooLong, false);
        let router = json!({ "code": 400, "message": "m", "metadata": { "raw": vllm } });
        check(400, json!({ "error": router }), TooLong, false);
    }

    #[test]
    fn chunks_with_errors_are_recognised() {
        let check = |chunk: Value, expected: Option<(ModelErrorCode, bool)>| {
            let found = chunk_failure(&chunk).map(|failure| (failure.error.code, failure.is_retryable));
            assert_eq!(found, expected, "{chunk}");
        };
        check(json!({ "choices": [] }), None);
        check(json!({ "choices": [], "error": null }), None);
        check(json!({ "error": "boom" }), Some((ProviderFailed, true)));
        check(json!({ "error": { "code": 502 }, "choices": [{}] }), Some((ProviderFailed, true)));
        check(json!({ "choices": [{ "error": { "code": 429, "message": "m" } }] }), Some((Overloaded, true)));
        check(json!({ "error": { "code": 400, "type": "BadRequestError" } }), Some((BadRequest, false)));
        check(json!({ "error": { "type": "invalid_request_error" } }), Some((BadRequest, false)));
        check(json!({ "error": { "code": "insufficient_quota" } }), Some((OutOfQuota, false)));
    }
}
