//! Agents and their tool permissions.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sekisho_agent::Agents;
use sekisho_agent::agents::{Agent, AgentChange, AgentSettings, ToolPermission};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::AuditEntry;
use sekisho_gate::registered_records::CheckedRecord;
use uuid::Uuid;

use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::store::SqliteStore;
use super::transaction_impl::{operations, poll_ready};
use crate::agents::{
    AgentRow, AgentTables, PermissionRow, agent, create, delete, permission, set_permissions, update,
};
use crate::encoding::micros;
use crate::transaction_error::TransactionResult;

impl Agents for SqliteStore {
    fn create_agent(&self, agent: Agent, record: CheckedRecord) -> LedgerFuture<'_, AgentChange> {
        self.record(entry(&record), move |mut tx| poll_ready(create(&mut tx, &agent, &record)))
    }

    fn update_agent(
        &self,
        id: Uuid,
        settings: AgentSettings,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, AgentChange> {
        self.record(entry(&record), move |mut tx| {
            poll_ready(update(&mut tx, id, &settings, micros(at), &record))
        })
    }

    fn delete_agent(&self, id: Uuid, record: CheckedRecord) -> LedgerFuture<'_, bool> {
        self.record(entry(&record), move |mut tx| poll_ready(delete(&mut tx, id, &record)))
    }

    fn agent(&self, id: Uuid) -> LedgerFuture<'_, Option<Agent>> {
        self.read(move |db| {
            let found = db.prepare_cached(BY_ID)?.query_row([id], read_row).optional()?;
            found.as_ref().map(agent).transpose()
        })
    }

    fn agent_named(&self, name: String) -> LedgerFuture<'_, Option<Agent>> {
        self.read(move |db| {
            let found = db.prepare_cached(BY_NAME)?.query_row([&name], read_row).optional()?;
            found.as_ref().map(agent).transpose()
        })
    }

    fn agents(&self) -> LedgerFuture<'_, Vec<Agent>> {
        self.read(all)
    }

    fn tool_permissions(&self, agent: Uuid) -> LedgerFuture<'_, Vec<ToolPermission>> {
        self.read(move |db| permissions(db, agent))
    }

    fn set_tool_permissions(
        &self,
        agent: Uuid,
        permissions: Vec<ToolPermission>,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, bool> {
        self.record(entry(&record), move |mut tx| {
            poll_ready(set_permissions(&mut tx, agent, &permissions, micros(at), &record))
        })
    }
}

fn entry(record: &CheckedRecord) -> Vec<AuditEntry> {
    vec![record.record().entry.clone()]
}

const BY_ID: &str = "SELECT id, name, settings, created_at, updated_at FROM agents WHERE id = ?1";

const BY_NAME: &str = "SELECT id, name, settings, created_at, updated_at FROM agents WHERE name = ?1";

const ALL: &str = "SELECT id, name, settings, created_at, updated_at FROM agents ORDER BY created_at, id";

fn all(db: &Connection) -> TransactionResult<Vec<Agent>> {
    let mut statement = db.prepare_cached(ALL)?;
    let rows = statement.query_map([], read_row)?;
    rows.map(|row| agent(&row?)).collect()
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<AgentRow> {
    Ok(AgentRow {
        id: row.get(0)?,
        name: row.get(1)?,
        settings: row.get(2)?,
        created_at: row.get(3)?,
        updated_at: row.get(4)?,
    })
}

const HAS_AGENT: &str = "SELECT EXISTS (SELECT 1 FROM agents WHERE id = ?1)";

fn has_agent(db: &Connection, id: Uuid) -> TransactionResult<bool> {
    Ok(db.prepare_cached(HAS_AGENT)?.query_row([id], |row| row.get(0))?)
}

const NAME_TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM agents WHERE name = ?1 AND id <> ?2)";

fn is_name_taken(db: &Connection, name: &str, by_other_than: Uuid) -> TransactionResult<bool> {
    Ok(db.prepare_cached(NAME_TAKEN)?.query_row(params![name, by_other_than], |row| row.get(0))?)
}

const INSERT: &str =
    "INSERT INTO agents (id, name, settings, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5)";

fn insert_agent(db: &Connection, row: &AgentRow) -> TransactionResult<()> {
    run(db, INSERT, params![row.id, row.name, row.settings, row.created_at, row.updated_at]).map(drop)
}

const UPDATE: &str = "UPDATE agents SET name = ?2, settings = ?3, updated_at = ?4 WHERE id = ?1";

fn update_agent(db: &Connection, row: &AgentRow) -> TransactionResult<()> {
    run(db, UPDATE, params![row.id, row.name, row.settings, row.updated_at]).map(drop)
}

const DELETE: &str = "DELETE FROM agents WHERE id = ?1";

fn delete_agent(db: &Connection, id: Uuid) -> TransactionResult<bool> {
    Ok(run(db, DELETE, [id])? == 1)
}

const PERMISSIONS: &str = "SELECT tool_name, is_enabled, config, require_approval FROM agent_tool_permissions \
    WHERE agent_id = ?1 ORDER BY tool_name";

fn permissions(db: &Connection, agent: Uuid) -> TransactionResult<Vec<ToolPermission>> {
    let mut statement = db.prepare_cached(PERMISSIONS)?;
    let rows = statement.query_map([agent], |row| {
        Ok(PermissionRow {
            tool_name: row.get(0)?,
            is_enabled: row.get(1)?,
            config: row.get(2)?,
            require_approval: row.get(3)?,
        })
    })?;
    rows.map(|row| permission(row?)).collect()
}

const WRITE_PERMISSION: &str = "INSERT INTO agent_tool_permissions (id, agent_id, tool_name, is_enabled, config, \
    require_approval, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) \
    ON CONFLICT (agent_id, tool_name) DO UPDATE SET is_enabled = excluded.is_enabled, config = excluded.config, \
    require_approval = excluded.require_approval, updated_at = excluded.updated_at";

fn write_permission(db: &Connection, agent: Uuid, row: &PermissionRow, at: i64) -> TransactionResult<()> {
    let id = Uuid::now_v7();
    let values = params![id, agent, row.tool_name, row.is_enabled, row.config, row.require_approval, at];
    run(db, WRITE_PERMISSION, values).map(drop)
}

operations! {
    impl AgentTables for &OpenTransaction<'_> {
        has_agent(id: Uuid) -> bool = has_agent;
        is_name_taken(name: &str, by_other_than: Uuid) -> bool = is_name_taken;
        insert_agent(row: &AgentRow) -> () = insert_agent;
        update_agent(row: &AgentRow) -> () = update_agent;
        delete_agent(id: Uuid) -> bool = delete_agent;
        write_permission(agent: Uuid, row: &PermissionRow, at: i64) -> () = write_permission;
    }
}
