//! Lists runs that wait for approvals.

use axum::Extension;
use axum::extract::{Path, State};
use jiff::Timestamp;
use sekisho_agent::run_summary::PendingCall;
use sekisho_agent::runs::{RunQuery, StoredRun};
use sekisho_gate::answer::Role;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::agents;
use super::error::MastraError;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::{JsonResponse, QueryParams};

/// How many runs are read at a time, and the most on a page.
const READ: usize = 200;
const LARGEST_PAGE: usize = 200;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SuspendedQuery {
    #[serde(default)]
    thread_id: Option<String>,
    #[serde(default)]
    resource_id: Option<String>,
    #[serde(default)]
    from_date: Option<Timestamp>,
    #[serde(default)]
    to_date: Option<Timestamp>,
    #[serde(default)]
    per_page: Option<usize>,
    #[serde(default)]
    page: Option<usize>,
}

pub(super) async fn list(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(name): Path<String>,
    QueryParams(query): QueryParams<SuspendedQuery>,
) -> Result<JsonResponse<Value>, MastraError> {
    let agent = agents::find(&app, &name).await?;
    if query.thread_id.is_some() || query.resource_id.is_some() {
        return Err(
            ApiError::forbidden("runs have no threads or resources here; leave these filters out").into()
        );
    }
    let per_page = query.per_page.unwrap_or(LARGEST_PAGE).clamp(1, LARGEST_PAGE);
    let first = query.page.unwrap_or(0).saturating_mul(per_page);
    let mut total = 0;
    let mut runs = Vec::new();
    for (run, pending) in suspended(&app, &who, agent.id).await? {
        let is_outside = query.from_date.is_some_and(|from| run.updated_at < from)
            || query.to_date.is_some_and(|to| run.updated_at > to);
        if is_outside {
            continue;
        }
        if total >= first && runs.len() < per_page {
            runs.push(view(&run, pending));
        }
        total += 1;
    }
    Ok(JsonResponse(json!({ "runs": runs, "total": total })))
}

/// The runs of an agent that wait for approvals, as far as the caller may see them.
async fn suspended(
    app: &App,
    who: &Identity,
    agent: Uuid,
) -> Result<Vec<(StoredRun, Vec<PendingCall>)>, MastraError> {
    let mut found = Vec::new();
    // All peers of one user share the socket, so an agent there must name the run.
    if !who.may_hear_of(&who.credential) {
        return Ok(found);
    }
    let credential = (who.role == Role::Agent).then(|| who.credential.clone());
    let mut before = None;
    loop {
        let wanted = RunQuery {
            agent: Some(agent),
            credential: credential.clone(),
            works: Some(true),
            roots: false,
            before,
            limit: READ,
        };
        let page = app.agents().runs().runs(wanted).await?;
        let Some(last) = page.last() else { return Ok(found) };
        before = Some(last.id);
        for run in page {
            let pending = app.agents().pending(&run).await?;
            if !pending.is_empty() {
                found.push((run, pending));
            }
        }
    }
}

fn view(run: &StoredRun, pending: Vec<PendingCall>) -> Value {
    let call = |call: PendingCall| {
        json!({
            "toolCallId": call.tool_call_id, "toolName": call.tool_name, "args": call.args, "requiresApproval": true,
        })
    };
    let calls: Vec<Value> = pending.into_iter().map(call).collect();
    json!({ "runId": run.id, "status": "suspended", "suspendedAt": run.updated_at, "toolCalls": calls })
}
