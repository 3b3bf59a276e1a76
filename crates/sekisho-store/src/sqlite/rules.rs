//! Transactions on stored rules and their counters.

use std::future::ready;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sekisho_gate::WriteAccess;
use sekisho_gate::caller::Session;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::Record;
use sekisho_gate::rule_store::{RuleStore, StoredRule, StoredRules};
use sekisho_policy::Rule;
use tokio::sync::watch;
use uuid::Uuid;

use super::commit_counters::revision;
use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::store::SqliteStore;
use super::transaction_impl::poll_ready;
use crate::encoding::micros;
use crate::rules::{self, CommonColumns, PermissionRow, RuleRow, RuleTables, SessionRow};
use crate::transaction::TableFuture;
use crate::transaction_error::{TransactionError, TransactionResult};

impl RuleStore for SqliteStore {
    fn all(&self, at: Timestamp) -> LedgerFuture<'_, StoredRules> {
        self.read(move |db| Ok(StoredRules { revision: revision(db)?, rules: all(db, micros(at))? }))
    }

    fn add(&self, _: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> LedgerFuture<'_, ()> {
        self.record(vec![record.entry.clone()], move |mut tx| {
            poll_ready(rules::add(&mut tx, &rules, &record))
        })
    }

    fn replace(&self, _: &WriteAccess, rule: StoredRule, record: Record) -> LedgerFuture<'_, bool> {
        self.record(vec![record.entry.clone()], move |mut tx| {
            poll_ready(rules::replace(&mut tx, &rule, &record))
        })
    }

    fn remove(&self, _: &WriteAccess, id: Uuid, record: Record) -> LedgerFuture<'_, bool> {
        self.record(vec![record.entry.clone()], move |mut tx| poll_ready(rules::remove(&mut tx, id, &record)))
    }

    fn revision(&self) -> watch::Receiver<u64> {
        let revision = self.heads.revision();
        self.writer.poll_other_commits();
        revision
    }
}

const BUMP_REVISION: &str = "UPDATE meta SET value = value + 1 WHERE name = 'rules_revision'";

pub(crate) fn bump_revision(db: &Connection) -> TransactionResult<()> {
    match run(db, BUMP_REVISION, [])? {
        1 => Ok(()),
        _ => Err(TransactionError::inconsistent("the rules revision is missing")),
    }
}

const NEXT_MADE: &str = "UPDATE meta SET value = value + 1 WHERE name = 'rules_made' RETURNING value";

pub(crate) fn next_made(db: &Connection) -> TransactionResult<i64> {
    Ok(db.prepare_cached(NEXT_MADE)?.query_row([], |row| row.get(0))?)
}

const MADE: &str = "SELECT made FROM tool_permission_rules WHERE id = ?1 \
    UNION ALL SELECT made FROM session_rules WHERE id = ?1";

/// A rule's position in creation order, whichever table it is in.
pub(crate) fn made(db: &Connection, id: Uuid) -> TransactionResult<Option<i64>> {
    Ok(db.prepare_cached(MADE)?.query_row([id], |row| row.get(0)).optional()?)
}

pub(crate) fn insert(db: &Connection, row: &RuleRow) -> TransactionResult<()> {
    match row {
        RuleRow::Permission(row) => insert_permission(db, row),
        RuleRow::Session(row) => insert_session(db, row),
    }
}

const INSERT_PERMISSION: &str = "INSERT INTO tool_permission_rules (id, made, effect, server_id, tool_name, \
    tool_pattern, priority, agent, command, command_glob, skill_name, path, host, timeout_s, on_timeout, expires_at, \
    note, examples, unrestricted, created_at, updated_at, created_by, input) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)";

fn insert_permission(db: &Connection, row: &PermissionRow) -> TransactionResult<()> {
    let (common, rule) = (&row.common, &row.rule);
    let values = params![
        common.id,
        common.made,
        common.effect,
        rule.server,
        rule.tool,
        rule.tool_pattern,
        rule.priority,
        rule.agent,
        rule.command,
        rule.command_glob,
        rule.skill_name,
        rule.path,
        rule.host,
        rule.timeout_s,
        row.on_timeout,
        row.expires_at,
        rule.note,
        row.examples,
        rule.unrestricted,
        common.created_at,
        common.updated_at,
        common.created_by,
        rule.input
    ];
    run(db, INSERT_PERMISSION, values).map(drop)
}

const INSERT_SESSION: &str = "INSERT INTO session_rules \
    (id, made, effect, credential, agent, scope, rule, expires_at, created_at, updated_at, created_by) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

