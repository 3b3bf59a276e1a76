//! One transaction for all that waits.
//!
//! Calls that need no question are written with one statement a table; every other request runs in a savepoint of its
//! own, so one that fails undoes itself only. Lines and events of all of them come last, together, because events are
//! counted by one row that all processes share and that stays locked until the commit.
//!
//! Every way to the commit leads over a statement that succeeded just before, so the transaction is sound when it is
//! committed: PostgreSQL answers the commit of a failed transaction without an error.

use sekisho_gate::ledger::{Admitted, answered_before};

use super::audit::rows;
use super::chain::Ink;
use super::fault::Trouble;
use super::page::Page;
use super::request::{Admitting, Order};
use super::{approvals, events};
use crate::encoding::key_hash;
use crate::executions::Prepared;
use crate::fault::{Fault, Scripted};

/// What a committed batch has changed for those who listen.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    pub(super) head: Option<u64>,
    pub(super) revision: Option<u64>,
}

/// A batch on its way.
pub(super) struct Batch<'c> {
    page: Page<'c>,
    /// From now on nobody knows whether it was committed, until the server says so.
    pub(super) committing: bool,
}

const LOCKS: &str = "SELECT pg_advisory_xact_lock(wanted) \
    FROM (SELECT DISTINCT wanted FROM UNNEST($1::bigint[]) AS all_of (wanted) ORDER BY wanted) AS in_order";

impl<'c> Batch<'c> {
    pub(super) fn new(page: Page<'c>) -> Batch<'c> {
        Batch { page, committing: false }
    }

    /// The chain of the log with all that was written.
    pub(super) fn into_ink(self) -> Ink {
        self.page.draft.ink
    }

    /// What the errors so far came to.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        self.page.db.trouble()
    }

    /// Runs everything and commits it. An error is everybody's; those of single requests are kept with them.
    pub(super) async fn commit(&mut self, orders: &mut [Order]) -> Scripted<Told> {
        self.page.db.say("BEGIN").await?;
        self.lock(orders.iter().filter_map(Order::locks).collect()).await?;
        self.admit_together(orders).await?;
        for order in orders {
            if let Order::Other(work) = order {
                self.page.db.say("SAVEPOINT request").await?;
                let mark = self.page.draft.mark();
                if !work.run(&mut self.page).await {
                    self.still_sound(work.fault())?;
                    self.page.draft.back_to(mark);
                    self.page.db.say("ROLLBACK TO request").await?;
                }
                self.page.db.say("RELEASE request").await?;
            }
        }
        let head = self.record().await?;
        self.committing = true;
        self.page.db.say("COMMIT").await?;
        Ok(Told { head, revision: self.page.draft.revision })
    }

    /// Everything that others may want as well, in the order that all processes share.
    async fn lock(&self, wanted: Vec<i64>) -> Scripted<()> {
        if wanted.is_empty() { Ok(()) } else { self.page.db.rows(LOCKS, &[&wanted]).await.map(drop) }
    }

    async fn admit_together(&mut self, orders: &mut [Order]) -> Scripted<()> {
        let mut all: Vec<&mut Admitting> = orders
            .iter_mut()
            .filter_map(|order| match order {
                Order::Admit(admitting) => Some(&mut **admitting),
                Order::Other(_) | Order::Keys(..) => None,
            })
            .collect();
        self.answer_from_questions(&mut all).await?;
        all.retain(|one| one.result.is_none());
        if all.len() > 1 && self.admit(&mut all).await? {
            return Ok(());
        }
        // One of them cannot be written: each for itself, then.
        for one in &mut all {
            self.admit(std::slice::from_mut(one)).await?;
        }
        Ok(())
    }

    /// Answers those that were asked about before. Nothing is locked: what is said in this moment comes after them.
    async fn answer_from_questions(&self, all: &mut [&mut Admitting]) -> Scripted<()> {
        // The batch may be run again.
        all.iter_mut().for_each(|one| one.result = None);
        let key_of = |one: &Admitting| one.admission.key().map(|key| key_hash(&key));
        let keys: Vec<[u8; 32]> = all.iter().filter_map(|one| key_of(one)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        for (key, latest) in approvals::latest(&self.page.db, &keys).await? {
            let asked = |one: &&mut &mut Admitting| key_of(one).is_some_and(|own| own.as_slice() == key);
            for one in all.iter_mut().filter(asked) {
                one.result = match &latest {
                    Ok(latest) => answered_before(latest, &one.admission).map(Ok),
                    Err(fault) => Some(Err(fault.clone())),
                };
            }
        }
        Ok(())
    }

    /// Writes calls by one statement a table. `false`: none was written, because of at least one of them.
    async fn admit(&mut self, some: &mut [&mut Admitting]) -> Scripted<bool> {
        let mut prepared = Vec::with_capacity(some.len());
        let mut failed = Vec::new();
        for (place, one) in some.iter().enumerate() {
            match Prepared::of(&one.admission) {
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
                self.page.db.say("SAVEPOINT request").await?;
                let mark = self.page.draft.mark();
                let result = Prepared::write(prepared, &mut self.page).await;
                if let Err(fault) = &result {
                    self.still_sound(Some(fault))?;
                    self.page.draft.back_to(mark);
                    self.page.db.say("ROLLBACK TO request").await?;
                }
                self.page.db.say("RELEASE request").await?;
                result
            }
        };
        match (result, some) {
            (Ok(()), some) => {
                some.iter_mut().for_each(|one| one.result = Some(Ok(Admitted::New)));
                Ok(true)
            }
            (Err(fault), [one]) => {
                one.result = Some(Err(fault));
                Ok(false)
            }
            (Err(_), _) => Ok(false),
        }
    }

    /// Whether only one request has failed, and not the transaction or the connection with it.
    fn still_sound(&self, fault: Option<&Fault>) -> Scripted<()> {
        match (self.trouble(), fault) {
            (None, _) => Ok(()),
            (Some(_), Some(Fault::Database { what, .. } | Fault::Wrong(what))) => {
                Err(Fault::Database { what: what.clone(), passing: true })
            }
            (Some(_), None | Some(Fault::Unmasked(_))) => {
                Err(Fault::Database { what: "the connection is gone".into(), passing: true })
            }
        }
    }

    /// Rows and events of all that went well. The number of the last event, where there is one.
    async fn record(&self) -> Scripted<Option<u64>> {
        let draft = &self.page.draft;
        rows::append(&self.page.db, &draft.rows).await?;
        if draft.events.is_empty() {
            return Ok(None);
        }
        let (at, bodies): (Vec<i64>, Vec<&str>) =
            draft.events.iter().map(|(at, body)| (*at, body.as_str())).unzip();
        events::announce(&self.page.db, &at, &bodies).await.map(Some)
    }
}
