//! Implements the `TokenStore` port.

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::TokenId;
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::{LedgerError, LedgerFuture};
use sekisho_gate::record::Record;
use sekisho_gate::token_store::{NewDevice, SecretHash, SignInLink, Token, TokenStore};
use serde_json::Value;

use super::state::State;
use super::{Access, MemoryLedger};

impl TokenStore for MemoryLedger {
    fn token(&self, id: TokenId) -> LedgerFuture<'_, Option<Token>> {
        self.run(Access::Read, move |state| Ok(kept(state, id).map(|(token, _)| token.clone())))
    }

    fn tokens(&self) -> LedgerFuture<'_, Vec<Token>> {
        self.run(Access::Read, |state| Ok(state.tokens.iter().map(|(token, _)| token.clone()).collect()))
    }

    fn add_token(&self, _: &WriteAccess, token: Token, record: Record) -> LedgerFuture<'_, ()> {
        self.run(Access::Write, |state| {
            add(state, token)?;
            state.write(record);
            Ok(())
        })
    }

    fn revoke_token(
        &self,
        _: &WriteAccess,
        id: TokenId,
        at: Timestamp,
        record: Record,
    ) -> LedgerFuture<'_, bool> {
        self.run(Access::Write, move |state| {
            let counting = kept(state, id).filter(|(token, _)| token.revoked_at.is_none());
            let Some((token, _)) = counting else { return Ok(false) };
            token.revoked_at = Some(at);
            state.write(record);
            Ok(true)
        })
    }

    fn token_used(&self, id: TokenId, at: Timestamp) -> LedgerFuture<'_, ()> {
        self.run(Access::Write, move |state| {
            if let Some((token, _)) = kept(state, id) {
                let minute = SignedDuration::from_mins(1);
                if token.last_used_at.is_none_or(|last| at.duration_since(last) > minute) {
                    token.last_used_at = Some(at);
                }
            }
            Ok(())
        })
    }

    fn add_link(&self, _: &WriteAccess, link: SignInLink, record: Record) -> LedgerFuture<'_, ()> {
        self.run(Access::Write, |state| {
            state.links.retain(|_, kept| kept.expires_at > link.created_at);
            if state.links.contains_key(&link.hash) {
                return Err(LedgerError::permanent("the link already exists"));
            }
            state.links.insert(link.hash, link);
            state.write(record);
            Ok(())
        })
    }

    fn open_links(&self, at: Timestamp) -> LedgerFuture<'_, u64> {
        self.run(Access::Read, move |state| {
            Ok(state.links.values().filter(|link| link.expires_at > at).count() as u64)
        })
    }

    fn follow_link(
        &self,
        hash: SecretHash,
        device: NewDevice,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Token>> {
        self.run(Access::Write, move |state| {
            let open = state.links.get(&hash).filter(|link| link.expires_at > at);
            let Some((token, record)) = open.map(|link| link.sign_in(&device, at)) else { return Ok(None) };
            add(state, token.clone())?;
            state.links.remove(&hash);
            state.write(record);
            Ok(Some(token))
        })
    }

    fn notifications(&self, id: TokenId) -> LedgerFuture<'_, Option<Value>> {
        self.run(Access::Read, move |state| Ok(kept(state, id).and_then(|(_, wanted)| wanted.clone())))
    }

    fn set_notifications(&self, id: TokenId, wanted: Value) -> LedgerFuture<'_, bool> {
        self.run(Access::Write, move |state| {
            let Some((_, kept)) = kept(state, id) else { return Ok(false) };
            *kept = Some(wanted);
            Ok(true)
        })
    }
}

fn kept(state: &mut State, id: TokenId) -> Option<&mut (Token, Option<Value>)> {
    state.tokens.iter_mut().find(|(token, _)| token.id == id)
}

fn add(state: &mut State, token: Token) -> Result<(), LedgerError> {
    if kept(state, token.id).is_some() {
        return Err(LedgerError::permanent(format!("token `{}` already exists", token.id)));
    }
    state.tokens.push((token, None));
    Ok(())
}
