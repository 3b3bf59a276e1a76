//! Implements the `Ledger` port.

use jiff::Timestamp;
use sekisho_gate::WriteAccess;
use sekisho_gate::approval::Approval;
use sekisho_gate::approval_machine::{ApprovalTrigger, Step, StepOutcome};
use sekisho_gate::ledger::{
    Admission, AdmissionOutcome, ApprovalQuery, CallReference, Execution, ExecutionOutcome, ExecutionStart,
    Ledger, LedgerError, LedgerFuture, LedgerReader, NewApproval, OpenOutcome, PastCall, Snapshot,
    SweepOutcome, match_earlier_answer, match_open_request, match_spent_key,
};
use sekisho_gate::record::{self, AuditEntry, Event, EventPayload, Record, RecordKind};
use sekisho_gate::{ApprovalId, Digest, ExecutionId, ReplicaId};
use serde_json::Value;
use tokio::sync::watch;

use super::past_calls::{listed, past};
use super::state::{State, asked_call};
use super::{Access, MemoryLedger};
use crate::inspect::{CallRow, ExecutionRow};

impl Ledger for MemoryLedger {
    fn admit(&self, _: &WriteAccess, admission: Admission) -> LedgerFuture<'_, AdmissionOutcome> {
        self.run(Access::Write, |state| admit(state, admission))
    }

    fn open(&self, _: &WriteAccess, opening: NewApproval) -> LedgerFuture<'_, OpenOutcome> {
        self.run(Access::Write, |state| open(state, opening))
    }

    fn step(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        trigger: ApprovalTrigger,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>> {
        self.run(Access::Write, move |state| state.step(id, &trigger, at))
    }

    fn leave(
        &self,
        _: &WriteAccess,
        id: ApprovalId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>> {
        self.run(Access::Write, move |state| leave(state, id, replica, at))
    }

    fn sweep(&self, _: &WriteAccess, replica: ReplicaId, at: Timestamp) -> LedgerFuture<'_, SweepOutcome> {
        self.run(Access::Write, move |state| sweep(state, replica, at))
    }

    fn begin(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        start: ExecutionStart,
    ) -> LedgerFuture<'_, bool> {
        self.run(Access::Write, move |state| Ok(begin(state, execution, start)))
    }

    fn finish(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        ending: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool> {
        self.run(Access::Write, move |state| Ok(finish(state, execution, ending)))
    }

    fn retract(
        &self,
        _: &WriteAccess,
        execution: ExecutionId,
        ending: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool> {
        self.run(Access::Write, move |state| {
            let (at, why) = (ending.at, ending.output.clone().unwrap_or_default());
            if !finish(state, execution, ending) {
                return Ok(false);
            }
            state.spent.retain(|_, spent| spent.execution != execution);
            if let Some(id) = state.executions.get(&execution).and_then(|row| row.approval) {
                state.step(id, &ApprovalTrigger::Retracted { execution, why }, at)?;
            }
            Ok(true)
        })
    }

    fn append_records(&self, _: &WriteAccess, records: Vec<Record>) -> LedgerFuture<'_, ()> {
        self.run(Access::Write, |state| {
            records.into_iter().for_each(|record| state.write(record));
            Ok(())
        })
    }
}

impl LedgerReader for MemoryLedger {
    fn approval(&self, id: ApprovalId) -> LedgerFuture<'_, Option<Approval>> {
        self.run(Access::Read, move |state| Ok(state.approvals.get(&id).cloned()))
    }

    fn execution(&self, id: ExecutionId) -> LedgerFuture<'_, Option<Execution>> {
        self.run(Access::Read, move |state| Ok(execution(state, id)))
    }

    fn latest_execution(&self, call: CallReference) -> LedgerFuture<'_, Option<ExecutionId>> {
        self.run(Access::Read, move |state| {
            let named = |id: &&ExecutionId| state.names.get(*id) == Some(&call);
            Ok(state.executions.keys().rev().find(named).copied())
        })
    }

    fn input_schema(&self, tool: String, version: Digest) -> LedgerFuture<'_, Option<Value>> {
        self.run(Access::Read, move |state| {
            Ok(state.schemas.get(&(tool, version)).map(|(schema, _)| schema.clone()))
        })
    }

    fn pending(&self, after: Option<ApprovalId>, limit: usize) -> LedgerFuture<'_, Vec<Approval>> {
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

    fn approvals(&self, query: ApprovalQuery) -> LedgerFuture<'_, Vec<Approval>> {
        self.run(Access::Read, move |state| Ok(listed(state, &query)))
    }

    fn past_calls(&self, limit: usize) -> LedgerFuture<'_, Vec<PastCall>> {
        self.run(Access::Read, move |state| Ok(past(state, limit)))
    }

    fn snapshot(&self) -> LedgerFuture<'_, Snapshot> {
        self.run(Access::Read, |state| {
            Ok(Snapshot { seq: state.head(), pending: state.pending().cloned().collect() })
        })
    }

    fn events(&self, after: u64, limit: usize) -> LedgerFuture<'_, Vec<Event>> {
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
        began_at: row.began_at,
        sandbox: row.sandbox.clone(),
        outcome: row.ending.clone(),
    })
}

