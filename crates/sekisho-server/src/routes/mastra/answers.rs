//! Approves and declines calls. The questions are those of the inbox: the first answer wins.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use sekisho_agent::driver::Progress;
use sekisho_gate::answer::Answer;

use super::agents;
use super::error::MastraError;
use super::run_response::{FollowedRun, Form, respond};
use super::start::of_agent;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::routes::runs::tool_calls::{answer_call, denial, find_suspended};
use crate::serve::ConnectionHandle;
use crate::wire::mastra::position::Position;
use crate::wire::mastra::requests::{self, AnswerRequest, Body};

/// Whether a route approves, declines, or the body says which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Approve,
    Decline,
    AsBodySays,
}

type Connection = Option<Extension<ConnectionHandle>>;

pub(super) async fn approve(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    connection: Connection,
    Path(name): Path<String>,
    JsonBody(body, _memory): JsonBody<Body>,
) -> Result<Response, MastraError> {
    answer(app, who, name, &body, Verb::Approve, streamed(connection)).await
}

pub(super) async fn decline(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    connection: Connection,
    Path(name): Path<String>,
    JsonBody(body, _memory): JsonBody<Body>,
) -> Result<Response, MastraError> {
    answer(app, who, name, &body, Verb::Decline, streamed(connection)).await
}

pub(super) async fn resume(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    connection: Connection,
    Path(name): Path<String>,
    JsonBody(body, _memory): JsonBody<Body>,
) -> Result<Response, MastraError> {
    answer(app, who, name, &body, Verb::AsBodySays, streamed(connection)).await
}

pub(super) async fn approve_generate(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(name): Path<String>,
    JsonBody(body, _memory): JsonBody<Body>,
) -> Result<Response, MastraError> {
    answer(app, who, name, &body, Verb::Approve, Form::Whole).await
}

pub(super) async fn decline_generate(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    Path(name): Path<String>,
    JsonBody(body, _memory): JsonBody<Body>,
) -> Result<Response, MastraError> {
    answer(app, who, name, &body, Verb::Decline, Form::Whole).await
}

fn streamed(connection: Connection) -> Form {
    Form::Stream(connection.map(|Extension(connection)| connection))
}

async fn answer(
    app: App,
    who: Identity,
    name: String,
    body: &Body,
    verb: Verb,
    form: Form,
) -> Result<Response, MastraError> {
    let agent = agents::find(&app, &name).await?;
    let request = requests::answer(body, verb == Verb::AsBodySays).map_err(MastraError::issues)?;
    let found = find_suspended(&app, &who, &request.run).await?;
    of_agent(&agent, found.settings.agent, found.id)?;
    // Watched before the answer, so that no piece of the next reply is missed.
    let watcher = app.agents().driver().watch(found.id);
    let run = find_suspended(&app, &who, &request.run).await?;
    let known = Progress::of(&run);
    let given = answer_of(&request, verb)?;
    answer_call(&app, &who, &run, request.call.as_deref(), given).await?;
    let sent = Position::after(run.chunk_count);
    respond(app, who, form, FollowedRun { run: run.id, agent: name, sent, watcher, known }).await
}

fn answer_of(request: &AnswerRequest, verb: Verb) -> Result<Answer, ApiError> {
    let approves = match verb {
        Verb::Approve => true,
        Verb::Decline => false,
        Verb::AsBodySays => request.approved == Some(true),
    };
    match approves {
        true => Ok(Answer::approve()),
        false => denial(request.reason.clone(), false),
    }
}
