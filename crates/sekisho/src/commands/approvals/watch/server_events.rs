//! What happens at the server, as happenings of the inbox.

use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{ApprovalView, ApprovalStatus};
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::state_machine::PromptEvent;
use crate::client::{self, Client, ClientError, StreamUpdate};
use crate::commands::approvals::approvals_client;
use crate::failure::Failure;

/// How many happenings may wait to be looked at. Behind them the server waits, and tells anew what was missed.
const ROOM: usize = 256;

/// Follows the server. An error is the last that comes.
pub(super) fn subscribe(client: &Client) -> Receiver<Result<PromptEvent, Failure>> {
    let (news, heard) = channel(ROOM);
    let (sender, receiver) = channel(ROOM);
    tokio::spawn(client::follow_events(client.clone(), news));
    tokio::spawn(translate(client.clone(), heard, sender));
    receiver
}

async fn translate(client: Client, mut heard: Receiver<StreamUpdate>, sender: Sender<Result<PromptEvent, Failure>>) {
    let mut lost = false;
    while let Some(news) = heard.recv().await {
        let mut told = Vec::new();
        match news {
            StreamUpdate::Connected => {
                if std::mem::replace(&mut lost, false) {
                    told.push(Ok(PromptEvent::Message("connected again".into())));
                }
            }
            StreamUpdate::Event { kind, data } => told.extend(event(&client, &kind, data).await),
            // One who never came in is told at once, one who is thrown out waits for the server to come back.
            StreamUpdate::Disconnected { why, again } if !lost => {
                lost = true;
                let text = format!("{why}; trying again in {:.1} s and later", again.as_secs_f32());
                told.push(Ok(PromptEvent::Message(text)));
            }
            StreamUpdate::Disconnected { .. } => {}
            StreamUpdate::Refused(error) => told.push(Err(error.into())),
        }
        for happening in told {
            if sender.send(happening).await.is_err() {
                return;
            }
        }
    }
}

/// All that wait, oldest first. A failure here is one of the connection, which is made again.
async fn waiting(client: &Client) -> Result<PromptEvent, Failure> {
    match approvals_client::fetch_questions(client, true, usize::MAX).await {
        Ok(found) => {
            let mut questions: Vec<ApprovalView> =
                found.into_iter().map(approvals_client::parse_question).collect::<Result<_, _>>()?;
            questions.reverse();
            Ok(PromptEvent::OpenQuestions(questions))
        }
        Err(error) if error.is_permanent() => Err(error.into()),
        Err(error) => Ok(PromptEvent::Message(format!("what waits could not be read: {error}"))),
    }
}

async fn event(client: &Client, kind: &str, data: Value) -> Option<Result<PromptEvent, Failure>> {
    match kind {
        // How things stand, however the server puts it: it is read the way `list` does.
        "snapshot" => Some(waiting(client).await),
        "tool_approval_request" => {
            let id = id_of(&data)?;
            let question = match serde_json::from_value::<ApprovalView>(data) {
                Ok(question) => Ok(question),
                Err(_) => fetch(client, id).await,
            };
            match question {
                Ok(question) if question.state == ApprovalStatus::Pending => {
                    Some(Ok(PromptEvent::QuestionOpened(Box::new(question))))
                }
                Ok(_) => None,
                Err(error) => Some(Ok(PromptEvent::Message(format!("a question could not be read: {error}")))),
            }
        }
        "tool_approval_resolved" => {
            let id = id_of(&data)?;
            // Without its end it is withdrawn all the same.
            let now = fetch(client, id).await.ok().map(Box::new);
            Some(Ok(PromptEvent::QuestionEnded(id, now)))
        }
        _ => None,
    }
}

fn id_of(data: &Value) -> Option<ApprovalId> {
    data.get("id").and_then(Value::as_str)?.parse().ok()
}

async fn fetch(client: &Client, id: ApprovalId) -> Result<ApprovalView, ClientError> {
    client.get(&format!("/api/approvals/{id}")).await
}
