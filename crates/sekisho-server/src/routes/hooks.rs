//! Agents whose hooks speak HTTP: their words in, their words out.
//!
//! Such a hook takes any answer but a 200 for a hook that failed, and lets the call run unless it was told otherwise. So
//! whatever goes wrong once we know who asks is said as a block, in a 200.

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
use crate::middleware::BudgetReservation;
use crate::route::Route;
use crate::wire::call::{CanUseTool, CanUseToolResponse};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/api/hooks/{agent}", Access::ASK, "hook", hook)
            .summary("An agent's own hook, over HTTP: its JSON in, its JSON out")
            .notes("`claude-code` and `codex` (hooks and app-server approvals), `gemini-cli`, `opencode`. A human is waited for. The answer is always 200 once the caller is known, and a block says so in its body; give the hook `onFailure: \"block\"` for the rest.")
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
    let said = match body {
        Ok(JsonBody(told, memory)) => {
            let text = Value::Object(told).to_string();
            respond(&app, &who, agent, &text, memory)
                .await
                .unwrap_or_else(|why| block_request(agent, &text, &blocked(why)))
        }
        Err(fault) => block(agent, &blocked(fault.message)),
    };
    Ok(([(header::CONTENT_TYPE, "application/json")], said.http_body()).into_response())
}

async fn respond(
    app: &App,
    who: &Identity,
    agent: Agent,
    text: &str,
    memory: BudgetReservation,
) -> Result<sekisho_adapters::HookResponse, String> {
    // Nobody can tell from here whether somebody sits in front of the agent.
    let asked = sekisho_adapters::read(agent, text, &|_| None);
    let asked = asked.map_err(|error| error.to_string())?;
    let reply = match &asked.event {
        HookEvent::BeforeCall | HookEvent::PermissionRequest => decide(app, who, &asked, memory).await?,
        HookEvent::AfterCall(ending) => {
            record_end(app, who, &asked, ending).await.map_err(|fault| fault.message)?;
            HookDecision::NoDecision
        }
    };
    Ok(asked.respond(reply))
}

async fn decide(
    app: &App,
    who: &Identity,
    asked: &HookRequest,
    memory: BudgetReservation,
) -> Result<HookDecision, String> {
    let call = asked.call.clone();
    let Value::Object(input) = call.input else { return Err("the input is not an object".into()) };
    // Where the wire has no id no call is like another: the time of asking tells them apart.
    let ordinal = || u64::try_from(app.now().as_nanosecond()).unwrap_or(0);
    let id = call.call_id.map_or_else(|| derive_call_id(asked, ordinal()), Ok)?;
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
        descriptor: None,
    };
    let ask = calls::build_ask(app, who, body).await.map_err(|fault| fault.message)?;
    let ask = CallRequest { memory_guard: Some(Arc::new(memory)), ..ask };
    if asked.needs_human() {
        let judged = app.gate().judge_queued(&ask).await.map_err(|refusal| refusal.reason)?;
        if judged.verdict.decision == Decision::Allow {
            // A rule must not answer this; the agent's own prompt does.
            return Ok(HookDecision::NoDecision);
        }
    }
    match calls::ask_and_wait(app, who, ask).await.map_err(|fault| fault.message)? {
        CanUseToolResponse::Allow { updated_input, .. } => {
            Ok(HookDecision::Allow { reason: "let through by sekisho".into(), input: updated_input })
        }
        CanUseToolResponse::Deny { message, interrupt, .. } => {
            Ok(HookDecision::Deny { reason: message, interrupt })
        }
    }
}

/// Notes how a call ended, where it is known here.
async fn record_end(
    app: &App,
    who: &Identity,
    asked: &HookRequest,
    ending: &ReportedOutcome,
) -> Result<(), ApiError> {
    let Some(name) = CallReference::of(&who.credential, &asked.call) else { return Ok(()) };
    let Some(execution) = app.gate().ledger().latest_execution(name).await? else { return Ok(()) };
    let ending = ledger::ExecutionOutcome {
        at: app.now(),
        is_error: ending.is_error,
        output: None,
        duration_ms: ending.duration_ms.map(|ms| ms.max(0)),
    };
    app.gate().record_remote_outcome(execution, ending).await?;
    Ok(())
}
