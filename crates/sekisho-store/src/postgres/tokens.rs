//! Credentials, and the links that make them.

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::{Entry, Record};
use sekisho_gate::tokens::{Device, Link, SecretHash, Token, Tokens};
use serde_json::Value;
use tokio_postgres::Row;

use super::db::Db;
use super::page::Page;
use super::script::{Script, TOKENS};
use super::store::PostgresStore;
use super::text::{given, kept, kept_option};
use super::transaction::operations;
use crate::encoding::{counted, json, micros, parsed};
use crate::fault::{Fault, Scripted};
use crate::tokens::{self, LinkRow, TokenRow, TokenTables, USED_EVERY, is_used_anew};

impl Tokens for PostgresStore {
    fn token(&self, id: TokenId) -> Kept<'_, Option<Token>> {
        self.read(move |db| Box::pin(by_id(db, id)))
    }

    fn tokens(&self) -> Kept<'_, Vec<Token>> {
        self.read(|db| Box::pin(all(db)))
    }

    fn add_token(&self, _: &WriteAccess, token: Token, record: Record) -> Kept<'_, ()> {
        self.write(AddToken { token, record })
    }

    fn revoke_token(&self, _: &WriteAccess, id: TokenId, at: Timestamp, record: Record) -> Kept<'_, bool> {
        self.write(RevokeToken { id, at, record })
    }

    fn token_used(&self, id: TokenId, at: Timestamp) -> Kept<'_, ()> {
        Box::pin(async move {
            // Every request with a token comes by here, and hardly any has something to write.
            match self.token(id).await?.filter(|token| is_used_anew(token, at)) {
                Some(_) => self.write(UseToken { id, at }).await,
                None => Ok(()),
            }
        })
    }

    fn add_link(&self, _: &WriteAccess, link: Link, record: Record) -> Kept<'_, ()> {
        self.write(AddLink { link, record })
    }

    fn open_links(&self, at: Timestamp) -> Kept<'_, u64> {
        self.read(move |db| Box::pin(open_links(db, micros(at))))
    }

    fn follow_link(&self, hash: SecretHash, device: Device, at: Timestamp) -> Kept<'_, Option<Token>> {
        self.write(FollowLink { hash, device, at })
    }

    fn notifications(&self, id: TokenId) -> Kept<'_, Option<Value>> {
        self.read(move |db| Box::pin(notifications(db, id)))
    }

    fn set_notifications(&self, id: TokenId, wanted: Value) -> Kept<'_, bool> {
        self.write(SetNotifications { id, wanted })
    }
}

const INSERT: &str = "INSERT INTO tokens (id, name, role, kind, hash, agent, vouches, roots, created_at, \
    created_by, expires_at, revoked_at, last_used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";

