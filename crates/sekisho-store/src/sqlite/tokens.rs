//! Tokens, and the sign-in links that create them.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sekisho_gate::TokenId;
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::Record;
use sekisho_gate::token_store::{NewDevice, SecretHash, SignInLink, Token, TokenStore};
use serde_json::Value;

use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::store::SqliteStore;
use super::transaction_impl::{operations, poll_ready};
use crate::encoding::{count_from_column, json, micros, parsed};
use crate::tokens::{self, LinkRow, TokenRow, TokenTables, USE_RECORD_INTERVAL, should_record_use};
use crate::transaction_error::TransactionResult;

impl TokenStore for SqliteStore {
    fn token(&self, id: TokenId) -> LedgerFuture<'_, Option<Token>> {
        self.read(move |db| by_id(db, id))
    }

    fn tokens(&self) -> LedgerFuture<'_, Vec<Token>> {
        self.read(all)
    }

    fn add_token(&self, _: &WriteAccess, token: Token, record: Record) -> LedgerFuture<'_, ()> {
        self.record(vec![record.entry.clone()], move |mut tx| {
            poll_ready(tokens::add_token(&mut tx, &token, &record))
        })
    }

    fn revoke_token(
        &self,
        _: &WriteAccess,
        id: TokenId,
        at: Timestamp,
        record: Record,
    ) -> LedgerFuture<'_, bool> {
        self.record(vec![record.entry.clone()], move |mut tx| {
            poll_ready(tokens::revoke_token(&mut tx, id, at, &record))
        })
    }

    fn token_used(&self, id: TokenId, at: Timestamp) -> LedgerFuture<'_, ()> {
        Box::pin(async move {
            // Every request with a token comes through here, and hardly any has to write.
            match self.token(id).await?.filter(|token| should_record_use(token, at)) {
                Some(_) => self.write(move |tx| note_use(tx, id, micros(at))).await,
                None => Ok(()),
            }
        })
    }

    fn add_link(&self, _: &WriteAccess, link: SignInLink, record: Record) -> LedgerFuture<'_, ()> {
        self.record(vec![record.entry.clone()], move |mut tx| {
            poll_ready(tokens::add_link(&mut tx, &link, &record))
        })
    }

    fn open_links(&self, at: Timestamp) -> LedgerFuture<'_, u64> {
        self.read(move |db| open_links(db, micros(at)))
    }

    fn follow_link(
        &self,
        hash: SecretHash,
        device: NewDevice,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Token>> {
        self.write(move |mut tx| poll_ready(tokens::follow_link(&mut tx, hash, &device, at)))
    }

    fn notifications(&self, id: TokenId) -> LedgerFuture<'_, Option<Value>> {
        self.read(move |db| notifications(db, id))
    }

    fn set_notifications(&self, id: TokenId, wanted: Value) -> LedgerFuture<'_, bool> {
        self.write(move |tx| set_notifications(tx, id, &wanted))
    }
}

const INSERT: &str = "INSERT INTO tokens (id, name, role, kind, hash, agent, vouches, roots, created_at, \
    created_by, expires_at, revoked_at, last_used_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

pub(crate) fn insert(db: &Connection, token: &Token) -> TransactionResult<()> {
    let row = TokenRow::of(token)?;
    let values = params![
        row.id,
        row.name,
        row.role,
        row.kind,
        row.hash,
        row.agent,
        row.vouches,
        row.roots,
        row.created_at,
        row.created_by,
        row.expires_at,
        row.revoked_at,
        row.last_used_at
    ];
    run(db, INSERT, values).map(drop)
}

const BY_ID: &str = "SELECT id, name, role, kind, hash, agent, vouches, roots, created_at, created_by, \
    expires_at, revoked_at, last_used_at FROM tokens WHERE id = ?1";

pub(crate) fn by_id(db: &Connection, id: TokenId) -> TransactionResult<Option<Token>> {
    let found = db.prepare_cached(BY_ID)?.query_row([id.0], token).optional()?;
    found.map(TokenRow::into_token).transpose()
}

const ALL: &str = "SELECT id, name, role, kind, hash, agent, vouches, roots, created_at, created_by, \
    expires_at, revoked_at, last_used_at FROM tokens ORDER BY seq";

/// All tokens, in creation order.
pub(crate) fn all(db: &Connection) -> TransactionResult<Vec<Token>> {
    let mut statement = db.prepare_cached(ALL)?;
    let rows = statement.query_map([], token)?;
    rows.map(|row| row?.into_token()).collect()
}

const REVOKE: &str = "UPDATE tokens SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL";

/// Returns whether the token existed and was not revoked.
pub(crate) fn revoke(db: &Connection, id: TokenId, at: i64) -> TransactionResult<bool> {
    Ok(run(db, REVOKE, params![id.0, at])? == 1)
}

