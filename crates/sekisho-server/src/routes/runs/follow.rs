//! Follows a run as server-sent events.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::JsonSchema;
use sekisho_agent::driver::Progress;
use sekisho_agent::service::WaitUntil;
use serde::Deserialize;

use super::run_lookup::find;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::event_streams::run_events::RunEvents;
use crate::event_streams::run_stream::{RunSource, send_run};
use crate::event_streams::server_sent_events;
use crate::json_body::QueryParams;
use crate::routes::events::last_event_id;
use crate::serve::ConnectionHandle;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FollowQuery {
    /// The id of the last event received, for clients that cannot set `Last-Event-ID`.
    #[serde(default)]
    last_event_id: Option<String>,
    /// When the stream ends; default `ended`.
    #[serde(default)]
    until: FollowUntil,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FollowUntil {
    /// When the run has ended.
    #[default]
    Ended,
    /// Also when it only waits for approvals.
    Suspended,
}

pub(super) async fn follow(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    connection: Option<Extension<ConnectionHandle>>,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<FollowQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let found = find(&app, &who, &id).await?.id;
    // Watched first, so that nothing is missed that happens after it is read.
    let watcher = app.agents().driver().watch(found);
    let found = find(&app, &who, &id).await?;
    let (run, known) = (found.id, Progress::of(&found));
    let after = last_event_id(&headers, query.last_event_id)?.unwrap_or(0);
    let until = match query.until {
        FollowUntil::Ended => WaitUntil::Ended,
        FollowUntil::Suspended => WaitUntil::Settled,
    };
    let connection = connection.map(|Extension(connection)| connection);
    let source = RunSource { run, after, until, watcher, known, credential: who.credential.clone() };
    server_sent_events::respond(app, who, connection, move |app, pieces| async move {
        send_run(&app, &pieces, source, RunEvents::new(run)).await
    })
}
