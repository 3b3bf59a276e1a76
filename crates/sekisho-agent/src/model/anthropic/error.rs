//! What Anthropic's errors mean.

use serde_json::Value;

use crate::model::ModelErrorCode;
use crate::model::failure::{Failure, quote};

/// The `error_code` of an account that has used up its spending limit.
const SPEND_LIMIT: &str = "enforced_spend_limit_reached";
/// A conversation that is longer than the window has no code of its own, only these words.
const WINDOW_WORDS: [&str; 2] = ["prompt is too long", "exceed context limit"];

/// An error response. Its body may be anything.
pub(super) fn response_failure(status: u16, body: &str) -> Failure {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    failure(status, body.get("error").unwrap_or(&Value::Null))
}

/// An `error` event inside a stream.
pub(super) fn event_failure(error: &Value) -> Failure {
    let status = match kind(error) {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "conflict_error" => 409,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    };
    let mut failure = failure(status, error);
    failure.error.message = format!("Anthropic failed while it replied: {}", failure.error.message);
    failure
}

fn kind(error: &Value) -> &str {
    error.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn failure(status: u16, error: &Value) -> Failure {
    let words = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let details = error.pointer("/details/error_code").and_then(Value::as_str);
    let message = match (kind(error), words) {
        ("", "") => "no explanation".to_owned(),
        (kind, "") | ("", kind) => quote(kind),
        (kind, words) => format!("{}: {}", quote(kind), quote(words)),
    };
    let is_window = status == 400 && WINDOW_WORDS.iter().any(|part| words.contains(part));
    let (code, is_retryable) = match status {
        _ if details == Some(SPEND_LIMIT) => (ModelErrorCode::OutOfQuota, false),
        _ if is_window => (ModelErrorCode::TooLong, false),
        401 | 403 => (ModelErrorCode::Unauthorized, false),
        402 => (ModelErrorCode::OutOfQuota, false),
        413 => (ModelErrorCode::TooLong, false),
        429 | 529 => (ModelErrorCode::Overloaded, true),
        408 | 409 | 500.. => (ModelErrorCode::ProviderFailed, true),
        200 => (ModelErrorCode::ProviderFailed, true),
        _ => (ModelErrorCode::BadRequest, false),
    };
    Failure { is_retryable, ..Failure::permanent(code, message) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::ModelErrorCode::{
        BadRequest, OutOfQuota, Overloaded, ProviderFailed, TooLong, Unauthorized,
    };

    #[test]
    fn responses_have_codes() {
        for (status, kind, message, code, is_retryable) in [
            (400, "invalid_request_error", "max_tokens: is required", BadRequest, false),
            (400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum", TooLong, false),
            (
                400,
                "invalid_request_error",
                "input length and `max_tokens` exceed context limit: 1 + 2 > 2",
                TooLong,
                false,
            ),
            (401, "authentication_error", "invalid x-api-key", Unauthorized, false),
            (402, "billing_error", "pay", OutOfQuota, false),
            (403, "permission_error", "no", Unauthorized, false),
            (404, "not_found_error", "model: x", BadRequest, false),
            (408, "", "", ProviderFailed, true),
            (409, "conflict_error", "", ProviderFailed, true),
            (413, "request_too_large", "", TooLong, false),
            (422, "", "", BadRequest, false),
            (429, "rate_limit_error", "slow down", Overloaded, true),
            (500, "api_error", "", ProviderFailed, true),
            (504, "timeout_error", "", ProviderFailed, true),
            (529, "overloaded_error", "", Overloaded, true),
        ] {
            let body = json!({ "type": "error", "error": { "type": kind, "message": message } }).to_string();
            let failure = response_failure(status, &body);
            assert_eq!(
                (failure.error.code, failure.is_retryable),
                (code, is_retryable),
                "{status} {message}"
            );
            assert!(failure.error.message.contains(message), "{}", failure.error.message);
            if status != 400 && !kind.is_empty() && kind != "conflict_error" {
                let event = event_failure(&json!({ "type": kind, "message": message }));
                assert_eq!((event.error.code, event.is_retryable), (code, is_retryable), "{kind}");
            }
        }
    }

    #[test]
    fn spending_limit_is_not_a_rate_limit() {
        let error =
            json!({ "type": "rate_limit_error", "message": "m", "details": { "error_code": SPEND_LIMIT } });
        let failure = response_failure(429, &json!({ "error": error }).to_string());
        assert_eq!((failure.error.code, failure.is_retryable), (OutOfQuota, false));
    }

    #[test]
    fn other_bodies_are_errors_too() {
        for body in ["", "<html>413</html>", "[]", "{\"error\":\"boom\"}", "null"] {
            let failure = response_failure(413, body);
            assert_eq!(
                (failure.error.code, failure.error.message.as_str()),
                (TooLong, "no explanation"),
                "{body}"
            );
        }
        assert_eq!(event_failure(&json!({ "type": "new_error" })).error.code, ProviderFailed);
        assert_eq!(event_failure(&Value::Null).error.code, ProviderFailed);
    }
}
