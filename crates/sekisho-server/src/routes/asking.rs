//! Asking: may this call run?

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use sekisho_gate::ask::{Ask, Patience};
use sekisho_gate::asker::{Around, Session};
use sekisho_gate::display;
use sekisho_gate::input_schema::InputSchema;
use sekisho_gate::ledger::Ending;
use sekisho_gate::refusal::Refusal;
use sekisho_gate::rulebook::Supposed;
use sekisho_gate::{Begun, ExecutionId, Told};
use sekisho_policy::{Call, Decision, judge_and_trace};
use serde::Deserialize;
use serde_json::Value;

use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::body::{Body, Json, Query, written};
use crate::errands::aside;
use crate::error::{Fault, of_refusal};
use crate::pending::OwnRoom;
use crate::route::Route;
use crate::wire::approval::OwnQuestion;
use crate::wire::call::{CanUseTool, Decide, Decided, Ended, Permission};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/api/decide", Access::KNOWN, "decide", decide)
            .says("What the verdict on a call would be")
            .notes("Advisory: nothing is asked, nothing is recorded, and nothing may run on its word. An agent is told the decision and a sentence.")
            .takes::<Decide>()
            .gives::<Decided>(200),
        Route::new(Method::POST, "/api/can-use-tool", Access::ASK, "canUseTool", can_use_tool)
            .says("May this call run? Asks a human if it has to, and waits")
            .notes("Closing the connection withdraws the question. With `wait=false` a question is answered by 202 and the question; asking again with the same `toolUseId` takes the answer.")
            .query::<Waiting>()
            .takes::<CanUseTool>()
            .gives::<Permission>(200)
            .gives::<OwnQuestion>(202)
            .faults(&[409]),
        Route::new(Method::POST, "/api/executions/{id}", Access::ASK, "reportExecution", report)
            .says("How a call ended that was let through")
            .takes::<Ended>()
            .gives_other(204, "")
            .faults(&[404]),
    ]
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Waiting {
    /// `false`: do not wait for a human.
    #[serde(default)]
    wait: Option<bool>,
}

async fn decide(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Body(body, _memory): Body<Decide>,
) -> Result<Json<Decided>, Fault> {
    let decided = advise(&app, &who, body, None).await?;
    let count = match decided.decision {
        Decision::Allow => 0,
        Decision::Confirm => 1,
        Decision::Deny => 2,
    };
    if let Some(counter) = app.inner.metrics.advised.get(count) {
        counter.add();
    }
    Ok(Json(decided))
}

/// The verdict on a call, by the rules there are or by others, as much of it as who asks may see.
pub(super) async fn advise(
    app: &App,
    who: &Identity,
    body: Decide,
    supposed: Option<&Supposed>,
) -> Result<Decided, Fault> {
    let nobody = body.supports_confirm == Some(false);
    let call = body.call(who)?;
    let around = around(app, who, &call, None, nobody).await?;
    let ask = Ask { around, ..Ask::new(call, who.asker()) };
    let reads = Access::READ.admits(who.role);
    let judging = || {
        let judged = match supposed {
            Some(supposed) => app.gate().judge_supposing(&ask, supposed),
            None => app.gate().judge(&ask),
        };
        let considered = reads.then(|| judge_and_trace(&judged.policy, &ask.call, &judged.around).1);
        (judged, considered)
    };
    let judged = app.gate().in_turn(&ask, judging).await;
    let (judged, considered) = judged
        .map_err(|refusal| of_refusal(&refusal).unwrap_or_else(|| Fault::unavailable(refusal.reason)))?;
    let verdict = judged.verdict;
    // What only showing it reveals makes it no less dangerous.
    let danger = display::danger(&ask.call, &verdict);
    let (decision, reason) = (verdict.decision, verdict.sentence());
    let verdict = reads.then_some(verdict);
    Ok(Decided { decision, reason, danger, verdict, considered })
}

async fn can_use_tool(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Query(waiting): Query<Waiting>,
    Body(body, memory): Body<CanUseTool>,
) -> Result<Response, Fault> {
    let ask = Ask { held: Some(Arc::new(memory)), ..asked(&app, &who, body).await? };
    if waiting.wait == Some(false) {
        return match app.gate().begin(ask).await {
            Ok(Begun::Told(told)) => Ok(Json(told_to(&app, &who, told).await?).into_response()),
            Ok(Begun::Asked(id)) => {
                let turn = app.inner.reading.take(&who.credential).await?;
                let gate = app.gate().clone();
                let (approval, turn) = turn.read(async move { gate.ledger().approval(id).await }).await?;
                let approval = approval.ok_or_else(|| Fault::not_found("the question is gone"))?;
                let place = (header::LOCATION, format!("/api/approvals/{id}"));
                let question = written(turn, move || OwnQuestion::from(&approval)).await?;
                Ok((StatusCode::ACCEPTED, [place], question).into_response())
            }
            Err(refusal) => Ok(Json(refused(&app, refusal)?).into_response()),
        };
    }
    waited(&app, &who, ask).await.map(|permission| Json(permission).into_response())
}

/// Asks, and waits for a human where it has to. Dropped when the caller closes the connection: that withdraws the question.
pub(super) async fn waited(app: &App, who: &Identity, ask: Ask) -> Result<Permission, Fault> {
    let held = app.inner.metrics.callers.hold();
    let told = app.gate().tell(ask).await;
    drop(held);
    match told {
        Ok(told) => told_to(app, who, told).await,
        Err(refusal) => refused(app, refusal),
    }
}

