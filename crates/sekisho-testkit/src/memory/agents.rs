//! A store of agents in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use jiff::Timestamp;
use sekisho_agent::Agents;
use sekisho_agent::agents::{Agent, AgentChange, AgentSettings, ToolPermission};
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::{Ledger, LedgerError, LedgerFuture};
use sekisho_gate::registered_records::CheckedRecord;
use uuid::Uuid;

use super::MemoryLedger;

/// A store of agents in memory. Clones are handles to the same store.
#[derive(Clone, Default)]
pub struct MemoryAgents {
    tables: Arc<Mutex<Tables>>,
    log: Arc<OnceLock<MemoryLedger>>,
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
    /// Writes the records of changes to this ledger from now on. Until then they are dropped.
    pub fn record_in(&self, ledger: &MemoryLedger) {
        // The first one stays.
        let _ = self.log.set(ledger.clone());
    }

    /// Makes a change and writes its record, or neither.
    fn change<T: Send + 'static>(
        &self,
        record: CheckedRecord,
        can: impl FnOnce(&Tables) -> Result<(), T>,
        make: impl FnOnce(&mut Tables) -> T,
    ) -> Result<T, LedgerError> {
        let mut tables = self.tables();
        if let Err(why) = can(&tables) {
            return Ok(why);
        }
        if let Some(ledger) = self.log.get() {
            let records = vec![record.record().clone()];
            crate::block_on(ledger.append_records(WriteAccess::TESTS, records))?;
        }
        Ok(make(&mut tables))
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agents for MemoryAgents {
    fn create_agent(&self, agent: Agent, record: CheckedRecord) -> LedgerFuture<'_, AgentChange> {
        let (id, name) = (agent.id, agent.settings.name.clone());
        let change = self.change(
            record,
            |tables| if tables.is_taken(&name, id) { Err(AgentChange::NameTaken) } else { Ok(()) },
            |tables| {
                tables.agents.insert(id, agent);
                AgentChange::Stored
            },
        );
        Box::pin(async move { change })
    }

    fn update_agent(
        &self,
        id: Uuid,
        settings: AgentSettings,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, AgentChange> {
        let name = settings.name.clone();
        let change = self.change(
            record,
            |tables| match tables.agents.contains_key(&id) {
                false => Err(AgentChange::NotFound),
                true if tables.is_taken(&name, id) => Err(AgentChange::NameTaken),
                true => Ok(()),
            },
            |tables| {
                if let Some(agent) = tables.agents.get_mut(&id) {
                    (agent.settings, agent.updated_at) = (settings, at);
                }
                AgentChange::Stored
            },
        );
        Box::pin(async move { change })
    }

    fn delete_agent(&self, id: Uuid, record: CheckedRecord) -> LedgerFuture<'_, bool> {
        let change = self.change(
            record,
            |tables| if tables.agents.contains_key(&id) { Ok(()) } else { Err(false) },
            |tables| {
                tables.tools.retain(|(agent, _), _| *agent != id);
                tables.agents.remove(&id).is_some()
            },
        );
        Box::pin(async move { change })
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
        record: CheckedRecord,
    ) -> LedgerFuture<'_, bool> {
        let change = self.change(
            record,
            |tables| if tables.agents.contains_key(&agent) { Ok(()) } else { Err(false) },
            |tables| {
                for permission in permissions {
                    tables.tools.insert((agent, permission.tool_name.clone()), permission);
                }
                true
            },
        );
        Box::pin(async move { change })
    }
}
