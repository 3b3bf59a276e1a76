//! Agents and their tool permissions.

use jiff::Timestamp;
use sekisho_agent::Agents;
use sekisho_agent::agents::{Agent, AgentChange, AgentSettings, ToolPermission};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::AuditEntry;
use sekisho_gate::registered_records::CheckedRecord;
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::PgConnection;
use super::nul_escape::{escape_nul, unescape_nul};
use super::open_transaction::OpenTransaction;
use super::store::PostgresStore;
use super::transaction_impl::operations;
use super::write_operation::{AGENTS, WriteOperation};
use crate::agents::{
    AgentRow, AgentTables, PermissionRow, agent, create, delete, permission, set_permissions, update,
};
use crate::encoding::micros;
use crate::transaction_error::TransactionResult;

impl Agents for PostgresStore {
    fn create_agent(&self, agent: Agent, record: CheckedRecord) -> LedgerFuture<'_, AgentChange> {
        self.write(CreateAgent { agent, record })
    }

    fn update_agent(
        &self,
        id: Uuid,
        settings: AgentSettings,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, AgentChange> {
        self.write(UpdateAgent { id, settings, at: micros(at), record })
    }

    fn delete_agent(&self, id: Uuid, record: CheckedRecord) -> LedgerFuture<'_, bool> {
        self.write(DeleteAgent { id, record })
    }

    fn agent(&self, id: Uuid) -> LedgerFuture<'_, Option<Agent>> {
        self.read(move |db| {
            Box::pin(async move { db.row(BY_ID, &[&id]).await?.as_ref().map(read_row).transpose() })
        })
    }

    fn agent_named(&self, name: String) -> LedgerFuture<'_, Option<Agent>> {
        self.read(move |db| {
            Box::pin(async move {
                db.row(BY_NAME, &[&escape_nul(&name)]).await?.as_ref().map(read_row).transpose()
            })
        })
    }

    fn agents(&self) -> LedgerFuture<'_, Vec<Agent>> {
        self.read(|db| Box::pin(async move { db.rows(ALL, &[]).await?.iter().map(read_row).collect() }))
    }

    fn tool_permissions(&self, agent: Uuid) -> LedgerFuture<'_, Vec<ToolPermission>> {
        self.read(move |db| Box::pin(permissions(db, agent)))
    }

    fn set_tool_permissions(
        &self,
        agent: Uuid,
        permissions: Vec<ToolPermission>,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, bool> {
        self.write(SetPermissions { agent, permissions, at: micros(at), record })
    }
}

fn entry(record: &CheckedRecord) -> Vec<AuditEntry> {
    vec![record.record().entry.clone()]
}

struct CreateAgent {
    agent: Agent,
    record: CheckedRecord,
}

impl WriteOperation for CreateAgent {
    type Outcome = AgentChange;

    fn locks(&self) -> Option<i64> {
        Some(AGENTS)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        entry(&self.record)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<AgentChange> {
        create(tx, &self.agent, &self.record).await
    }
}

struct UpdateAgent {
    id: Uuid,
    settings: AgentSettings,
    at: i64,
    record: CheckedRecord,
}

impl WriteOperation for UpdateAgent {
    type Outcome = AgentChange;

    fn locks(&self) -> Option<i64> {
        Some(AGENTS)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        entry(&self.record)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<AgentChange> {
        update(tx, self.id, &self.settings, self.at, &self.record).await
    }
}

struct DeleteAgent {
    id: Uuid,
    record: CheckedRecord,
}

impl WriteOperation for DeleteAgent {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(AGENTS)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        entry(&self.record)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        delete(tx, self.id, &self.record).await
    }
}

struct SetPermissions {
    agent: Uuid,
    permissions: Vec<ToolPermission>,
    at: i64,
    record: CheckedRecord,
}

impl WriteOperation for SetPermissions {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(AGENTS)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        entry(&self.record)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        set_permissions(tx, self.agent, &self.permissions, self.at, &self.record).await
    }
}

const BY_ID: &str = "SELECT id, name, settings, created_at, updated_at FROM agents WHERE id = $1";

