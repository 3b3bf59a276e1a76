//! Passes the editor's lines to the agent.
//!
//! What a line means for open questions counts when it is read, however late the agent reads it.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;

use super::proxy::{Ended, LARGEST_ID, Lines, Proxy, lock, next_line};
use crate::commands::acp::envelope::{Content, Envelope, text_of};
use crate::commands::acp::lines::Line;
use crate::commands::acp::notes::print_note;
use crate::commands::acp::open_questions::RemovedQuestion;
use crate::commands::acp::permission_request::PermissionRequest;
use crate::commands::acp::raw_fields::{field_of, text_in};

/// A line for the agent, and what goes with it.
struct EditorLine {
    line: Line,
    /// The id of the request that it answers. It is passed on only if the editor was asked.
    answers: Option<Value>,
    /// Questions that it ends.
    cancelled: Vec<RemovedQuestion>,
}

pub(super) async fn pass_to_agent(proxy: Arc<Proxy>, mut lines: Lines) -> Ended {
    // Lines take their part of the memory for lines while they wait here, so there are never very many.
    let (sender, waiting) = mpsc::unbounded_channel();
    let sending = tokio::spawn(send_lines(proxy.clone(), waiting));
    let ended = loop {
        let line = match next_line(&mut lines, "the editor").await {
            Ok(line) => line,
            Err(ended) => break ended,
        };
        if let Some(line) = proxy.observe_editor(line)
            && sender.send(line).is_err()
        {
            return Ended::Direction;
        }
    };
    proxy.passing_ended(ended);
    if ended == Ended::Direction {
        proxy.editor_gone();
        drop(sender);
        // It does not panic, and is not aborted.
        let _ = sending.await;
    }
    ended
}

/// Sends lines until there are no more, or the agent reads no more.
async fn send_lines(proxy: Arc<Proxy>, mut lines: mpsc::UnboundedReceiver<EditorLine>) {
    while let Some(EditorLine { line, answers, cancelled }) = lines.recv().await {
        let is_asked = answers.is_none_or(|id| lock(&proxy.state).editor_requests.take(&id));
        if !is_asked {
            print_note("a response of the editor was not passed on: it was not asked, or not any more");
        } else if !proxy.send(line).await {
            return;
        }
        proxy.respond_cancelled(cancelled).await;
    }
}

impl Proxy {
    /// Notes what the editor says. Returns what is for the agent.
    fn observe_editor(&self, line: Line) -> Option<EditorLine> {
        let text = text_of(&line.bytes);
        let (answers, cancelled) = match Content::of(&text) {
            Content::Nothing => (None, Vec::new()),
            Content::Unclear => {
                print_note(
                    "a line of the editor was not passed on: it is not one JSON-RPC message, or not a clear one",
                );
                return None;
            }
            Content::Message(Envelope { method: Some(method), id }) => {
                (None, self.observe_method(&method, id, field_of(&text, "params")))
            }
            Content::Message(Envelope { method: None, id }) => (id.filter(|id| !id.is_null()), Vec::new()),
        };
        drop(text);
        Some(EditorLine { line, answers, cancelled })
    }

    /// Notes a request or notification of the editor. Returns the questions that it ends.
    fn observe_method(&self, method: &str, id: Option<Value>, params: Option<&str>) -> Vec<RemovedQuestion> {
        let mut state = lock(&self.state);
        let session = || params.and_then(|params| field_of(params, "sessionId")).and_then(text_in);
        // What cannot be read may mean any session.
        let is_in = |request: &PermissionRequest, session: Option<&str>| {
            session.is_none_or(|session| session == request.session)
        };
        match method {
            "session/cancel" | "session/close" | "session/delete" => {
                let session = session();
                state.questions.withdraw(|request| is_in(request, session.as_deref()))
            }
            "$/cancel_request" => {
                let id = params.and_then(|params| field_of(params, "requestId"));
                let id = id.filter(|id| id.len() <= LARGEST_ID);
                let id: Option<Value> = id.and_then(|id| serde_json::from_str(id).ok());
                let session = id.and_then(|id| state.known.session_of_prompt(&id)).map(str::to_owned);
                state.questions.withdraw(|request| is_in(request, session.as_deref()))
            }
            "session/prompt" => {
                if let (Some(id), Some(session)) = (id, session()) {
                    state.known.prompted(id, session.into_owned());
                }
                Vec::new()
            }
            _ => {
                if let Some(params) = params {
                    state.known.session_requested(method, id, params);
                }
                Vec::new()
            }
        }
    }
}
