//! Lists and shows runs of pipelines.

use axum::Extension;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use sekisho_agent::pipelines::stored_runs::PipelineRunQuery;
use sekisho_gate::answer::Role;
use serde::Deserialize;
use uuid::Uuid;

use super::lookup::{find_run, pending, view};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonResponse, QueryParams};
use crate::wire::pipeline::{Detail, PipelineRunList, PipelineRunView};

/// The most runs on a page.
const LARGEST_PAGE: usize = 200;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct PipelineRunsQuery {
    /// Only runs of this stored pipeline.
    #[serde(default)]
    pipeline_id: Option<Uuid>,
    /// `true`: only runs that go on or wait for approvals. `false`: only runs that have ended.
    #[serde(default)]
    active: Option<bool>,
    /// Only runs started before this one: the `next` of the previous page.
    #[serde(default)]
    before: Option<Uuid>,
    /// How many at most; default 50, maximum 200.
    #[serde(default)]
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

pub(super) async fn list(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    QueryParams(query): QueryParams<PipelineRunsQuery>,
) -> Result<JsonResponse<PipelineRunList>, ApiError> {
    let limit = query.limit.unwrap_or(50);
    if !(1..=LARGEST_PAGE).contains(&limit) {
        return Err(ApiError::invalid(format!("`limit` is {limit}; it must be 1 to {LARGEST_PAGE}")));
    }
    // All peers of one user share the socket, so an agent there must name the run.
    if !who.may_hear_of(&who.credential) {
        return Ok(JsonResponse(PipelineRunList { runs: Vec::new(), next: None }));
    }
    let wanted = PipelineRunQuery {
        pipeline: query.pipeline_id,
        credential: (who.role == Role::Agent).then(|| who.credential.clone()),
        works: query.active,
        before: query.before,
        limit: limit.saturating_add(1),
    };
    let mut found = app.pipelines().runs().pipeline_runs(wanted).await?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().map(|run| run.id).filter(|_| has_more);
    let mut runs = Vec::with_capacity(found.len());
    for run in found {
        let pending = pending(&app, &run).await?;
        runs.push(PipelineRunView::of(&run, pending, Detail::Short));
    }
    Ok(JsonResponse(PipelineRunList { runs, next }))
}

pub(super) async fn show(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<JsonResponse<PipelineRunView>, ApiError> {
    let run = find_run(&app, &who, &id).await?;
    view(&app, &run).await.map(JsonResponse)
}
