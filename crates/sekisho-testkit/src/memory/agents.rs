//! A store of agents in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use sekisho_agent::Agents;
use sekisho_agent::agents::{Agent, AgentChange, AgentSettings, ToolPermission};
use sekisho_gate::ledger::LedgerFuture;
use uuid::Uuid;

/// A store of agents in memory. Clones are handles to the same store.
#[derive(Clone, Default)]
pub struct MemoryAgents {
    tables: Arc<Mutex<Tables>>,
}

#[derive(Default)]
struct Tables {
    agents: BTreeMap<Uuid, Agent>,
    tools: BTreeMap<(Uuid, String), ToolPermission>,
}

impl Tables {
    fn is_taken(&self, name: &str, by_other_than: Uuid) -> bool {
        self.agents.values().any(|agent| agent.settings.name == name && agent.id != by_other_than)
    }
}

impl MemoryAgents {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agents for MemoryAgents {
    fn create_agent(&self, agent: Agent) -> LedgerFuture<'_, AgentChange> {
        let mut tables = self.tables();
        let change = match tables.is_taken(&agent.settings.name, agent.id) {
            true => AgentChange::NameTaken,
            false => {
                tables.agents.insert(agent.id, agent);
                AgentChange::Stored
            }
        };
        Box::pin(async move { Ok(change) })
    }

    fn update_agent(
        &self,
        id: Uuid,
        settings: AgentSettings,
        at: Timestamp,
    ) -> LedgerFuture<'_, AgentChange> {
        let mut tables = self.tables();
        let is_taken = tables.is_taken(&settings.name, id);
        let change = match tables.agents.get_mut(&id) {
            None => AgentChange::NotFound,
            Some(_) if is_taken => AgentChange::NameTaken,
            Some(agent) => {
                (agent.settings, agent.updated_at) = (settings, at);
                AgentChange::Stored
            }
        };
        Box::pin(async move { Ok(change) })
    }

    fn delete_agent(&self, id: Uuid) -> LedgerFuture<'_, bool> {
        let mut tables = self.tables();
        tables.tools.retain(|(agent, _), _| *agent != id);
        let existed = tables.agents.remove(&id).is_some();
        Box::pin(async move { Ok(existed) })
    }

    fn agent(&self, id: Uuid) -> LedgerFuture<'_, Option<Agent>> {
        let found = self.tables().agents.get(&id).cloned();
        Box::pin(async { Ok(found) })
    }

    fn agent_named(&self, name: String) -> LedgerFuture<'_, Option<Agent>> {
        let found = self.tables().agents.values().find(|agent| agent.settings.name == name).cloned();
        Box::pin(async { Ok(found) })
    }

    fn agents(&self) -> LedgerFuture<'_, Vec<Agent>> {
        let found = self.tables().agents.values().cloned().collect();
        Box::pin(async { Ok(found) })
    }

    fn tool_permissions(&self, agent: Uuid) -> LedgerFuture<'_, Vec<ToolPermission>> {
        let tables = self.tables();
        let own = tables.tools.iter().filter(|((of, _), _)| *of == agent);
        let found = own.map(|(_, permission)| permission.clone()).collect();
        Box::pin(async { Ok(found) })
    }

    fn set_tool_permissions(
        &self,
        agent: Uuid,
        permissions: Vec<ToolPermission>,
        _: Timestamp,
    ) -> LedgerFuture<'_, bool> {
        let mut tables = self.tables();
        let exists = tables.agents.contains_key(&agent);
        for permission in permissions.into_iter().filter(|_| exists) {
            tables.tools.insert((agent, permission.tool_name.clone()), permission);
        }
        Box::pin(async move { Ok(exists) })
    }
}
