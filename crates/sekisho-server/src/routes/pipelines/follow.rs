//! Follows a run of a pipeline as server-sent events.

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use super::lookup::find_run;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::event_streams::pipeline_stream::{PipelineSource, send_pipeline_run};
use crate::event_streams::server_sent_events;
use crate::json_body::QueryParams;
use crate::routes::events::last_event_id;
use crate::serve::ConnectionHandle;

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FollowPipelineQuery {
    /// The id of the last event received, for clients that cannot set `Last-Event-ID`.
    #[serde(default)]
    last_event_id: Option<String>,
}

pub(super) async fn follow(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    connection: Option<Extension<ConnectionHandle>>,
    Path(id): Path<String>,
    QueryParams(query): QueryParams<FollowPipelineQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let run = find_run(&app, &who, &id).await?.id;
    let after = last_event_id(&headers, query.last_event_id)?.unwrap_or(0);
    let watcher = app.pipelines().driver().watch(run);
    let connection = connection.map(|Extension(connection)| connection);
    let source = PipelineSource { run, after, watcher, credential: who.credential.clone() };
    server_sent_events::respond(app, who, connection, move |app, pieces| async move {
        send_pipeline_run(&app, &pieces, source).await
    })
}