/// What is asked, after everything that speaks against asking it.
pub(super) async fn asked(app: &App, who: &Identity, mut body: CanUseTool) -> Result<Ask, Fault> {
    // Most that is too much is turned back before it is looked at; what comes at once is told apart when the question is put.
    if let Some(much) = app.inner.pending.of(&who.credential).too_much(&app.settings().limits) {
        let message = format!("`{}` has {much}", who.name);
        return Err(Fault::too_many(message).hint("wait until some are answered"));
    }
    let room = Arc::new(OwnRoom { app: app.clone(), name: who.name.clone() });
    let patience = patience(&body)?;
    let (nobody, insists) = (body.supports_confirm == Some(false), body.always_ask);
    let began = body.project_root.clone();
    let schema = body.input_schema.take();
    let call = body.call(who)?;
    let schema = match schema {
        None => None,
        Some(schema) => Some(input_schema(app, who, Value::Object(schema)).await?),
    };
    let around = around(app, who, &call, began.as_deref(), nobody).await?;
    Ok(Ask { around, patience, insists, schema, room: Some(room), ..Ask::new(call, who.asker()) })
}

/// Compiles a schema where nobody else waits for it, in turn between credentials.
async fn input_schema(app: &App, who: &Identity, schema: Value) -> Result<InputSchema, Fault> {
    let turn = app.inner.parsing.take(&who.credential).await?;
    let read = aside(move || {
        let read = InputSchema::new(schema);
        drop(turn);
        read
    });
    read.await?.map_err(|error| {
        let fault = Fault::new(StatusCode::BAD_REQUEST, "SchemaNotTaken", format!("`inputSchema`: {error}"));
        Fault { field: Some("inputSchema".into()), ..fault }
            .hint("leave `inputSchema` out: then edits are not checked by it")
    })
}

async fn told_to(app: &App, who: &Identity, told: Told) -> Result<Permission, Fault> {
    // A human may have taken long, and the token may have been revoked meanwhile.
    if let Err(fault) = app.still_knows(who).await {
        let output = Some("not told: the credential does not count any more".into());
        let ending = Ending { at: app.now(), is_error: true, output, duration_ms: None };
        app.gate().reported(told.execution, ending).await?;
        return Err(fault);
    }
    if let Some(allowed) = app.inner.metrics.told.first() {
        allowed.add();
    }
    app.inner.recording.worked();
    Ok(Permission::Allow { updated_input: told.updated_input, execution_id: told.execution })
}

fn refused(app: &App, refusal: Refusal) -> Result<Permission, Fault> {
    app.inner.recording.refused(&refusal);
    if let Some(fault) = of_refusal(&refusal) {
        return Err(fault);
    }
    if let Some(denied) = app.inner.metrics.told.last() {
        denied.add();
    }
    let Refusal { code, reason: message, detail, interrupt } = refusal;
    Ok(Permission::Deny { message, code, detail, interrupt })
}

/// What is around a call, as far as whoever asks can be believed.
async fn around(
    app: &App,
    who: &Identity,
    call: &Call,
    began: Option<&str>,
    nobody: bool,
) -> Result<Around, Fault> {
    let settings = app.settings();
    let local = who.is_here(settings.public);
    let session = Session::of(&who.asker(), call);
    // Leaving out where one is, or coming by a proxy, takes off nothing that a token or a session is held to.
    let mut held_to = who.roots().to_vec();
    let known = session.as_ref().and_then(|session| app.inner.workspaces.known(session));
    if held_to.is_empty() {
        held_to.extend(known.flatten());
    }
    let root = match local {
        true => app.inner.workspaces.root(call.cwd.as_deref(), began, session, who.roots()),
        false => None,
    };
    let home = settings.locations.home.as_ref().filter(|_| local);
    let answers = !settings.no_approvers && app.inner.doorkeeper.somebody_answers(app.now()).await?;
    Ok(Around {
        root,
        home: home.and_then(|home| home.to_str()).map(str::to_owned),
        machine: settings.machine.clone(),
        elsewhere: !local,
        nobody_answers: nobody || !answers,
        held_to,
    })
}

fn patience(body: &CanUseTool) -> Result<Patience, Fault> {
    const DAY_MS: u64 = 86_400_000;
    let timeout_s = match body.timeout_ms {
        None => None,
        Some(ms) if (1..=DAY_MS).contains(&ms) => u32::try_from(ms.div_ceil(1000)).ok(),
        Some(ms) => {
            let message = format!("`timeoutMs` is {ms}; it has to be 1 to {DAY_MS}");
            return Err(Fault::invalid(message).hint("`onTimeout: \"park\"` waits without an end"));
        }
    };
    Ok(Patience { timeout_s, on_timeout: body.on_timeout })
}

async fn report(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
    Body(body, _memory): Body<Ended>,
) -> Result<StatusCode, Fault> {
    let unknown = || Fault::not_found(format!("`{id}` is no execution of yours that is running"));
    let execution: ExecutionId = id.parse().map_err(|_| unknown())?;
    let found = app.gate().ledger().execution(execution).await?;
    if found.is_none_or(|found| found.credential != who.credential) {
        return Err(unknown());
    }
    if body.duration_ms.is_some_and(|ms| ms < 0) {
        return Err(Fault::invalid("`durationMs` cannot be below 0"));
    }
    let ending =
        Ending { at: app.now(), is_error: body.is_error, output: body.output, duration_ms: body.duration_ms };
    match app.gate().reported(execution, ending).await? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(unknown()),
    }
}
