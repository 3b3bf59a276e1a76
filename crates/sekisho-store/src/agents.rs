//! Agents and their tool permissions.

use sekisho_agent::agents::{Agent, AgentChange, AgentSettings, ToolPermission};
use sekisho_gate::registered_records::CheckedRecord;
use uuid::Uuid;

use crate::encoding::{from_micros, micros, parsed, round_trip_json};
use crate::transaction::{TableFuture, Transaction};
use crate::transaction_error::TransactionResult;

/// An agent as a row.
pub(crate) struct AgentRow {
    pub(crate) id: Uuid,
    pub(crate) name: String,
    pub(crate) settings: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// A permission as a row.
pub(crate) struct PermissionRow {
    pub(crate) tool_name: String,
    pub(crate) is_enabled: bool,
    pub(crate) config: Option<String>,
    pub(crate) require_approval: bool,
}

/// Operations on `agents` and `agent_tool_permissions`.
pub(crate) trait AgentTables: Transaction {
    fn has_agent(&self, id: Uuid) -> impl TableFuture<bool>;

    /// Whether an agent other than this one has the name.
    fn is_name_taken(&self, name: &str, by_other_than: Uuid) -> impl TableFuture<bool>;

    fn insert_agent(&self, row: &AgentRow) -> impl TableFuture<()>;

    /// Writes the name, the settings and the time of the change.
    fn update_agent(&self, row: &AgentRow) -> impl TableFuture<()>;

    /// Returns whether there was such an agent.
    fn delete_agent(&self, id: Uuid) -> impl TableFuture<bool>;

    /// Inserts or replaces the permission of an agent for a tool.
    fn write_permission(&self, agent: Uuid, row: &PermissionRow, at: i64) -> impl TableFuture<()>;
}

/// Stores a new agent, if its name is free.
pub(crate) async fn create(
    tables: &mut impl AgentTables,
    agent: &Agent,
    record: &CheckedRecord,
) -> TransactionResult<AgentChange> {
    if tables.is_name_taken(&agent.settings.name, agent.id).await? {
        return Ok(AgentChange::NameTaken);
    }
    let (created_at, updated_at) = (micros(agent.created_at), micros(agent.updated_at));
    tables.insert_agent(&row_of(agent.id, &agent.settings, created_at, updated_at)?).await?;
    tables.append(record.record())?;
    Ok(AgentChange::Stored)
}

/// Replaces the settings of an agent, if their name is free.
pub(crate) async fn update(
    tables: &mut impl AgentTables,
    id: Uuid,
    settings: &AgentSettings,
    at: i64,
    record: &CheckedRecord,
) -> TransactionResult<AgentChange> {
    if !tables.has_agent(id).await? {
        return Ok(AgentChange::NotFound);
    }
    if tables.is_name_taken(&settings.name, id).await? {
        return Ok(AgentChange::NameTaken);
    }
    tables.update_agent(&row_of(id, settings, at, at)?).await?;
    tables.append(record.record())?;
    Ok(AgentChange::Stored)
}

/// Deletes an agent. Returns `false` if there is no such agent.
pub(crate) async fn delete(
    tables: &mut impl AgentTables,
    id: Uuid,
    record: &CheckedRecord,
) -> TransactionResult<bool> {
    let existed = tables.delete_agent(id).await?;
    if existed {
        tables.append(record.record())?;
    }
    Ok(existed)
}

/// Replaces permissions of an agent. Returns `false` if there is no such agent.
pub(crate) async fn set_permissions(
    tables: &mut impl AgentTables,
    agent: Uuid,
    permissions: &[ToolPermission],
    at: i64,
    record: &CheckedRecord,
) -> TransactionResult<bool> {
    if !tables.has_agent(agent).await? {
        return Ok(false);
    }
    for permission in permissions {
        let config = permission.config.as_ref();
        let row = PermissionRow {
            tool_name: permission.tool_name.clone(),
            is_enabled: permission.is_enabled,
            config: config.map(|config| round_trip_json(config, "the settings of a tool")).transpose()?,
            require_approval: permission.require_approval,
        };
        tables.write_permission(agent, &row, at).await?;
    }
    tables.append(record.record())?;
    Ok(true)
}

fn row_of(
    id: Uuid,
    settings: &AgentSettings,
    created_at: i64,
    updated_at: i64,
) -> TransactionResult<AgentRow> {
    let (name, settings) = (settings.name.clone(), round_trip_json(settings, "the settings of the agent")?);
    Ok(AgentRow { id, name, settings, created_at, updated_at })
}

/// An agent from its row.
pub(crate) fn agent(row: &AgentRow) -> TransactionResult<Agent> {
    Ok(Agent {
        id: row.id,
        settings: parsed(&row.settings, "the settings of the agent")?,
        created_at: from_micros(row.created_at)?,
        updated_at: from_micros(row.updated_at)?,
    })
}

/// A permission from its row.
pub(crate) fn permission(row: PermissionRow) -> TransactionResult<ToolPermission> {
    let config = row.config.map(|config| parsed(&config, "the settings of a tool")).transpose()?;
    Ok(ToolPermission {
        tool_name: row.tool_name,
        is_enabled: row.is_enabled,
        config,
        require_approval: row.require_approval,
    })
}
