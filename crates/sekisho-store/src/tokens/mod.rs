//! Credentials, and the links that make them.

mod row;

pub(crate) use row::{LinkRow, TokenRow, USE_RECORD_INTERVAL, should_record_use};

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::record::{EventPayload, Record};
use sekisho_gate::token_store::{NewDevice, SecretHash, SignInLink, Token};

use crate::encoding::micros;
use crate::transaction::{TableFuture, Transaction};
use crate::transaction_error::{TransactionError, TransactionResult};

/// Operations on `tokens` and `links`.
pub(crate) trait TokenTables: Transaction {
    /// A token, by its id.
    fn token(&self, id: TokenId) -> impl TableFuture<Option<Token>>;

    /// Inserts a token.
    fn insert_token(&self, token: &Token) -> impl TableFuture<()>;

    /// Whether there was one that was not revoked.
    fn revoke(&self, id: TokenId, at: i64) -> impl TableFuture<bool>;

    /// Forgets the links that have ended at a moment.
    fn forget_links(&self, at: i64) -> impl TableFuture<()>;

    /// Whether there is a link with this secret.
    fn link_exists(&self, hash: SecretHash) -> impl TableFuture<bool>;

    /// Inserts a link.
    fn insert_link(&self, link: &SignInLink) -> impl TableFuture<()>;

    /// Removes a link that can still be followed.
    fn take_link(&self, hash: SecretHash, at: i64) -> impl TableFuture<Option<SignInLink>>;
}

/// Adds a token.
pub(crate) async fn add_token(
    tables: &mut impl TokenTables,
    token: &Token,
    record: &Record,
) -> TransactionResult<()> {
    add(tables, token).await?;
    changed(tables, record)
}

/// Takes a token out of use.
pub(crate) async fn revoke_token(
    tables: &mut impl TokenTables,
    id: TokenId,
    at: Timestamp,
    record: &Record,
) -> TransactionResult<bool> {
    if !tables.revoke(id, micros(at)).await? {
        return Ok(false);
    }
    changed(tables, record)?;
    Ok(true)
}

/// Adds a link.
pub(crate) async fn add_link(
    tables: &mut impl TokenTables,
    link: &SignInLink,
    record: &Record,
) -> TransactionResult<()> {
    tables.forget_links(micros(link.created_at)).await?;
    if tables.link_exists(link.hash).await? {
        return Err(TransactionError::inconsistent(
            "there is a link with that secret already: nothing was added",
        ));
    }
    tables.insert_link(link).await?;
    changed(tables, record)
}

/// A device follows a link. The link is gone with the same commit that keeps the token, so it is followed once.
pub(crate) async fn follow_link(
    tables: &mut impl TokenTables,
    hash: SecretHash,
    device: &NewDevice,
    at: Timestamp,
) -> TransactionResult<Option<Token>> {
    let Some(link) = tables.take_link(hash, micros(at)).await? else { return Ok(None) };
    let (token, record) = link.sign_in(device, at);
    add(tables, &token).await?;
    changed(tables, &record)?;
    Ok(Some(token))
}

async fn add(tables: &mut impl TokenTables, token: &Token) -> TransactionResult<()> {
    if tables.token(token.id).await?.is_some() {
        return Err(TransactionError::inconsistent(format!(
            "there is a token `{}` already: nothing was added",
            token.id
        )));
    }
    tables.insert_token(token).await
}

/// Every change of the credentials is a line and an event.
fn changed(tables: &mut impl TokenTables, record: &Record) -> TransactionResult<()> {
    let change = record.event.clone().or(Some(EventPayload::TokensChanged));
    tables.append(&Record { event: change, ..record.clone() })
}
