//! A transaction as a value, and what it locks.
//!
//! An operation is a value, so it can be run again if its transaction conflicted with another. What happens
//! to an approval is decided by the steps that both databases share.
//!
//! Before any operation of a batch runs, everything the operations declare ([`WriteOperation::locks`]) is
//! locked in one order that all processes share. So two processes that want the same approvals wait for each
//! other and never deadlock.

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
    type Outcome: Send + 'static;

    /// The advisory lock it needs, if other processes may touch the same data.
    fn locks(&self) -> Option<i64> {
        None
    }

    /// The entries it writes, as far as they are known beforehand.
    fn known_entries(&self) -> Vec<AuditEntry> {
        Vec::new()
    }

    /// Whether its entries depend on stored data and can be predicted.
    const PREDICTS_ENTRIES: bool = false;

    /// The entries it will write, judging by what is stored now.
    fn predict_entries(
        &self,
        _: &PgConnection<'_>,
    ) -> impl Future<Output = TransactionResult<Vec<AuditEntry>>> + Send {
        std::future::ready(Ok(Vec::new()))
    }

    /// Runs it inside an open transaction.
    fn run(
        &self,
        tx: &mut OpenTransaction<'_>,
    ) -> impl Future<Output = TransactionResult<Self::Outcome>> + Send;
}

/// The lock of the rules. Locks of approvals are practically random; a collision only causes a wait.
pub(super) const RULES: i64 = 0x0073_656b_6973_686f;

/// The lock of pruning.
pub(super) const PRUNING: i64 = RULES + 1;

/// The lock of the tokens.
pub(super) const TOKENS: i64 = RULES + 2;

/// The lock of the key fingerprints.
pub(super) const KEYS: i64 = RULES + 3;

/// The lock of the agents.
pub(super) const AGENTS: i64 = RULES + 4;

/// The lock of the number of active runs.
pub(super) const RUNS: i64 = RULES + 5;

/// The lock of the pipelines.
pub(super) const PIPELINES: i64 = RULES + 6;

/// The lock of an approval, a run or a chain.
pub(super) fn lock_of(id: Uuid) -> i64 {
    let (high, low) = id.as_u64_pair();
    (high ^ low).cast_signed()
}

/// The lock of callers with this key.
pub(super) fn lock_of_key(key: &IdempotencyKey) -> i64 {
    let [a, b, c, d, e, f, g, h, ..] = key_hash(key);
    i64::from_be_bytes([a, b, c, d, e, f, g, h])
}
