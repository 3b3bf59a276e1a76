//! The built-in tools, and which of them an agent may use.

use std::collections::BTreeSet;

use axum::Extension;
use axum::extract::State;
use axum::http::Method;
use serde_json::json;

use super::agents;
use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse};
use crate::route::Route;
use crate::wire::agent::{StatusOk, ToolConfigBody, ToolConfigEntry};
use crate::wire::tool::BuiltInTool;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/tools", Access::READ, "listTools", list)
            .summary("Lists the built-in tools, by name")
            .response::<Vec<BuiltInTool>>(200),
        Route::new(Method::POST, "/api/tools/config", Access::ADMIN, "configureTools", configure)
            .summary("Enables, disables and configures tools of an agent")
            .notes("Counts at once, also in runs that go on: the open questions about a disabled tool are denied. Tools that are not in the list stay as they are.")
            .request_body::<ToolConfigBody>()
            .response::<StatusOk>(200)
            .error_statuses(&[404]),
    ]
}

async fn list(State(app): State<App>) -> JsonResponse<Vec<BuiltInTool>> {
    JsonResponse(app.inner.parts.tools.clone())
}

async fn configure(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<ToolConfigBody>,
) -> Result<JsonResponse<StatusOk>, ApiError> {
    let agent = agents::find(&app, &body.agent_id.to_string()).await?;
    let registry = app.agents().host().registry();
    let mut names = BTreeSet::new();
    for (at, entry) in body.tools.iter().enumerate() {
        let name = &entry.tool_name;
        let field = format!("tools[{at}].tool_name");
        if registry.get(name).is_none() {
            return Err(ApiError::invalid(format!("`{field}`: Unknown tool: {name}"))
                .with_field(field)
                .with_hint("`GET /api/tools` lists the tools"));
        }
        if !names.insert(name.clone()) {
            return Err(
                ApiError::invalid(format!("`{field}`: `{name}` is in the list twice")).with_field(field)
            );
        }
    }
    let recorded = json!({ "agent": agent.id, "tools": body.tools });
    let permissions = body.tools.into_iter().map(ToolConfigEntry::permission);
    let permissions = permissions.collect::<Result<Vec<_>, _>>()?;
    let disabled: BTreeSet<String> = permissions
        .iter()
        .filter(|permission| !permission.is_enabled)
        .map(|permission| permission.tool_name.clone())
        .collect();
    let name = &agent.settings.name;
    let text = format!("tools of agent `{name}` changed");
    let record = app.agents().change_record("tools_changed", name, text, recorded, who.actor())?;
    if !app.agents().agents().set_tool_permissions(agent.id, permissions, app.now(), record).await? {
        return Err(ApiError::not_found(format!("there is no agent `{}`", agent.id)));
    }
    if !disabled.is_empty() {
        let is_disabled = |tool: &str| disabled.contains(tool);
        app.agents().deny_open_questions(agent.id, is_disabled, &who.approver()).await?;
    }
    Ok(JsonResponse(StatusOk { status: "ok".into() }))
}
