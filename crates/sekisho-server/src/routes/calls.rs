//! Routes that ask whether a call may run.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use sekisho_gate::call_request::{CallRequest, TimeoutOverrides};
use sekisho_gate::caller::{CallerEnvironment, Session};
use sekisho_gate::display;
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::ledger::ExecutionOutcome;
use sekisho_gate::refusal::Refusal;
use sekisho_gate::rulebook::TrialRulebook;
use sekisho_gate::{AllowedCall, ExecutionId, Judgement, RemoteSubmission};
use sekisho_policy::{Call, Decision, judge_and_trace};
use serde::Deserialize;
use serde_json::Value;

use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::{ApiError, from_refusal};
use crate::exclusive_jobs::run_blocking;
use crate::json_body::{JsonBody, JsonResponse, QueryParams, respond_with_json};
use crate::open_approvals::CredentialQuota;
use crate::route::Route;
use crate::wire::approval::OwnApprovalView;
use crate::wire::call::{CanUseTool, CanUseToolResponse, Decide, DecideResponse, ReportExecutionRequest};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/api/decide", Access::ANY_ROLE, "decide", decide)
            .summary("Judges a call without asking anyone")
            .notes("Advisory: nobody is asked, nothing is recorded, and the verdict does not permit the call to run. An agent gets only the decision and a sentence.")
            .request_body::<Decide>()
            .response::<DecideResponse>(200),
        Route::new(Method::POST, "/api/can-use-tool", Access::ASK, "canUseTool", can_use_tool)
            .summary("Decides whether a call may run; asks a human if necessary, and waits")
            .notes("Closing the connection withdraws the question. With `wait=false` the response to a question is 202 and the question itself; a later request with the same `toolUseId` gets the answer.")
            .query::<CanUseToolQuery>()
            .request_body::<CanUseTool>()
            .response::<CanUseToolResponse>(200)
            .response::<OwnApprovalView>(202)
            .error_statuses(&[409]),
        Route::new(Method::POST, "/api/executions/{id}", Access::ASK, "reportExecution", report)
            .summary("Reports how an allowed call ended")
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

/// The verdict on a call by the current rules, or by `trial`, as far as the caller may see it.
pub(super) async fn decide_call(
    app: &App,
    who: &Identity,
    body: Decide,
    trial: Option<&TrialRulebook>,
) -> Result<DecideResponse, ApiError> {
    let nobody_answers = body.supports_confirm == Some(false);
    let call = body.call(who)?;
    let environment = caller_environment(app, who, &call, None, nobody_answers).await?;
    let request = CallRequest { environment, ..CallRequest::new(call, who.asker()) };
    let reads = Access::READ.admits(who.role);
    let trace = |judged: &Judgement| {
        reads.then(|| judge_and_trace(&judged.policy, &request.call, &judged.environment).1)
    };
    let judged = app.gate().judge_queued_then(&request, trial, trace).await;
    let (judged, considered) = judged
        .map_err(|refusal| from_refusal(&refusal).unwrap_or_else(|| ApiError::unavailable(refusal.reason)))?;
    let verdict = judged.verdict;
    // Problems that only the display reveals raise the danger, never lower it.
    let danger = display::danger(&request.call, &verdict);
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
    let request = CallRequest { memory_guard: Some(Arc::new(memory)), ..build_ask(&app, &who, body).await? };
    if waiting.wait == Some(false) {
        return match app.gate().submit_remote(request).await {
            Ok(RemoteSubmission::Allowed(allowed)) => {
                Ok(JsonResponse(to_response(&app, &who, allowed).await?).into_response())
            }
            Ok(RemoteSubmission::Pending(id)) => {
                let slot = app.inner.approval_reads.acquire(&who.credential).await?;
                let gate = app.gate().clone();
                let (approval, slot) =
                    slot.hold_during(async move { gate.ledger().approval(id).await }).await?;
                let approval =
                    approval.ok_or_else(|| ApiError::not_found("the approval no longer exists"))?;
                let location = (header::LOCATION, format!("/api/approvals/{id}"));
                let question = respond_with_json(slot, move || OwnApprovalView::from(&approval)).await?;
                Ok((StatusCode::ACCEPTED, [location], question).into_response())
            }
            Err(refusal) => Ok(JsonResponse(refusal_response(&app, refusal)?).into_response()),
        };
    }
    ask_and_wait(&app, &who, request).await.map(|permission| JsonResponse(permission).into_response())
}

/// Asks, and waits for a human if necessary. The future is dropped when the caller closes the connection,
/// which withdraws the question.
pub(super) async fn ask_and_wait(
    app: &App,
    who: &Identity,
    request: CallRequest,
) -> Result<CanUseToolResponse, ApiError> {
    let held = app.inner.metrics.waiting_callers.hold();
    let outcome = app.gate().pass_remote(request).await;
    drop(held);
    match outcome {
        Ok(allowed) => to_response(app, who, allowed).await,
        Err(refusal) => refusal_response(app, refusal),
    }
}

