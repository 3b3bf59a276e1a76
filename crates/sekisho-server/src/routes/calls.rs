//! Asking: may this call run?

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use sekisho_gate::call_request::{CallRequest, TimeoutOverrides};
use sekisho_gate::caller::{CallerEnvironment, Session};
use sekisho_gate::display;
use sekisho_gate::ledger::ExecutionOutcome;
use sekisho_gate::refusal::Refusal;
use sekisho_gate::rulebook::TrialRulebook;
use sekisho_gate::{AllowedCall, ExecutionId, RemoteSubmission};
use sekisho_policy::{Call, Decision, judge_and_trace};
use serde::Deserialize;

use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::{ApiError, from_refusal};
use crate::json_body::{JsonBody, JsonResponse, QueryParams, respond_with_json};
use crate::open_approvals::CredentialQuota;
use crate::route::Route;
use crate::wire::approval::OwnApprovalView;
use crate::wire::call::{CanUseTool, CanUseToolResponse, Decide, DecideResponse, ReportExecutionRequest};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/api/decide", Access::ANY_ROLE, "decide", decide)
            .summary("What the verdict on a call would be")
            .notes("Advisory: nothing is asked, nothing is recorded, and nothing may run on its word. An agent is told the decision and a sentence.")
            .request_body::<Decide>()
            .response::<DecideResponse>(200),
        Route::new(Method::POST, "/api/can-use-tool", Access::ASK, "canUseTool", can_use_tool)
            .summary("May this call run? Asks a human if it has to, and waits")
            .notes("Closing the connection withdraws the question. With `wait=false` a question is answered by 202 and the question; asking again with the same `toolUseId` takes the answer.")
            .query::<CanUseToolQuery>()
            .request_body::<CanUseTool>()
            .response::<CanUseToolResponse>(200)
            .response::<OwnApprovalView>(202)
            .error_statuses(&[409]),
        Route::new(Method::POST, "/api/executions/{id}", Access::ASK, "reportExecution", report)
            .summary("How a call ended that was let through")
            .request_body::<ReportExecutionRequest>()
            .media_response(204, "")
            .error_statuses(&[404]),
    ]
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CanUseToolQuery {
    /// `false`: do not wait for a human.
    #[serde(default)]
    wait: Option<bool>,
}

async fn decide(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    JsonBody(body, _memory): JsonBody<Decide>,
) -> Result<JsonResponse<DecideResponse>, ApiError> {
    let decided = decide_call(&app, &who, body, None).await?;
    let count = match decided.decision {
        Decision::Allow => 0,
        Decision::Confirm => 1,
        Decision::Deny => 2,
    };
    if let Some(counter) = app.inner.metrics.decide_verdicts.get(count) {
        counter.add();
    }
    Ok(JsonResponse(decided))
}

/// The verdict on a call, by the rules there are or by others, as much of it as who asks may see.
pub(super) async fn decide_call(
    app: &App,
    who: &Identity,
    body: Decide,
    supposed: Option<&TrialRulebook>,
) -> Result<DecideResponse, ApiError> {
    let nobody = body.supports_confirm == Some(false);
    let call = body.call(who)?;
    let around = caller_environment(app, who, &call, None, nobody).await?;
    let ask = CallRequest { environment: around, ..CallRequest::new(call, who.asker()) };
    let reads = Access::READ.admits(who.role);
    let judging = || {
        let judged = match supposed {
            Some(supposed) => app.gate().judge_with_trial(&ask, supposed),
            None => app.gate().judge(&ask),
        };
        let considered = reads.then(|| judge_and_trace(&judged.policy, &ask.call, &judged.environment).1);
        (judged, considered)
    };
    let judged = app.gate().run_queued(&ask, judging).await;
    let (judged, considered) = judged
        .map_err(|refusal| from_refusal(&refusal).unwrap_or_else(|| ApiError::unavailable(refusal.reason)))?;
    let verdict = judged.verdict;
    // What only showing it reveals makes it no less dangerous.
    let danger = display::danger(&ask.call, &verdict);
    let (decision, reason) = (verdict.decision, verdict.sentence());
    let verdict = reads.then_some(verdict);
    Ok(DecideResponse { decision, reason, danger, verdict, considered })
}

async fn can_use_tool(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    QueryParams(waiting): QueryParams<CanUseToolQuery>,
    JsonBody(body, memory): JsonBody<CanUseTool>,
) -> Result<Response, ApiError> {
    let ask = CallRequest { memory_guard: Some(Arc::new(memory)), ..build_ask(&app, &who, body).await? };
    if waiting.wait == Some(false) {
        return match app.gate().submit_remote(ask).await {
            Ok(RemoteSubmission::Allowed(told)) => {
                Ok(JsonResponse(to_response(&app, &who, told).await?).into_response())
            }
            Ok(RemoteSubmission::Pending(id)) => {
                let turn = app.inner.approval_reads.acquire(&who.credential).await?;
                let gate = app.gate().clone();
                let (approval, turn) =
                    turn.hold_during(async move { gate.ledger().approval(id).await }).await?;
                let approval = approval.ok_or_else(|| ApiError::not_found("the question is gone"))?;
                let place = (header::LOCATION, format!("/api/approvals/{id}"));
                let question = respond_with_json(turn, move || OwnApprovalView::from(&approval)).await?;
                Ok((StatusCode::ACCEPTED, [place], question).into_response())
            }
            Err(refusal) => Ok(JsonResponse(refusal_response(&app, refusal)?).into_response()),
        };
    }
    ask_and_wait(&app, &who, ask).await.map(|permission| JsonResponse(permission).into_response())
}

