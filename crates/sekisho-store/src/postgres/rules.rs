//! Transactions on stored rules and their counters.

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::caller::Session;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::{AuditEntry, Record};
use sekisho_gate::rule_store::{RuleStore, StoredRule, StoredRules};
use sekisho_policy::Rule;
use tokio::sync::watch;
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::PgConnection;
use super::nul_escape::{escape_nul, escape_nul_option, unescape_nul};
use super::open_transaction::OpenTransaction;
use super::store::PostgresStore;
use super::write_operation::{RULES, WriteOperation};
use crate::encoding::{count_from_column, micros};
use crate::rules::{self, CommonColumns, PermissionRow, RuleRow, RuleTables, SessionRow};
use crate::transaction_error::{TransactionError, TransactionResult};

impl RuleStore for PostgresStore {
    fn all(&self, at: Timestamp) -> LedgerFuture<'_, StoredRules> {
        self.read_at_one_moment(move |db| Box::pin(stored(db, at)))
    }

    fn add(&self, _: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> LedgerFuture<'_, ()> {
        self.write(Add { rules, record })
    }

    fn replace(&self, _: &WriteAccess, rule: StoredRule, record: Record) -> LedgerFuture<'_, bool> {
        self.write(Replace { rule, record })
    }

    fn remove(&self, _: &WriteAccess, id: Uuid, record: Record) -> LedgerFuture<'_, bool> {
        self.write(Remove { id, record })
    }

    fn revision(&self) -> watch::Receiver<u64> {
        self.heads.revision()
    }
}

const REVISION: &str = "SELECT value FROM meta WHERE name = 'rules_revision'";

pub(crate) async fn revision(db: &PgConnection<'_>) -> TransactionResult<u64> {
    count_from_column(db.one(REVISION, &[]).await?.try_get(0)?)
}

const BUMP_REVISION: &str = "UPDATE meta SET value = value + 1 WHERE name = 'rules_revision' RETURNING value";

/// Increments the revision and returns it.
pub(crate) async fn bump_revision(db: &PgConnection<'_>) -> TransactionResult<u64> {
    count_from_column(db.one(BUMP_REVISION, &[]).await?.try_get(0)?)
}

const NEXT_MADE: &str = "UPDATE meta SET value = value + 1 WHERE name = 'rules_made' RETURNING value";

pub(crate) async fn next_made(db: &PgConnection<'_>) -> TransactionResult<i64> {
    Ok(db.one(NEXT_MADE, &[]).await?.try_get(0)?)
}

const MADE: &str = "SELECT made FROM tool_permission_rules WHERE id = $1 \
    UNION ALL SELECT made FROM session_rules WHERE id = $1";

