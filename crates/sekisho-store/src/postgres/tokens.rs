//! Tokens, and the sign-in links that create them.

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::{AuditEntry, Record};
use sekisho_gate::token_store::{NewDevice, SecretHash, SignInLink, Token, TokenStore};
use serde_json::Value;
use tokio_postgres::Row;

use super::connection::PgConnection;
use super::nul_escape::{escape_nul, escape_nul_option, unescape_nul};
use super::open_transaction::OpenTransaction;
use super::store::PostgresStore;
use super::transaction_impl::operations;
use super::write_operation::{TOKENS, WriteOperation};
use crate::encoding::{count_from_column, json, micros, parsed};
use crate::tokens::{self, LinkRow, TokenRow, TokenTables, USE_RECORD_INTERVAL, should_record_use};
use crate::transaction_error::{TransactionError, TransactionResult};

impl TokenStore for PostgresStore {
    fn token(&self, id: TokenId) -> LedgerFuture<'_, Option<Token>> {
        self.read(move |db| Box::pin(by_id(db, id)))
    }

    fn tokens(&self) -> LedgerFuture<'_, Vec<Token>> {
        self.read(|db| Box::pin(all(db)))
    }

    fn add_token(&self, _: &WriteAccess, token: Token, record: Record) -> LedgerFuture<'_, ()> {
        self.write(AddToken { token, record })
    }

    fn revoke_token(
        &self,
        _: &WriteAccess,
        id: TokenId,
        at: Timestamp,
        record: Record,
    ) -> LedgerFuture<'_, bool> {
        self.write(RevokeToken { id, at, record })
    }

    fn token_used(&self, id: TokenId, at: Timestamp) -> LedgerFuture<'_, ()> {
        Box::pin(async move {
            // Every request with a token comes through here, and hardly any has to write.
            match self.token(id).await?.filter(|token| should_record_use(token, at)) {
                Some(_) => self.write(UseToken { id, at }).await,
                None => Ok(()),
            }
        })
    }

    fn add_link(&self, _: &WriteAccess, link: SignInLink, record: Record) -> LedgerFuture<'_, ()> {
        self.write(AddLink { link, record })
    }

    fn open_links(&self, at: Timestamp) -> LedgerFuture<'_, u64> {
        self.read(move |db| Box::pin(open_links(db, micros(at))))
    }

    fn follow_link(
        &self,
        hash: SecretHash,
        device: NewDevice,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Token>> {
        self.write(FollowLink { hash, device, at })
    }

    fn notifications(&self, id: TokenId) -> LedgerFuture<'_, Option<Value>> {
        self.read(move |db| Box::pin(notifications(db, id)))
    }

    fn set_notifications(&self, id: TokenId, wanted: Value) -> LedgerFuture<'_, bool> {
        self.write(SetNotifications { id, wanted })
    }
}

const INSERT: &str = "INSERT INTO tokens (id, name, role, kind, hash, agent, vouches, roots, created_at, \
    created_by, expires_at, revoked_at, last_used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

pub(crate) async fn insert(db: &PgConnection<'_>, token: &Token) -> TransactionResult<()> {
    let row = TokenRow::of(token)?;
    db.run(
        INSERT,
        &[
            &row.id,
            &escape_nul(&row.name),
            &row.role,
            &row.kind,
            &row.hash.as_slice(),
            &escape_nul_option(row.agent.as_ref()),
            &row.vouches,
            &row.roots,
            &row.created_at,
            &escape_nul(&row.created_by),
            &row.expires_at,
            &row.revoked_at,
            &row.last_used_at,
        ],
    )
    .await
    .map(drop)
}

const BY_ID: &str = "SELECT id, name, role, kind, hash, agent, vouches, roots, created_at, created_by, \
    expires_at, revoked_at, last_used_at FROM tokens WHERE id = $1";