const USE: &str = "UPDATE tokens SET last_used_at = ?2 \
    WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?3)";

/// Records a use, unless one was recorded less than a minute ago.
pub(crate) fn note_use(db: &Connection, id: TokenId, at: i64) -> TransactionResult<()> {
    run(db, USE, params![id.0, at, at.saturating_sub(USE_RECORD_INTERVAL)]).map(drop)
}

const NOTIFICATIONS: &str = "SELECT notifications FROM tokens WHERE id = ?1";

pub(crate) fn notifications(db: &Connection, id: TokenId) -> TransactionResult<Option<Value>> {
    let found = db.prepare_cached(NOTIFICATIONS)?.query_row([id.0], |row| row.get(0)).optional()?;
    let found: Option<String> = found.flatten();
    found.map(|text| parsed(&text, "the notification settings of a token")).transpose()
}

const SET_NOTIFICATIONS: &str = "UPDATE tokens SET notifications = ?2 WHERE id = ?1";

/// Returns whether the token exists.
pub(crate) fn set_notifications(db: &Connection, id: TokenId, wanted: &Value) -> TransactionResult<bool> {
    let wanted = json(wanted, "the notification settings of a token")?;
    Ok(run(db, SET_NOTIFICATIONS, params![id.0, wanted])? == 1)
}

const FORGET_LINKS: &str = "DELETE FROM links WHERE expires_at <= ?1";

/// Deletes links that have expired by a time.
pub(crate) fn forget_links(db: &Connection, at: i64) -> TransactionResult<()> {
    run(db, FORGET_LINKS, [at]).map(drop)
}

const LINK_EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM links WHERE hash = ?1)";

pub(crate) fn link_exists(db: &Connection, hash: SecretHash) -> TransactionResult<bool> {
    Ok(db.prepare_cached(LINK_EXISTS)?.query_row([hash.0], |row| row.get(0))?)
}

const INSERT_LINK: &str = "INSERT INTO links (hash, name, role, created_at, created_by, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";

pub(crate) fn insert_link(db: &Connection, link: &SignInLink) -> TransactionResult<()> {
    let row = LinkRow::of(link);
    let values = params![row.hash, row.name, row.role, row.created_at, row.created_by, row.expires_at];
    run(db, INSERT_LINK, values).map(drop)
}

const OPEN_LINKS: &str = "SELECT count(*) FROM links WHERE expires_at > ?1";

pub(crate) fn open_links(db: &Connection, at: i64) -> TransactionResult<u64> {
    count_from_column(db.prepare_cached(OPEN_LINKS)?.query_row([at], |row| row.get(0))?)
}

/// Deleting the row is following the link, so only one device can.
const TAKE_LINK: &str = "DELETE FROM links WHERE hash = ?1 AND expires_at > ?2 \
    RETURNING hash, name, role, created_at, created_by, expires_at";

/// Removes and returns a link that has not expired.
pub(crate) fn take_link(db: &Connection, hash: SecretHash, at: i64) -> TransactionResult<Option<SignInLink>> {
    let mut statement = db.prepare_cached(TAKE_LINK)?;
    let found = statement.query_row(params![hash.0, at], |row| {
        Ok(LinkRow {
            hash: row.get(0)?,
            name: row.get(1)?,
            role: row.get(2)?,
            created_at: row.get(3)?,
            created_by: row.get(4)?,
            expires_at: row.get(5)?,
        })
    });
    found.optional()?.map(LinkRow::into_link).transpose()
}

fn token(row: &Row<'_>) -> rusqlite::Result<TokenRow> {
    Ok(TokenRow {
        id: row.get("id")?,
        name: row.get("name")?,
        role: row.get("role")?,
        kind: row.get("kind")?,
        hash: row.get("hash")?,
        agent: row.get("agent")?,
        vouches: row.get("vouches")?,
        roots: row.get("roots")?,
        created_at: row.get("created_at")?,
        created_by: row.get("created_by")?,
        expires_at: row.get("expires_at")?,
        revoked_at: row.get("revoked_at")?,
        last_used_at: row.get("last_used_at")?,
    })
}

operations! {
    impl TokenTables for &OpenTransaction<'_> {
        token(id: TokenId) -> Option<Token> = by_id;
        insert_token(token: &Token) -> () = insert;
        revoke(id: TokenId, at: i64) -> bool = revoke;
        forget_links(at: i64) -> () = forget_links;
        link_exists(hash: SecretHash) -> bool = link_exists;
        insert_link(link: &SignInLink) -> () = insert_link;
        take_link(hash: SecretHash, at: i64) -> Option<SignInLink> = take_link;
    }
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (BY_ID, "USING INDEX"),
            (REVOKE, "USING INDEX"),
            (USE, "USING INDEX"),
            (TAKE_LINK, "USING PRIMARY KEY"),
        ]);
    }
}
