//! Who looks after the record at the terminal, and what every upkeep ends with.

use jiff::Timestamp;
use sekisho_gate::answer::{Approver, By, Role};

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

/// Ties all chains together once more, so that what was written before cannot be taken away unnoticed.
pub(super) fn tie(book: &Book, at: Timestamp) -> Result<(), Failure> {
    book.wait(book.audit().checkpoint(at)).map(|_| ())
}