pub(crate) async fn by_id(db: &PgConnection<'_>, id: TokenId) -> TransactionResult<Option<Token>> {
    db.row(BY_ID, &[&id.0]).await?.as_ref().map(token).transpose()
}

const ALL: &str = "SELECT id, name, role, kind, hash, agent, vouches, roots, created_at, created_by, \
    expires_at, revoked_at, last_used_at FROM tokens ORDER BY seq";

/// All tokens, in creation order.
pub(crate) async fn all(db: &PgConnection<'_>) -> TransactionResult<Vec<Token>> {
    db.rows(ALL, &[]).await?.iter().map(token).collect()
}

const REVOKE: &str = "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";

/// Returns whether the token existed and was not revoked.
pub(crate) async fn revoke(db: &PgConnection<'_>, id: TokenId, at: i64) -> TransactionResult<bool> {
    Ok(db.run(REVOKE, &[&id.0, &at]).await? == 1)
}

const USE: &str = "UPDATE tokens SET last_used_at = $2 \
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $3)";

/// Records a use, unless one was recorded less than a minute ago.
pub(crate) async fn note_use(db: &PgConnection<'_>, id: TokenId, at: i64) -> TransactionResult<()> {
    db.run(USE, &[&id.0, &at, &at.saturating_sub(USE_RECORD_INTERVAL)]).await.map(drop)
}

const NOTIFICATIONS: &str = "SELECT notifications FROM tokens WHERE id = $1";

pub(crate) async fn notifications(db: &PgConnection<'_>, id: TokenId) -> TransactionResult<Option<Value>> {
    let Some(row) = db.row(NOTIFICATIONS, &[&id.0]).await? else { return Ok(None) };
    let found: Option<&str> = row.try_get(0)?;
    found.map(|text| parsed(text, "the notification settings of a token")).transpose()
}

const SET_NOTIFICATIONS: &str = "UPDATE tokens SET notifications = $2 WHERE id = $1";

/// Returns whether the token exists.
pub(crate) async fn set_notifications(
    db: &PgConnection<'_>,
    id: TokenId,
    wanted: &Value,
) -> TransactionResult<bool> {
    let wanted = json(wanted, "the notification settings of a token")?;
    Ok(db.run(SET_NOTIFICATIONS, &[&id.0, &wanted]).await? == 1)
}

const FORGET_LINKS: &str = "DELETE FROM links WHERE expires_at <= $1";

/// Deletes links that have expired by a time.
pub(crate) async fn forget_links(db: &PgConnection<'_>, at: i64) -> TransactionResult<()> {
    db.run(FORGET_LINKS, &[&at]).await.map(drop)
}

const LINK_EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM links WHERE hash = $1)";

pub(crate) async fn link_exists(db: &PgConnection<'_>, hash: SecretHash) -> TransactionResult<bool> {
    Ok(db.one(LINK_EXISTS, &[&hash.0.as_slice()]).await?.try_get(0)?)
}

const INSERT_LINK: &str = "INSERT INTO links (hash, name, role, created_at, created_by, expires_at) VALUES ($1, $2, $3, $4, $5, $6)";

pub(crate) async fn insert_link(db: &PgConnection<'_>, link: &SignInLink) -> TransactionResult<()> {
    let row = LinkRow::of(link);
    let (name, by) = (escape_nul(&row.name), escape_nul(&row.created_by));
    let hash = row.hash.as_slice();
    db.run(INSERT_LINK, &[&hash, &name, &row.role, &row.created_at, &by, &row.expires_at]).await.map(drop)
}

const OPEN_LINKS: &str = "SELECT count(*) FROM links WHERE expires_at > $1";

pub(crate) async fn open_links(db: &PgConnection<'_>, at: i64) -> TransactionResult<u64> {
    count_from_column(db.one(OPEN_LINKS, &[&at]).await?.try_get(0)?)
}

