//! What a listener says.

use axum::http::StatusCode;
use sekisho_gate::ApprovalId;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::message_budget::MessageBudget;
use crate::access::Access;
use crate::app::App;
use crate::approval_answer;
use crate::auth::Identity;
use crate::error::{ApiError, OVER_CAPACITY_CODE};
use crate::json_body::{estimated_memory, from_json_value, parse_json};
use crate::wire::approval::AnswerBody;
use crate::wire::event::{AnswerAccepted, EmptyData, ErrorReply, LiveReply};

/// The longest id that is told back.
const LONGEST_ID: usize = 128;

/// The longest message of one who answers: an edited input. A larger one is answered with over HTTP.
const LONGEST: usize = 1 << 20;
/// The longest message of everyone else, who has nothing to say but `ping`.
const LONGEST_OF_OTHERS: usize = 64 << 10;

/// How long a message somebody may send. A socket keeps what it was sent until a message is whole, for as long as its owner
/// likes, so this is less than a body may have.
pub(super) fn max_message_size(app: &App, who: &Identity) -> usize {
    let longest = match Access::ANSWER.admits(who.role) {
        true => LONGEST,
        false => LONGEST_OF_OTHERS,
    };
    longest.min(app.settings().limits.body)
}

/// A reply, and whether what it replies to made any sense.
pub(super) struct MessageOutcome {
    pub(super) reply: LiveReply,
    pub(super) well_formed: bool,
}

/// A message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClientMessage {
    r#type: String,
    #[serde(default)]
    data: Map<String, Value>,
}

/// Takes a message, and says what came of it. What it becomes counts on the meter.
pub(super) async fn handle_message(
    app: &App,
    who: &Identity,
    text: &str,
    meter: &MessageBudget,
) -> MessageOutcome {
    let message = match read(app, who, text, meter) {
        Ok(message) => message,
        // It made sense, and can be sent again.
        Err(fault) if fault.code == OVER_CAPACITY_CODE => {
            return MessageOutcome {
                reply: error_reply(fault, id_in(max_message_size(app, who), text)),
                well_formed: true,
            };
        }
        Err(fault) => return malformed(fault, id_in(max_message_size(app, who), text)),
    };
    match message.r#type.as_str() {
        "ping" => MessageOutcome { reply: LiveReply::Pong(EmptyData {}), well_formed: true },
        "tool_approval_response" => {
            let id = echoable_id(message.data.get("id"));
            let reply = match answer(app, who, message.data).await {
                Ok(accepted) => LiveReply::ToolApprovalAccepted(accepted),
                Err(fault) => error_reply(fault, id),
            };
            MessageOutcome { reply, well_formed: true }
        }
        other => {
            let other: String = other.chars().take(LONGEST_ID).collect();
            let fault = ApiError::invalid(format!("`type`: nobody knows `{other}`"));
            malformed(
                fault.with_hint("`tool_approval_response` and `ping` are taken"),
                echoable_id(message.data.get("id")),
            )
        }
    }
}

/// The reply to something that is no message at all.
pub(super) fn malformed(fault: ApiError, id: Option<String>) -> MessageOutcome {
    MessageOutcome { reply: error_reply(fault, id), well_formed: false }
}

/// More than is taken.
pub(super) fn too_large(most: usize) -> ApiError {
    let message = format!("the message is larger than the {most} bytes that are taken");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", message)
        .with_hint("a large answer can be given by `POST /api/approvals/{id}/answer`")
}

fn error_reply(fault: ApiError, id: Option<String>) -> LiveReply {
    let ApiError { status, code, message, hint, .. } = fault;
    LiveReply::Error(ErrorReply { id, code: code.into(), message, hint, status: status.as_u16() })
}

fn read(app: &App, who: &Identity, text: &str, meter: &MessageBudget) -> Result<ClientMessage, ApiError> {
    let most = max_message_size(app, who);
    if text.len() > most {
        return Err(too_large(most));
    }
    if !app.inner.rate_limits.allows_request(&who.credential) {
        app.inner.metrics.rejected_requests.add();
        return Err(ApiError::rate_limited(format!("`{}` asks too often", who.name)));
    }
    if !meter.try_grow(estimated_memory(text.as_bytes())) {
        return Err(ApiError::over_capacity());
    }
    from_json_value(parse_json(text, "message")?)
}

/// The id in a message that nobody can make sense of, so that its sender knows which one that was.
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
        let message = format!("`{}` has the role {}, which may not answer", who.name, who.role);
        return Err(ApiError::forbidden(message));
    }
    // The socket of a token that was revoked is closed in a moment; in that moment it answers nothing.
    if let Some(token) = who.token_id()
        && !app.inner.authenticator.is_still_valid(token, app.now()).await?
    {
        return Err(ApiError::unauthenticated("the token has expired or was revoked"));
    }
    let id = match data.remove("id") {
        Some(Value::String(id)) => id,
        Some(_) => return Err(ApiError::invalid("`data.id` has to be a text")),
        None => return Err(ApiError::invalid("`data.id` is missing")),
    };
    let unknown = || {
        let id: String = id.chars().take(LONGEST_ID).collect();
        ApiError::not_found(format!("there is no approval `{id}`"))
    };
    let id: ApprovalId = id.parse().map_err(|_| unknown())?;
    let body: AnswerBody = from_json_value(Value::Object(data))?;
    let taken = approval_answer::submit_answer(app, who, id, body).await?;
    Ok(AnswerAccepted { id, again: taken.again, remembered: taken.remembered })
}
