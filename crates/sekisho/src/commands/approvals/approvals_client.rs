//! The questions of a running server.

use std::io::Write;

use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{AnswerBody, AnswerResponse, ApprovalView};
use serde::Deserialize;
use serde_json::Value;

use super::approval_ref::ApprovalRef;
use super::page_layout::PageLayout;
use crate::client::{ServerAddress, Client, ClientError, find_token};
use crate::commands::audit::blocking_store::runtime;
use crate::failure::Failure;
use crate::settings::{self, Settings};
use crate::terminal;

/// Which server, and who we are.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ServerArgs {
    /// The server: `http(s)://HOST:PORT` or `unix:PATH`; by default `SEKISHO_URL`, else this machine's socket
    #[arg(long, global = true, value_name = "URL")]
    server: Option<String>,
    /// The token to bring; better in `SEKISHO_TOKEN`, where no list of processes shows it
    #[arg(long, global = true, value_name = "TOKEN", hide_default_value = true)]
    token: Option<String>,
}

/// A server's inbox.
pub(super) struct ApprovalsClient {
    pub(super) client: Client,
    pub(super) settings: Settings,
    /// The editor people want.
    pub(super) editor: Option<String>,
    runtime: tokio::runtime::Runtime,
}

/// How many questions are asked for at once.
const PAGE: usize = 500;
/// How many pages are looked through for the end of an id.
const PAGES: usize = 20;

#[derive(Deserialize)]
struct Page {
    approvals: Vec<Value>,
    next: Option<ApprovalId>,
}

impl ApprovalsClient {
    pub(super) fn open(server: ServerArgs) -> Result<ApprovalsClient, Failure> {
        let settings = Settings::load()?;
        let around = settings::ClientEnvironment::load();
        let address = match server.server.or(around.server) {
            Some(text) => ServerAddress::parse(&text)?,
            None => ServerAddress::local(&settings.locations.state),
        };
        if address.is_plaintext_remote() {
            let mut err = anstream::stderr();
            writeln!(err, "warning: {address} is not encrypted; whoever is on the way can answer as you")?;
        }
        let token = find_token(&settings, &address, server.token.or(around.token))?;
        let client = Client::new(address, token);
        Ok(ApprovalsClient { client, settings, editor: around.editor, runtime: runtime()? })
    }

    /// Waits for anything.
    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// How questions are shown on standard output.
    pub(super) fn view(&self) -> PageLayout {
        PageLayout { width: terminal::width(), home: self.settings.locations.home.clone() }
    }

    /// Questions, newest first, at most so many; `read` makes of each what is needed.
    pub(super) fn list(&self, pending: bool, most: usize) -> Result<Vec<Value>, Failure> {
        Ok(self.block_on(fetch_questions(&self.client, pending, most))?)
    }

    /// The one question a name means.
    pub(super) fn find(&self, name: &ApprovalRef) -> Result<Value, Failure> {
        if let ApprovalRef::Full(id) = name {
            return Ok(self.block_on(self.client.get(&format!("/api/approvals/{id}")))?);
        }
        // Most people mean one that waits.
        for pending in [true, false] {
            let found = self.list(pending, if pending { usize::MAX } else { PAGE * PAGES })?;
            let mut fitting: Vec<Value> =
                found.into_iter().filter(|question| name.matches(&id_of(question))).collect();
            if fitting.len() > 1 {
                let ids: Vec<String> = fitting.iter().take(5).map(id_of).collect();
                let message = format!("`{name}` means several questions: {}", ids.join(", "));
                return Err(Failure::new(format!("{message}; write more of the id")));
            }
            if let Some(question) = fitting.pop() {
                return Ok(question);
            }
        }
        Err(Failure::new(format!(
            "no question whose id ends with `{name}`; `sekisho approvals list --all` shows them"
        )))
    }

    /// The one question a name means, understood.
    pub(super) fn question(&self, name: &ApprovalRef) -> Result<ApprovalView, Failure> {
        parse_question(self.find(name)?)
    }
}

/// Questions, newest first, at most so many.
pub(super) async fn fetch_questions(client: &Client, pending: bool, most: usize) -> Result<Vec<Value>, ClientError> {
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

/// Answers a question.
pub(super) async fn answer(
    client: &Client,
    id: ApprovalId,
    answer: &AnswerBody,
) -> Result<AnswerResponse, ClientError> {
    client.post(&format!("/api/approvals/{id}/answer"), answer).await
}

/// A question as the server wrote it.
pub(super) fn parse_question(question: Value) -> Result<ApprovalView, Failure> {
    serde_json::from_value(question).map_err(|error| {
        Failure::new(format!("a question of the server is not understood: {error}; is it another version?"))
    })
}

fn id_of(question: &Value) -> String {
    question.get("id").and_then(Value::as_str).unwrap_or_default().to_owned()
}
