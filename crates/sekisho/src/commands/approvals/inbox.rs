//! The questions of a running server.

use std::io::Write;

use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{AnswerBody, AnswerTaken, Question};
use serde::Deserialize;
use serde_json::Value;

use super::page::View;
use crate::client::{Address, Client, ClientError, find_token};
use crate::commands::audit::ledger::runtime;
use crate::failure::Failure;
use crate::settings::{self, Settings};
use crate::terminal::{self, visible};

/// Which server, and who we are.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Server {
    /// The server: `http(s)://HOST:PORT` or `unix:PATH`; by default `SEKISHO_URL`, else this machine's socket
    #[arg(long, global = true, value_name = "URL")]
    server: Option<String>,
    /// The token to bring; better in `SEKISHO_TOKEN`, where no list of processes shows it
    #[arg(long, global = true, value_name = "TOKEN", hide_default_value = true)]
    token: Option<String>,
}

/// A server's inbox.
pub(super) struct Inbox {
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

impl Inbox {
    pub(super) fn open(server: Server) -> Result<Inbox, Failure> {
        let settings = Settings::gather()?;
        let around = settings::Inbox::gather();
        let address = match server.server.or(around.server) {
            Some(text) => Address::parse(&text)?,
            None => Address::local(&settings.locations.state),
        };
        if address.is_open_to_read() {
            let mut err = anstream::stderr();
            writeln!(err, "warning: {address} is not encrypted; whoever is on the way can answer as you")?;
        }
        let token = find_token(&settings, &address, server.token.or(around.token))?;
        let client = Client::new(address, token);
        Ok(Inbox { client, settings, editor: around.editor, runtime: runtime()? })
    }

    /// Waits for anything.
    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// How questions are shown on standard output.
    pub(super) fn view(&self) -> View {
        View { width: terminal::width(), home: self.settings.locations.home.clone() }
    }

    /// Questions, newest first, at most so many; `read` makes of each what is needed.
    pub(super) fn list(&self, pending: bool, most: usize) -> Result<Vec<Value>, Failure> {
        Ok(self.block_on(all(&self.client, pending, most))?)
    }

    /// The one question a name means.
    pub(super) fn find(&self, name: &Name) -> Result<Value, Failure> {
        if let Name::Whole(id) = name {
            return Ok(self.block_on(self.client.get(&format!("/api/approvals/{id}")))?);
        }
        // Most people mean one that waits.
        for pending in [true, false] {
            let found = self.list(pending, if pending { usize::MAX } else { PAGE * PAGES })?;
            let mut fitting: Vec<Value> =
                found.into_iter().filter(|question| name.means(&id_of(question))).collect();
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
    pub(super) fn question(&self, name: &Name) -> Result<Question, Failure> {
        understood(self.find(name)?)
    }
}

/// Questions, newest first, at most so many.
pub(super) async fn all(client: &Client, pending: bool, most: usize) -> Result<Vec<Value>, ClientError> {
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
) -> Result<AnswerTaken, ClientError> {
    client.post(&format!("/api/approvals/{id}/answer"), answer).await
}

/// A question as the server wrote it.
pub(super) fn understood(question: Value) -> Result<Question, Failure> {
    serde_json::from_value(question).map_err(|error| {
        Failure::new(format!("a question of the server is not understood: {error}; is it another version?"))
    })
}

fn id_of(question: &Value) -> String {
    question.get("id").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// How a question is named: its id, or the end of it. Not its beginning: that is the time, and what is asked in the same
/// minute shares it, so it could come to mean another question than the one that was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Whole(ApprovalId),
    Piece(String),
}

impl Name {
    fn means(&self, id: &str) -> bool {
        match self {
            Name::Whole(whole) => whole.to_string() == id,
            Name::Piece(piece) => {
                let (bare, piece) = (id.replace('-', ""), piece.replace('-', ""));
                bare.ends_with(&piece)
            }
        }
    }
}

impl std::str::FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Name, String> {
        if let Ok(id) = text.parse() {
            return Ok(Name::Whole(id));
        }
        let fits = text.len() >= 4 && text.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        match fits {
            true => Ok(Name::Piece(text.to_ascii_lowercase())),
            false => Err("expected the id of a question, or at least 4 digits of its end".into()),
        }
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Name::Whole(id) => id.fmt(f),
            Name::Piece(piece) => f.write_str(&visible(piece)),
        }
    }
}

/// The end of an id, which tells questions apart; their beginning is the time they were asked.
pub(super) fn short_id(id: ApprovalId) -> String {
    let id = id.to_string();
    id.len().checked_sub(8).and_then(|start| id.get(start..)).unwrap_or(&id).to_owned()
}

#[cfg(test)]
mod tests {
    use super::Name;

    #[test]
    fn a_name_is_an_id_or_the_end_of_one() {
        let id = "019a4b7e-7c1e-7f6a-9a52-3f0c5d2a91c0";
        for piece in [id, "5D2A91C0", "3f0c5d2a91c0", "9a52-3f0c5d2a91c0", "91c0"] {
            assert!(piece.parse::<Name>().unwrap().means(id), "{piece}");
        }
        for other in ["7c1e", "019a4b7e-7c1e"] {
            assert!(!other.parse::<Name>().unwrap().means(id), "{other}");
        }
        for nonsense in ["", "abc", "frob", "0190:1"] {
            assert!(nonsense.parse::<Name>().is_err(), "{nonsense}");
        }
    }
}