/// Deleting the row is following the link, so only one device can.
const TAKE_LINK: &str = "DELETE FROM links WHERE hash = $1 AND expires_at > $2 \
    RETURNING hash, name, role, created_at, created_by, expires_at";

/// Removes and returns a link that has not expired.
pub(crate) async fn take_link(
    db: &PgConnection<'_>,
    hash: SecretHash,
    at: i64,
) -> TransactionResult<Option<SignInLink>> {
    let Some(row) = db.row(TAKE_LINK, &[&hash.0.as_slice(), &at]).await? else { return Ok(None) };
    let link = LinkRow {
        hash: secret(row.try_get("hash")?)?,
        name: unescape_nul(row.try_get("name")?),
        role: row.try_get("role")?,
        created_at: row.try_get("created_at")?,
        created_by: unescape_nul(row.try_get("created_by")?),
        expires_at: row.try_get("expires_at")?,
    };
    link.into_link().map(Some)
}

fn token(row: &Row) -> TransactionResult<Token> {
    let found = TokenRow {
        id: row.try_get("id")?,
        name: unescape_nul(row.try_get("name")?),
        role: row.try_get("role")?,
        kind: row.try_get("kind")?,
        hash: secret(row.try_get("hash")?)?,
        agent: row.try_get::<_, Option<String>>("agent")?.map(unescape_nul),
        vouches: row.try_get("vouches")?,
        roots: row.try_get("roots")?,
        created_at: row.try_get("created_at")?,
        created_by: unescape_nul(row.try_get("created_by")?),
        expires_at: row.try_get("expires_at")?,
        revoked_at: row.try_get("revoked_at")?,
        last_used_at: row.try_get("last_used_at")?,
    };
    found.into_token()
}

fn secret(bytes: &[u8]) -> TransactionResult<[u8; 32]> {
    bytes.try_into().map_err(|_| TransactionError::inconsistent("the hash of a secret is not 32 bytes long"))
}

operations! {
    impl TokenTables for OpenTransaction<'_> {
        token(id: TokenId) -> Option<Token> = by_id;
        insert_token(token: &Token) -> () = insert;
        revoke(id: TokenId, at: i64) -> bool = revoke;
        forget_links(at: i64) -> () = forget_links;
        link_exists(hash: SecretHash) -> bool = link_exists;
        insert_link(link: &SignInLink) -> () = insert_link;
        take_link(hash: SecretHash, at: i64) -> Option<SignInLink> = take_link;
    }
}

struct AddToken {
    token: Token,
    record: Record,
}

impl WriteOperation for AddToken {
    type Outcome = ();

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<()> {
        tokens::add_token(tx, &self.token, &self.record).await
    }
}

/// Revokes a token.
struct RevokeToken {
    id: TokenId,
    at: Timestamp,
    record: Record,
}

impl WriteOperation for RevokeToken {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        tokens::revoke_token(tx, self.id, self.at, &self.record).await
    }
}

/// Records a use of a token.
struct UseToken {
    id: TokenId,
    at: Timestamp,
}

impl WriteOperation for UseToken {
    type Outcome = ();

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<()> {
        note_use(&tx.db, self.id, micros(self.at)).await
    }
}

struct AddLink {
    link: SignInLink,
    record: Record,
}

impl WriteOperation for AddLink {
    type Outcome = ();

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<()> {
        tokens::add_link(tx, &self.link, &self.record).await
    }
}

struct FollowLink {
    hash: SecretHash,
    device: NewDevice,
    at: Timestamp,
}

impl WriteOperation for FollowLink {
    type Outcome = Option<Token>;

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Option<Token>> {
        tokens::follow_link(tx, self.hash, &self.device, self.at).await
    }
}

/// Stores the notification settings of a token's holder.
struct SetNotifications {
    id: TokenId,
    wanted: Value,
}

impl WriteOperation for SetNotifications {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        set_notifications(&tx.db, self.id, &self.wanted).await
    }
}
