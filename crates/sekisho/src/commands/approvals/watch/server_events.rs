//! Turns the server's event stream into [`PromptEvent`]s.

use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{ApprovalStatus, ApprovalView};
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::state_machine::PromptEvent;
use crate::client::{self, Client, ClientError, StreamUpdate};
use crate::commands::approvals::approvals_client;
use crate::failure::Failure;

/// Capacity of the event queue. When it is full, the server waits; missed events come again with the next
/// snapshot.
const ROOM: usize = 256;

/// Subscribes to the server's events. An error is the last item.
pub(in crate::commands) fn subscribe(client: &Client) -> Receiver<Result<PromptEvent, Failure>> {
    let (news, updates) = channel(ROOM);
    let (sender, receiver) = channel(ROOM);
    tokio::spawn(client::follow_events(client.clone(), "/api/events".into(), news));
    tokio::spawn(translate(client.clone(), updates, sender));
    receiver
}

async fn translate(
    client: Client,
    mut updates: Receiver<StreamUpdate>,
    sender: Sender<Result<PromptEvent, Failure>>,
) {
    let mut lost = false;
    while let Some(news) = updates.recv().await {
        let mut events = Vec::new();
        match news {
            StreamUpdate::Connected => {
                if std::mem::replace(&mut lost, false) {
                    events.push(Ok(PromptEvent::Message("reconnected".into())));
                }
            }
            StreamUpdate::Event { kind, data } => events.extend(event(&client, &kind, data).await),
            // A first connection that is refused fails at once; a lost connection is retried.
            StreamUpdate::Disconnected { why, again } if !lost => {
                lost = true;
                let text = format!("{why}; trying again in {:.1} s", again.as_secs_f32());
                events.push(Ok(PromptEvent::Message(text)));
            }
            StreamUpdate::Disconnected { .. } | StreamUpdate::Done => {}
            StreamUpdate::Refused(error) => events.push(Err(error.into())),
        }
        for event in events {
            if sender.send(event).await.is_err() {
                return;
            }
        }
    }
}

/// All open questions, oldest first. A temporary error here becomes a message: the connection is made again.
async fn waiting(client: &Client) -> Result<PromptEvent, Failure> {
    match approvals_client::fetch_questions(client, true, usize::MAX).await {
        Ok(found) => {
            let mut questions: Vec<ApprovalView> =
                found.into_iter().map(approvals_client::parse_question).collect::<Result<_, _>>()?;
            questions.reverse();
            Ok(PromptEvent::OpenQuestions(questions))
        }
        Err(error) if error.is_permanent() => Err(error.into()),
        Err(error) => Ok(PromptEvent::Message(format!("cannot read the open questions: {error}"))),
    }
}

async fn event(client: &Client, kind: &str, data: Value) -> Option<Result<PromptEvent, Failure>> {
    match kind {
        // Whatever the snapshot contains, fetch the questions as `list` does.
        "snapshot" => Some(waiting(client).await),
        "tool_approval_request" => {
            let id = id_of(&data)?;
            // As it is now. What is told here may be old: somebody else may have answered since.
            match fetch(client, id).await {
                Ok(question) if question.state == ApprovalStatus::Pending => {
                    Some(Ok(PromptEvent::QuestionOpened(Box::new(question))))
                }
                Ok(_) => None,
                Err(error) => Some(Ok(PromptEvent::Message(format!("cannot read a question: {error}")))),
            }
        }
        "tool_approval_resolved" => {
            let id = id_of(&data)?;
            // Withdraw the question even if its outcome cannot be fetched.
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
