//! Starts runs of pipelines, and waits for them.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use schemars::JsonSchema;
use sekisho_agent::pipelines::service::{PipelineStart, PipelineStartError};
use sekisho_agent::pipelines::stored_runs::StoredPipelineRun;
use sekisho_agent::service::WaitUntil;
use serde::Deserialize;
use uuid::Uuid;

use super::lookup::{find_pipeline, view};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse, QueryParams};
use crate::routes::runs::execute::MAX_MESSAGE;
use crate::routes::runs::launch::{check_open_approvals, too_many_active};
use crate::wire::pipeline::{PipelineRunView, RunPipelineBody, StartPipelineRunBody};

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PipelineWaitQuery {
    /// `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or its stage only waits for
    /// approvals.
    #[serde(default)]
    pub(super) wait: Option<bool>,
}

pub(super) async fn run_stored(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<PipelineWaitQuery>,
    JsonBody(body, memory): JsonBody<RunPipelineBody>,
) -> Result<JsonResponse<PipelineRunView>, ApiError> {
    let pipeline = find_pipeline(&app, &id).await?;
    let start = PipelineStart {
        pipeline: Some(pipeline.id),
        definition: pipeline.definition,
        input: body.input,
        credential: who.credential.clone(),
        roots: who.roots().to_vec(),
        by: who.actor(),
    };
    let id = launch(&app, &who, start).await?;
    drop(memory);
    let run = wait(&app, &who, id, query).await?;
    view(&app, &run).await.map(JsonResponse)
}

pub(super) async fn run_unstored(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    QueryParams(query): QueryParams<PipelineWaitQuery>,
    JsonBody(body, memory): JsonBody<StartPipelineRunBody>,
) -> Result<JsonResponse<PipelineRunView>, ApiError> {
    let start = PipelineStart {
        pipeline: None,
        definition: body.definition.definition()?,
        input: body.input,
        credential: who.credential.clone(),
        roots: who.roots().to_vec(),
        by: who.actor(),
    };
    let id = launch(&app, &who, start).await?;
    drop(memory);
    let run = wait(&app, &who, id, query).await?;
    view(&app, &run).await.map(JsonResponse)
}

/// Starts a run, unless whoever wants it has too many open questions.
async fn launch(app: &App, who: &Identity, start: PipelineStart) -> Result<Uuid, ApiError> {
    if start.input.as_ref().is_some_and(|input| input.chars().count() > MAX_MESSAGE) {
        let message = format!("`input` is longer than {MAX_MESSAGE} characters");
        return Err(ApiError::invalid(message).with_field("input"));
    }
    check_open_approvals(app, who)?;
    let (service, name) = (app.pipelines().clone(), who.name.clone());
    // A run that is stored is also driven, even if the caller closes the connection in between.
    let started = tokio::spawn(async move { service.start(start).await });
    let started = started.await.map_err(|_| {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", "the pipeline run did not start")
    })?;
    started.map_err(|error| start_error(error, &name))
}

/// Waits for a run as the caller wants, at most until the server stops.
pub(super) async fn wait(
    app: &App,
    who: &Identity,
    id: Uuid,
    query: PipelineWaitQuery,
) -> Result<StoredPipelineRun, ApiError> {
    let until = match query.wait {
        Some(true) => Some(WaitUntil::Ended),
        None => Some(WaitUntil::Settled),
        Some(false) => None,
    };
    if let Some(until) = until {
        tokio::select! {
            waited = app.pipelines().wait(id, until) => drop(waited?),
            () = app.shutdown_started() => {}
        }
        // It may have taken long, and the token may have been revoked meanwhile.
        app.ensure_token_valid(who).await?;
    }
    let run = app.pipelines().runs().pipeline_run(id).await?;
    run.ok_or_else(|| ApiError::not_found(format!("there is no pipeline run `{id}`")))
}

/// Why a run did not start, or a definition was not stored.
pub(super) fn start_error(error: PipelineStartError, name: &str) -> ApiError {
    let message = error.to_string();
    match error {
        PipelineStartError::Invalid(error) => ApiError::invalid(message).with_field(error.field),
        PipelineStartError::NotPermitted(error) => {
            ApiError::new(StatusCode::FORBIDDEN, "ToolPermissionDenied", message)
                .with_field(error.field)
                .with_hint("ask for less, or let an admin enable it for the agent")
        }
        PipelineStartError::Unusable(error) => {
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "ToolExecutionFailed", message)
                .with_field(error.field)
        }
        PipelineStartError::TooManyActive(excess) => too_many_active(excess, name),
        PipelineStartError::Record(error) => error.into(),
        PipelineStartError::Store(error) => error.into(),
    }
}
