//! Errors as callers see them: `{"error": {"code", "message", "hint"?, "field"?}}`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use sekisho_gate::answer_handler::AnswerError;
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::registered_records::ComponentError;
use sekisho_gate::rulebook::RuleChangeError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The code for requests that there is no memory for at the moment.
pub(crate) const OVER_CAPACITY_CODE: &str = "NoRoom";

/// An error response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: StatusCode,
    /// The stable code, for programs.
    pub code: &'static str,
    /// What went wrong and where, for people.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// The field of the request that is wrong, if it is a single field.
    pub field: Option<String>,
    /// The calls that wait for an answer, if the request must name some of them.
    pub pending: Option<Vec<Value>>,
}

/// The body of every error response.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorDetail,
}

/// The error in an [`ErrorBody`].
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErrorDetail {
    /// The stable code, for programs.
    pub code: String,
    /// What went wrong and where, for people.
    pub message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The field of the request that is wrong, if it is a single field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The calls that wait for an answer, if the request must name some of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Vec<Value>>,
}

impl ApiError {
    /// An error with a status and a code.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: message.into(), hint: None, field: None, pending: None }
    }

    /// 400: the request is invalid.
    pub fn invalid(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "InvalidRequest", message)
    }

    /// 404: the resource does not exist.
    pub fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "NotFound", message)
    }

    /// 401: the request's credential is missing or not valid.
    pub fn unauthenticated(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, "Unauthenticated", message)
            .with_hint("send `Authorization: Bearer sks_…`; `sekisho token create` creates a token")
    }

    /// Whoever asks may not.
    pub fn forbidden(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, "Forbidden", message)
    }

    /// Too much, too fast.
    pub fn rate_limited(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, "RateLimited", message)
    }

    /// There is no memory for more at the moment.
    pub fn over_capacity() -> ApiError {
        let message = "too much data is being sent or requested at the moment";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, OVER_CAPACITY_CODE, message)
            .with_hint("try again in a moment")
    }

    /// 503: the ledger cannot be read or written now.
    pub fn unavailable(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "NotRecorded", message)
    }

    /// Adds a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> ApiError {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the field of the request that is wrong.
    #[must_use]
    pub fn with_field(mut self, field: impl Into<String>) -> ApiError {
        self.field = Some(field.into());
        self
    }

    /// The body of the response.
    pub fn body(&self) -> ErrorBody {
        let error = ErrorDetail {
            code: self.code.into(),
            message: self.message.clone(),
            hint: self.hint.clone(),
            field: self.field.clone(),
            pending: self.pending.clone(),
        };
        ErrorBody { error }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let text = serde_json::to_string(&self.body()).unwrap_or_default();
        let json = HeaderValue::from_static("application/json");
        let mut response = (self.status, [(header::CONTENT_TYPE, json)], text).into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if self.status == StatusCode::TOO_MANY_REQUESTS || self.code == "NoRoom" {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

impl From<LedgerError> for ApiError {
    fn from(error: LedgerError) -> ApiError {
        match error.transient {
            true => ApiError::unavailable(error.message).with_hint("try again in a moment"),
            false => ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "LedgerDamaged", error.message)
                .with_hint("run `sekisho doctor`"),
        }
    }
}

impl From<AnswerError> for ApiError {
    fn from(error: AnswerError) -> ApiError {
        let message = error.to_string();
        match error {
            AnswerError::NotFound(_) => ApiError::not_found(message),
            AnswerError::Conflict(_) => ApiError::new(StatusCode::CONFLICT, "Conflict", message),
            AnswerError::Gone(_) => ApiError::new(StatusCode::GONE, "Gone", message),
            AnswerError::Forbidden(_) => ApiError::forbidden(message),
            AnswerError::DigestMismatch { .. } => {
                ApiError::new(StatusCode::CONFLICT, "DigestMismatch", message)
            }
            AnswerError::Invalid(_) => ApiError::invalid(message),
            AnswerError::Unchecked(_) => ApiError::new(StatusCode::BAD_REQUEST, "EditNotChecked", message),
            AnswerError::NotRecorded(error) => ApiError { message, ..ApiError::from(error) },
        }
    }
}

impl From<RuleChangeError> for ApiError {
    fn from(error: RuleChangeError) -> ApiError {
        let message = error.to_string();
        match error {
            RuleChangeError::Rule(_) => ApiError::invalid(message),
            RuleChangeError::NoSuchRule(_) => ApiError::not_found(message),
            RuleChangeError::Ledger(error) => ApiError::from(error),
        }
    }
}

impl From<ComponentError> for ApiError {
    fn from(error: ComponentError) -> ApiError {
        match error {
            ComponentError::NotRecorded(error) => ApiError::from(error),
            other => ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", other.to_string()),
        }
    }
}

/// The error for a refusal that is not a verdict on the call, such as an invalid request. `None` for a
/// verdict.
pub(crate) fn from_refusal(refusal: &Refusal) -> Option<ApiError> {
    match refusal.code {
        RefusalCode::NotRecorded => Some(ApiError::unavailable(refusal.reason.clone())),
        RefusalCode::Closing => {
            Some(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "Closing", refusal.reason.clone()))
        }
        RefusalCode::InputNotExact | RefusalCode::NoCallId => Some(ApiError::invalid(refusal.reason.clone())),
        RefusalCode::OtherInput | RefusalCode::AlreadyTaken => {
            Some(ApiError::new(StatusCode::CONFLICT, "Conflict", refusal.reason.clone()))
        }
        RefusalCode::NoRoom => {
            Some(ApiError::rate_limited(refusal.reason.clone()).with_hint("wait until some are answered"))
        }
        RefusalCode::Denied
        | RefusalCode::DeniedByRule
        | RefusalCode::Expired
        | RefusalCode::Aborted
        | RefusalCode::NobodyCanAnswer
        | RefusalCode::ConfigBroken => None,
    }
}
