//! Lists, fetches and answers the questions of a running server.

use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{AnswerBody, AnswerResponse, ApprovalView};
use serde::Deserialize;
use serde_json::Value;

use super::approval_ref::ApprovalRef;
use super::page_layout::PageLayout;
use crate::client::{Client, ClientError};
use crate::commands::server_connection::ServerConnection;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

pub(super) use crate::commands::server_connection::ServerArgs;

/// A connection to a server's questions.
pub(super) struct ApprovalsClient {
    pub(super) client: Client,
    pub(super) settings: Settings,
    /// The user's editor.
    pub(super) editor: Option<String>,
    runtime: tokio::runtime::Runtime,
}

/// Questions per request.
const PAGE: usize = 500;
/// How many pages of ended questions to search for the end of an id.
const PAGES: usize = 20;

#[derive(Deserialize)]
struct Page {
    approvals: Vec<Value>,
    next: Option<ApprovalId>,
}

impl ApprovalsClient {
    pub(super) fn open(server: ServerArgs) -> Result<ApprovalsClient, Failure> {
        let ServerConnection { client, settings, editor, runtime } = ServerConnection::open(server)?;
        Ok(ApprovalsClient { client, settings, editor, runtime })
    }

    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// The layout of questions on standard output.
    pub(super) fn view(&self) -> PageLayout {
        PageLayout { width: terminal::width(), home: self.settings.locations.home.clone() }
    }

    /// The newest `most` questions, newest first.
    pub(super) fn list(&self, pending: bool, most: usize) -> Result<Vec<Value>, Failure> {
        Ok(self.block_on(fetch_questions(&self.client, pending, most))?)
    }

    /// The question that `name` refers to. Fails if several match.
    pub(super) fn find(&self, name: &ApprovalRef) -> Result<Value, Failure> {
        if let ApprovalRef::Full(id) = name {
            return Ok(self.block_on(self.client.get(&format!("/api/approvals/{id}")))?);
        }
        // Search open questions first.
        for pending in [true, false] {
            let found = self.list(pending, if pending { usize::MAX } else { PAGE * PAGES })?;
            let mut fitting: Vec<Value> =
                found.into_iter().filter(|question| name.matches(&id_of(question))).collect();
            if fitting.len() > 1 {
                let ids: Vec<String> = fitting.iter().take(5).map(id_of).collect();
                let message = format!("`{name}` matches several questions: {}", ids.join(", "));
                return Err(Failure::new(format!("{message}; give more of the id")));
            }
            if let Some(question) = fitting.pop() {
                return Ok(question);
            }
        }
        Err(Failure::new(format!(
            "no question id ends with `{name}`; `sekisho approvals list --all` lists all questions"
        )))
    }

    /// Like [`Self::find`], parsed.
    pub(super) fn question(&self, name: &ApprovalRef) -> Result<ApprovalView, Failure> {
        parse_question(self.find(name)?)
    }
}

/// The newest `most` questions, newest first.
pub(super) async fn fetch_questions(
    client: &Client,
    pending: bool,
    most: usize,
) -> Result<Vec<Value>, ClientError> {
    let (mut found, mut before) = (Vec::new(), String::new());
    loop {
        let state = if pending { "&state=pending" } else { "" };
        let limit = PAGE.min(most.saturating_sub(found.len())).max(1);
        let page: Page = client.get(&format!("/api/approvals?limit={limit}{state}{before}")).await?;
        found.extend(page.approvals);
        match page.next {
            Some(next) if found.len() < most => before = format!("&before={next}"),
            _ => return Ok(found),
        }
    }
}

pub(super) async fn answer(
    client: &Client,
    id: ApprovalId,
    answer: &AnswerBody,
) -> Result<AnswerResponse, ClientError> {
    client.post(&format!("/api/approvals/{id}/answer"), answer).await
}

/// Parses a question as the server sent it.
pub(super) fn parse_question(question: Value) -> Result<ApprovalView, Failure> {
    serde_json::from_value(question).map_err(|error| {
        Failure::new(format!("cannot parse a question from the server: {error}; check that both are the same version of sekisho"))
    })
}

fn id_of(question: &Value) -> String {
    question.get("id").and_then(Value::as_str).unwrap_or_default().to_owned()
}
