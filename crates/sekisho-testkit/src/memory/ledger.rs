//! The ledger's operations.

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::{
    Admission, Admitted, ApprovalQuery, CallName, Ending, Execution, Kept, Ledger, LedgerError, LedgerReader,
    Opened, Opening, Past, Snapshot, Swept, answered_before, joining, spent_before,
};
use sekisho_gate::machine::{Happening, Said, Step};
use sekisho_gate::record::{self, Entry, Event, Kind, Record};
use sekisho_gate::{ApprovalId, Digest, ExecutionId, ReplicaId};
use serde_json::Value;
use tokio::sync::watch;

use super::past::{listed, past};
use super::state::{State, asked_call};
use super::{Access, MemoryLedger};
use crate::inspect::{CallRow, ExecutionRow};

impl Ledger for MemoryLedger {
    fn admit(&self, _: &WriteAccess, admission: Admission) -> Kept<'_, Admitted> {
        self.run(Access::Write, |state| admit(state, admission))
    }

    fn open(&self, _: &WriteAccess, opening: Opening) -> Kept<'_, Opened> {
        self.run(Access::Write, |state| open(state, opening))
    }

    fn step(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        happening: Happening,
        at: Timestamp,
    ) -> Kept<'_, Option<Step>> {
        self.run(Access::Write, move |state| state.step(id, &happening, at))
    }

    fn leave(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> Kept<'_, Option<Step>> {
        self.run(Access::Write, move |state| leave(state, id, replica, at))
    }

    fn sweep(&self, _: &WriteAccess, replica: ReplicaId, at: Timestamp) -> Kept<'_, Swept> {
        self.run(Access::Write, move |state| sweep(state, replica, at))
    }

    fn finish(&self, _: &WriteAccess, execution: ExecutionId, ending: Ending) -> Kept<'_, bool> {
        self.run(Access::Write, move |state| Ok(finish(state, execution, ending)))
    }

    fn retract(&self, _: &WriteAccess, execution: ExecutionId, ending: Ending) -> Kept<'_, bool> {
        self.run(Access::Write, move |state| {
            let (at, why) = (ending.at, ending.output.clone().unwrap_or_default());
            if !finish(state, execution, ending) {
                return Ok(false);
            }
            state.spent.retain(|_, spent| spent.execution != execution);
            if let Some(id) = state.executions.get(&execution).and_then(|row| row.approval) {
                state.step(id, &Happening::Retracted { execution, why }, at)?;
            }
            Ok(true)
        })
    }

    fn note(&self, _: &WriteAccess, records: Vec<Record>) -> Kept<'_, ()> {
        self.run(Access::Write, |state| {
            records.into_iter().for_each(|record| state.write(record));
            Ok(())
        })
    }
}

impl LedgerReader for MemoryLedger {
    fn approval(&self, id: ApprovalId) -> Kept<'_, Option<Approval>> {
        self.run(Access::Read, move |state| Ok(state.approvals.get(&id).cloned()))
    }

    fn execution(&self, id: ExecutionId) -> Kept<'_, Option<Execution>> {
        self.run(Access::Read, move |state| Ok(execution(state, id)))
    }

    fn latest_execution(&self, call: CallName) -> Kept<'_, Option<ExecutionId>> {
        self.run(Access::Read, move |state| {
            let named = |id: &&ExecutionId| state.names.get(*id) == Some(&call);
            Ok(state.executions.keys().rev().find(named).copied())
        })
    }

    fn input_schema(&self, tool: String, version: Digest) -> Kept<'_, Option<Value>> {
        self.run(Access::Read, move |state| {
            Ok(state.schemas.get(&(tool, version)).map(|(schema, _)| schema.clone()))
        })
    }

    fn pending(&self, after: Option<ApprovalId>, limit: usize) -> Kept<'_, Vec<Approval>> {
        self.run(Access::Read, move |state| {
            let first = match after {
                None => 0,
                Some(id) => match state.asked.iter().position(|asked| *asked == id) {
                    Some(place) => place + 1,
                    None => return Ok(Vec::new()),
                },
            };
            let later = state.asked.iter().skip(first).filter_map(|id| state.approvals.get(id));
            Ok(later.filter(|approval| approval.is_pending()).take(limit).cloned().collect())
        })
    }

    fn approvals(&self, query: ApprovalQuery) -> Kept<'_, Vec<Approval>> {
        self.run(Access::Read, move |state| Ok(listed(state, &query)))
    }

    fn past(&self, limit: usize) -> Kept<'_, Vec<Past>> {
        self.run(Access::Read, move |state| Ok(past(state, limit)))
    }

    fn snapshot(&self) -> Kept<'_, Snapshot> {
        self.run(Access::Read, |state| {
            Ok(Snapshot { seq: state.head(), pending: state.pending().cloned().collect() })
        })
    }

    fn events(&self, after: u64, limit: usize) -> Kept<'_, Vec<Event>> {
        self.run(Access::Read, move |state| {
            Ok(state.events.iter().filter(|event| event.seq > after).take(limit).cloned().collect())
        })
    }

    fn head(&self) -> watch::Receiver<u64> {
        self.0.head.subscribe()
    }
}

fn execution(state: &State, id: ExecutionId) -> Option<Execution> {
    let row = state.executions.get(&id)?;
    let credential = state.names.get(&id).map(|name| name.credential.clone())?;
    Some(Execution {
        id,
        credential,
        tool: row.tool.clone(),
        approval: row.approval,
        started_at: row.started_at,
        ending: row.ending.clone(),
    })
}

