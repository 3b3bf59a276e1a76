//! Starts a run for whoever sent the request.

use axum::http::StatusCode;
use sekisho_agent::service::{RunStart, RunStartError};
use serde_json::json;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;

/// Starts a run, unless whoever wants it has too many open questions.
pub(in crate::routes) async fn launch(app: &App, who: &Identity, start: RunStart) -> Result<(), ApiError> {
    let usage = app.inner.open_approvals.usage_of(&who.credential);
    if let Some(excess) = usage.exceeded_limit(&app.settings().limits) {
        let message = format!("`{}` has {excess}", who.name);
        return Err(ApiError::rate_limited(message).with_hint("wait until some are answered"));
    }
    let (service, actor) = (app.agents().clone(), who.actor());
    // A run that is stored is also driven, even if the caller closes the connection in between.
    let started = tokio::spawn(async move {
        let (agent, id) = (start.agent, start.id);
        service.start(start).await.map_err(start_error)?;
        let name = service.runs().run(id).await?.map(|run| run.settings.agent_name).unwrap_or_default();
        let body = json!({ "agent": agent, "run": id });
        service.record("run_started", &name, format!("run `{id}` started"), body, actor).await?;
        Ok(())
    });
    started
        .await
        .map_err(|_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", "the run did not start"))?
}

fn start_error(error: RunStartError) -> ApiError {
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
        RunStartError::Store(error) => error.into(),
    }
}
