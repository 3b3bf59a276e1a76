//! Starts runs and joins them.

use std::collections::BTreeMap;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use sekisho_agent::agents::Agent;
use sekisho_agent::conversation::{AssistantPart, Message};
use sekisho_agent::driver::Progress;
use sekisho_agent::runs::StoredRun;
use sekisho_agent::service::RunStart;
use uuid::Uuid;

use super::agents;
use super::error::MastraError;
use super::run_response::{FollowedRun, Form, respond};
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::routes::runs::execute::MAX_MESSAGE;
use crate::routes::runs::launch::launch;
use crate::routes::runs::run_lookup;
use crate::serve::ConnectionHandle;
use crate::wire::mastra::position::Position;
use crate::wire::mastra::requests::{self, Body, Issue, StartRequest};

pub(super) async fn stream(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    connection: Option<Extension<ConnectionHandle>>,
    Path(name): Path<String>,
    JsonBody(body, memory): JsonBody<Body>,
) -> Result<Response, MastraError> {
    let followed = start(&app, &who, name, &body).await?;
    drop((body, memory));
    respond(app, who, Form::Stream(connection.map(|Extension(connection)| connection)), followed).await
}

pub(super) async fn generate(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(name): Path<String>,
    JsonBody(body, memory): JsonBody<Body>,
) -> Result<Response, MastraError> {
    let followed = start(&app, &who, name, &body).await?;
    drop((body, memory));
    respond(app, who, Form::Whole, followed).await
}

/// Joins the stream of a run, after the last event that the client received.
pub(super) async fn observe(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    connection: Option<Extension<ConnectionHandle>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    JsonBody(body, _memory): JsonBody<Body>,
) -> Result<Response, MastraError> {
    let agent = agents::find(&app, &name).await?;
    let run = requests::observe(&body).map_err(MastraError::issues)?;
    let found = run_lookup::find(&app, &who, &run).await?;
    of_agent(&agent, found.settings.agent, found.id)?;
    let sent = last_event_id(&headers)?;
    // Watched first, so that nothing is missed that happens after it is read.
    let watcher = app.agents().driver().watch(found.id);
    let run = run_lookup::find(&app, &who, &run).await?;
    let known = Progress::of(&run);
    let form = Form::Stream(connection.map(|Extension(connection)| connection));
    respond(app, who, form, FollowedRun { run: run.id, agent: name, sent, watcher, known }).await
}

fn last_event_id(headers: &HeaderMap) -> Result<Position, ApiError> {
    let Some(header) = headers.get("last-event-id") else { return Ok(Position::default()) };
    header.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        ApiError::invalid("`Last-Event-ID` is not an event id of this stream")
            .with_hint("send the `id` of the last event, or leave it out to get all")
    })
}

/// A run must be named together with its agent.
pub(super) fn of_agent(agent: &Agent, of_run: Uuid, run: Uuid) -> Result<(), ApiError> {
    match agent.id == of_run {
        true => Ok(()),
        false => Err(ApiError::not_found(format!("agent `{}` has no run `{run}`", agent.settings.name))),
    }
}

async fn start(app: &App, who: &Identity, name: String, body: &Body) -> Result<FollowedRun, MastraError> {
    let agent = agents::find(app, &name).await?;
    let request = requests::start(body).map_err(MastraError::issues)?;
    check_length(&request)?;
    let run = request.run.unwrap_or_else(Uuid::now_v7);
    // Watched before it starts, so that no piece of its first reply is missed.
    let watcher = app.agents().driver().watch(run);
    let known = Progress::CREATED;
    let followed = FollowedRun { run, agent: name, sent: Position::default(), watcher, known };
    if let Some(started) = started_before(app, who, &agent, &request).await? {
        return Ok(FollowedRun { known: Progress::of(&started), ..followed });
    }
    let start = RunStart {
        id: run,
        agent: agent.id,
        history: request.conversation.history,
        input: request.conversation.message,
        max_iterations: request.max_steps,
        requires_approval: request.requires_approval,
        mode: None,
        approvals_expire: false,
        enabled_tools: request.active_tools,
        tool_config: BTreeMap::new(),
        credential: who.credential.clone(),
        roots: who.roots().to_vec(),
    };
    launch(app, who, start).await?;
    Ok(followed)
}

/// The run, if a client that names it started it before: its request was sent again. Then it joins the run.
async fn started_before(
    app: &App,
    who: &Identity,
    agent: &Agent,
    request: &StartRequest,
) -> Result<Option<StoredRun>, MastraError> {
    let Some(run) = request.run else { return Ok(None) };
    let stored = app.agents().runs().run(run).await?;
    let is_own = |stored: &StoredRun| {
        stored.settings.credential == who.credential && stored.settings.agent == agent.id
    };
    match stored {
        Some(stored) if !is_own(&stored) => {
            let message = format!("`runId`: there is a run `{run}` already");
            Err(ApiError::new(StatusCode::CONFLICT, "Conflict", message).with_hint("leave it out").into())
        }
        stored => Ok(stored),
    }
}

fn check_length(request: &StartRequest) -> Result<(), MastraError> {
    let length = |message: &Message| match message {
        Message::User { text } => text.chars().count(),
        Message::Assistant { parts } => parts.iter().map(part_length).sum(),
        Message::Tools { .. } => 0,
    };
    let conversation = &request.conversation;
    let before: usize = conversation.history.iter().map(length).sum();
    if before.saturating_add(conversation.message.chars().count()) <= MAX_MESSAGE {
        return Ok(());
    }
    let message = format!("they have more than {MAX_MESSAGE} characters");
    Err(MastraError::issues(vec![Issue { field: "messages".into(), message }]))
}

fn part_length(part: &AssistantPart) -> usize {
    match part {
        AssistantPart::Text { text } => text.chars().count(),
        AssistantPart::Call(_) | AssistantPart::Opaque { .. } => 0,
    }
}
