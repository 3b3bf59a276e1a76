//! Tries failed stages again, and ends runs of pipelines.

use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use sekisho_agent::RunError;
use sekisho_agent::pipelines::stored_runs::{PipelineRequest, StoredPipelineRun};
use sekisho_agent::service::WaitUntil;
use serde_json::json;

use super::lookup::{find_run, view};
use super::start::{PipelineWaitQuery, wait};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse, QueryParams};
use crate::routes::runs::launch::{check_open_approvals, too_many_active};
use crate::wire::pipeline::PipelineRunView;
use crate::wire::run::AbortBody;

/// How long a response waits until the run has taken a request. A run of another process takes it a little later.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn retry(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<PipelineWaitQuery>,
) -> Result<JsonResponse<PipelineRunView>, ApiError> {
    let run = find_run(&app, &who, &id).await?;
    if run.state.is_purged {
        let message = format!("the texts of pipeline run `{id}` were purged, so no stage can be tried again");
        let hint = "start a new run";
        return Err(ApiError::new(StatusCode::CONFLICT, "Conflict", message).with_hint(hint));
    }
    let Some(stage) = run.state.retryable_stage() else {
        let message = format!("no stage of pipeline run `{id}` can be tried again");
        return Err(ApiError::new(StatusCode::CONFLICT, "Conflict", message).with_hint(
            "only a failed stage can, at most 100 times; `GET /api/pipeline-runs/{id}` shows the run",
        ));
    };
    check_open_approvals(&app, &who)?;
    // The run becomes active again.
    let active = app.agents().driver().check_active(&run.settings.credential).await;
    active.map_err(|error| run_error(error, &who.name))?;
    request(&app, &who, &run, PipelineRequest::Retry).await?;
    let text = format!("stage {} of pipeline run `{id}` tried again", stage.saturating_add(1));
    let body = json!({ "pipelineRun": run.id, "stage": stage });
    app.pipelines().record("stage_retried", text, body, who.actor()).await?;
    // Without this, a run that had failed would seem to have failed again. If it takes longer, the request is stored.
    let taken = tokio::time::timeout(PATIENCE, app.pipelines().wait_for_step(run.id, run.version)).await;
    taken.ok().transpose()?;
    let run = wait(&app, &who, run.id, query).await?;
    view(&app, &run).await.map(JsonResponse)
}

pub(super) async fn abort(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    JsonBody(body, _memory): JsonBody<AbortBody>,
) -> Result<JsonResponse<PipelineRunView>, ApiError> {
    let run = find_run(&app, &who, &id).await?;
    if run.state.end().is_some() {
        return view(&app, &run).await.map(JsonResponse);
    }
    let why = body.why(&who.name);
    request(&app, &who, &run, PipelineRequest::Abort { why }).await?;
    let record = json!({ "pipelineRun": run.id });
    let text = format!("pipeline run `{id}` aborted");
    app.pipelines().record("run_aborted", text, record, who.actor()).await?;
    let ended = tokio::time::timeout(PATIENCE, app.pipelines().wait(run.id, WaitUntil::Ended)).await;
    let ended = ended.ok().transpose()?.flatten();
    view(&app, &ended.unwrap_or(run)).await.map(JsonResponse)
}

/// Stores a request and tells the run, even if the caller closes the connection in between.
async fn request(
    app: &App,
    who: &Identity,
    run: &StoredPipelineRun,
    request: PipelineRequest,
) -> Result<(), ApiError> {
    let (driver, id) = (app.pipelines().driver().clone(), run.id);
    let sent = tokio::spawn(async move { driver.request(id, request).await });
    let sent = sent.await.map_err(|_| {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", "the request was not stored")
    })?;
    sent.map_err(|error| run_error(error, &who.name))
}

fn run_error(error: RunError, name: &str) -> ApiError {
    match error {
        RunError::NotFound(id) => ApiError::not_found(format!("there is no pipeline run `{id}`")),
        RunError::TooManyActive(excess) => too_many_active(excess, name),
        RunError::Store(error) => error.into(),
    }
}
