//! Starts a run for whoever sent the request.

use axum::http::StatusCode;
use sekisho_agent::driver::TooManyActive;
use sekisho_agent::service::{RunStart, RunStartError};
use serde_json::json;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;

/// Whether somebody may start something that may ask: too many open questions are refused.
pub(in crate::routes) fn check_open_approvals(app: &App, who: &Identity) -> Result<(), ApiError> {
    let usage = app.inner.open_approvals.usage_of(&who.credential);
    match usage.exceeded_limit(&app.settings().limits) {
        Some(excess) => {
            let message = format!("`{}` has {excess}", who.name);
            Err(ApiError::rate_limited(message).with_hint("wait until some are answered"))
        }
        None => Ok(()),
    }
}

/// Starts a run, unless whoever wants it has too many open questions.
pub(in crate::routes) async fn launch(app: &App, who: &Identity, start: RunStart) -> Result<(), ApiError> {
    check_open_approvals(app, who)?;
    let (service, actor, name) = (app.agents().clone(), who.actor(), who.name.clone());
    // A run that is stored is also driven, even if the caller closes the connection in between.
    let started = tokio::spawn(async move {
        let (agent, id) = (start.agent, start.id);
        service.start(start).await.map_err(|error| start_error(error, &name))?;
        let name = service.runs().run(id).await?.map(|run| run.settings.agent_name).unwrap_or_default();
        let body = json!({ "agent": agent, "run": id });
        service.record("run_started", &name, format!("run `{id}` started"), body, actor).await?;
        Ok(())
    });
    started
        .await
        .map_err(|_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", "the run did not start"))?
}

/// A credential may not have more active runs.
pub(in crate::routes) fn too_many_active(excess: TooManyActive, name: &str) -> ApiError {
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
