//! Identifies the person at the terminal, and writes the checkpoint that ends every maintenance command.

use jiff::Timestamp;
use sekisho_gate::answer::{Actor, Approver, Role};

use super::blocking_store::BlockingStore;
use crate::failure::Failure;
use crate::settings::Settings;

/// The person at the terminal. They may do anything with their own files.
pub(crate) fn local_operator(settings: &Settings) -> Actor {
    Actor::Person(Approver {
        credential: "local".into(),
        name: settings.user.clone(),
        role: Role::Admin,
        device: None,
        how: "terminal".into(),
    })
}

/// Ties all chains together again, so that earlier records cannot be removed unnoticed.
pub(super) fn write_checkpoint(store: &BlockingStore, at: Timestamp) -> Result<(), Failure> {
    store.block_on_ledger(store.audit().checkpoint(at)).map(|_| ())
}
