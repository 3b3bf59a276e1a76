//! Kept rules, and the counters they go by.

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::asker::Session;
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::{Entry, Record};
use sekisho_gate::rules::{Rules, StoredRule, StoredRules};
use sekisho_policy::Rule;
use tokio::sync::watch;
use tokio_postgres::Row;
use uuid::Uuid;

use super::db::Db;
use super::page::Page;
use super::script::{RULES, Script};
use super::store::PostgresStore;
use super::text::{given, kept, kept_option};
use crate::encoding::{counted, micros};
use crate::fault::{Fault, Scripted};
use crate::rules::{self, Common, PermissionRow, RuleRow, RuleTables, SessionRow};

impl Rules for PostgresStore {
    fn all(&self, at: Timestamp) -> Kept<'_, StoredRules> {
        self.read_at_one_moment(move |db| Box::pin(stored(db, at)))
    }

    fn add(&self, _: &WriteAccess, rules: Vec<StoredRule>, record: Record) -> Kept<'_, ()> {
        self.write(Add { rules, record })
    }

    fn replace(&self, _: &WriteAccess, rule: StoredRule, record: Record) -> Kept<'_, bool> {
        self.write(Replace { rule, record })
    }

    fn remove(&self, _: &WriteAccess, id: Uuid, record: Record) -> Kept<'_, bool> {
        self.write(Remove { id, record })
    }

    fn revision(&self) -> watch::Receiver<u64> {
        self.heads.revision()
    }
}

const REVISION: &str = "SELECT value FROM meta WHERE name = 'rules_revision'";

pub(crate) async fn revision(db: &Db<'_>) -> Scripted<u64> {
    counted(db.one(REVISION, &[]).await?.try_get(0)?)
}

const BUMP_REVISION: &str = "UPDATE meta SET value = value + 1 WHERE name = 'rules_revision' RETURNING value";

/// The new revision.
pub(crate) async fn bump_revision(db: &Db<'_>) -> Scripted<u64> {
    counted(db.one(BUMP_REVISION, &[]).await?.try_get(0)?)
}

const NEXT_MADE: &str = "UPDATE meta SET value = value + 1 WHERE name = 'rules_made' RETURNING value";

pub(crate) async fn next_made(db: &Db<'_>) -> Scripted<i64> {
    Ok(db.one(NEXT_MADE, &[]).await?.try_get(0)?)
}

const MADE: &str = "SELECT made FROM tool_permission_rules WHERE id = $1 \
    UNION ALL SELECT made FROM session_rules WHERE id = $1";

/// Which a rule was in the order of making, in whichever table it stands.
pub(crate) async fn made(db: &Db<'_>, id: Uuid) -> Scripted<Option<i64>> {
    match db.row(MADE, &[&id]).await? {
        Some(row) => Ok(row.try_get(0)?),
        None => Ok(None),
    }
}

pub(crate) async fn insert(db: &Db<'_>, row: &RuleRow) -> Scripted<()> {
    match row {
        RuleRow::Permission(row) => insert_permission(db, row).await,
        RuleRow::Session(row) => insert_session(db, row).await,
    }
}

const INSERT_PERMISSION: &str = "INSERT INTO tool_permission_rules (id, made, effect, server_id, tool_name, \
    tool_pattern, priority, agent, command, command_glob, skill_name, path, host, timeout_s, on_timeout, expires_at, \
    note, examples, unrestricted, created_at, updated_at, created_by) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)";

async fn insert_permission(db: &Db<'_>, row: &PermissionRow) -> Scripted<()> {
    let (common, rule) = (&row.common, &row.rule);
    let values = (
        kept_option(rule.server.as_ref()),
        kept_option(rule.tool.as_ref()),
        kept_option(rule.tool_pattern.as_ref()),
        kept_option(rule.agent.as_ref()),
        kept_option(rule.command.as_ref()),
        kept_option(rule.command_glob.as_ref()),
        kept_option(rule.skill_name.as_ref()),
        kept_option(rule.path.as_ref()),
        kept_option(rule.host.as_ref()),
        kept_option(rule.note.as_ref()),
    );
    let (server, tool, tool_pattern, agent, command, command_glob, skill_name, path, host, note) = &values;
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
            &kept(&common.created_by),
        ],
    )
    .await
    .map(drop)
}

const INSERT_SESSION: &str = "INSERT INTO session_rules \
    (id, made, effect, credential, agent, scope, rule, expires_at, created_at, updated_at, created_by) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

async fn insert_session(db: &Db<'_>, row: &SessionRow) -> Scripted<()> {
    let (common, session) = (&row.common, &row.session);
    db.run(
        INSERT_SESSION,
        &[
            &common.id,
            &common.made,
            &common.effect,
            &kept(&session.credential),
            &kept_option(session.agent.as_ref()),
            &kept(&session.scope),
            &row.rule,
            &row.expires_at,
            &common.created_at,
            &common.updated_at,
            &kept(&common.created_by),
        ],
    )
    .await
    .map(drop)
}