pub(crate) async fn insert(db: &Db<'_>, token: &Token) -> Scripted<()> {
    let row = TokenRow::of(token)?;
    db.run(
        INSERT,
        &[
            &row.id,
            &kept(&row.name),
            &row.role,
            &row.kind,
            &row.hash.as_slice(),
            &kept_option(row.agent.as_ref()),
            &row.vouches,
            &row.roots,
            &row.created_at,
            &kept(&row.created_by),
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

pub(crate) async fn by_id(db: &Db<'_>, id: TokenId) -> Scripted<Option<Token>> {
    db.row(BY_ID, &[&id.0]).await?.as_ref().map(token).transpose()
}

const ALL: &str = "SELECT id, name, role, kind, hash, agent, vouches, roots, created_at, created_by, \
    expires_at, revoked_at, last_used_at FROM tokens ORDER BY seq";

/// All of them, in the order they were made.
pub(crate) async fn all(db: &Db<'_>) -> Scripted<Vec<Token>> {
    db.rows(ALL, &[]).await?.iter().map(token).collect()
}

const REVOKE: &str = "UPDATE tokens SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL";

/// Whether there was one that was not revoked.
pub(crate) async fn revoke(db: &Db<'_>, id: TokenId, at: i64) -> Scripted<bool> {
    Ok(db.run(REVOKE, &[&id.0, &at]).await? == 1)
}

const USE: &str = "UPDATE tokens SET last_used_at = $2 \
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $3)";

/// Notes a use, unless one was noted less than a minute before.
pub(crate) async fn note_use(db: &Db<'_>, id: TokenId, at: i64) -> Scripted<()> {
    db.run(USE, &[&id.0, &at, &at.saturating_sub(USED_EVERY)]).await.map(drop)
}

const NOTIFICATIONS: &str = "SELECT notifications FROM tokens WHERE id = $1";

pub(crate) async fn notifications(db: &Db<'_>, id: TokenId) -> Scripted<Option<Value>> {
    let Some(row) = db.row(NOTIFICATIONS, &[&id.0]).await? else { return Ok(None) };
    let found: Option<&str> = row.try_get(0)?;
    found.map(|text| parsed(text, "what a token's holder wants to be notified of")).transpose()
}

const SET_NOTIFICATIONS: &str = "UPDATE tokens SET notifications = $2 WHERE id = $1";

/// Whether there is such a token.
pub(crate) async fn set_notifications(db: &Db<'_>, id: TokenId, wanted: &Value) -> Scripted<bool> {
    let wanted = json(wanted, "what a token's holder wants to be notified of")?;
    Ok(db.run(SET_NOTIFICATIONS, &[&id.0, &wanted]).await? == 1)
}

const FORGET_LINKS: &str = "DELETE FROM links WHERE expires_at <= $1";

/// Forgets the links that have ended at a moment.
pub(crate) async fn forget_links(db: &Db<'_>, at: i64) -> Scripted<()> {
    db.run(FORGET_LINKS, &[&at]).await.map(drop)
}

const LINK_EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM links WHERE hash = $1)";

pub(crate) async fn link_exists(db: &Db<'_>, hash: SecretHash) -> Scripted<bool> {
    Ok(db.one(LINK_EXISTS, &[&hash.0.as_slice()]).await?.try_get(0)?)
}

const INSERT_LINK: &str = "INSERT INTO links (hash, name, role, created_at, created_by, expires_at) VALUES ($1, $2, $3, $4, $5, $6)";

pub(crate) async fn insert_link(db: &Db<'_>, link: &Link) -> Scripted<()> {
    let row = LinkRow::of(link);
    let (name, by) = (kept(&row.name), kept(&row.created_by));
    let hash = row.hash.as_slice();
    db.run(INSERT_LINK, &[&hash, &name, &row.role, &row.created_at, &by, &row.expires_at]).await.map(drop)
}

const OPEN_LINKS: &str = "SELECT count(*) FROM links WHERE expires_at > $1";

pub(crate) async fn open_links(db: &Db<'_>, at: i64) -> Scripted<u64> {
    counted(db.one(OPEN_LINKS, &[&at]).await?.try_get(0)?)
}

/// Whoever removes it has followed it.
const TAKE_LINK: &str = "DELETE FROM links WHERE hash = $1 AND expires_at > $2 \
    RETURNING hash, name, role, created_at, created_by, expires_at";

/// Removes a link that can still be followed.
pub(crate) async fn take_link(db: &Db<'_>, hash: SecretHash, at: i64) -> Scripted<Option<Link>> {
    let Some(row) = db.row(TAKE_LINK, &[&hash.0.as_slice(), &at]).await? else { return Ok(None) };
    let link = LinkRow {
        hash: secret(row.try_get("hash")?)?,
        name: given(row.try_get("name")?),
        role: row.try_get("role")?,
        created_at: row.try_get("created_at")?,
        created_by: given(row.try_get("created_by")?),
        expires_at: row.try_get("expires_at")?,
    };
    link.into_link().map(Some)
}

fn token(row: &Row) -> Scripted<Token> {
    let found = TokenRow {
        id: row.try_get("id")?,
        name: given(row.try_get("name")?),
        role: row.try_get("role")?,
        kind: row.try_get("kind")?,
        hash: secret(row.try_get("hash")?)?,
        agent: row.try_get::<_, Option<String>>("agent")?.map(given),
        vouches: row.try_get("vouches")?,
        roots: row.try_get("roots")?,
        created_at: row.try_get("created_at")?,
        created_by: given(row.try_get("created_by")?),
        expires_at: row.try_get("expires_at")?,
        revoked_at: row.try_get("revoked_at")?,
        last_used_at: row.try_get("last_used_at")?,
    };
    found.into_token()
}

fn secret(bytes: &[u8]) -> Scripted<[u8; 32]> {
    bytes.try_into().map_err(|_| Fault::wrong("the hash of a secret is not 32 bytes long"))
}

operations! {
    impl TokenTables for Page<'_> {
        token(id: TokenId) -> Option<Token> = by_id;
        insert_token(token: &Token) -> () = insert;
        revoke(id: TokenId, at: i64) -> bool = revoke;
        forget_links(at: i64) -> () = forget_links;
        link_exists(hash: SecretHash) -> bool = link_exists;
        insert_link(link: &Link) -> () = insert_link;
        take_link(hash: SecretHash, at: i64) -> Option<Link> = take_link;
    }
}

/// A token is added.
struct AddToken {
    token: Token,
    record: Record,
}

impl Script for AddToken {
    type Given = ();

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<()> {
        tokens::add_token(page, &self.token, &self.record).await
    }
}

/// A token is taken out of use.
struct RevokeToken {
    id: TokenId,
    at: Timestamp,
    record: Record,
}

impl Script for RevokeToken {
    type Given = bool;

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<bool> {
        tokens::revoke_token(page, self.id, self.at, &self.record).await
    }
}

/// A token was used.
struct UseToken {
    id: TokenId,
    at: Timestamp,
}

impl Script for UseToken {
    type Given = ();

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<()> {
        note_use(&page.db, self.id, micros(self.at)).await
    }
}

/// A link is added.
struct AddLink {
    link: Link,
    record: Record,
}

impl Script for AddLink {
    type Given = ();

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<()> {
        tokens::add_link(page, &self.link, &self.record).await
    }
}

/// A device follows a link.
struct FollowLink {
    hash: SecretHash,
    device: Device,
    at: Timestamp,
}

impl Script for FollowLink {
    type Given = Option<Token>;

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Option<Token>> {
        tokens::follow_link(page, self.hash, &self.device, self.at).await
    }
}

/// A token's holder says what to be notified of.
struct SetNotifications {
    id: TokenId,
    wanted: Value,
}

impl Script for SetNotifications {
    type Given = bool;

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<bool> {
        set_notifications(&page.db, self.id, &self.wanted).await
    }
}
