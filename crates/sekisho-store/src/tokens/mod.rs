//! Tokens, and the sign-in links that create them.

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
    fn token(&self, id: TokenId) -> impl TableFuture<Option<Token>>;

    fn insert_token(&self, token: &Token) -> impl TableFuture<()>;

    /// Returns whether the token existed and was not revoked.
    fn revoke(&self, id: TokenId, at: i64) -> impl TableFuture<bool>;

    /// Deletes links that have expired by a time.
    fn forget_links(&self, at: i64) -> impl TableFuture<()>;

    fn link_exists(&self, hash: SecretHash) -> impl TableFuture<bool>;

    fn insert_link(&self, link: &SignInLink) -> impl TableFuture<()>;

    /// Removes and returns a link that has not expired.
    fn take_link(&self, hash: SecretHash, at: i64) -> impl TableFuture<Option<SignInLink>>;
}

pub(crate) async fn add_token(
    tables: &mut impl TokenTables,
    token: &Token,
    record: &Record,
) -> TransactionResult<()> {
    add(tables, token).await?;
    changed(tables, record)
}

/// Revokes a token.
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

pub(crate) async fn add_link(
    tables: &mut impl TokenTables,
    link: &SignInLink,
    record: &Record,
) -> TransactionResult<()> {
    tables.forget_links(micros(link.created_at)).await?;
    if tables.link_exists(link.hash).await? {
        return Err(TransactionError::inconsistent(
            "a link with that secret already exists: nothing was added",
        ));
    }
    tables.insert_link(link).await?;
    changed(tables, record)
}

/// A device follows a sign-in link. The same commit deletes the link and stores the token, so a link works
/// once.
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
            "token `{}` already exists: nothing was added",
            token.id
        )));
    }
    tables.insert_token(token).await
}

/// Every change of the tokens makes an audit entry and an event.
fn changed(tables: &mut impl TokenTables, record: &Record) -> TransactionResult<()> {
    let change = record.event.clone().or(Some(EventPayload::TokensChanged));
    tables.append(&Record { event: change, ..record.clone() })
}
