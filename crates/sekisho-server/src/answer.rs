//! Answers to questions, by whichever way they come: their route, or a WebSocket.

use sekisho_gate::ApprovalId;

use crate::app::App;
use crate::auth::Identity;
use crate::error::Fault;
use crate::wire::approval::{AnswerBody, AnswerTaken};

/// Takes an answer.
pub(crate) async fn take(
    app: &App,
    who: &Identity,
    id: ApprovalId,
    body: AnswerBody,
) -> Result<AnswerTaken, Fault> {
    const LONGEST: usize = 8192;
    if body.message.as_ref().is_some_and(|message| message.chars().count() > LONGEST) {
        return Err(Fault::invalid(format!("`message` is longer than {LONGEST} characters")));
    }
    let given = app.gate().answer(id, body.answer()?, who.approver()).await?;
    app.inner.metrics.answers.add();
    Ok(given.into())
}
