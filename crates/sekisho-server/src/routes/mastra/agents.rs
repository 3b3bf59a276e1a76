//! Describes agents.

use axum::extract::{Path, State};
use sekisho_agent::agents::Agent;
use serde_json::{Map, Value};

use super::error::MastraError;
use crate::app::App;
use crate::error::ApiError;
use crate::json_body::JsonResponse;
use crate::wire::mastra::agent::describe;

/// An agent by its id or its name.
pub(super) async fn find(app: &App, name: &str) -> Result<Agent, MastraError> {
    let stored = app.agents().agents();
    let found = match name.parse() {
        Ok(id) => stored.agent(id).await?,
        Err(_) => stored.agents().await?.into_iter().find(|agent| agent.settings.name == name),
    };
    found.ok_or_else(|| ApiError::not_found(format!("Agent with id {name} not found")).into())
}

pub(super) async fn list(State(app): State<App>) -> Result<JsonResponse<Value>, MastraError> {
    let mut described = Map::new();
    for agent in app.agents().agents().agents().await? {
        described.insert(agent.id.to_string(), description(&app, &agent).await?);
    }
    Ok(JsonResponse(Value::Object(described)))
}

pub(super) async fn show(
    State(app): State<App>,
    Path(name): Path<String>,
) -> Result<JsonResponse<Value>, MastraError> {
    let agent = find(&app, &name).await?;
    description(&app, &agent).await.map(JsonResponse)
}

async fn description(app: &App, agent: &Agent) -> Result<Value, MastraError> {
    let permissions = app.agents().agents().tool_permissions(agent.id).await?;
    Ok(describe(agent, &permissions, &app.inner.parts.tools))
}
