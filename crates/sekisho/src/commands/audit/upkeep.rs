//! Looking after the record is itself on the record, before it is done.

use jiff::Timestamp;
use sekisho_gate::answer::{Approver, By, Role};
use sekisho_gate::record::{Entry, Kind, Record, RecordLine};
use serde_json::Value;

use super::ledger::Book;
use crate::failure::Failure;
use crate::settings::Settings;

/// Whoever is at the keyboard. They may do what they like with files of their own.
pub(crate) fn by(settings: &Settings) -> By {
    By::Person(Approver {
        credential: "local".into(),
        name: settings.user.clone(),
        role: Role::Admin,
        device: None,
        how: "terminal".into(),
    })
}

/// Puts on the record that the user does something to it.
pub(super) fn note(
    book: &Book,
    settings: &Settings,
    at: Timestamp,
    line: RecordLine,
    body: Value,
) -> Result<(), Failure> {
    let (text, body) = line.told(body);
    let entry = Entry::plain(Kind::Upkeep, at, Some(by(settings)), text, body);
    book.wait(book.ledger().note(vec![Record { entry, change: None }]))
}

/// Ties all chains together once more, so that what was written before cannot be taken away unnoticed.
pub(super) fn tie(book: &Book, at: Timestamp) -> Result<(), Failure> {
    book.wait(book.audit().checkpoint(at)).map(|_| ())
}