fn admit(state: &mut State, admission: Admission) -> Result<Admitted, LedgerError> {
    let once = admission.once();
    let spent = once.as_ref().and_then(|key| state.spent.get(key));
    if let Some(before) = spent.and_then(|spent| spent_before(*spent, &admission)) {
        return Ok(before);
    }
    let latest =
        admission.key().and_then(|key| state.latest.get(&key)).and_then(|id| state.approvals.get(id));
    if let Some(before) = latest.and_then(|latest| answered_before(latest, &admission)) {
        return Ok(before);
    }
    let Admission { at, call, execution, record } = admission;
    let call_id = call.id;
    if let Some(id) = execution {
        let (tool, input) = (call.call.tool.clone(), call.call.input.clone());
        // Checked first: where either is there already, neither is written.
        if state.calls.contains_key(&call.id) {
            return Err(LedgerError::lasting(format!("there is a call `{}` already", call.id)));
        }
        state.start(ExecutionRow { id, approval: None, tool, input, started_at: at, ending: None })?;
    }
    let admitted = call.clone();
    state.keep_call(CallRow {
        id: call.id,
        tool: call.call.tool,
        input: call.call.input,
        digest: call.digest,
    })?;
    if let Some(execution) = execution {
        state.began(execution, &admitted.asker, &admitted.call, admitted.digest);
    }
    state.admitted.insert(call_id, admitted);
    match execution {
        Some(execution) => drop(state.ends.insert(execution, vec![call_id])),
        None => state.end(&[call_id], at),
    }
    state.write(record);
    Ok(Admitted::New)
}

fn open(state: &mut State, opening: Opening) -> Result<Opened, LedgerError> {
    let (at, id) = (opening.approval.asked.at, opening.approval.id);
    let key = opening.approval.asked.key();
    if let Some(spent) = opening.approval.asked.once().and_then(|key| state.spent.get(&key)) {
        return Ok(Opened::Spent(*spent));
    }
    let latest = key.as_ref().and_then(|key| state.latest.get(key)).copied();
    let latest_now =
        latest.and_then(|id| state.approvals.get(&id)).map(|it| it.step(&Happening::TimePassed, at));
    let opened = joining(latest_now.map(|step| step.approval), &opening);
    if opened == Opened::New {
        // Before anything is written, so that it all is or none of it.
        state.is_new(&opening.approval)?;
    }
    if let Some(latest) = latest {
        state.step(latest, &Happening::TimePassed, at)?;
    }
    match &opened {
        Opened::New => {
            state.keep_call(asked_call(&opening.approval.asked))?;
            if let Some(schema) = &opening.schema {
                let tool = opening.approval.asked.call.tool.clone();
                state.schemas.insert((tool, schema.version()), (schema.schema().clone(), at));
            }
            state.asked.push(id);
            state.latest.extend(key.map(|key| (key, id)));
            state.holds.entry(id).or_default().insert(opening.replica);
            state.approvals.insert(id, opening.approval);
            state.write(opening.record);
        }
        Opened::Joined(joined) => {
            state.holds.entry(joined.id).or_default().insert(opening.replica);
        }
        Opened::Answered(_) | Opened::Conflict(_) | Opened::Spent(_) => {}
    }
    state.saw(opening.replica, at);
    Ok(opened)
}

fn leave(
    state: &mut State,
    id: ApprovalId,
    replica: ReplicaId,
    at: Timestamp,
) -> Result<Option<Step>, LedgerError> {
    let Some(approval) = state.approvals.get(&id).cloned() else { return Ok(None) };
    if let Some(holds) = state.holds.get_mut(&id) {
        holds.remove(&replica);
    }
    if state.is_held(id, at) {
        return Ok(Some(Step { approval, changed: false, said: Said::Nothing }));
    }
    state.step(id, &Happening::Left, at)
}

fn sweep(state: &mut State, replica: ReplicaId, at: Timestamp) -> Result<Swept, LedgerError> {
    state.saw(replica, at);
    let ids: Vec<ApprovalId> = state.pending().map(|approval| approval.id).collect();
    let mut swept = Swept::default();
    for id in ids {
        state.step(id, &Happening::TimePassed, at)?;
        let pending = |state: &State| state.approvals.get(&id).filter(|it| it.is_pending()).cloned();
        let abandoned = pending(state).and_then(|it| state.abandoned_at(&it)).filter(|moment| *moment <= at);
        if abandoned.is_some() {
            state.step(id, &Happening::Left, at)?;
        }
        match pending(state) {
            None => swept.ended.push(id),
            Some(approval) => {
                // What the sweeping replica holds is not abandoned while it sweeps.
                let held = state.holds.get(&id).is_some_and(|holders| holders.contains(&replica));
                let abandoned = state.abandoned_at(&approval).filter(|_| !held);
                let ends = approval.fate.deadline.into_iter().chain(abandoned);
                swept.next = swept.next.into_iter().chain(ends).min();
                swept.pending = true;
            }
        }
    }
    Ok(swept)
}

fn finish(state: &mut State, execution: ExecutionId, ending: Ending) -> bool {
    let running = state.executions.get(&execution).filter(|row| row.ending.is_none());
    let Some(row) = running else { return false };
    let about = Entry::plain(Kind::Execution, ending.at, None, String::new(), serde_json::Value::Null);
    // The line that let it through says whose it is.
    let begun = state.entries.iter().rev().find(|entry| entry.execution == Some(execution));
    let about = Entry {
        tool: Some(row.tool.clone()),
        approval: row.approval,
        credential: begun.and_then(|entry| entry.credential.clone()),
        ..about
    };
    let record = record::finished(execution, &ending, about);
    let calls = state.ends.get(&execution).cloned().unwrap_or_default();
    state.end(&calls, ending.at);
    if let Some(row) = state.executions.get_mut(&execution) {
        row.ending = Some(ending);
    }
    state.write(record);
    true
}
