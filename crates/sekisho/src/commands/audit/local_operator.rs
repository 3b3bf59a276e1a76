//! Who looks after the record at the terminal, and what every upkeep ends with.

use jiff::Timestamp;
use sekisho_gate::answer::{Approver, Actor, Role};

use super::blocking_store::BlockingStore;
use crate::failure::Failure;
use crate::settings::Settings;

/// Whoever is at the keyboard. They may do what they like with files of their own.
pub(crate) fn local_operator(settings: &Settings) -> Actor {
    Actor::Person(Approver {
        credential: "local".into(),
        name: settings.user.clone(),
        role: Role::Admin,
        device: None,
        how: "terminal".into(),
    })
}

/// Ties all chains together once more, so that what was written before cannot be taken away unnoticed.
pub(super) fn write_checkpoint(book: &BlockingStore, at: Timestamp) -> Result<(), Failure> {
    book.block_on_ledger(book.audit().checkpoint(at)).map(|_| ())
}
