//! One transaction for all waiting requests.
//!
//! Admissions are written with one statement per table. Every other request runs in a savepoint of its own,
//! so that a failing request undoes only itself. The audit entries and events of all requests are written
//! last and together, because events are numbered by one row that all processes share and that stays locked
//! until the commit.
//!
//! On every path a statement succeeds just before the commit, so the transaction is known to be healthy.
//! PostgreSQL answers the commit of a failed transaction without an error.

use sekisho_gate::ledger::{AdmissionOutcome, match_earlier_answer};

use super::audit::rows;
use super::error_class::ErrorClass;
use super::open_transaction::OpenTransaction;
use super::write_queue::{QueuedAdmission, QueuedWrite};
use super::writer_chain::ChainState;
use super::{approvals, events};
use crate::encoding::key_hash;
use crate::executions::AdmissionRows;
use crate::transaction_error::{TransactionError, TransactionResult};

/// What a committed batch changed, for listeners.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommittedCounters {
    pub(super) head: Option<u64>,
    pub(super) revision: Option<u64>,
}

/// A batch being written.
pub(super) struct Batch<'c> {
    tx: OpenTransaction<'c>,
    /// The commit was sent. Until the server answers, its outcome is unknown.
    pub(super) committing: bool,
}

const LOCKS: &str = "SELECT pg_advisory_xact_lock(wanted) \
    FROM (SELECT DISTINCT wanted FROM UNNEST($1::bigint[]) AS all_of (wanted) ORDER BY wanted) AS in_order";

