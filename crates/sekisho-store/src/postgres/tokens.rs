//! The gate's credentials, request by request.

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::Record;
use sekisho_gate::tokens::{Device, Link, SecretHash, Token, Tokens};
use serde_json::Value;

use super::store::PostgresStore;
use super::{scripts, tables};
use crate::encoding::micros;
use crate::tokens::is_used_anew;

impl Tokens for PostgresStore {
    fn token(&self, id: TokenId) -> Kept<'_, Option<Token>> {
        self.read(move |db| Box::pin(tables::tokens::by_id(db, id)))
    }

    fn tokens(&self) -> Kept<'_, Vec<Token>> {
        self.read(|db| Box::pin(tables::tokens::all(db)))
    }

    fn add_token(&self, token: Token, record: Record) -> Kept<'_, ()> {
        self.write(scripts::AddToken { token, record })
    }

    fn revoke_token(&self, id: TokenId, at: Timestamp, record: Record) -> Kept<'_, bool> {
        self.write(scripts::RevokeToken { id, at, record })
    }

    fn token_used(&self, id: TokenId, at: Timestamp) -> Kept<'_, ()> {
        Box::pin(async move {
            // Every request with a token comes by here, and hardly any has something to write.
            match self.token(id).await?.filter(|token| is_used_anew(token, at)) {
                Some(_) => self.write(scripts::UseToken { id, at }).await,
                None => Ok(()),
            }
        })
    }

    fn add_link(&self, link: Link, record: Record) -> Kept<'_, ()> {
        self.write(scripts::AddLink { link, record })
    }

    fn open_links(&self, at: Timestamp) -> Kept<'_, u64> {
        self.read(move |db| Box::pin(tables::tokens::open_links(db, micros(at))))
    }

    fn follow_link(&self, hash: SecretHash, device: Device, at: Timestamp) -> Kept<'_, Option<Token>> {
        self.write(scripts::FollowLink { hash, device, at })
    }

    fn notifications(&self, id: TokenId) -> Kept<'_, Option<Value>> {
        self.read(move |db| Box::pin(tables::tokens::notifications(db, id)))
    }

    fn set_notifications(&self, id: TokenId, wanted: Value) -> Kept<'_, bool> {
        self.write(scripts::SetNotifications { id, wanted })
    }
}
