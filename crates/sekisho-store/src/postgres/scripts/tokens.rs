//! Making and revoking credentials, and following links.

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::record::{Change, Entry, Record};
use sekisho_gate::tokens::{Device, Link, SecretHash, Token};
use serde_json::Value;

use super::super::page::Page;
use super::{Script, TOKENS, tables};
use crate::fault::{Fault, Scripted};
use crate::rows::micros;

/// A token is added.
pub(in crate::postgres) struct AddToken {
    pub(in crate::postgres) token: Token,
    pub(in crate::postgres) record: Record,
}

/// A token is taken out of use.
pub(in crate::postgres) struct RevokeToken {
    pub(in crate::postgres) id: TokenId,
    pub(in crate::postgres) at: Timestamp,
    pub(in crate::postgres) record: Record,
}

/// A token was used.
pub(in crate::postgres) struct UseToken {
    pub(in crate::postgres) id: TokenId,
    pub(in crate::postgres) at: Timestamp,
}

/// A link is added.
pub(in crate::postgres) struct AddLink {
    pub(in crate::postgres) link: Link,
    pub(in crate::postgres) record: Record,
}

/// A device follows a link.
pub(in crate::postgres) struct FollowLink {
    pub(in crate::postgres) hash: SecretHash,
    pub(in crate::postgres) device: Device,
    pub(in crate::postgres) at: Timestamp,
}

/// A token's holder says what to be notified of.
pub(in crate::postgres) struct SetNotifications {
    pub(in crate::postgres) id: TokenId,
    pub(in crate::postgres) wanted: Value,
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
        add(page, &self.token).await?;
        changed(page, &self.record)
    }
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
        if !tables::tokens::revoke(&page.db, self.id, micros(self.at)).await? {
            return Ok(false);
        }
        changed(page, &self.record)?;
        Ok(true)
    }
}

impl Script for UseToken {
    type Given = ();

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<()> {
        tables::tokens::note_use(&page.db, self.id, micros(self.at)).await
    }
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
        tables::tokens::forget_links(&page.db, micros(self.link.created_at)).await?;
        if tables::tokens::link_exists(&page.db, self.link.hash).await? {
            return Err(Fault::wrong("there is a link with that secret already: nothing was added"));
        }
        tables::tokens::insert_link(&page.db, &self.link).await?;
        changed(page, &self.record)
    }
}

impl Script for FollowLink {
    type Given = Option<Token>;

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    /// The link is gone with the same commit that keeps the token, so it is followed once.
    async fn run(&self, page: &mut Page<'_>) -> Scripted<Option<Token>> {
        let taken = tables::tokens::take_link(&page.db, self.hash, micros(self.at)).await?;
        let Some(link) = taken else { return Ok(None) };
        let (token, record) = link.admit(&self.device, self.at);
        add(page, &token).await?;
        changed(page, &record)?;
        Ok(Some(token))
    }
}

impl Script for SetNotifications {
    type Given = bool;

    fn locks(&self) -> Option<i64> {
        Some(TOKENS)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<bool> {
        tables::tokens::set_notifications(&page.db, self.id, &self.wanted).await
    }
}

async fn add(page: &mut Page<'_>, token: &Token) -> Scripted<()> {
    if tables::tokens::by_id(&page.db, token.id).await?.is_some() {
        return Err(Fault::wrong(format!("there is a token `{}` already: nothing was added", token.id)));
    }
    tables::tokens::insert(&page.db, token).await
}

/// Every change of the credentials is a line and an event.
fn changed(page: &mut Page<'_>, record: &Record) -> Scripted<()> {
    let change = record.change.clone().or(Some(Change::TokensChanged));
    page.append(&Record { change, ..record.clone() })
}
