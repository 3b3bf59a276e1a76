//! Lists and shows runs.

use axum::Extension;
use axum::extract::{Path, State};
use schemars::JsonSchema;
use sekisho_agent::runs::RunQuery;
use sekisho_gate::answer::Role;
use serde::Deserialize;
use uuid::Uuid;

use super::run_lookup::{find, view};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonResponse, QueryParams};
use crate::wire::run::{RunList, RunMessage, RunMessages, RunView};

/// The most runs on a page.
const LARGEST_PAGE: usize = 200;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RunsQuery {
    /// Only runs of this agent.
    #[serde(default)]
    agent_id: Option<Uuid>,
    /// `true`: only runs that go on or wait for approvals. `false`: only runs that have ended.
    #[serde(default)]
    active: Option<bool>,
    /// `true`: only runs that a person or a program started, none of sub-agents.
    #[serde(default)]
    roots: Option<bool>,
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
    QueryParams(query): QueryParams<RunsQuery>,
) -> Result<JsonResponse<RunList>, ApiError> {
    let limit = query.limit.unwrap_or(50);
    if !(1..=LARGEST_PAGE).contains(&limit) {
        return Err(ApiError::invalid(format!("`limit` is {limit}; it must be 1 to {LARGEST_PAGE}")));
    }
    // All peers of one user share the socket, so an agent there must name the run.
    if !who.may_hear_of(&who.credential) {
        return Ok(JsonResponse(RunList { runs: Vec::new(), next: None }));
    }
    let wanted = RunQuery {
        agent: query.agent_id,
        credential: (who.role == Role::Agent).then(|| who.credential.clone()),
        works: query.active,
        roots: query.roots.unwrap_or(false),
        before: query.before,
        limit: limit.saturating_add(1),
    };
    let mut found = app.agents().runs().runs(wanted).await?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().map(|run| run.id).filter(|_| has_more);
    let mut runs = Vec::with_capacity(found.len());
    for run in found {
        let pending = app.agents().pending(&run).await?;
        runs.push(RunView::of(&run, pending));
    }
    Ok(JsonResponse(RunList { runs, next }))
}

pub(super) async fn show(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<JsonResponse<RunView>, ApiError> {
    let run = find(&app, &who, &id).await?;
    view(&app, &run).await.map(JsonResponse)
}

pub(super) async fn messages(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<JsonResponse<RunMessages>, ApiError> {
    let run = find(&app, &who, &id).await?;
    let messages = app.agents().runs().messages(run.id).await?;
    Ok(JsonResponse(RunMessages { messages: messages.into_iter().map(RunMessage::from).collect() }))
}