impl<'c> Batch<'c> {
    pub(super) fn new(tx: OpenTransaction<'c>) -> Batch<'c> {
        Batch { tx, committing: false }
    }

    /// The state of the chain including everything this batch wrote.
    pub(super) fn into_chain_state(self) -> ChainState {
        self.tx.draft.chain_state
    }

    /// What the errors so far mean for the transaction.
    pub(super) fn trouble(&self) -> Option<ErrorClass> {
        self.tx.db.trouble()
    }

    /// Runs all requests and commits. An error fails the whole batch; errors of single requests are stored
    /// with them.
    pub(super) async fn commit(
        &mut self,
        orders: &mut [QueuedWrite],
    ) -> TransactionResult<CommittedCounters> {
        self.tx.db.batch_execute("BEGIN").await?;
        self.lock(orders.iter().filter_map(QueuedWrite::locks).collect()).await?;
        self.admit_together(orders).await?;
        for order in orders {
            if let QueuedWrite::Other(work) = order {
                self.tx.db.batch_execute("SAVEPOINT request").await?;
                let mark = self.tx.draft.mark();
                if !work.run(&mut self.tx).await {
                    self.still_sound(work.fault())?;
                    self.tx.draft.back_to(mark);
                    self.tx.db.batch_execute("ROLLBACK TO request").await?;
                }
                self.tx.db.batch_execute("RELEASE request").await?;
            }
        }
        let head = self.record().await?;
        self.committing = true;
        self.tx.db.batch_execute("COMMIT").await?;
        Ok(CommittedCounters { head, revision: self.tx.draft.revision })
    }

    /// Takes all locks, in the order that all processes share.
    async fn lock(&self, wanted: Vec<i64>) -> TransactionResult<()> {
        if wanted.is_empty() { Ok(()) } else { self.tx.db.rows(LOCKS, &[&wanted]).await.map(drop) }
    }

    async fn admit_together(&mut self, orders: &mut [QueuedWrite]) -> TransactionResult<()> {
        let mut all: Vec<&mut QueuedAdmission> = orders
            .iter_mut()
            .filter_map(|order| match order {
                QueuedWrite::Admit(admitting) => Some(&mut **admitting),
                QueuedWrite::Other(_) | QueuedWrite::Keys(..) => None,
            })
            .collect();
        self.answer_from_questions(&mut all).await?;
        all.retain(|one| one.result.is_none());
        if all.len() > 1 && self.admit(&mut all).await? {
            return Ok(());
        }
        // There is at most one, or at least one of them cannot be written: write each separately.
        for one in &mut all {
            self.admit(std::slice::from_mut(one)).await?;
        }
        Ok(())
    }

    /// Answers calls that already have an approval. Takes no lock: an answer given at the same moment is
    /// treated as given later.
    async fn answer_from_questions(&self, all: &mut [&mut QueuedAdmission]) -> TransactionResult<()> {
        // The batch may be run again.
        all.iter_mut().for_each(|one| one.result = None);
        let key_of = |one: &QueuedAdmission| one.admission.idempotency_key().map(|key| key_hash(&key));
        let keys: Vec<[u8; 32]> = all.iter().filter_map(|one| key_of(one)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        for (key, latest) in approvals::latest(&self.tx.db, &keys).await? {
            let asked =
                |one: &&mut &mut QueuedAdmission| key_of(one).is_some_and(|own| own.as_slice() == key);
            for one in all.iter_mut().filter(asked) {
                one.result = match &latest {
                    Ok(latest) => match_earlier_answer(latest, &one.admission).map(Ok),
                    Err(fault) => Some(Err(fault.clone())),
                };
            }
        }
        Ok(())
    }

    /// Writes admissions with one statement per table. `false`: at least one failed, and none was written.
    async fn admit(&mut self, some: &mut [&mut QueuedAdmission]) -> TransactionResult<bool> {
        let mut prepared = Vec::with_capacity(some.len());
        let mut failed = Vec::new();
        for (place, one) in some.iter().enumerate() {
            match AdmissionRows::of(&one.admission) {
                Ok(ready) => prepared.push((ready, &one.line)),
                Err(fault) => failed.push((place, fault)),
            }
        }
        if !failed.is_empty() && some.len() > 1 {
            return Ok(false);
        }
        let result = match failed.pop() {
            Some((_, fault)) => Err(fault),
            None => {
                self.tx.db.batch_execute("SAVEPOINT request").await?;
                let mark = self.tx.draft.mark();
                let result = AdmissionRows::write(prepared, &mut self.tx).await;
                if let Err(fault) = &result {
                    self.still_sound(Some(fault))?;
                    self.tx.draft.back_to(mark);
                    self.tx.db.batch_execute("ROLLBACK TO request").await?;
                }
                self.tx.db.batch_execute("RELEASE request").await?;
                result
            }
        };
        match (result, some) {
            (Ok(()), some) => {
                some.iter_mut().for_each(|one| one.result = Some(Ok(AdmissionOutcome::New)));
                Ok(true)
            }
            (Err(fault), [one]) => {
                one.result = Some(Err(fault));
                Ok(false)
            }
            (Err(_), _) => Ok(false),
        }
    }

    /// Whether only one request failed, and not the transaction or the connection.
    fn still_sound(&self, fault: Option<&TransactionError>) -> TransactionResult<()> {
        match (self.trouble(), fault) {
            (None, _) => Ok(()),
            (
                Some(_),
                Some(TransactionError::Database { what, .. } | TransactionError::Inconsistent(what)),
            ) => Err(TransactionError::Database { what: what.clone(), passing: true }),
            (Some(_), None | Some(TransactionError::Unmasked(_))) => {
                Err(TransactionError::Database { what: "the connection is gone".into(), passing: true })
            }
        }
    }

    /// Writes the audit rows and events of all requests that succeeded. Returns the number of the last event,
    /// if there is one.
    async fn record(&self) -> TransactionResult<Option<u64>> {
        let draft = &self.tx.draft;
        rows::append(&self.tx.db, &draft.rows).await?;
        if draft.events.is_empty() {
            return Ok(None);
        }
        let (at, bodies): (Vec<i64>, Vec<&str>) =
            draft.events.iter().map(|(at, body)| (*at, body.as_str())).unzip();
        events::announce(&self.tx.db, &at, &bodies).await.map(Some)
    }
}
