//! Making and revoking credentials, and following links.

use jiff::Timestamp;
use sekisho_gate::TokenId;
use sekisho_gate::record::{Change, Record};
use sekisho_gate::tokens::{Device, Link, SecretHash, Token};

use super::{Pen, tables};
use crate::encoding::micros;
use crate::fault::{Fault, Scripted};

pub(in crate::sqlite) fn add_token(pen: &Pen<'_>, token: &Token, record: &Record) -> Scripted<()> {
    add(pen, token)?;
    changed(pen, record)
}

pub(in crate::sqlite) fn revoke_token(
    pen: &Pen<'_>,
    id: TokenId,
    at: Timestamp,
    record: &Record,
) -> Scripted<bool> {
    if !tables::tokens::revoke(pen, id, micros(at))? {
        return Ok(false);
    }
    changed(pen, record)?;
    Ok(true)
}

pub(in crate::sqlite) fn add_link(pen: &Pen<'_>, link: &Link, record: &Record) -> Scripted<()> {
    tables::tokens::forget_links(pen, micros(link.created_at))?;
    if tables::tokens::link_exists(pen, link.hash)? {
        return Err(Fault::wrong("there is a link with that secret already: nothing was added"));
    }
    tables::tokens::insert_link(pen, link)?;
    changed(pen, record)
}

/// The link is gone with the same commit that keeps the token, so it is followed once.
pub(in crate::sqlite) fn follow_link(
    pen: &Pen<'_>,
    hash: SecretHash,
    device: &Device,
    at: Timestamp,
) -> Scripted<Option<Token>> {
    let Some(link) = tables::tokens::take_link(pen, hash, micros(at))? else { return Ok(None) };
    let (token, record) = link.admit(device, at);
    add(pen, &token)?;
    changed(pen, &record)?;
    Ok(Some(token))
}

fn add(pen: &Pen<'_>, token: &Token) -> Scripted<()> {
    if tables::tokens::by_id(pen, token.id)?.is_some() {
        return Err(Fault::wrong(format!("there is a token `{}` already: nothing was added", token.id)));
    }
    tables::tokens::insert(pen, token)
}

/// Every change of the credentials is a line and an event.
fn changed(pen: &Pen<'_>, record: &Record) -> Scripted<()> {
    let change = record.change.clone().or(Some(Change::TokensChanged));
    pen.append(&Record { change, ..record.clone() })
}
