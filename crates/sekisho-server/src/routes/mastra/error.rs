//! Errors as Mastra's clients read them: `{"error": text}`, with our code and hint beside it.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use sekisho_gate::ledger::LedgerError;
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::json_body::JsonResponse;
use crate::wire::mastra::requests::Issue;

/// An error response.
#[derive(Debug)]
pub(super) struct MastraError {
    error: Box<ApiError>,
    issues: Vec<Issue>,
}

impl MastraError {
    /// 400: fields of the body are wrong.
    pub(super) fn issues(issues: Vec<Issue>) -> MastraError {
        let error = ApiError::new(StatusCode::BAD_REQUEST, "InvalidRequest", "Invalid request body");
        MastraError { error: Box::new(error), issues }
    }
}

impl From<ApiError> for MastraError {
    fn from(error: ApiError) -> MastraError {
        MastraError { error: Box::new(error), issues: Vec::new() }
    }
}

impl From<LedgerError> for MastraError {
    fn from(error: LedgerError) -> MastraError {
        ApiError::from(error).into()
    }
}

impl IntoResponse for MastraError {
    fn into_response(self) -> Response {
        let mut body = json!({ "error": self.error.message, "code": self.error.code });
        if let Some(fields) = body.as_object_mut() {
            if let Some(hint) = &self.error.hint {
                fields.insert("hint".into(), json!(hint));
            }
            if !self.issues.is_empty() {
                let issue = |issue: &Issue| json!({ "field": issue.field, "message": issue.message });
                let issues: Vec<Value> = self.issues.iter().map(issue).collect();
                fields.insert("issues".into(), json!(issues));
            }
        }
        let status = self.error.status;
        (status, JsonResponse(body)).into_response()
    }
}
