//! A transaction as a script over one page, and what it locks.
//!
//! A script is a value: it can be run again when its transaction got in the way of another. What becomes of a question is
//! decided by the steps that both databases share.
//!
//! Before any script of a batch is run, everything they say they will touch ([`Script::locks`]) is locked in one order
//! that all processes share. So two processes that want the same questions wait for each other, and never in a circle.

use std::future::Future;

use sekisho_gate::caller::IdempotencyKey;
use sekisho_gate::record::AuditEntry;
use uuid::Uuid;

use super::connection::PgConnection;
use super::open_transaction::OpenTransaction;
use crate::encoding::key_hash;
use crate::transaction_error::TransactionResult;

/// One request to the writer.
pub(super) trait WriteOperation: Send + Sync + 'static {
    /// What it gives.
    type Outcome: Send + 'static;

    /// What it will touch that others may want as well.
    fn locks(&self) -> Option<i64> {
        None
    }

    /// The lines it writes, as far as they are known before.
    fn known_entries(&self) -> Vec<AuditEntry> {
        Vec::new()
    }

    /// Whether its lines depend on what is kept, and can be read ahead.
    const PREDICTS_ENTRIES: bool = false;

    /// The lines it will write by what is kept now.
    fn predict_entries(
        &self,
        _: &PgConnection<'_>,
    ) -> impl Future<Output = TransactionResult<Vec<AuditEntry>>> + Send {
        std::future::ready(Ok(Vec::new()))
    }

    /// Runs it inside the transaction of a page.
    fn run(
        &self,
        page: &mut OpenTransaction<'_>,
    ) -> impl Future<Output = TransactionResult<Self::Outcome>> + Send;
}

/// The lock of the rules. Those of questions are as good as random, so one that is the same by chance only waits.
pub(super) const RULES: i64 = 0x0073_656b_6973_686f;

/// The lock of those who remove what is old.
pub(super) const PRUNING: i64 = RULES + 1;

/// The lock of the credentials.
pub(super) const TOKENS: i64 = RULES + 2;

/// The lock of the list of keys.
pub(super) const KEYS: i64 = RULES + 3;

/// The lock of a question, or of a chain.
pub(super) fn lock_of(id: Uuid) -> i64 {
    let (high, low) = id.as_u64_pair();
    (high ^ low).cast_signed()
}

/// The lock of those who ask under a key.
pub(super) fn lock_of_key(key: &IdempotencyKey) -> i64 {
    let [a, b, c, d, e, f, g, h, ..] = key_hash(key);
    i64::from_be_bytes([a, b, c, d, e, f, g, h])
}
