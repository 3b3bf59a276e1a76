//! Messages that WebSocket clients send.

use axum::http::StatusCode;
use sekisho_gate::ApprovalId;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::received_bytes_budget::MessageBudget;
use crate::access::Access;
use crate::app::App;
use crate::approval_answer;
use crate::auth::Identity;
use crate::error::{ApiError, OVER_CAPACITY_CODE};
use crate::json_body::{estimated_memory, from_json_value, parse_json};
use crate::wire::approval::AnswerBody;
use crate::wire::event::{AnswerAccepted, EmptyData, ErrorReply, LiveReply};

/// The longest id that is echoed in a reply.
const LONGEST_ID: usize = 128;

/// The largest message of a client that may answer, in bytes: an edited input. Larger answers go over HTTP.
const LONGEST: usize = 1 << 20;
/// The largest message of other clients, which send only `ping`.
const LONGEST_OF_OTHERS: usize = 64 << 10;

/// How large a client's messages may be. A socket keeps an incomplete message for as long as the client
/// likes, so the limit is lower than that of a body.
pub(super) fn max_message_size(app: &App, who: &Identity) -> usize {
    let longest = match Access::ANSWER.admits(who.role) {
        true => LONGEST,
        false => LONGEST_OF_OTHERS,
    };
    longest.min(app.settings().limits.body)
}

/// A reply, and whether the message was well formed.
pub(super) struct MessageOutcome {
    pub(super) reply: LiveReply,
    pub(super) well_formed: bool,
}

/// A message from a client.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClientMessage {
    r#type: String,
    #[serde(default)]
    data: Map<String, Value>,
}

/// Handles a message and returns the reply. The memory of its values is charged to `budget`.
pub(super) async fn handle_message(
    app: &App,
    who: &Identity,
    text: &str,
    budget: &MessageBudget,
) -> MessageOutcome {
    let message = match read(app, who, text, budget) {
        Ok(message) => message,
        // The message was well formed, and can be sent again.
        Err(error) if error.code == OVER_CAPACITY_CODE => {
            return MessageOutcome {
                reply: error_reply(error, id_in(max_message_size(app, who), text)),
                well_formed: true,
            };
        }
        Err(error) => return malformed(error, id_in(max_message_size(app, who), text)),
    };
    match message.r#type.as_str() {
        "ping" => MessageOutcome { reply: LiveReply::Pong(EmptyData {}), well_formed: true },
        "tool_approval_response" => {
            let id = echoable_id(message.data.get("id"));
            let reply = match answer(app, who, message.data).await {
                Ok(accepted) => LiveReply::ToolApprovalAccepted(accepted),
                Err(error) => error_reply(error, id),
            };
            MessageOutcome { reply, well_formed: true }
        }
        other => {
            let other: String = other.chars().take(LONGEST_ID).collect();
            let error = ApiError::invalid(format!("`type`: unknown message type `{other}`"));
            malformed(
                error.with_hint("send `tool_approval_response` or `ping`"),
                echoable_id(message.data.get("id")),
            )
        }
    }
}

/// The reply to a malformed message.
pub(super) fn malformed(error: ApiError, id: Option<String>) -> MessageOutcome {
    MessageOutcome { reply: error_reply(error, id), well_formed: false }
}

/// The error for a message that is too large.
pub(super) fn too_large(most: usize) -> ApiError {
    let message = format!("the message is larger than {most} bytes");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", message)
        .with_hint("send a large answer with `POST /api/approvals/{id}/answer`")
}

fn error_reply(error: ApiError, id: Option<String>) -> LiveReply {
    let ApiError { status, code, message, hint, .. } = error;
    LiveReply::Error(ErrorReply { id, code: code.into(), message, hint, status: status.as_u16() })
}

fn read(app: &App, who: &Identity, text: &str, budget: &MessageBudget) -> Result<ClientMessage, ApiError> {
    let most = max_message_size(app, who);
    if text.len() > most {
        return Err(too_large(most));
    }
    if !app.inner.rate_limits.allows_request(&who.credential) {
        app.inner.metrics.rejected_requests.add();
        return Err(ApiError::rate_limited(format!("`{}` sends too many requests", who.name)));
    }
    if !budget.try_grow(estimated_memory(text.as_bytes())) {
        return Err(ApiError::over_capacity());
    }
    from_json_value(parse_json(text, "message")?)
}

/// The id in a malformed message, so that its sender knows which message failed.
fn id_in(most: usize, text: &str) -> Option<String> {
    if text.len() > most.min(LONGEST_OF_OTHERS) {
        return None;
    }
    let message: Value = serde_json::from_str(text).ok()?;
    echoable_id(message.get("data")?.get("id"))
}

fn echoable_id(id: Option<&Value>) -> Option<String> {
    id?.as_str().filter(|id| id.len() <= LONGEST_ID).map(str::to_owned)
}

async fn answer(app: &App, who: &Identity, mut data: Map<String, Value>) -> Result<AnswerAccepted, ApiError> {
    if !Access::ANSWER.admits(who.role) {
        app.inner.metrics.rejected_requests.add();
        let message = format!("`{}` has the role `{}`, which may not answer", who.name, who.role);
        return Err(ApiError::forbidden(message));
    }
    // The socket of a revoked token is closed in a moment; until then it must not answer.
    if let Some(token) = who.token_id()
        && !app.inner.authenticator.is_still_valid(token, app.now()).await?
    {
        return Err(ApiError::unauthenticated("the token has expired or was revoked"));
    }
    let id = match data.remove("id") {
        Some(Value::String(id)) => id,
        Some(_) => return Err(ApiError::invalid("`data.id` must be a string")),
        None => return Err(ApiError::invalid("`data.id` is missing")),
    };
    let unknown = || {
        let id: String = id.chars().take(LONGEST_ID).collect();
        ApiError::not_found(format!("there is no approval `{id}`"))
    };
    let id: ApprovalId = id.parse().map_err(|_| unknown())?;
    let body: AnswerBody = from_json_value(Value::Object(data))?;
    let accepted = approval_answer::submit_answer(app, who, id, body).await?;
    Ok(AnswerAccepted { id, again: accepted.again, remembered: accepted.remembered })
}
