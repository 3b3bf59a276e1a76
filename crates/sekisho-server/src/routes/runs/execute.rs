//! Starts runs, and waits for them.

use std::collections::BTreeMap;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use sekisho_agent::driver::TooManyActive;
use sekisho_agent::runs::StoredRun;
use sekisho_agent::service::{RunStart, RunStartError, WaitUntil};
use serde::Deserialize;
use serde_json::json;
use uuid::Uuid;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse, QueryParams};
use crate::wire::agent::tool_settings;
use crate::wire::run::{ExecuteBody, ExecutionView};

/// The longest message, in characters.
pub(super) const MAX_MESSAGE: usize = 1_000_000;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct WaitQuery {
    /// `true`: wait until the run has ended. `false`: do not wait. By default until it has ended, or only waits for
    /// approvals.
    #[serde(default)]
    pub(super) wait: Option<bool>,
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
    let pending = app.agents().pending(&run).await?;
    let messages = app.agents().runs().messages(id).await?;
    Ok(JsonResponse(ExecutionView::of(&run, pending, &messages)))
}

async fn start(app: &App, who: &Identity, body: ExecuteBody) -> Result<Uuid, ApiError> {
    if body.input.chars().count() > MAX_MESSAGE {
        let message = format!("`input` is longer than {MAX_MESSAGE} characters");
        return Err(ApiError::invalid(message).with_field("input"));
    }
    let usage = app.inner.open_approvals.usage_of(&who.credential);
    if let Some(excess) = usage.exceeded_limit(&app.settings().limits) {
        let message = format!("`{}` has {excess}", who.name);
        return Err(ApiError::rate_limited(message).with_hint("wait until some are answered"));
    }
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
    let start = RunStart {
        agent: body.agent_id,
        input: body.input,
        enabled_tools: body.enabled_tools,
        tool_config,
        credential: who.credential.clone(),
        roots: who.roots().to_vec(),
    };
    let (service, actor, name) = (app.agents().clone(), who.actor(), who.name.clone());
    // A run that is stored is also driven, even if the caller closes the connection in between.
    let started = tokio::spawn(async move {
        let agent = start.agent;
        let id = service.start(start).await.map_err(|error| start_error(error, &name))?;
        let name = service.runs().run(id).await?.map(|run| run.settings.agent_name).unwrap_or_default();
        let body = json!({ "agent": agent, "run": id });
        service.record("run_started", &name, format!("run `{id}` started"), body, actor).await?;
        Ok(id)
    });
    started
        .await
        .map_err(|_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", "the run did not start"))?
}

/// A credential may not have more active runs.
pub(super) fn too_many_active(excess: TooManyActive, name: &str) -> ApiError {
    ApiError::rate_limited(format!("`{name}` has {excess}")).with_hint(
        "wait until some have ended, or end some (`sekisho runs list`, `sekisho runs abort ID`); the setting `max_runs` of the server is the limit",
    )
}

fn start_error(error: RunStartError, name: &str) -> ApiError {
    let message = error.to_string();
    match error {
        RunStartError::NoAgent(_) => ApiError::not_found(message),
        RunStartError::Invalid { field, .. } => ApiError::invalid(message).with_field(field),
        RunStartError::NotPermitted(_) => {
            ApiError::new(StatusCode::FORBIDDEN, "ToolPermissionDenied", message)
                .with_hint("ask for less, or let an admin enable it for the agent")
        }
        RunStartError::Model(_) | RunStartError::Settings(_) => {
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "ToolExecutionFailed", message)
        }
        RunStartError::TooManyActive(excess) => too_many_active(excess, name),
        RunStartError::Store(error) => error.into(),
    }
}

/// Waits for a run as the caller wants, at most until the server stops.
pub(super) async fn wait(
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