/// Checks the caller's limits and builds the request to the gate.
pub(super) async fn build_ask(
    app: &App,
    who: &Identity,
    mut body: CanUseTool,
) -> Result<CallRequest, ApiError> {
    // This early check rejects most of what is over the limit. The quota decides between requests that arrive
    // at the same time, when the approval is opened.
    if let Some(excess) =
        app.inner.open_approvals.usage_of(&who.credential).exceeded_limit(&app.settings().limits)
    {
        let message = format!("`{}` has {excess}", who.name);
        return Err(ApiError::rate_limited(message).with_hint("wait until some are answered"));
    }
    let quota = Arc::new(CredentialQuota { app: app.clone(), name: who.name.clone() });
    let timeout = timeout_overrides(&body)?;
    let (nobody, always_confirm) = (body.supports_confirm == Some(false), body.always_ask);
    let began = body.project_root.clone();
    let schema = body.input_schema.take();
    let call = body.call(who)?;
    let schema = match schema {
        None => None,
        Some(schema) => Some(input_schema(app, who, Value::Object(schema)).await?),
    };
    let environment = caller_environment(app, who, &call, began.as_deref(), nobody).await?;
    Ok(CallRequest {
        environment,
        timeout,
        always_confirm,
        schema,
        quota: Some(quota),
        ..CallRequest::new(call, who.asker())
    })
}

/// Compiles a schema on a blocking thread. Credentials take turns.
async fn input_schema(app: &App, who: &Identity, schema: Value) -> Result<InputSchema, ApiError> {
    let slot = app.inner.body_parses.acquire(&who.credential).await?;
    let compiled = run_blocking(move || {
        let compiled = InputSchema::new(schema);
        drop(slot);
        compiled
    });
    compiled.await?.map_err(|error| {
        let error =
            ApiError::new(StatusCode::BAD_REQUEST, "SchemaNotTaken", format!("`inputSchema`: {error}"));
        ApiError { field: Some("inputSchema".into()), ..error }
            .with_hint("omit `inputSchema`; edits are then not checked against a schema")
    })
}

async fn to_response(
    app: &App,
    who: &Identity,
    allowed: AllowedCall,
) -> Result<CanUseToolResponse, ApiError> {
    // A human may have taken long, and the token may have been revoked meanwhile.
    if let Err(error) = app.ensure_token_valid(who).await {
        let output = Some("not delivered: the credential is no longer valid".into());
        let outcome =
            ExecutionOutcome { at: app.now(), is_error: true, output, duration_ms: None, exit: None };
        app.gate().record_remote_outcome(allowed.execution, outcome).await?;
        return Err(error);
    }
    if let Some(counter) = app.inner.metrics.can_use_tool_responses.first() {
        counter.add();
    }
    app.inner.recording_health.record_success();
    Ok(CanUseToolResponse::Allow { updated_input: allowed.updated_input, execution_id: allowed.execution })
}

fn refusal_response(app: &App, refusal: Refusal) -> Result<CanUseToolResponse, ApiError> {
    app.inner.recording_health.record_refusal(&refusal);
    if let Some(error) = from_refusal(&refusal) {
        return Err(error);
    }
    if let Some(denied) = app.inner.metrics.can_use_tool_responses.last() {
        denied.add();
    }
    let Refusal { code, reason: message, detail, interrupt } = refusal;
    Ok(CanUseToolResponse::Deny { message, code, detail, interrupt })
}

/// The environment of a call, as far as the caller's claims can be trusted.
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
    // Omitting the directory, or coming through a proxy, does not lift any restriction of the token or the
    // session.
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
        requires_approval: false,
        chain: Vec::new(),
        held_to,
    })
}

fn timeout_overrides(body: &CanUseTool) -> Result<TimeoutOverrides, ApiError> {
    const DAY_MS: u64 = 86_400_000;
    let timeout_s = match body.timeout_ms {
        None => None,
        Some(ms) if (1..=DAY_MS).contains(&ms) => u32::try_from(ms.div_ceil(1000)).ok(),
        Some(ms) => {
            let message = format!("`timeoutMs` is {ms}; it must be 1 to {DAY_MS}");
            return Err(
                ApiError::invalid(message).with_hint("to wait without a limit, send `onTimeout: \"park\"`")
            );
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
    let unknown = || ApiError::not_found(format!("you have no running execution `{id}`"));
    let execution: ExecutionId = id.parse().map_err(|_| unknown())?;
    let found = app.gate().ledger().execution(execution).await?;
    if found.is_none_or(|found| found.credential != who.credential) {
        return Err(unknown());
    }
    if body.duration_ms.is_some_and(|ms| ms < 0) {
        return Err(ApiError::invalid("`durationMs` must not be negative"));
    }
    let outcome = ExecutionOutcome {
        at: app.now(),
        is_error: body.is_error,
        output: body.output,
        duration_ms: body.duration_ms,
        exit: None,
    };
    match app.gate().record_remote_outcome(execution, outcome).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(unknown()),
    }
}
