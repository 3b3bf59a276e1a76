//! Answers to questions, by whichever way they come: their route, or a WebSocket.

use sekisho_gate::ApprovalId;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::wire::approval::{AnswerBody, AnswerResponse};

/// Takes an answer.
pub(crate) async fn submit_answer(
    app: &App,
    who: &Identity,
    id: ApprovalId,
    body: AnswerBody,
) -> Result<AnswerResponse, ApiError> {
    const LONGEST: usize = 8192;
    if body.message.as_ref().is_some_and(|message| message.chars().count() > LONGEST) {
        return Err(ApiError::invalid(format!("`message` is longer than {LONGEST} characters")));
    }
    let given = app.gate().answer(id, body.answer()?, who.approver()).await?;
    app.inner.metrics.answers.add();
    Ok(given.into())
}
