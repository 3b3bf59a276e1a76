//! Sends messages to runs, interrupts their tools, and ends them.

use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use sekisho_agent::RunError;
use sekisho_agent::machine::Phase;
use sekisho_agent::runs::{RunRequest, StoredRun};
use sekisho_agent::service::WaitUntil;
use serde_json::json;

use super::execute::{MAX_MESSAGE, WaitQuery, wait};
use super::launch::too_many_active;
use super::run_lookup::{find, view};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse, QueryParams};
use crate::wire::run::{AbortBody, InterruptBody, MessageBody, RunView};

/// How long a response waits until the run has taken a request. A run of another process takes it a little later.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most messages that wait until a run takes them, and the most bytes of all of them. Every step of the run stores them.
const MAX_QUEUED: usize = 100;
const MAX_QUEUED_BYTES: usize = 4 << 20;

pub(super) async fn message(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<WaitQuery>,
    JsonBody(body, _memory): JsonBody<MessageBody>,
) -> Result<JsonResponse<RunView>, ApiError> {
    let length = body.text.chars().count();
    if body.text.trim().is_empty() || length > MAX_MESSAGE {
        let message = format!("`text` must have 1 to {MAX_MESSAGE} characters that are not all blank");
        return Err(ApiError::invalid(message).with_field("text"));
    }
    let run = find(&app, &who, &id).await?;
    if matches!(&run.state.phase, Phase::Ended { reason, .. } if !reason.can_continue()) {
        let message = format!("run `{id}` was aborted; it takes no more messages");
        return Err(ApiError::new(StatusCode::CONFLICT, "Conflict", message).with_hint("start a new run"));
    }
    if run.state.has_ended() && run.settings.parent.is_some() {
        let message = format!("run `{id}` of a sub-agent has ended; it takes no more messages");
        let hint = "send the message to the run that started it";
        return Err(ApiError::new(StatusCode::CONFLICT, "Conflict", message).with_hint(hint));
    }
    check_queue(&run, &body.text)?;
    if run.state.has_ended() {
        // The run becomes active again.
        let active = app.agents().driver().check_active(&run.settings.credential).await;
        active.map_err(|error| run_error(error, &who.name))?;
    }
    request(&app, &who, &run, RunRequest::Message { text: body.text }).await?;
    // Without this, a run that had ended would seem to have ended again. If it takes longer, the message is stored.
    let taken = tokio::time::timeout(PATIENCE, app.agents().wait_for_step(run.id, run.version)).await;
    taken.ok().transpose()?;
    let run = wait(&app, &who, run.id, query).await?;
    view(&app, &run).await.map(JsonResponse)
}

/// Refuses a message if too many wait. Messages that arrive at the same moment may exceed the limits a little.
fn check_queue(run: &StoredRun, text: &str) -> Result<(), ApiError> {
    let queued = &run.state.queued;
    let bytes = queued.iter().map(String::len).fold(text.len(), usize::saturating_add);
    if queued.len() < MAX_QUEUED && (queued.is_empty() || bytes <= MAX_QUEUED_BYTES) {
        return Ok(());
    }
    let message = format!(
        "run `{}` has {} messages that wait until it takes them; at most {MAX_QUEUED} with 4 MiB together may wait",
        run.id,
        queued.len()
    );
    let hint = "answer the open approvals of the run, or wait until its tools have ended";
    Err(ApiError::new(StatusCode::CONFLICT, "Conflict", message).with_hint(hint))
}

pub(super) async fn interrupt(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    JsonBody(_, _memory): JsonBody<InterruptBody>,
) -> Result<JsonResponse<RunView>, ApiError> {
    let run = find(&app, &who, &id).await?;
    if run.state.has_ended() {
        return view(&app, &run).await.map(JsonResponse);
    }
    request(&app, &who, &run, RunRequest::Interrupt).await?;
    let (service, name) = (app.agents(), &run.settings.agent_name);
    let body = json!({ "agent": run.settings.agent, "run": run.id });
    service.record("run_interrupted", name, format!("run `{id}` interrupted"), body, who.actor()).await?;
    let taken = tokio::time::timeout(PATIENCE, service.wait_for_step(run.id, run.version)).await;
    let taken = taken.ok().transpose()?.flatten();
    view(&app, &taken.unwrap_or(run)).await.map(JsonResponse)
}

pub(super) async fn abort(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    JsonBody(body, _memory): JsonBody<AbortBody>,
) -> Result<JsonResponse<RunView>, ApiError> {
    let run = find(&app, &who, &id).await?;
    if run.state.is_over() {
        return view(&app, &run).await.map(JsonResponse);
    }
    let why = body.why(&who.name);
    request(&app, &who, &run, RunRequest::Abort { why }).await?;
    let (service, name) = (app.agents(), &run.settings.agent_name);
    let body = json!({ "agent": run.settings.agent, "run": run.id });
    service.record("run_aborted", name, format!("run `{id}` aborted"), body, who.actor()).await?;
    let ended = tokio::time::timeout(PATIENCE, service.wait(run.id, WaitUntil::Ended)).await;
    let ended = ended.ok().transpose()?.flatten();
    view(&app, &ended.unwrap_or(run)).await.map(JsonResponse)
}

/// Stores a request and tells the run, even if the caller closes the connection in between.
async fn request(app: &App, who: &Identity, run: &StoredRun, request: RunRequest) -> Result<(), ApiError> {
    let (driver, id) = (app.agents().driver().clone(), run.id);
    let sent = tokio::spawn(async move { driver.request(id, request).await });
    let sent = sent.await.map_err(|_| {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", "the request was not stored")
    })?;
    sent.map_err(|error| run_error(error, &who.name))
}

fn run_error(error: RunError, name: &str) -> ApiError {
    match error {
        RunError::NotFound(id) => ApiError::not_found(format!("there is no run `{id}`")),
        RunError::TooManyActive(excess) => too_many_active(excess, name),
        RunError::Store(error) => error.into(),
    }
}
