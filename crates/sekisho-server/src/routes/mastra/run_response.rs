//! Responds with what a run does: as a stream, or as one output once it has ended or waits.

use axum::response::{IntoResponse, Response};
use sekisho_agent::driver::{Progress, Watcher};
use sekisho_agent::service::WaitUntil;
use uuid::Uuid;

use super::error::MastraError;
use super::generate::output;
use crate::app::App;
use crate::auth::Identity;
use crate::event_streams::mastra_events::{MastraEvents, read_after};
use crate::event_streams::run_stream::{RunSource, send_run};
use crate::event_streams::server_sent_events;
use crate::json_body::JsonResponse;
use crate::serve::ConnectionHandle;
use crate::wire::mastra::position::Position;

/// How a response is given.
pub(super) enum Form {
    /// As a stream.
    Stream(Option<ConnectionHandle>),
    /// As one output.
    Whole,
}

/// A run to respond with.
pub(super) struct FollowedRun {
    pub(super) run: Uuid,
    /// The agent, by the name in the request.
    pub(super) agent: String,
    /// What the client has.
    pub(super) sent: Position,
    /// Made before the run did what the response is about.
    pub(super) watcher: Watcher,
    /// How far the run was after it began to be watched.
    pub(super) known: Progress,
}

pub(super) async fn respond(
    app: App,
    who: Identity,
    form: Form,
    followed: FollowedRun,
) -> Result<Response, MastraError> {
    let FollowedRun { run, agent, sent, watcher, known } = followed;
    let Form::Stream(connection) = form else {
        let output = output(&app, &who, run, &agent).await?;
        return Ok(JsonResponse(output).into_response());
    };
    let (after, until) = (read_after(sent), WaitUntil::Settled);
    let source = RunSource { run, after, until, watcher, known, credential: who.credential.clone() };
    let response = server_sent_events::respond(app, who, connection, move |app, pieces| async move {
        send_run(&app, &pieces, source, MastraEvents::new(run, &agent, sent)).await
    });
    Ok(response?)
}
