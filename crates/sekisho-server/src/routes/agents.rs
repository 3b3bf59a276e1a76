//! Routes for agents: list, show, create, replace, delete.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode};
use sekisho_agent::agents::{Agent, AgentChange, AgentSettings};
use serde_json::json;
use uuid::Uuid;

use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse};
use crate::route::Route;
use crate::wire::agent::{AgentBody, AgentList, AgentUsageView, AgentView};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/agents", Access::READ, "listAgents", list)
            .summary("Lists the agents, in order of creation")
            .response::<AgentList>(200),
        Route::new(Method::POST, "/api/agents", Access::ADMIN, "createAgent", create)
            .summary("Creates an agent; all tools are off until they are enabled")
            .request_body::<AgentBody>()
            .response::<AgentView>(201)
            .error_statuses(&[409]),
        Route::new(Method::GET, "/api/agents/{id}", Access::READ, "getAgent", show)
            .summary("Gets an agent and its tools")
            .response::<AgentView>(200)
            .error_statuses(&[404]),
        Route::new(Method::GET, "/api/agents/{id}/usage", Access::READ, "getAgentUsage", usage)
            .summary("Gets what the stored runs of an agent have used and cost")
            .response::<AgentUsageView>(200)
            .error_statuses(&[404]),
        Route::new(Method::PUT, "/api/agents/{id}", Access::ADMIN, "replaceAgent", replace)
            .summary("Replaces the settings of an agent; its tools stay")
            .notes("Send all settings: omitted ones get their defaults. Runs keep the settings that they were started with.")
            .request_body::<AgentBody>()
            .response::<AgentView>(200)
            .error_statuses(&[404, 409]),
        Route::new(Method::DELETE, "/api/agents/{id}", Access::ADMIN, "deleteAgent", delete)
            .summary("Deletes an agent and its tool permissions")
            .notes("Its runs stay. Those that go on have no tools any more, and their open questions are denied.")
            .media_response(204, "")
            .error_statuses(&[404]),
    ]
}

async fn list(State(app): State<App>) -> Result<JsonResponse<AgentList>, ApiError> {
    let stored = app.agents().agents();
    let mut agents = Vec::new();
    for agent in stored.agents().await? {
        let tools = stored.tool_permissions(agent.id).await?;
        agents.push(AgentView::of(agent, tools));
    }
    Ok(JsonResponse(AgentList { agents }))
}

async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<JsonResponse<AgentView>, ApiError> {
    let agent = find(&app, &id).await?;
    view(&app, agent).await.map(JsonResponse)
}

async fn usage(
    State(app): State<App>,
    Path(id): Path<String>,
) -> Result<JsonResponse<AgentUsageView>, ApiError> {
    let agent = find(&app, &id).await?;
    let used = app.agents().usage(agent.id).await?;
    Ok(JsonResponse(AgentUsageView::of(agent.id, used)))
}

/// The settings of a request, if they are valid and the agent can be used with them.
fn checked(app: &App, body: AgentBody) -> Result<AgentSettings, ApiError> {
    let settings = body.settings(&app.settings().projects)?;
    match app.agents().unusable(&settings) {
        Some(why) => Err(ApiError::invalid(why).with_field("costBudgetUsd")),
        None => Ok(settings),
    }
}

/// The agent with this id.
pub(super) async fn find(app: &App, id: &str) -> Result<Agent, ApiError> {
    let unknown = || ApiError::not_found(format!("there is no agent `{id}`"));
    let parsed: Uuid = id.parse().map_err(|_| unknown())?;
    app.agents().agents().agent(parsed).await?.ok_or_else(unknown)
}

async fn view(app: &App, agent: Agent) -> Result<AgentView, ApiError> {
    let tools = app.agents().agents().tool_permissions(agent.id).await?;
    Ok(AgentView::of(agent, tools))
}

async fn create(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<AgentBody>,
) -> Result<(StatusCode, JsonResponse<AgentView>), ApiError> {
    let settings = checked(&app, body)?;
    let at = app.now();
    let agent = Agent { id: Uuid::now_v7(), settings, created_at: at, updated_at: at };
    let name = &agent.settings.name;
    let body = json!({ "agent": agent.id, "settings": agent.settings });
    let text = format!("agent `{name}` created");
    let record = app.agents().change_record("created", name, text, body, who.actor())?;
    let change = app.agents().agents().create_agent(agent.clone(), record).await?;
    stored(change, &agent)?;
    Ok((StatusCode::CREATED, JsonResponse(AgentView::of(agent, Vec::new()))))
}

async fn replace(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    JsonBody(body, _memory): JsonBody<AgentBody>,
) -> Result<JsonResponse<AgentView>, ApiError> {
    let settings = checked(&app, body)?;
    let known = find(&app, &id).await?;
    let at = app.now();
    let agent = Agent { settings, updated_at: at, ..known };
    let name = &agent.settings.name;
    let body = json!({ "agent": agent.id, "settings": agent.settings });
    let text = format!("agent `{name}` changed");
    let record = app.agents().change_record("updated", name, text, body, who.actor())?;
    let change = app.agents().agents().update_agent(agent.id, agent.settings.clone(), at, record).await?;
    stored(change, &agent)?;
    view(&app, agent).await.map(JsonResponse)
}

fn stored(change: AgentChange, agent: &Agent) -> Result<(), ApiError> {
    match change {
        AgentChange::Stored => Ok(()),
        AgentChange::NotFound => Err(ApiError::not_found(format!("there is no agent `{}`", agent.id))),
        AgentChange::NameTaken => {
            let message = format!("another agent is called `{}`", agent.settings.name);
            Err(ApiError::new(StatusCode::CONFLICT, "NameTaken", message).with_field("name"))
        }
    }
}

async fn delete(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let agent = find(&app, &id).await?;
    let name = &agent.settings.name;
    let body = json!({ "agent": agent.id });
    let text = format!("agent `{name}` deleted");
    let record = app.agents().change_record("deleted", name, text, body, who.actor())?;
    if !app.agents().agents().delete_agent(agent.id, record).await? {
        return Err(ApiError::not_found(format!("there is no agent `{id}`")));
    }
    app.agents().deny_open_questions(agent.id, |_| true, &who.approver()).await?;
    Ok(StatusCode::NO_CONTENT)
}
