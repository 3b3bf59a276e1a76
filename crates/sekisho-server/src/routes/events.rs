//! Routes for event streams.

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::access::Access;
use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::event_streams::{WebSocketUpgrade, server_sent_events, websocket};
use crate::json_body::QueryParams;
use crate::route::Route;
use crate::serve::ConnectionHandle;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/api/ws", Access::ANY_ROLE, "openSocket", open_socket)
            .summary("Opens a WebSocket: first a snapshot, then every change; it also accepts answers")
            .notes("Messages are `{type, data}`; events also have `seq`. An agent gets only its own approvals and executions. A client that cannot set a header offers the protocols `sekisho` and `sekisho.token.<token>`; a page of this server offers `sekisho` and `sekisho.page.<pageKey>`.")
            .media_response(101, "")
            .error_statuses(&[426]),
        Route::new(Method::GET, "/api/events", Access::ANY_ROLE, "followEvents", open_event_stream)
            .summary("Opens the same stream as server-sent events")
            .notes("Continues after `Last-Event-ID` if all later events are still in memory; otherwise it begins with a snapshot.")
            .query::<EventsQuery>()
            .media_response(200, "text/event-stream"),
    ]
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventsQuery {
    /// The id of the last event received, for clients that cannot set `Last-Event-ID`. The header takes
    /// precedence: a browser that reconnects sends it together with the old query.
    #[serde(default)]
    last_event_id: Option<String>,
}

async fn open_socket(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    connection: Option<Extension<ConnectionHandle>>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    websocket::open(app, who, connection.map(|Extension(connection)| connection), upgrade)
}

async fn open_event_stream(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    connection: Option<Extension<ConnectionHandle>>,
    QueryParams(resume): QueryParams<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let from = last_event_id(&headers, resume.last_event_id)?;
    server_sent_events::open(app, who, connection.map(|Extension(connection)| connection), from)
}

/// The id of the last event that a client received. The header takes precedence over the query.
pub(super) fn last_event_id(headers: &HeaderMap, query: Option<String>) -> Result<Option<u64>, ApiError> {
    match (headers.get("last-event-id"), query) {
        (Some(header), _) => number("`Last-Event-ID`", header.to_str().unwrap_or("?")).map(Some),
        (None, Some(query)) => number("`lastEventId`", &query).map(Some),
        (None, None) => Ok(None),
    }
}

fn number(name: &str, text: &str) -> Result<u64, ApiError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| {
        ApiError::invalid(format!("{name} is not an event id"))
            .with_hint("send the `id` of the last event, or leave it out to start with a snapshot")
    })
}
