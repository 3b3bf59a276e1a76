//! What happens, as it happens.

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
            .summary("A WebSocket: first how things stand, then every change; answers are taken on it")
            .notes("Messages are `{type, data}`, with `seq` where something happened. An agent is told of its own questions and runs. A client that cannot set a header offers the protocols `sekisho` and `sekisho.token.<token>`; a page of this server `sekisho` and `sekisho.page.<pageKey>`.")
            .media_response(101, "")
            .error_statuses(&[426]),
        Route::new(Method::GET, "/api/events", Access::ANY_ROLE, "followEvents", open_event_stream)
            .summary("The same as server-sent events")
            .notes("Goes on after `Last-Event-ID` where what came since is still at hand; otherwise how things stand comes first.")
            .query::<EventsQuery>()
            .media_response(200, "text/event-stream"),
    ]
}

#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventsQuery {
    /// The last event that was heard, for clients that cannot set `Last-Event-ID`. The header goes first: a browser that
    /// comes back sends it, and the same query as before.
    #[serde(default)]
    last_event_id: Option<String>,
}

async fn open_socket(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    seat: Option<Extension<ConnectionHandle>>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    websocket::open(app, who, seat.map(|Extension(seat)| seat), upgrade)
}

async fn open_event_stream(
    State(app): State<App>,
    Extension(who): Extension<Identity>,
    seat: Option<Extension<ConnectionHandle>>,
    QueryParams(resume): QueryParams<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let from = match (headers.get("last-event-id"), resume.last_event_id) {
        (Some(header), _) => Some(number("`Last-Event-ID`", header.to_str().unwrap_or("?"))?),
        (None, Some(query)) => Some(number("`lastEventId`", &query)?),
        (None, None) => None,
    };
    server_sent_events::open(app, who, seat.map(|Extension(seat)| seat), from)
}

fn number(name: &str, text: &str) -> Result<u64, ApiError> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| {
        ApiError::invalid(format!("{name} is not the id of an event"))
            .with_hint("send the `id` of the last event as it came, or none to begin anew")
    })
}
