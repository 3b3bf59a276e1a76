//! The gate's credentials, request by request.

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::ledger::Kept;
use sekisho_gate::record::Record;
use sekisho_gate::tokens::{Device, Link, SecretHash, Token, Tokens};
use serde_json::Value;

use super::store::SqliteStore;
use super::{scripts, tables};
use crate::rows::{is_used_anew, micros};

impl Tokens for SqliteStore {
    fn token(&self, id: TokenId) -> Kept<'_, Option<Token>> {
        self.read(move |db| tables::tokens::by_id(db, id))
    }

    fn tokens(&self) -> Kept<'_, Vec<Token>> {
        self.read(tables::tokens::all)
    }

    fn add_token(&self, token: Token, record: Record) -> Kept<'_, ()> {
        self.record(vec![record.entry.clone()], move |pen| scripts::add_token(pen, &token, &record))
    }

    fn revoke_token(&self, id: TokenId, at: Timestamp, record: Record) -> Kept<'_, bool> {
        self.record(vec![record.entry.clone()], move |pen| scripts::revoke_token(pen, id, at, &record))
    }

    fn token_used(&self, id: TokenId, at: Timestamp) -> Kept<'_, ()> {
        Box::pin(async move {
            // Every request with a token comes by here, and hardly any has something to write.
            match self.token(id).await?.filter(|token| is_used_anew(token, at)) {
                Some(_) => self.write(move |pen| tables::tokens::note_use(pen, id, micros(at))).await,
                None => Ok(()),
            }
        })
    }

    fn add_link(&self, link: Link, record: Record) -> Kept<'_, ()> {
        self.record(vec![record.entry.clone()], move |pen| scripts::add_link(pen, &link, &record))
    }

    fn open_links(&self, at: Timestamp) -> Kept<'_, u64> {
        self.read(move |db| tables::tokens::open_links(db, micros(at)))
    }

    fn follow_link(&self, hash: SecretHash, device: Device, at: Timestamp) -> Kept<'_, Option<Token>> {
        self.write(move |pen| scripts::follow_link(pen, hash, &device, at))
    }

    fn notifications(&self, id: TokenId) -> Kept<'_, Option<Value>> {
        self.read(move |db| tables::tokens::notifications(db, id))
    }

    fn set_notifications(&self, id: TokenId, wanted: Value) -> Kept<'_, bool> {
        self.write(move |pen| tables::tokens::set_notifications(pen, id, &wanted))
    }
}