fn insert_session(db: &Connection, row: &SessionRow) -> TransactionResult<()> {
    let (common, session) = (&row.common, &row.session);
    let values = params![
        common.id,
        common.made,
        common.effect,
        session.credential,
        session.agent,
        session.scope,
        row.rule,
        row.expires_at,
        common.created_at,
        common.updated_at,
        common.created_by
    ];
    run(db, INSERT_SESSION, values).map(drop)
}

const DELETE_PERMISSION: &str = "DELETE FROM tool_permission_rules WHERE id = ?1";

const DELETE_SESSION: &str = "DELETE FROM session_rules WHERE id = ?1";

/// Returns whether the rule existed.
pub(crate) fn delete(db: &Connection, id: Uuid) -> TransactionResult<bool> {
    let permission = run(db, DELETE_PERMISSION, [id])?;
    let session = run(db, DELETE_SESSION, [id])?;
    Ok(permission + session > 0)
}

const DELETE_ENDED: &str = "DELETE FROM session_rules WHERE expires_at IS NOT NULL AND expires_at <= ?1";

pub(crate) fn delete_ended(db: &Connection, at: i64) -> TransactionResult<()> {
    run(db, DELETE_ENDED, [at]).map(drop)
}

const ALL_PERMISSIONS: &str = "SELECT id, made, effect, server_id, tool_name, tool_pattern, priority, agent, \
    command, command_glob, skill_name, path, host, timeout_s, on_timeout, expires_at, note, examples, unrestricted, \
    created_at, updated_at, created_by, input FROM tool_permission_rules";

const ALL_SESSIONS: &str = "SELECT id, made, effect, credential, agent, scope, rule, expires_at, created_at, \
    updated_at, created_by FROM session_rules WHERE expires_at IS NULL OR expires_at > ?1";

/// All rules in force at a time, in creation order.
pub(crate) fn all(db: &Connection, at: i64) -> TransactionResult<Vec<StoredRule>> {
    let mut found = Vec::new();
    let mut statement = db.prepare_cached(ALL_PERMISSIONS)?;
    for row in statement.query_map([], permission)? {
        found.push(row?.into_stored()?);
    }
    let mut statement = db.prepare_cached(ALL_SESSIONS)?;
    for row in statement.query_map([at], session)? {
        found.push(row?.into_stored()?);
    }
    found.sort_by_key(|(made, _)| *made);
    Ok(found.into_iter().map(|(_, rule)| rule).collect())
}

fn permission(row: &Row<'_>) -> rusqlite::Result<PermissionRow> {
    let rule = Rule {
        server: row.get("server_id")?,
        tool: row.get("tool_name")?,
        tool_pattern: row.get("tool_pattern")?,
        priority: row.get("priority")?,
        agent: row.get("agent")?,
        command: row.get("command")?,
        command_glob: row.get("command_glob")?,
        skill_name: row.get("skill_name")?,
        path: row.get("path")?,
        host: row.get("host")?,
        input: row.get("input")?,
        timeout_s: row.get("timeout_s")?,
        note: row.get("note")?,
        unrestricted: row.get("unrestricted")?,
        ..Rule::default()
    };
    Ok(PermissionRow {
        common: common(row)?,
        rule,
        examples: row.get("examples")?,
        expires_at: row.get("expires_at")?,
        on_timeout: row.get("on_timeout")?,
    })
}

fn session(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let session =
        Session { credential: row.get("credential")?, agent: row.get("agent")?, scope: row.get("scope")? };
    Ok(SessionRow {
        common: common(row)?,
        session,
        rule: row.get("rule")?,
        expires_at: row.get("expires_at")?,
    })
}

fn common(row: &Row<'_>) -> rusqlite::Result<CommonColumns> {
    Ok(CommonColumns {
        id: row.get("id")?,
        made: row.get("made")?,
        effect: row.get("effect")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        created_by: row.get("created_by")?,
    })
}

impl RuleTables for &OpenTransaction<'_> {
    fn creation_number(&self, id: Uuid) -> impl TableFuture<Option<i64>> {
        ready(made(self, id))
    }

    fn next_creation_number(&self) -> impl TableFuture<i64> {
        ready(next_made(self))
    }

    fn insert_rule(&self, row: &RuleRow) -> impl TableFuture<()> {
        ready(insert(self, row))
    }

    fn delete_rule(&self, id: Uuid) -> impl TableFuture<bool> {
        ready(delete(self, id))
    }

    fn delete_ended_rules(&self, at: i64) -> impl TableFuture<()> {
        ready(delete_ended(self, at))
    }

    fn bump_revision(&mut self) -> impl TableFuture<()> {
        ready(bump_revision(self))
    }
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[(DELETE_ENDED, "session_rules_by_end")]);
    }
}