fn admit(state: &mut State, admission: Admission) -> Result<AdmissionOutcome, LedgerError> {
    let once = admission.durable_key();
    let spent = once.as_ref().and_then(|key| state.spent.get(key));
    if let Some(before) = spent.and_then(|spent| match_spent_key(*spent, &admission)) {
        return Ok(before);
    }
    let latest = admission
        .idempotency_key()
        .and_then(|key| state.latest.get(&key))
        .and_then(|id| state.approvals.get(id));
    if let Some(before) = latest.and_then(|latest| match_earlier_answer(latest, &admission)) {
        return Ok(before);
    }
    let Admission { at, call, execution, record } = admission;
    let call_id = call.id;
    if let Some(id) = execution {
        let tool = call.call.tool.clone();
        // Checked first: if either exists already, neither is written.
        if state.calls.contains_key(&call.id) {
            return Err(LedgerError::permanent(format!("call `{}` already exists", call.id)));
        }
        state.start(ExecutionRow::permitted(id, tool, None, at))?;
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
    Ok(AdmissionOutcome::New)
}

fn open(state: &mut State, opening: NewApproval) -> Result<OpenOutcome, LedgerError> {
    let (at, id) = (opening.approval.asked.at, opening.approval.id);
    let key = opening.approval.asked.idempotency_key();
    if let Some(spent) = opening.approval.asked.durable_key().and_then(|key| state.spent.get(&key)) {
        return Ok(OpenOutcome::Spent(*spent));
    }
    let latest = key.as_ref().and_then(|key| state.latest.get(key)).copied();
    let latest_now =
        latest.and_then(|id| state.approvals.get(&id)).map(|it| it.step(&ApprovalTrigger::TimePassed, at));
    let opened = match_open_request(latest_now.map(|step| step.approval), &opening);
    if opened == OpenOutcome::New {
        // Checked before anything is written, so that everything is written or nothing.
        state.is_new(&opening.approval)?;
    }
    if let Some(latest) = latest {
        state.step(latest, &ApprovalTrigger::TimePassed, at)?;
    }
    match &opened {
        OpenOutcome::New => {
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
        OpenOutcome::Joined(joined) => {
            state.holds.entry(joined.id).or_default().insert(opening.replica);
        }
        OpenOutcome::Answered(_) | OpenOutcome::Conflict(_) | OpenOutcome::Spent(_) => {}
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
        return Ok(Some(Step { approval, changed: false, outcome: StepOutcome::NoEffect }));
    }
    state.step(id, &ApprovalTrigger::WaitersLeft, at)
}

fn sweep(state: &mut State, replica: ReplicaId, at: Timestamp) -> Result<SweepOutcome, LedgerError> {
    state.saw(replica, at);
    let ids: Vec<ApprovalId> = state.pending().map(|approval| approval.id).collect();
    let mut swept = SweepOutcome::default();
    for id in ids {
        state.step(id, &ApprovalTrigger::TimePassed, at)?;
        let pending = |state: &State| state.approvals.get(&id).filter(|it| it.is_pending()).cloned();
        let abandoned = pending(state).and_then(|it| state.abandoned_at(&it)).filter(|moment| *moment <= at);
        if abandoned.is_some() {
            state.step(id, &ApprovalTrigger::WaitersLeft, at)?;
        }
        match pending(state) {
            None => swept.ended.push(id),
            Some(approval) => {
                // What the sweeping replica holds is not abandoned.
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

fn begin(state: &mut State, execution: ExecutionId, start: ExecutionStart) -> bool {
    let waits = |row: &&mut ExecutionRow| row.began_at.is_none() && row.ending.is_none();
    let Some(row) = state.executions.get_mut(&execution).filter(waits) else { return false };
    (row.began_at, row.sandbox) = (Some(start.at), start.sandbox);
    state.write(start.record);
    let body = state.log().rows.last().map(|row| row.body.clone());
    let body: Option<Value> = body.and_then(|body| serde_json::from_str(&body).ok());
    let input = body.and_then(|body| body.get("input").cloned());
    if let (Some(input), Some(row)) = (input, state.executions.get_mut(&execution)) {
        row.input = input;
    }
    true
}

fn finish(state: &mut State, execution: ExecutionId, ending: ExecutionOutcome) -> bool {
    let running = state.executions.get(&execution).filter(|row| row.ending.is_none());
    let Some(row) = running else { return false };
    let about = AuditEntry::without_call(
        RecordKind::Execution,
        ending.at,
        None,
        String::new(),
        serde_json::Value::Null,
    );
    // The entry that permitted it says whose it is.
    let begun = state.entries.iter().rev().find(|entry| entry.execution == Some(execution));
    let about = AuditEntry {
        tool: Some(row.tool.clone()),
        approval: row.approval,
        credential: begun.and_then(|entry| entry.credential.clone()),
        ..about
    };
    let run = state.events.iter().rev().find_map(|event| match &event.change {
        EventPayload::Started { execution: started, run, .. } if *started == execution => Some(run.clone()),
        _ => None,
    });
    let record = record::execution_record(execution, &ending, about, run.flatten());
    let calls = state.ends.get(&execution).cloned().unwrap_or_default();
    state.end(&calls, ending.at);
    if let Some(row) = state.executions.get_mut(&execution) {
        row.ending = Some(ending);
    }
    state.write(record);
    true
}
