//! Lists, shows, creates, replaces and deletes pipelines.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use sekisho_agent::pipelines::stored_pipelines::{Pipeline, PipelineChange};
use serde_json::json;
use uuid::Uuid;

use super::lookup::find_pipeline;
use super::start::start_error;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse};
use crate::wire::pipeline::{PipelineBody, PipelineList, PipelineView};

pub(super) async fn list(State(app): State<App>) -> Result<JsonResponse<PipelineList>, ApiError> {
    let stored = app.pipelines().pipelines().pipelines().await?;
    Ok(JsonResponse(PipelineList { pipelines: stored.into_iter().map(PipelineView::from).collect() }))
}

pub(super) async fn show(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<JsonResponse<PipelineView>, ApiError> {
    Ok(JsonResponse(find_pipeline(&app, &id).await?.into()))
}

pub(super) async fn create(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<PipelineBody>,
) -> Result<(StatusCode, JsonResponse<PipelineView>), ApiError> {
    let definition = body.definition()?;
    app.pipelines().check(&definition).await.map_err(|error| start_error(error, &who.name))?;
    let at = app.now();
    let pipeline = Pipeline { id: Uuid::now_v7(), definition, created_at: at, updated_at: at };
    let text = format!("pipeline `{}` created", pipeline.definition.name);
    let body = json!({ "pipeline": pipeline.id, "definition": pipeline.definition });
    let record = app.pipelines().change_record("created", text, body, who.actor())?;
    let change = app.pipelines().pipelines().create_pipeline(pipeline.clone(), record).await?;
    stored(change, &pipeline)?;
    Ok((StatusCode::CREATED, JsonResponse(pipeline.into())))
}

pub(super) async fn replace(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    JsonBody(body, _memory): JsonBody<PipelineBody>,
) -> Result<JsonResponse<PipelineView>, ApiError> {
    let definition = body.definition()?;
    let known = find_pipeline(&app, &id).await?;
    app.pipelines().check(&definition).await.map_err(|error| start_error(error, &who.name))?;
    let at = app.now();
    let pipeline = Pipeline { definition, updated_at: at, ..known };
    let text = format!("pipeline `{}` changed", pipeline.definition.name);
    let body = json!({ "pipeline": pipeline.id, "definition": pipeline.definition });
    let record = app.pipelines().change_record("updated", text, body, who.actor())?;
    let definition = pipeline.definition.clone();
    let change = app.pipelines().pipelines().update_pipeline(pipeline.id, definition, at, record).await?;
    stored(change, &pipeline)?;
    Ok(JsonResponse(pipeline.into()))
}

fn stored(change: PipelineChange, pipeline: &Pipeline) -> Result<(), ApiError> {
    match change {
        PipelineChange::Stored => Ok(()),
        PipelineChange::NotFound => {
            Err(ApiError::not_found(format!("there is no pipeline `{}`", pipeline.id)))
        }
        PipelineChange::NameTaken => {
            let message = format!("another pipeline is called `{}`", pipeline.definition.name);
            Err(ApiError::new(StatusCode::CONFLICT, "NameTaken", message).with_field("name"))
        }
    }
}

pub(super) async fn delete(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let pipeline = find_pipeline(&app, &id).await?;
    let text = format!("pipeline `{}` deleted", pipeline.definition.name);
    let body = json!({ "pipeline": pipeline.id });
    let record = app.pipelines().change_record("deleted", text, body, who.actor())?;
    match app.pipelines().pipelines().delete_pipeline(pipeline.id, record).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(ApiError::not_found(format!("there is no pipeline `{id}`"))),
    }
}
