//! What happens at the server, as happenings of the inbox.

use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{Question, QuestionState};
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::machine::Happening;
use crate::client::{self, Client, ClientError, News};
use crate::commands::approvals::inbox;
use crate::failure::Failure;

/// How many happenings may wait to be looked at. Behind them the server waits, and tells anew what was missed.
const ROOM: usize = 256;

/// Follows the server. An error is the last that comes.
pub(super) fn begin(client: &Client) -> Receiver<Result<Happening, Failure>> {
    let (news, heard) = channel(ROOM);
    let (sender, receiver) = channel(ROOM);
    tokio::spawn(client::follow(client.clone(), news));
    tokio::spawn(translate(client.clone(), heard, sender));
    receiver
}

async fn translate(client: Client, mut heard: Receiver<News>, sender: Sender<Result<Happening, Failure>>) {
    let mut lost = false;
    while let Some(news) = heard.recv().await {
        let mut told = Vec::new();
        match news {
            News::Connected => {
                if std::mem::replace(&mut lost, false) {
                    told.push(Ok(Happening::Told("connected again".into())));
                }
            }
            News::Event { kind, data } => told.extend(event(&client, &kind, data).await),
            // One who never came in is told at once, one who is thrown out waits for the server to come back.
            News::Lost { why, again } if !lost => {
                lost = true;
                let text = format!("{why}; trying again in {:.1} s and later", again.as_secs_f32());
                told.push(Ok(Happening::Told(text)));
            }
            News::Lost { .. } => {}
            News::Refused(error) => told.push(Err(error.into())),
        }
        for happening in told {
            if sender.send(happening).await.is_err() {
                return;
            }
        }
    }
}

/// All that wait, oldest first. A failure here is one of the connection, which is made again.
async fn waiting(client: &Client) -> Result<Happening, Failure> {
    match inbox::all(client, true, usize::MAX).await {
        Ok(found) => {
            let mut questions: Vec<Question> =
                found.into_iter().map(inbox::understood).collect::<Result<_, _>>()?;
            questions.reverse();
            Ok(Happening::Waiting(questions))
        }
        Err(error) if error.is_lasting() => Err(error.into()),
        Err(error) => Ok(Happening::Told(format!("what waits could not be read: {error}"))),
    }
}

async fn event(client: &Client, kind: &str, data: Value) -> Option<Result<Happening, Failure>> {
    match kind {
        // How things stand, however the server puts it: it is read the way `list` does.
        "snapshot" => Some(waiting(client).await),
        "tool_approval_request" => {
            let id = id_of(&data)?;
            // As it is now. What is told here may be old: somebody else may have answered since.
            match fetch(client, id).await {
                Ok(question) if question.state == QuestionState::Pending => {
                    Some(Ok(Happening::Asked(Box::new(question))))
                }
                Ok(_) => None,
                Err(error) => Some(Ok(Happening::Told(format!("a question could not be read: {error}")))),
            }
        }
        "tool_approval_resolved" => {
            let id = id_of(&data)?;
            // Without its end it is withdrawn all the same.
            let now = fetch(client, id).await.ok().map(Box::new);
            Some(Ok(Happening::Ended(id, now)))
        }
        _ => None,
    }
}

fn id_of(data: &Value) -> Option<ApprovalId> {
    data.get("id").and_then(Value::as_str)?.parse().ok()
}

async fn fetch(client: &Client, id: ApprovalId) -> Result<Question, ClientError> {
    client.get(&format!("/api/approvals/{id}")).await
}
