//! Calls that need no question, and how executions end.

use sekisho_gate::ExecutionId;
use sekisho_gate::ledger::{Admission, Admitted, Ending, answered_before};
use sekisho_gate::machine::Happening;
use sekisho_gate::record::{self, Record};

use super::stepping::step;
use super::{Pen, tables};
use crate::fault::{Fault, Scripted};
use crate::rows::{CallRow, ExecutionRow, micros};

pub(in crate::sqlite) fn admit(pen: &Pen<'_>, admission: &Admission) -> Scripted<Admitted> {
    if let Some(key) = admission.once()
        && let Some(spent) = tables::executions::spent(pen, &key)?
    {
        return Ok(Admitted::Spent(spent));
    }
    if let Some(key) = admission.key()
        && let Some(latest) = tables::approvals::latest(pen, &key)?
        && let Some(before) = answered_before(&latest, admission)
    {
        return Ok(before);
    }
    let Admission { at, call: kept, execution, record } = admission;
    tables::calls::insert(pen, &CallRow::new(kept, *at, execution.is_none())?)?;
    if let Some(execution) = execution {
        let call = (kept.id, &kept.call, &kept.asker);
        let what = (kept.call.tool.as_str(), &kept.call.input);
        tables::executions::start(pen, &ExecutionRow::new(*execution, call, what, None, *at)?)?;
    }
    pen.append(record)?;
    Ok(Admitted::New)
}

pub(in crate::sqlite) fn finish(pen: &Pen<'_>, execution: ExecutionId, ending: &Ending) -> Scripted<bool> {
    if !tables::executions::finish(pen, execution, ending)? {
        return Ok(false);
    }
    let Some((about, asked)) = tables::executions::about(pen, execution)? else {
        return Err(Fault::wrong(format!("execution `{execution}` has lost its call")));
    };
    for call in about.call.into_iter().chain(asked) {
        tables::calls::end(pen, call, micros(ending.at))?;
    }
    pen.append(&record::finished(execution, ending, about))?;
    Ok(true)
}

pub(in crate::sqlite) fn retract(pen: &Pen<'_>, execution: ExecutionId, ending: &Ending) -> Scripted<bool> {
    if !finish(pen, execution, ending)? {
        return Ok(false);
    }
    tables::executions::free(pen, execution)?;
    let approval = tables::executions::by_id(pen, execution)?.and_then(|found| found.approval);
    if let Some(id) = approval {
        let why = ending.output.clone().unwrap_or_default();
        step(pen, id, &Happening::Retracted { execution, why }, ending.at)?;
    }
    Ok(true)
}

pub(in crate::sqlite) fn note(pen: &Pen<'_>, records: &[Record]) -> Scripted<()> {
    records.iter().try_for_each(|record| pen.append(record))
}