/// A rule's position in creation order, whichever table it is in.
pub(crate) async fn made(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<Option<i64>> {
    match db.row(MADE, &[&id]).await? {
        Some(row) => Ok(row.try_get(0)?),
        None => Ok(None),
    }
}

pub(crate) async fn insert(db: &PgConnection<'_>, row: &RuleRow) -> TransactionResult<()> {
    match row {
        RuleRow::Permission(row) => insert_permission(db, row).await,
        RuleRow::Session(row) => insert_session(db, row).await,
    }
}

const INSERT_PERMISSION: &str = "INSERT INTO tool_permission_rules (id, made, effect, server_id, tool_name, \
    tool_pattern, priority, agent, command, command_glob, skill_name, path, host, timeout_s, on_timeout, expires_at, \
    note, examples, unrestricted, created_at, updated_at, created_by, input) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)";

async fn insert_permission(db: &PgConnection<'_>, row: &PermissionRow) -> TransactionResult<()> {
    let (common, rule) = (&row.common, &row.rule);
    let values = (
        escape_nul_option(rule.server.as_ref()),
        escape_nul_option(rule.tool.as_ref()),
        escape_nul_option(rule.tool_pattern.as_ref()),
        escape_nul_option(rule.agent.as_ref()),
        escape_nul_option(rule.command.as_ref()),
        escape_nul_option(rule.command_glob.as_ref()),
        escape_nul_option(rule.skill_name.as_ref()),
        escape_nul_option(rule.path.as_ref()),
        escape_nul_option(rule.host.as_ref()),
        escape_nul_option(rule.note.as_ref()),
        escape_nul_option(rule.input.as_ref()),
    );
    let (server, tool, tool_pattern, agent, command, command_glob, skill_name, path, host, note, input) =
        &values;
    db.run(
        INSERT_PERMISSION,
        &[
            &common.id,
            &common.made,
            &common.effect,
            server,
            tool,
            tool_pattern,
            &i64::from(rule.priority),
            agent,
            command,
            command_glob,
            skill_name,
            path,
            host,
            &rule.timeout_s.map(i64::from),
            &row.on_timeout,
            &row.expires_at,
            note,
            &row.examples,
            &rule.unrestricted,
            &common.created_at,
            &common.updated_at,
            &escape_nul(&common.created_by),
            input,
        ],
    )
    .await
    .map(drop)
}

const INSERT_SESSION: &str = "INSERT INTO session_rules \
    (id, made, effect, credential, agent, scope, rule, expires_at, created_at, updated_at, created_by) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

async fn insert_session(db: &PgConnection<'_>, row: &SessionRow) -> TransactionResult<()> {
    let (common, session) = (&row.common, &row.session);
    db.run(
        INSERT_SESSION,
        &[
            &common.id,
            &common.made,
            &common.effect,
            &escape_nul(&session.credential),
            &escape_nul_option(session.agent.as_ref()),
            &escape_nul(&session.scope),
            &row.rule,
            &row.expires_at,
            &common.created_at,
            &common.updated_at,
            &escape_nul(&common.created_by),
        ],
    )
    .await
    .map(drop)
}

const DELETE_PERMISSION: &str = "DELETE FROM tool_permission_rules WHERE id = $1";

const DELETE_SESSION: &str = "DELETE FROM session_rules WHERE id = $1";

/// Returns whether the rule existed.
pub(crate) async fn delete(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<bool> {
    let permission = db.run(DELETE_PERMISSION, &[&id]).await?;
    let session = db.run(DELETE_SESSION, &[&id]).await?;
    Ok(permission + session > 0)
}

const DELETE_ENDED: &str = "DELETE FROM session_rules WHERE expires_at IS NOT NULL AND expires_at <= $1";

pub(crate) async fn delete_ended(db: &PgConnection<'_>, at: i64) -> TransactionResult<()> {
    db.run(DELETE_ENDED, &[&at]).await.map(drop)
}

const ALL_PERMISSIONS: &str = "SELECT id, made, effect, server_id, tool_name, tool_pattern, priority, agent, \
    command, command_glob, skill_name, path, host, timeout_s, on_timeout, expires_at, note, examples, unrestricted, \
    created_at, updated_at, created_by, input FROM tool_permission_rules";

const ALL_SESSIONS: &str = "SELECT id, made, effect, credential, agent, scope, rule, expires_at, created_at, \
    updated_at, created_by FROM session_rules WHERE expires_at IS NULL OR expires_at > $1";

/// All rules in force at a time, in creation order.
pub(crate) async fn all(db: &PgConnection<'_>, at: i64) -> TransactionResult<Vec<StoredRule>> {
    let mut found = Vec::new();
    for row in &db.rows(ALL_PERMISSIONS, &[]).await? {
        found.push(permission(row)?.into_stored()?);
    }
    for row in &db.rows(ALL_SESSIONS, &[&at]).await? {
        found.push(session(row)?.into_stored()?);
    }
    found.sort_by_key(|(made, _)| *made);
    Ok(found.into_iter().map(|(_, rule)| rule).collect())
}

fn text(row: &Row, name: &str) -> TransactionResult<Option<String>> {
    Ok(row.try_get::<_, Option<String>>(name)?.map(unescape_nul))
}

fn narrow<T: TryFrom<i64>>(row: &Row, name: &str, number: i64) -> TransactionResult<T> {
    let id: Uuid = row.try_get("id")?;
    T::try_from(number)
        .map_err(|_| TransactionError::inconsistent(format!("rule `{id}` has the {name} `{number}`")))
}

fn permission(row: &Row) -> TransactionResult<PermissionRow> {
    let timeout: Option<i64> = row.try_get("timeout_s")?;
    let rule = Rule {
        server: text(row, "server_id")?,
        tool: text(row, "tool_name")?,
        tool_pattern: text(row, "tool_pattern")?,
        priority: narrow(row, "priority", row.try_get("priority")?)?,
        agent: text(row, "agent")?,
        command: text(row, "command")?,
        command_glob: text(row, "command_glob")?,
        skill_name: text(row, "skill_name")?,
        path: text(row, "path")?,
        host: text(row, "host")?,
        input: text(row, "input")?,
        timeout_s: timeout.map(|timeout| narrow(row, "timeout_s", timeout)).transpose()?,
        note: text(row, "note")?,
        unrestricted: row.try_get("unrestricted")?,
        ..Rule::default()
    };
    Ok(PermissionRow {
        common: common(row)?,
        rule,
        examples: row.try_get("examples")?,
        expires_at: row.try_get("expires_at")?,
        on_timeout: row.try_get("on_timeout")?,
    })
}

fn session(row: &Row) -> TransactionResult<SessionRow> {
    let session = Session {
        credential: unescape_nul(row.try_get("credential")?),
        agent: text(row, "agent")?,
        scope: unescape_nul(row.try_get("scope")?),
    };
    Ok(SessionRow {
        common: common(row)?,
        session,
        rule: row.try_get("rule")?,
        expires_at: row.try_get("expires_at")?,
    })
}

fn common(row: &Row) -> TransactionResult<CommonColumns> {
    Ok(CommonColumns {
        id: row.try_get("id")?,
        made: row.try_get("made")?,
        effect: row.try_get("effect")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
        created_by: unescape_nul(row.try_get("created_by")?),
    })
}

impl RuleTables for OpenTransaction<'_> {
    async fn creation_number(&self, id: Uuid) -> TransactionResult<Option<i64>> {
        made(&self.db, id).await
    }

    async fn next_creation_number(&self) -> TransactionResult<i64> {
        next_made(&self.db).await
    }

    async fn insert_rule(&self, row: &RuleRow) -> TransactionResult<()> {
        insert(&self.db, row).await
    }

    async fn delete_rule(&self, id: Uuid) -> TransactionResult<bool> {
        delete(&self.db, id).await
    }

    async fn delete_ended_rules(&self, at: i64) -> TransactionResult<()> {
        delete_ended(&self.db, at).await
    }

    async fn bump_revision(&mut self) -> TransactionResult<()> {
        self.draft.revision = Some(bump_revision(&self.db).await?);
        Ok(())
    }
}

/// Adds rules, all or none.
struct Add {
    rules: Vec<StoredRule>,
    record: Record,
}

impl WriteOperation for Add {
    type Outcome = ();

    fn locks(&self) -> Option<i64> {
        Some(RULES)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<()> {
        rules::add(tx, &self.rules, &self.record).await
    }
}

/// Replaces the rule with the same id.
struct Replace {
    rule: StoredRule,
    record: Record,
}

impl WriteOperation for Replace {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(RULES)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        rules::replace(tx, &self.rule, &self.record).await
    }
}

struct Remove {
    id: Uuid,
    record: Record,
}

impl WriteOperation for Remove {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(RULES)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        rules::remove(tx, self.id, &self.record).await
    }
}

/// All rules in force at a time, and their revision.
async fn stored(db: &PgConnection<'_>, at: Timestamp) -> TransactionResult<StoredRules> {
    Ok(StoredRules { revision: revision(db).await?, rules: all(db, micros(at)).await? })
}
