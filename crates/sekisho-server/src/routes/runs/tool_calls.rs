//! Approves and declines calls of a run. The questions are those of the inbox: the first answer wins.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use sekisho_agent::runs::StoredRun;
use sekisho_agent::service::CallAnswerError;
use sekisho_gate::answer::Answer;

use super::execute::{WaitQuery, wait};
use super::run_lookup::{find, view};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse, QueryParams};
use crate::wire::run::{ApproveToolCallBody, DeclineToolCallBody, RunView};

/// The longest reason, in characters.
const MAX_REASON: usize = 8192;

pub(super) async fn approve(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<WaitQuery>,
    JsonBody(body, _memory): JsonBody<ApproveToolCallBody>,
) -> Result<JsonResponse<RunView>, ApiError> {
    answer(&app, &who, &id, body.tool_call_id, Answer::approve(), query).await
}

pub(super) async fn decline(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<WaitQuery>,
    JsonBody(body, _memory): JsonBody<DeclineToolCallBody>,
) -> Result<JsonResponse<RunView>, ApiError> {
    let given = denial(body.reason.or(body.info), body.interrupt)?;
    answer(&app, &who, &id, body.tool_call_id, given, query).await
}

/// A denial with a reason.
pub(in crate::routes) fn denial(reason: Option<String>, interrupt: bool) -> Result<Answer, ApiError> {
    let reason = reason.filter(|reason| !reason.trim().is_empty());
    if reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_REASON) {
        return Err(ApiError::invalid(format!("`reason` is longer than {MAX_REASON} characters")));
    }
    Ok(Answer { reason, interrupt, ..Answer::deny() })
}

async fn answer(
    app: &App,
    who: &Identity,
    id: &str,
    call: Option<String>,
    answer: Answer,
    query: WaitQuery,
) -> Result<JsonResponse<RunView>, ApiError> {
    let run = find_suspended(app, who, id).await?;
    answer_call(app, who, &run, call.as_deref(), answer).await?;
    let run = wait(app, who, run.id, query).await?;
    view(app, &run).await.map(JsonResponse)
}

/// The run whose call is to be answered.
pub(in crate::routes) async fn find_suspended(
    app: &App,
    who: &Identity,
    id: &str,
) -> Result<StoredRun, ApiError> {
    find(app, who, id).await.map_err(|error| match error.status {
        StatusCode::NOT_FOUND => ApiError { code: "AGENT_RESUME_NO_SNAPSHOT_FOUND", ..error },
        _ => error,
    })
}

/// Answers a call of a run.
pub(in crate::routes) async fn answer_call(
    app: &App,
    who: &Identity,
    run: &StoredRun,
    call: Option<&str>,
    answer: Answer,
) -> Result<(), ApiError> {
    app.agents().answer(run, call, answer, who.approver()).await.map_err(rejected)?;
    app.inner.metrics.answers.add();
    Ok(())
}

fn rejected(error: CallAnswerError) -> ApiError {
    let message = error.to_string();
    match error {
        CallAnswerError::NotSuspended { .. } => {
            ApiError::new(StatusCode::CONFLICT, "AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED", message)
                .with_hint("`GET /api/runs/{id}` lists the calls that wait")
        }
        CallAnswerError::Ambiguous(_) => {
            ApiError::new(StatusCode::CONFLICT, "Conflict", message).with_field("toolCallId")
        }
        CallAnswerError::Rejected(error) => error.into(),
    }
}
