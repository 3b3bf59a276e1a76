//! Routes for runs of agents that have sub-agents: start, show, approve.

use std::collections::BTreeMap;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode};
use sekisho_agent::service::{RunStart, RunTree, TreeCall};
use sekisho_gate::answer::Answer;
use serde_json::json;
use uuid::Uuid;

use super::runs::execute::{WaitQuery, check_input, execution_view, wait};
use super::runs::launch::launch;
use super::runs::run_lookup::find;
use super::runs::tool_calls::{answer_call, find_suspended};
use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonBody, JsonResponse, QueryParams};
use crate::route::Route;
use crate::wire::run::{ApproveOrchestrationBody, ExecutionView, OrchestrateBody, PendingExecution};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/api/orchestrate", Access::START, "orchestrate", orchestrate)
            .summary("Starts a run of an agent that may have sub-agents, and waits for it")
            .notes("As `execute-with-tools`, for the run and those of its sub-agents together: it is `suspended` when all of them only wait for approvals. `mode` only narrows that of the agent: more is 403 `ToolPermissionDenied`.")
            .query::<WaitQuery>()
            .request_body::<OrchestrateBody>()
            .response::<ExecutionView>(200)
            .error_statuses(&[404]),
        Route::new(Method::GET, "/api/orchestrations/{id}", Access::ANY_ROLE, "getOrchestration", show)
            .summary("Gets a run, the runs of its sub-agents, and what they wait for")
            .response::<ExecutionView>(200)
            .error_statuses(&[404]),
        Route::new(Method::POST, "/api/orchestrations/{id}/approve", Access::ANSWER, "approveOrchestration", approve)
            .summary("Approves calls of a run and of its sub-agents")
            .notes("Without ids only if exactly one call waits: otherwise 409, and `error.pending` lists the calls. All named calls must wait, or none is approved. Returns when nothing happens before the next answer, or as `wait` says. To decline a call, use `/api/runs/{id}/decline-tool-call` with the call's `run_id`, or answer its approval.")
            .query::<WaitQuery>()
            .request_body::<ApproveOrchestrationBody>()
            .response::<ExecutionView>(200)
            .error_statuses(&[404, 409]),
    ]
}

async fn orchestrate(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    QueryParams(query): QueryParams<WaitQuery>,
    JsonBody(body, memory): JsonBody<OrchestrateBody>,
) -> Result<JsonResponse<ExecutionView>, ApiError> {
    check_input(&body.input)?;
    let id = Uuid::now_v7();
    let start = RunStart {
        id,
        agent: body.agent_id,
        history: Vec::new(),
        input: body.input,
        max_iterations: None,
        requires_approval: false,
        mode: body.mode.map(Into::into),
        approvals_expire: false,
        enabled_tools: None,
        tool_config: BTreeMap::new(),
        credential: who.credential.clone(),
        roots: who.roots().to_vec(),
    };
    launch(&app, &who, start).await?;
    drop(memory);
    let run = wait(&app, &who, id, query).await?;
    execution_view(&app, run).await.map(JsonResponse)
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Result<JsonResponse<ExecutionView>, ApiError> {
    let run = find(&app, &who, &id).await?;
    execution_view(&app, run).await.map(JsonResponse)
}

async fn approve(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<WaitQuery>,
    JsonBody(body, _memory): JsonBody<ApproveOrchestrationBody>,
) -> Result<JsonResponse<ExecutionView>, ApiError> {
    let run = find_suspended(&app, &who, &id).await?;
    let tree = app.agents().tree_below(run).await?;
    let pending = app.agents().tree_pending(&tree).await?;
    for chosen in chosen(&tree, &body, pending)? {
        let asks = tree.runs().find(|run| run.id == chosen.run);
        let asks = asks.ok_or_else(|| ApiError::not_found(format!("there is no run `{}`", chosen.run)))?;
        answer_call(&app, &who, asks, Some(&chosen.call.tool_call_id), Answer::approve()).await?;
    }
    let run = wait(&app, &who, tree.top.id, query).await?;
    execution_view(&app, run).await.map(JsonResponse)
}

/// The calls that are approved. Each one that is named must wait, and be meant unambiguously.
fn chosen(
    tree: &RunTree,
    body: &ApproveOrchestrationBody,
    pending: Vec<TreeCall>,
) -> Result<Vec<TreeCall>, ApiError> {
    let conflict = |code: &'static str, message: String, calls: &[TreeCall]| {
        let listed = calls.iter().cloned().map(|call| json!(PendingExecution::from(call))).collect();
        ApiError { pending: Some(listed), ..ApiError::new(StatusCode::CONFLICT, code, message) }
    };
    let not_suspended = "AGENT_RESUME_TOOL_CALL_NOT_SUSPENDED";
    let named = body.tool_call_ids.len().saturating_add(body.approval_ids.len());
    if named == 0 {
        return match pending.len() {
            0 => {
                let message =
                    format!("no tool call of run `{}` or of its sub-agents waits for an answer", tree.top.id);
                Err(conflict(not_suspended, message, &pending))
            }
            1 => Ok(pending),
            waiting => {
                let message =
                    format!("{waiting} tool calls wait for an answer; name those that are approved");
                Err(conflict("Conflict", message, &pending)
                    .with_field("approval_ids")
                    .with_hint("send `approval_ids`, or `tool_call_ids` where they are unambiguous"))
            }
        };
    }
    let mut found: Vec<TreeCall> = Vec::new();
    for approval in &body.approval_ids {
        let one = pending.iter().find(|one| one.call.approval == *approval).ok_or_else(|| {
            conflict(
                not_suspended,
                format!("the approval `{approval}` does not wait for an answer here"),
                &pending,
            )
        })?;
        found.push(one.clone());
    }
    for id in &body.tool_call_ids {
        let named: Vec<&TreeCall> = pending.iter().filter(|one| one.call.tool_call_id == *id).collect();
        match named.as_slice() {
            [one] => found.push((*one).clone()),
            [] => {
                let message = format!("the tool call `{id}` does not wait for an answer");
                return Err(conflict(not_suspended, message, &pending));
            }
            _ => {
                let message = format!("several runs have a tool call `{id}` that waits; name its approval");
                return Err(conflict("Conflict", message, &pending).with_field("tool_call_ids"));
            }
        }
    }
    found.sort_by_key(|one| one.call.approval);
    found.dedup_by_key(|one| one.call.approval);
    Ok(found)
}
