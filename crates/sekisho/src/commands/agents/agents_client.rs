//! Fetches and changes the agents of a running server.

use sekisho_server::wire::agent::{
    AgentList, AgentUsageView, AgentView, StatusOk, ToolConfigBody, ToolConfigEntry,
};

use crate::client::ClientError;
use crate::commands::server_connection::{ServerArgs, ServerConnection, names_id, short_id};
use crate::failure::Failure;
use crate::terminal::visible;

pub(super) struct AgentsClient {
    pub(super) server: ServerConnection,
}

impl AgentsClient {
    pub(super) fn open(server: ServerArgs) -> Result<AgentsClient, Failure> {
        Ok(AgentsClient { server: ServerConnection::open(server)? })
    }

    pub(super) fn all(&self) -> Result<Vec<AgentView>, Failure> {
        let list: AgentList = self.server.block_on(self.server.client.get("/api/agents"))?;
        Ok(list.agents)
    }

    /// The agent with this name, id, or end of an id.
    pub(super) fn find(&self, meant: &str) -> Result<AgentView, Failure> {
        let all = self.all()?;
        let by_name = all.iter().position(|agent| agent.settings.name == meant);
        let mut found: Vec<AgentView> = match by_name {
            Some(at) => all.into_iter().skip(at).take(1).collect(),
            None => all.into_iter().filter(|agent| names_id(meant, agent.id)).collect(),
        };
        let shown = visible(meant);
        match (found.pop(), found.is_empty()) {
            (Some(agent), true) => Ok(agent),
            (Some(_), false) => {
                Err(Failure::new(format!("`{shown}` matches several agents; give more of the id")))
            }
            (None, _) => {
                Err(Failure::new(format!("no agent `{shown}`; `sekisho agents list` lists all agents")))
            }
        }
    }

    /// What the runs of an agent have used.
    pub(super) fn usage(&self, agent: &AgentView) -> Result<AgentUsageView, Failure> {
        let path = format!("/api/agents/{}/usage", agent.id);
        Ok(self.server.block_on(self.server.client.get(&path))?)
    }

    /// Stores which tools an agent may use.
    pub(super) fn configure(&self, agent: &AgentView, tools: Vec<ToolConfigEntry>) -> Result<(), Failure> {
        if tools.is_empty() {
            return Ok(());
        }
        let body = ToolConfigBody { agent_id: agent.id, tools };
        let stored: Result<StatusOk, ClientError> =
            self.server.block_on(self.server.client.post("/api/tools/config", &body));
        stored.map(drop).map_err(change_failed)
    }
}

/// Only admins change agents, and the token of the terminal is an approver's.
pub(super) fn change_failed(error: ClientError) -> Failure {
    let is_role = matches!(&error, ClientError::Refused { status: 403, error } if error.code == "Forbidden");
    match is_role {
        true => Failure::new(format!(
            "{error}; only admins change agents: set `SEKISHO_TOKEN` to a token that `sekisho token create --role admin` creates"
        )),
        false => error.into(),
    }
}

/// How an agent is named in messages.
pub(super) fn title(agent: &AgentView) -> String {
    format!("`{}` ({})", visible(&agent.settings.name), short_id(agent.id))
}
