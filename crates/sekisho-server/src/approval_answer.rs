//! Answers to approvals, from the HTTP route or a WebSocket.

use sekisho_gate::ApprovalId;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::wire::approval::{AnswerBody, AnswerResponse};

/// Submits a human's answer to an approval.
pub(crate) async fn submit_answer(
    app: &App,
    who: &Identity,
    id: ApprovalId,
    body: AnswerBody,
) -> Result<AnswerResponse, ApiError> {
    const MAX_CHARS: usize = 8192;
    if body.message.as_ref().is_some_and(|message| message.chars().count() > MAX_CHARS) {
        return Err(ApiError::invalid(format!("`message` is longer than {MAX_CHARS} characters")));
    }
    let outcome = app.gate().answer(id, body.answer()?, who.approver()).await?;
    app.inner.metrics.answers.add();
    Ok(outcome.into())
}
