//! What goes wrong, as callers are told: `{"error": {"code", "message", "hint"?, "field"?}}`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use sekisho_gate::answering::AnswerError;
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::rulebook::ChangeError;
use serde::{Deserialize, Serialize};

/// The code of what there is no memory for at the moment.
pub(crate) const NO_ROOM: &str = "NoRoom";

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The status.
    pub status: StatusCode,
    /// Which kind, for programs.
    pub code: &'static str,
    /// What was wrong and where, for people.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
    /// The field of the request that is at fault, where it is one.
    pub field: Option<String>,
}

/// The body of every answer that is an error.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// What went wrong.
    pub error: ErrorDetail,
}

/// What went wrong.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ErrorDetail {
    /// Which kind, for programs.
    pub code: String,
    /// What was wrong and where, for people.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The field of the request that is at fault, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}

impl Fault {
    /// A fault of a kind.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Fault {
        Fault { status, code, message: message.into(), hint: None, field: None }
    }

    /// The request makes no sense.
    pub fn invalid(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::BAD_REQUEST, "InvalidRequest", message)
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::NOT_FOUND, "NotFound", message)
    }

    /// Nobody is known by what came with the request.
    pub fn unauthenticated(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::UNAUTHORIZED, "Unauthenticated", message)
            .hint("send `Authorization: Bearer sks_…`; `sekisho token create` makes one")
    }

    /// Whoever asks may not.
    pub fn forbidden(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::FORBIDDEN, "Forbidden", message)
    }

    /// Too much, too fast.
    pub fn too_many(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::TOO_MANY_REQUESTS, "RateLimited", message)
    }

    /// There is no memory for more at the moment.
    pub fn no_room() -> Fault {
        let message = "more is being sent or asked for at once than there is room for";
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, NO_ROOM, message).hint("ask again in a moment")
    }

    /// The ledger cannot be read or written now.
    pub fn unavailable(message: impl Into<String>) -> Fault {
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, "NotRecorded", message)
    }

    /// The same with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Fault {
        self.hint = Some(hint.into());
        self
    }

    /// The same about a field of the request.
    #[must_use]
    pub fn at_field(mut self, field: impl Into<String>) -> Fault {
        self.field = Some(field.into());
        self
    }

    /// The body it is told in.
    pub fn body(&self) -> ErrorBody {
        let error = ErrorDetail {
            code: self.code.into(),
            message: self.message.clone(),
            hint: self.hint.clone(),
            field: self.field.clone(),
        };
        ErrorBody { error }
    }
}

impl IntoResponse for Fault {
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

impl From<LedgerError> for Fault {
    fn from(error: LedgerError) -> Fault {
        match error.passing {
            true => Fault::unavailable(error.message).hint("try again in a moment"),
            false => Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "LedgerDamaged", error.message)
                .hint("run `sekisho doctor`"),
        }
    }
}

impl From<AnswerError> for Fault {
    fn from(error: AnswerError) -> Fault {
        let message = error.to_string();
        match error {
            AnswerError::NotFound(_) => Fault::not_found(message),
            AnswerError::Conflict(_) => Fault::new(StatusCode::CONFLICT, "Conflict", message),
            AnswerError::Gone(_) => Fault::new(StatusCode::GONE, "Gone", message),
            AnswerError::Forbidden(_) => Fault::forbidden(message),
            AnswerError::OtherDigest { .. } => Fault::new(StatusCode::CONFLICT, "DigestMismatch", message),
            AnswerError::Invalid(_) => Fault::invalid(message),
            AnswerError::Unchecked(_) => Fault::new(StatusCode::BAD_REQUEST, "EditNotChecked", message),
            AnswerError::NotRecorded(error) => Fault { message, ..Fault::from(error) },
        }
    }
}

impl From<ChangeError> for Fault {
    fn from(error: ChangeError) -> Fault {
        let message = error.to_string();
        match error {
            ChangeError::Rule(_) => Fault::invalid(message),
            ChangeError::NoSuchRule(_) => Fault::not_found(message),
            ChangeError::Ledger(error) => Fault::from(error),
        }
    }
}

/// A refusal that is no verdict on the call: something about the asking was wrong.
pub(crate) fn of_refusal(refusal: &Refusal) -> Option<Fault> {
    match refusal.code {
        RefusalCode::NotRecorded => Some(Fault::unavailable(refusal.reason.clone())),
        RefusalCode::Closing => {
            Some(Fault::new(StatusCode::SERVICE_UNAVAILABLE, "Closing", refusal.reason.clone()))
        }
        RefusalCode::InputNotExact | RefusalCode::NoCallId => Some(Fault::invalid(refusal.reason.clone())),
        RefusalCode::OtherInput | RefusalCode::AlreadyTaken => {
            Some(Fault::new(StatusCode::CONFLICT, "Conflict", refusal.reason.clone()))
        }
        RefusalCode::NoRoom => {
            Some(Fault::too_many(refusal.reason.clone()).hint("wait until some are answered"))
        }
        RefusalCode::Denied
        | RefusalCode::DeniedByRule
        | RefusalCode::Expired
        | RefusalCode::Aborted
        | RefusalCode::NobodyCanAnswer
        | RefusalCode::ConfigBroken => None,
    }
}
