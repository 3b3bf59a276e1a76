//! Calls that need no question, and how executions end.

use sekisho_gate::ExecutionId;
use sekisho_gate::asker::Key;
use sekisho_gate::ledger::{Admission, Admitted, Ending, answered_before};
use sekisho_gate::machine::Happening;
use sekisho_gate::record::{self, Record};

use super::super::page::Page;
use super::stepping::happen;
use super::{Script, lock_of_key, tables};
use crate::fault::{Fault, Scripted};
use crate::rows::{CallRow, ExecutionRow, micros};

/// An admission as rows: many of them are written together.
pub(in crate::postgres) struct Prepared<'a> {
    call: CallRow<'a>,
    execution: Option<ExecutionRow>,
    record: &'a Record,
}

impl<'a> Prepared<'a> {
    /// Fails where it could not be kept, before anybody else is in the same statement.
    pub(in crate::postgres) fn of(admission: &'a Admission) -> Scripted<Prepared<'a>> {
        let Admission { at, call: kept, execution, record } = admission;
        let call = (kept.id, &kept.call, &kept.asker);
        let what = (kept.call.tool.as_str(), &kept.call.input);
        Ok(Prepared {
            call: CallRow::new(kept, *at, execution.is_none())?,
            execution: execution
                .map(|execution| ExecutionRow::new(execution, call, what, None, *at))
                .transpose()?,
            record,
        })
    }

    /// Writes them all, or fails for all.
    pub(in crate::postgres) async fn write(all: Vec<Prepared<'_>>, page: &mut Page<'_>) -> Scripted<()> {
        let (mut calls, mut executions, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for one in all {
            calls.push(one.call);
            executions.extend(one.execution);
            records.push(one.record);
        }
        tables::calls::insert(&page.db, &calls).await?;
        if !executions.is_empty() {
            tables::executions::start(&page.db, &executions).await?;
        }
        records.into_iter().try_for_each(|record| page.append(record))
    }
}

/// A call with a durable key is admitted: one of its own, because it may be spent.
pub(in crate::postgres) struct AdmitOnce {
    pub(in crate::postgres) admission: Admission,
    pub(in crate::postgres) key: Key,
}

impl Script for AdmitOnce {
    type Given = Admitted;

    /// Whoever asks under the same key comes after.
    fn locks(&self) -> Option<i64> {
        Some(lock_of_key(&self.key))
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Admitted> {
        if let Some(spent) = tables::executions::spent(&page.db, &self.key).await? {
            return Ok(Admitted::Spent(spent));
        }
        if let Some(latest) = tables::approvals::take_latest(&page.db, &self.key).await?
            && let Some(before) = answered_before(&latest, &self.admission)
        {
            return Ok(before);
        }
        Prepared::write(vec![Prepared::of(&self.admission)?], page).await?;
        Ok(Admitted::New)
    }
}

/// An execution ends.
pub(in crate::postgres) struct Finish {
    pub(in crate::postgres) execution: ExecutionId,
    pub(in crate::postgres) ending: Ending,
}

/// An execution that was recorded is not permitted.
pub(in crate::postgres) struct Retract(pub(in crate::postgres) Finish);

/// Something else goes on the record.
pub(in crate::postgres) struct Note(pub(in crate::postgres) Vec<Record>);

impl Script for Finish {
    type Given = bool;

    async fn run(&self, page: &mut Page<'_>) -> Scripted<bool> {
        let Finish { execution, ending } = self;
        if !tables::executions::finish(&page.db, *execution, ending).await? {
            return Ok(false);
        }
        let Some((about, asked)) = tables::executions::about(&page.db, *execution).await? else {
            return Err(Fault::wrong(format!("execution `{execution}` has lost its call")));
        };
        for call in about.call.into_iter().chain(asked) {
            tables::calls::end(&page.db, call, micros(ending.at)).await?;
        }
        page.append(&record::finished(*execution, ending, about))?;
        Ok(true)
    }
}

impl Script for Retract {
    type Given = bool;

    async fn run(&self, page: &mut Page<'_>) -> Scripted<bool> {
        let Finish { execution, ending } = &self.0;
        if !self.0.run(page).await? {
            return Ok(false);
        }
        tables::executions::free(&page.db, *execution).await?;
        let approval =
            tables::executions::by_id(&page.db, *execution).await?.and_then(|found| found.approval);
        if let Some(id) = approval
            && let Some(before) = tables::approvals::take(&page.db, id).await?
        {
            let why = ending.output.clone().unwrap_or_default();
            let happening = Happening::Retracted { execution: *execution, why };
            happen(page, &before, &happening, ending.at).await?;
        }
        Ok(true)
    }
}

impl Script for Note {
    type Given = ();

    async fn run(&self, page: &mut Page<'_>) -> Scripted<()> {
        self.0.iter().try_for_each(|record| page.append(record))
    }
}