const DELETE_PERMISSION: &str = "DELETE FROM tool_permission_rules WHERE id = $1";

const DELETE_SESSION: &str = "DELETE FROM session_rules WHERE id = $1";

/// Whether there was one.
pub(crate) async fn delete(db: &Db<'_>, id: Uuid) -> Scripted<bool> {
    let permission = db.run(DELETE_PERMISSION, &[&id]).await?;
    let session = db.run(DELETE_SESSION, &[&id]).await?;
    Ok(permission + session > 0)
}

const DELETE_ENDED: &str = "DELETE FROM session_rules WHERE expires_at IS NOT NULL AND expires_at <= $1";

pub(crate) async fn delete_ended(db: &Db<'_>, at: i64) -> Scripted<()> {
    db.run(DELETE_ENDED, &[&at]).await.map(drop)
}

const ALL_PERMISSIONS: &str = "SELECT id, made, effect, server_id, tool_name, tool_pattern, priority, agent, \
    command, command_glob, skill_name, path, host, timeout_s, on_timeout, expires_at, note, examples, unrestricted, \
    created_at, updated_at, created_by FROM tool_permission_rules";

const ALL_SESSIONS: &str = "SELECT id, made, effect, credential, agent, scope, rule, expires_at, created_at, \
    updated_at, created_by FROM session_rules WHERE expires_at IS NULL OR expires_at > $1";

/// All rules that count at a moment, in the order they were made.
pub(crate) async fn all(db: &Db<'_>, at: i64) -> Scripted<Vec<StoredRule>> {
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

fn text(row: &Row, name: &str) -> Scripted<Option<String>> {
    Ok(row.try_get::<_, Option<String>>(name)?.map(given))
}

fn narrow<T: TryFrom<i64>>(row: &Row, name: &str, number: i64) -> Scripted<T> {
    let id: Uuid = row.try_get("id")?;
    T::try_from(number).map_err(|_| Fault::wrong(format!("rule `{id}` has the {name} `{number}`")))
}

fn permission(row: &Row) -> Scripted<PermissionRow> {
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

fn session(row: &Row) -> Scripted<SessionRow> {
    let session = Session {
        credential: given(row.try_get("credential")?),
        agent: text(row, "agent")?,
        scope: given(row.try_get("scope")?),
    };
    Ok(SessionRow {
        common: common(row)?,
        session,
        rule: row.try_get("rule")?,
        expires_at: row.try_get("expires_at")?,
    })
}

fn common(row: &Row) -> Scripted<Common> {
    Ok(Common {
        id: row.try_get("id")?,
        made: row.try_get("made")?,
        effect: row.try_get("effect")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
        created_by: given(row.try_get("created_by")?),
    })
}

impl RuleTables for Page<'_> {
    async fn made(&self, id: Uuid) -> Scripted<Option<i64>> {
        made(&self.db, id).await
    }

    async fn next_made(&self) -> Scripted<i64> {
        next_made(&self.db).await
    }

    async fn insert_rule(&self, row: &RuleRow) -> Scripted<()> {
        insert(&self.db, row).await
    }

    async fn delete_rule(&self, id: Uuid) -> Scripted<bool> {
        delete(&self.db, id).await
    }

    async fn delete_ended_rules(&self, at: i64) -> Scripted<()> {
        delete_ended(&self.db, at).await
    }

    async fn bump_revision(&mut self) -> Scripted<()> {
        self.draft.revision = Some(bump_revision(&self.db).await?);
        Ok(())
    }
}

/// Rules are added, all or none.
struct Add {
    rules: Vec<StoredRule>,
    record: Record,
}

impl Script for Add {
    type Given = ();

    fn locks(&self) -> Option<i64> {
        Some(RULES)
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<()> {
        rules::add(page, &self.rules, &self.record).await
    }
}

/// A rule takes the place of the one with its id.
struct Replace {
    rule: StoredRule,
    record: Record,
}

impl Script for Replace {
    type Given = bool;

    fn locks(&self) -> Option<i64> {
        Some(RULES)
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<bool> {
        rules::replace(page, &self.rule, &self.record).await
    }
}

/// A rule is removed.
struct Remove {
    id: Uuid,
    record: Record,
}

impl Script for Remove {
    type Given = bool;

    fn locks(&self) -> Option<i64> {
        Some(RULES)
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<bool> {
        rules::remove(page, self.id, &self.record).await
    }
}

/// All rules that count at a moment, and their revision.
async fn stored(db: &Db<'_>, at: Timestamp) -> Scripted<StoredRules> {
    Ok(StoredRules { revision: revision(db).await?, rules: all(db, micros(at)).await? })
}