const BY_NAME: &str = "SELECT id, name, settings, created_at, updated_at FROM agents WHERE name = $1";

const ALL: &str = "SELECT id, name, settings, created_at, updated_at FROM agents ORDER BY created_at, id";

fn read_row(row: &Row) -> TransactionResult<Agent> {
    agent(&AgentRow {
        id: row.try_get(0)?,
        name: unescape_nul(row.try_get(1)?),
        settings: row.try_get(2)?,
        created_at: row.try_get(3)?,
        updated_at: row.try_get(4)?,
    })
}

const HAS_AGENT: &str = "SELECT EXISTS (SELECT 1 FROM agents WHERE id = $1)";

async fn has_agent(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<bool> {
    Ok(db.one(HAS_AGENT, &[&id]).await?.try_get(0)?)
}

const NAME_TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM agents WHERE name = $1 AND id <> $2)";

async fn is_name_taken(db: &PgConnection<'_>, name: &str, by_other_than: Uuid) -> TransactionResult<bool> {
    Ok(db.one(NAME_TAKEN, &[&escape_nul(name), &by_other_than]).await?.try_get(0)?)
}

const INSERT: &str =
    "INSERT INTO agents (id, name, settings, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)";

async fn insert_agent(db: &PgConnection<'_>, row: &AgentRow) -> TransactionResult<()> {
    let name = escape_nul(&row.name);
    db.run(INSERT, &[&row.id, &name, &row.settings, &row.created_at, &row.updated_at]).await.map(drop)
}

const UPDATE: &str = "UPDATE agents SET name = $2, settings = $3, updated_at = $4 WHERE id = $1";

async fn update_agent(db: &PgConnection<'_>, row: &AgentRow) -> TransactionResult<()> {
    db.run(UPDATE, &[&row.id, &escape_nul(&row.name), &row.settings, &row.updated_at]).await.map(drop)
}

const DELETE: &str = "DELETE FROM agents WHERE id = $1";

async fn delete_agent(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<bool> {
    Ok(db.run(DELETE, &[&id]).await? == 1)
}

/// In the order of bytes, as SQLite has it.
const PERMISSIONS: &str = "SELECT tool_name, is_enabled, config, require_approval FROM agent_tool_permissions \
    WHERE agent_id = $1 ORDER BY tool_name COLLATE \"C\"";

async fn permissions(db: &PgConnection<'_>, agent: Uuid) -> TransactionResult<Vec<ToolPermission>> {
    let rows = db.rows(PERMISSIONS, &[&agent]).await?;
    let read = |row: &Row| {
        permission(PermissionRow {
            tool_name: unescape_nul(row.try_get(0)?),
            is_enabled: row.try_get(1)?,
            config: row.try_get(2)?,
            require_approval: row.try_get(3)?,
        })
    };
    rows.iter().map(read).collect()
}

const WRITE_PERMISSION: &str = "INSERT INTO agent_tool_permissions (id, agent_id, tool_name, is_enabled, config, \
    require_approval, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) \
    ON CONFLICT (agent_id, tool_name) DO UPDATE SET is_enabled = excluded.is_enabled, config = excluded.config, \
    require_approval = excluded.require_approval, updated_at = excluded.updated_at";

async fn write_permission(
    db: &PgConnection<'_>,
    agent: Uuid,
    row: &PermissionRow,
    at: i64,
) -> TransactionResult<()> {
    let (id, tool) = (Uuid::now_v7(), escape_nul(&row.tool_name));
    db.run(WRITE_PERMISSION, &[&id, &agent, &tool, &row.is_enabled, &row.config, &row.require_approval, &at])
        .await
        .map(drop)
}

operations! {
    impl AgentTables for OpenTransaction<'_> {
        has_agent(id: Uuid) -> bool = has_agent;
        is_name_taken(name: &str, by_other_than: Uuid) -> bool = is_name_taken;
        insert_agent(row: &AgentRow) -> () = insert_agent;
        update_agent(row: &AgentRow) -> () = update_agent;
        delete_agent(id: Uuid) -> bool = delete_agent;
        write_permission(agent: Uuid, row: &PermissionRow, at: i64) -> () = write_permission;
    }
}
