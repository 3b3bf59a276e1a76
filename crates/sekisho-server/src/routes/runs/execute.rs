//! Starts runs, and waits for them.

use std::collections::BTreeMap;

use axum::Extension;
use axum::extract::State;
use schemars::JsonSchema;
use sekisho_agent::run_summary;
use sekisho_agent::runs::StoredRun;
use sekisho_agent::service::{RunStart, WaitUntil};
use serde::Deserialize;
use uuid::Uuid;

use super::launch::launch;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse, QueryParams};
use crate::wire::agent::tool_settings;
use crate::wire::run::{ExecuteBody, ExecutionView};

/// The longest message, in characters.
pub(in crate::routes) const MAX_MESSAGE: usize = 1_000_000;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::routes) struct WaitQuery {
    /// `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or only waits for
    /// approvals.
    #[serde(default)]
    pub(in crate::routes) wait: Option<bool>,
}

pub(super) async fn execute(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    QueryParams(query): QueryParams<WaitQuery>,
    JsonBody(body, memory): JsonBody<ExecuteBody>,
) -> Result<JsonResponse<ExecutionView>, ApiError> {
    let id = start(&app, &who, body).await?;
    drop(memory);
    let run = wait(&app, &who, id, query).await?;
    execution_view(&app, run).await.map(JsonResponse)
}

/// A run and what it and the runs below it wait for.
pub(in crate::routes) async fn execution_view(app: &App, run: StoredRun) -> Result<ExecutionView, ApiError> {
    let service = app.agents();
    let tree = service.tree_below(run).await?;
    let pending = service.tree_pending(&tree).await?;
    let output = run_summary::output(service.runs(), tree.top.id).await?;
    Ok(ExecutionView::of(&tree, pending, output))
}

/// Refuses an input that is too long.
pub(in crate::routes) fn check_input(input: &str) -> Result<(), ApiError> {
    if input.chars().count() > MAX_MESSAGE {
        let message = format!("`input` is longer than {MAX_MESSAGE} characters");
        return Err(ApiError::invalid(message).with_field("input"));
    }
    Ok(())
}

async fn start(app: &App, who: &Identity, body: ExecuteBody) -> Result<Uuid, ApiError> {
    check_input(&body.input)?;
    let mut tool_config = BTreeMap::new();
    for (tool, config) in body.tool_config.unwrap_or_default() {
        if app.agents().host().registry().get(&tool).is_none() {
            return Err(
                ApiError::invalid(format!("`tool_config`: Unknown tool: {tool}")).with_field("tool_config")
            );
        }
        let settings = tool_settings(&tool, config)?;
        tool_config.insert(tool, settings);
    }
    let id = Uuid::now_v7();
    let start = RunStart {
        id,
        agent: body.agent_id,
        history: Vec::new(),
        input: body.input,
        max_iterations: None,
        requires_approval: false,
        mode: None,
        approvals_expire: false,
        enabled_tools: body.enabled_tools,
        tool_config,
        credential: who.credential.clone(),
        roots: who.roots().to_vec(),
    };
    launch(app, who, start).await?;
    Ok(id)
}

/// Waits for a run as the caller wants, at most until the server stops.
pub(in crate::routes) async fn wait(
    app: &App,
    who: &Identity,
    id: Uuid,
    query: WaitQuery,
) -> Result<StoredRun, ApiError> {
    let gone = || ApiError::not_found(format!("there is no run `{id}`"));
    let until = match query.wait {
        Some(true) => Some(WaitUntil::Ended),
        None => Some(WaitUntil::Settled),
        Some(false) => None,
    };
    let service = app.agents();
    if let Some(until) = until {
        tokio::select! {
            waited = service.wait(id, until) => drop(waited?),
            () = app.shutdown_started() => {}
        }
        // It may have taken long, and the token may have been revoked meanwhile.
        app.ensure_token_valid(who).await?;
    }
    service.runs().run(id).await?.ok_or_else(gone)
}