/// Asks, and waits for a human where it has to. Dropped when the caller closes the connection: that withdraws the question.
pub(super) async fn ask_and_wait(
    app: &App,
    who: &Identity,
    ask: CallRequest,
) -> Result<CanUseToolResponse, ApiError> {
    let held = app.inner.metrics.waiting_callers.hold();
    let told = app.gate().pass_remote(ask).await;
    drop(held);
    match told {
        Ok(told) => to_response(app, who, told).await,
        Err(refusal) => refusal_response(app, refusal),
    }
}

/// What is asked, after everything that speaks against asking it.
pub(super) async fn build_ask(app: &App, who: &Identity, body: CanUseTool) -> Result<CallRequest, ApiError> {
    // Most that is too much is turned back before it is looked at; what comes at once is told apart when the question is put.
    if let Some(much) =
        app.inner.open_approvals.usage_of(&who.credential).exceeded_limit(&app.settings().limits)
    {
        let message = format!("`{}` has {much}", who.name);
        return Err(ApiError::rate_limited(message).with_hint("wait until some are answered"));
    }
    let room = Arc::new(CredentialQuota { app: app.clone(), name: who.name.clone() });
    let patience = patience(&body)?;
    let (nobody, insists) = (body.supports_confirm == Some(false), body.always_ask);
    let began = body.project_root.clone();
    let call = body.call(who)?;
    let around = caller_environment(app, who, &call, began.as_deref(), nobody).await?;
    Ok(CallRequest {
        environment: around,
        timeout: patience,
        always_confirm: insists,
        quota: Some(room),
        ..CallRequest::new(call, who.asker())
    })
}

async fn to_response(app: &App, who: &Identity, told: AllowedCall) -> Result<CanUseToolResponse, ApiError> {
    // A human may have taken long, and the token may have been revoked meanwhile.
    if let Err(fault) = app.ensure_token_valid(who).await {
        let output = Some("not told: the credential does not count any more".into());
        let ending = ExecutionOutcome { at: app.now(), is_error: true, output, duration_ms: None };
        app.gate().record_remote_outcome(told.execution, ending).await?;
        return Err(fault);
    }
    if let Some(allowed) = app.inner.metrics.can_use_tool_responses.first() {
        allowed.add();
    }
    app.inner.recording_health.record_success();
    Ok(CanUseToolResponse::Allow { updated_input: told.updated_input, execution_id: told.execution })
}

fn refusal_response(app: &App, refusal: Refusal) -> Result<CanUseToolResponse, ApiError> {
    app.inner.recording_health.record_refusal(&refusal);
    if let Some(fault) = from_refusal(&refusal) {
        return Err(fault);
    }
    if let Some(denied) = app.inner.metrics.can_use_tool_responses.last() {
        denied.add();
    }
    let Refusal { code, reason: message, detail, interrupt } = refusal;
    Ok(CanUseToolResponse::Deny { message, code, detail, interrupt })
}

/// What is around a call, as far as whoever asks can be believed.
async fn caller_environment(
    app: &App,
    who: &Identity,
    call: &Call,
    began: Option<&str>,
    nobody: bool,
) -> Result<CallerEnvironment, ApiError> {
    let settings = app.settings();
    let local = who.runs_on_this_machine(settings.public);
    let session = Session::of(&who.asker(), call);
    // Leaving out where one is, or coming by a proxy, takes off nothing that a token or a session is held to.
    let mut held_to = who.roots().to_vec();
    let known = session.as_ref().and_then(|session| app.inner.workspaces.known_root(session));
    if held_to.is_empty() {
        held_to.extend(known.flatten());
    }
    let root = match local {
        true => app.inner.workspaces.root(call.cwd.as_deref(), began, session, who.roots()),
        false => None,
    };
    let home = settings.locations.home.as_ref().filter(|_| local);
    let answers = !settings.no_approvers && app.inner.authenticator.has_approver(app.now()).await?;
    Ok(CallerEnvironment {
        root,
        home: home.and_then(|home| home.to_str()).map(str::to_owned),
        machine: settings.machine.clone(),
        elsewhere: !local,
        nobody_answers: nobody || !answers,
        held_to,
    })
}

fn patience(body: &CanUseTool) -> Result<TimeoutOverrides, ApiError> {
    const DAY_MS: u64 = 86_400_000;
    let timeout_s = match body.timeout_ms {
        None => None,
        Some(ms) if (1..=DAY_MS).contains(&ms) => u32::try_from(ms.div_ceil(1000)).ok(),
        Some(ms) => {
            let message = format!("`timeoutMs` is {ms}; it has to be 1 to {DAY_MS}");
            return Err(ApiError::invalid(message).with_hint("`onTimeout: \"park\"` waits without an end"));
        }
    };
    Ok(TimeoutOverrides { timeout_s, on_timeout: body.on_timeout })
}

async fn report(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    JsonBody(body, _memory): JsonBody<ReportExecutionRequest>,
) -> Result<StatusCode, ApiError> {
    let unknown = || ApiError::not_found(format!("`{id}` is no execution of yours that is running"));
    let execution: ExecutionId = id.parse().map_err(|_| unknown())?;
    let found = app.gate().ledger().execution(execution).await?;
    if found.is_none_or(|found| found.credential != who.credential) {
        return Err(unknown());
    }
    if body.duration_ms.is_some_and(|ms| ms < 0) {
        return Err(ApiError::invalid("`durationMs` cannot be below 0"));
    }
    let ending = ExecutionOutcome {
        at: app.now(),
        is_error: body.is_error,
        output: body.output,
        duration_ms: body.duration_ms,
    };
    match app.gate().record_remote_outcome(execution, ending).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(unknown()),
    }
}
