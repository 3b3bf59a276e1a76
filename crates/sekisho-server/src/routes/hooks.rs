//! Hook requests over HTTP, in the agent's own JSON format.
//!
//! These hooks treat any response but 200 as a failed hook, and run the call unless configured otherwise. So
//! once the caller is known, every error is reported as a block, in a 200.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use sekisho_adapters::{
    Agent, HookDecision, HookEvent, HookRequest, ReportedOutcome, block, block_request, derive_call_id,
};
use sekisho_gate::call_request::CallRequest;
use sekisho_gate::ledger::{self, CallReference};
use sekisho_policy::Decision;
use serde_json::{Map, Value};

use super::calls;
use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::memory_budget::BudgetReservation;
use crate::route::Route;
use crate::wire::call::{CanUseTool, CanUseToolResponse};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/api/hooks/{agent}", Access::ASK, "hook", hook)
            .summary("An agent's hook over HTTP: its JSON in, its JSON out")
            .notes("`claude-code` and `codex` (hooks and app-server approvals), `gemini-cli`, `opencode`. Waits for a human if necessary. Once the caller is known, the response is always 200; its body says if the call is blocked. Configure the hook with `onFailure: \"block\"` for all other failures.")
            .request_body::<Map<String, Value>>()
            .response::<Map<String, Value>>(200)
            .error_statuses(&[404]),
    ]
}

async fn hook(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(agent): Path<String>,
    body: Result<JsonBody<Map<String, Value>>, ApiError>,
) -> Result<Response, ApiError> {
    let agent: Agent = agent.parse().map_err(ApiError::not_found)?;
    let blocked = |why: String| format!("sekisho: {why}; the call is blocked");
    let response = match body {
        Ok(JsonBody(fields, memory)) => {
            let text = Value::Object(fields).to_string();
            respond(&app, &who, agent, &text, memory)
                .await
                .unwrap_or_else(|why| block_request(agent, &text, &blocked(why)))
        }
        Err(error) => block(agent, &blocked(error.message)),
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], response.http_body()).into_response())
}

async fn respond(
    app: &App,
    who: &Identity,
    agent: Agent,
    text: &str,
    memory: BudgetReservation,
) -> Result<sekisho_adapters::HookResponse, String> {
    // The server cannot know whether a user is at the agent's prompt.
    let request = sekisho_adapters::read(agent, text, &|_| None);
    let request = request.map_err(|error| error.to_string())?;
    let decision = match &request.event {
        HookEvent::BeforeCall | HookEvent::PermissionRequest => decide(app, who, &request, memory).await?,
        HookEvent::AfterCall(outcome) => {
            record_end(app, who, &request, outcome).await.map_err(|error| error.message)?;
            HookDecision::NoDecision
        }
    };
    Ok(request.respond(decision))
}

async fn decide(
    app: &App,
    who: &Identity,
    request: &HookRequest,
    memory: BudgetReservation,
) -> Result<HookDecision, String> {
    let call = request.call.clone();
    let Value::Object(input) = call.input else { return Err("the input is not an object".into()) };
    // If the agent sends no call id, every call is a new one: the current time tells them apart.
    let ordinal = || u64::try_from(app.now().as_nanosecond()).unwrap_or(0);
    let id = call.call_id.map_or_else(|| derive_call_id(request, ordinal()), Ok)?;
    let body = CanUseTool {
        tool_name: call.tool,
        input,
        tool_use_id: id,
        server_id: call.server.map(|server| server.id),
        workspace_id: None,
        conversation_id: None,
        run_id: call.run_id,
        agent_id: call.agent.map(|agent| agent.id),
        cwd: call.cwd,
        timeout_ms: None,
        on_timeout: None,
        supports_confirm: None,
        always_ask: true,
        project_root: None,
        input_schema: None,
        descriptor: None,
    };
    let call_request = calls::build_ask(app, who, body).await.map_err(|error| error.message)?;
    let call_request = CallRequest { memory_guard: Some(Arc::new(memory)), ..call_request };
    if request.needs_human() {
        let judgement = app.gate().judge_queued(&call_request).await.map_err(|refusal| refusal.reason)?;
        if judgement.verdict.decision == Decision::Allow {
            // A rule must not answer this; the agent's own prompt does.
            return Ok(HookDecision::NoDecision);
        }
    }
    match calls::ask_and_wait(app, who, call_request).await.map_err(|error| error.message)? {
        CanUseToolResponse::Allow { updated_input, .. } => {
            Ok(HookDecision::Allow { reason: "allowed by sekisho".into(), input: updated_input })
        }
        CanUseToolResponse::Deny { message, interrupt, .. } => {
            Ok(HookDecision::Deny { reason: message, interrupt })
        }
    }
}

/// Records how a call ended, if the call is known here.
async fn record_end(
    app: &App,
    who: &Identity,
    request: &HookRequest,
    outcome: &ReportedOutcome,
) -> Result<(), ApiError> {
    let Some(reference) = CallReference::of(&who.credential, &request.call) else { return Ok(()) };
    let Some(execution) = app.gate().ledger().latest_execution(reference).await? else { return Ok(()) };
    let outcome = ledger::ExecutionOutcome {
        at: app.now(),
        is_error: outcome.is_error,
        output: None,
        duration_ms: outcome.duration_ms.map(|ms| ms.max(0)),
        exit: None,
    };
    app.gate().record_remote_outcome(execution, outcome).await?;
    Ok(())
}
