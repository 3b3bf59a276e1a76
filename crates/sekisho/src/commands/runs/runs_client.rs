//! Fetches the runs of a running server.

use sekisho_server::wire::run::{RunList, RunMessages, RunView};
use uuid::Uuid;

use crate::commands::server_connection::{ServerArgs, ServerConnection, names_id, short_id};
use crate::failure::Failure;
use crate::terminal::visible;

/// Runs per request, and how many are searched for the end of an id.
const PAGE: usize = 200;
const SEARCHED: usize = 2000;

pub(in crate::commands) struct RunsClient {
    pub(in crate::commands) server: ServerConnection,
}

impl RunsClient {
    pub(in crate::commands) fn open(server: ServerArgs) -> Result<RunsClient, Failure> {
        Ok(RunsClient { server: ServerConnection::open(server)? })
    }

    /// The newest runs, newest first.
    pub(super) fn list(&self, only_active: bool, most: usize) -> Result<Vec<RunView>, Failure> {
        let (mut found, mut before) = (Vec::new(), String::new());
        loop {
            let active = if only_active { "&active=true" } else { "" };
            let limit = PAGE.min(most.saturating_sub(found.len())).max(1);
            let path = format!("/api/runs?limit={limit}{active}{before}");
            let page: RunList = self.server.block_on(self.server.client.get(&path))?;
            found.extend(page.runs);
            match page.next {
                Some(next) if found.len() < most => before = format!("&before={next}"),
                _ => return Ok(found),
            }
        }
    }

    /// The run with this id, or end of an id.
    pub(in crate::commands) fn find(&self, meant: &str) -> Result<RunView, Failure> {
        if let Ok(id) = meant.parse::<Uuid>() {
            return self.get(id);
        }
        let mut found = self.list(false, SEARCHED)?;
        found.retain(|run| names_id(meant, run.id));
        let shown = visible(meant);
        match found.as_slice() {
            [run] => self.get(run.id),
            [] => Err(Failure::new(format!(
                "no run id ends with `{shown}`; `sekisho runs list --all` lists all runs"
            ))),
            several => {
                let ids: Vec<String> = several.iter().take(5).map(|run| run.id.to_string()).collect();
                Err(Failure::new(format!(
                    "`{shown}` matches several runs: {}; give more of the id",
                    ids.join(", ")
                )))
            }
        }
    }

    fn get(&self, id: Uuid) -> Result<RunView, Failure> {
        Ok(self.server.block_on(self.server.client.get(&format!("/api/runs/{id}")))?)
    }

    pub(super) fn messages(&self, id: Uuid) -> Result<RunMessages, Failure> {
        Ok(self.server.block_on(self.server.client.get(&format!("/api/runs/{id}/messages")))?)
    }
}

/// How a run is named in messages.
pub(super) fn title(run: &RunView) -> String {
    format!("{} of `{}`", short_id(run.id), visible(&run.agent_name))
}
