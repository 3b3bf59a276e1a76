//! What a listener says.

use axum::http::StatusCode;
use sekisho_gate::ApprovalId;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::meter::Meter;
use crate::access::Access;
use crate::answer;
use crate::app::App;
use crate::auth::Identity;
use crate::body::{typed, value, weight};
use crate::error::{Fault, NO_ROOM};
use crate::wire::approval::AnswerBody;
use crate::wire::event::{Accepted, LiveReply, Nothing, Wrong};

/// The longest id that is told back.
const LONGEST_ID: usize = 128;

/// The longest message of one who answers: an edited input. A larger one is answered with over HTTP.
const LONGEST: usize = 1 << 20;
/// The longest message of everyone else, who has nothing to say but `ping`.
const LONGEST_OF_OTHERS: usize = 64 << 10;

/// How long a message somebody may send. A socket keeps what it was sent until a message is whole, for as long as its owner
/// likes, so this is less than a body may have.
pub(super) fn longest(app: &App, who: &Identity) -> usize {
    let longest = match Access::ANSWER.admits(who.role) {
        true => LONGEST,
        false => LONGEST_OF_OTHERS,
    };
    longest.min(app.settings().limits.body)
}

/// A reply, and whether what it replies to made any sense.
pub(super) struct Heard {
    pub(super) reply: LiveReply,
    pub(super) sensible: bool,
}

/// A message.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    r#type: String,
    #[serde(default)]
    data: Map<String, Value>,
}

/// Takes a message, and says what came of it. What it becomes counts on the meter.
pub(super) async fn hear(app: &App, who: &Identity, text: &str, meter: &Meter) -> Heard {
    let message = match read(app, who, text, meter) {
        Ok(message) => message,
        // It made sense, and can be sent again.
        Err(fault) if fault.code == NO_ROOM => {
            return Heard { reply: wrong(fault, id_in(longest(app, who), text)), sensible: true };
        }
        Err(fault) => return senseless(fault, id_in(longest(app, who), text)),
    };
    match message.r#type.as_str() {
        "ping" => Heard { reply: LiveReply::Pong(Nothing {}), sensible: true },
        "tool_approval_response" => {
            let id = told_id(message.data.get("id"));
            let reply = match answer(app, who, message.data).await {
                Ok(accepted) => LiveReply::ToolApprovalAccepted(accepted),
                Err(fault) => wrong(fault, id),
            };
            Heard { reply, sensible: true }
        }
        other => {
            let other: String = other.chars().take(LONGEST_ID).collect();
            let fault = Fault::invalid(format!("`type`: nobody knows `{other}`"));
            senseless(
                fault.hint("`tool_approval_response` and `ping` are taken"),
                told_id(message.data.get("id")),
            )
        }
    }
}

/// The reply to something that is no message at all.
pub(super) fn senseless(fault: Fault, id: Option<String>) -> Heard {
    Heard { reply: wrong(fault, id), sensible: false }
}

/// More than is taken.
pub(super) fn too_large(most: usize) -> Fault {
    let message = format!("the message is larger than the {most} bytes that are taken");
    Fault::new(StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", message)
        .hint("a large answer can be given by `POST /api/approvals/{id}/answer`")
}

fn wrong(fault: Fault, id: Option<String>) -> LiveReply {
    let Fault { status, code, message, hint, .. } = fault;
    LiveReply::Error(Wrong { id, code: code.into(), message, hint, status: status.as_u16() })
}

fn read(app: &App, who: &Identity, text: &str, meter: &Meter) -> Result<Message, Fault> {
    let most = longest(app, who);
    if text.len() > most {
        return Err(too_large(most));
    }
    if !app.inner.rates.may(&who.credential) {
        app.inner.metrics.turned_away.add();
        return Err(Fault::too_many(format!("`{}` asks too often", who.name)));
    }
    if !meter.more(weight(text.as_bytes())) {
        return Err(Fault::no_room());
    }
    typed(value(text, "message")?)
}

/// The id in a message that nobody can make sense of, so that its sender knows which one that was.
fn id_in(most: usize, text: &str) -> Option<String> {
    if text.len() > most.min(LONGEST_OF_OTHERS) {
        return None;
    }
    let message: Value = serde_json::from_str(text).ok()?;
    told_id(message.get("data")?.get("id"))
}

fn told_id(id: Option<&Value>) -> Option<String> {
    id?.as_str().filter(|id| id.len() <= LONGEST_ID).map(str::to_owned)
}

async fn answer(app: &App, who: &Identity, mut data: Map<String, Value>) -> Result<Accepted, Fault> {
    if !Access::ANSWER.admits(who.role) {
        app.inner.metrics.turned_away.add();
        let message = format!("`{}` has the role {}, which may not answer", who.name, who.role);
        return Err(Fault::forbidden(message));
    }
    // The socket of a token that was revoked is closed in a moment; in that moment it answers nothing.
    if let Some(token) = who.token_id()
        && !app.inner.doorkeeper.still_counts(token, app.now()).await?
    {
        return Err(Fault::unauthenticated("the token has expired or was revoked"));
    }
    let id = match data.remove("id") {
        Some(Value::String(id)) => id,
        Some(_) => return Err(Fault::invalid("`data.id` has to be a text")),
        None => return Err(Fault::invalid("`data.id` is missing")),
    };
    let unknown = || {
        let id: String = id.chars().take(LONGEST_ID).collect();
        Fault::not_found(format!("there is no approval `{id}`"))
    };
    let id: ApprovalId = id.parse().map_err(|_| unknown())?;
    let body: AnswerBody = typed(Value::Object(data))?;
    let taken = answer::take(app, who, id, body).await?;
    Ok(Accepted { id, again: taken.again, remembered: taken.remembered })
}
