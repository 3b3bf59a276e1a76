//! Implements the `AuditLog` port.

use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::WriteAccess;
use sekisho_gate::approval::{self, ApprovalRequest};
use sekisho_gate::approval_machine::REREAD_WINDOW;
use sekisho_gate::audit::{
    AuditLog, AuditQuery, CallKey, ChainCut, ChainHead, ChainRow, KeyRing, MAX_CALL_ROWS, SearchWords, Stats,
    StatsBuilder, WriterId,
};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::{AuditEntry, RecordKind};
use sekisho_policy::Reason;
use serde_json::Value;

use super::run_storage::forget_unused;
use super::state::State;
use super::{Access, MemoryLedger, paused};

impl AuditLog for MemoryLedger {
    fn search(&self, query: AuditQuery) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.run(Access::Read, move |state| Ok(search(&state.log().rows, &query)))
    }

    fn call_rows(&self, calls: Vec<CallKey>) -> LedgerFuture<'_, Vec<ChainRow>> {
        self.run(Access::Read, move |state| {
            let mut found = Vec::new();
            for key in &calls {
                let rows = state.log().rows.iter().filter(|row| CallKey::of(row) == Some(*key));
                let mut rows: Vec<ChainRow> = rows.cloned().collect();
                rows.sort_by_key(|row| (row.at_us, row.writer, row.seq));
                rows.truncate(MAX_CALL_ROWS);
                found.extend(rows);
            }
            Ok(found)
        })
    }

    fn rows(&self, after: Option<(WriterId, u64)>, limit: usize) -> LedgerFuture<'_, Vec<ChainRow>> {
        let read = self.run(Access::Read, move |state| {
            let rows = state.log().in_order().into_iter();
            Ok(rows.filter(|row| Some((row.writer, row.seq)) > after).take(limit).collect())
        });
        Box::pin(async move {
            paused(&self.0.pause_of_rows).await;
            read.await
        })
    }

    fn row(&self, writer: WriterId, seq: u64) -> LedgerFuture<'_, Option<ChainRow>> {
        self.run(Access::Read, move |state| {
            Ok(state.log().rows.iter().find(|row| (row.writer, row.seq) == (writer, seq)).cloned())
        })
    }

    fn count(&self) -> LedgerFuture<'_, u64> {
        self.run(Access::Read, |state| Ok(state.log().rows.len() as u64))
    }

    fn heads(&self) -> LedgerFuture<'_, Vec<ChainHead>> {
        self.run(Access::Read, |state| Ok(state.log().heads().into_values().collect()))
    }

    fn cuts(&self) -> LedgerFuture<'_, Vec<ChainCut>> {
        self.run(Access::Read, |state| Ok(state.log().cuts.values().cloned().collect()))
    }

    fn earliest_activity(&self) -> LedgerFuture<'_, Option<Timestamp>> {
        self.run(Access::Read, |state| Ok(state.events.iter().map(|event| event.at).min()))
    }

    fn stats(&self, from: Timestamp, to: Timestamp) -> LedgerFuture<'_, Stats> {
        self.run(Access::Read, move |state| {
            let mut tally = StatsBuilder::default();
            let rows = state.log().rows.iter().filter(|row| from <= row.at() && row.at() < to);
            rows.for_each(|row| tally.row(row));
            let bytes = state.log().rows.iter().map(|row| row.text.len() + row.body.len()).sum::<usize>();
            Ok(tally.stats(state.log().rows.len() as u64, bytes as u64))
        })
    }

    fn checkpoint(&self, at: Timestamp) -> LedgerFuture<'_, Option<ChainHead>> {
        self.run(Access::Write, move |state| Ok(state.log().checkpoint(at)))
    }

    fn prune(&self, before: Timestamp, at: Timestamp) -> LedgerFuture<'_, u64> {
        self.run(Access::Write, move |state| Ok(state.log().prune(before, at)))
    }

    fn purge(&self, before: Timestamp) -> LedgerFuture<'_, u64> {
        self.run(Access::Write, move |state| Ok(purge(state, before)))
    }

    fn raw_input(&self, call: CallId) -> LedgerFuture<'_, Option<Value>> {
        self.run(Access::Read, move |state| {
            let kept = state.calls.get(&call).filter(|_| !state.purged.contains(&call));
            Ok(kept.map(|call| call.input.clone()))
        })
    }

    fn import_spool(
        &self,
        _: &WriteAccess,
        spool: WriterId,
        first: u64,
        lines: Vec<AuditEntry>,
    ) -> LedgerFuture<'_, u64> {
        self.run(Access::Write, move |state| state.log().import_spool(spool, first, &lines))
    }

    fn set_keys(&self, keys: Arc<KeyRing>) -> LedgerFuture<'_, ()> {
        self.run(Access::Write, |state| {
            state.log().take_keys(keys);
            Ok(())
        })
    }
}

fn search(rows: &[ChainRow], query: &AuditQuery) -> Vec<ChainRow> {
    let mut found: Vec<ChainRow> = rows.iter().filter(|row| fits(row, query)).cloned().collect();
    found.sort_by_key(|row| (row.at_us, row.writer, row.seq));
    if query.after.is_none() {
        found.reverse();
    }
    let mut bytes = 0;
    let full = found.iter().position(|row| {
        bytes += row.size();
        query.is_full(bytes)
    });
    found.truncate(full.map_or(usize::MAX, |last| last + 1).min(query.page_limit()));
    found
}

fn fits(row: &ChainRow, query: &AuditQuery) -> bool {
    let place = (row.at(), row.writer, row.seq);
    let is = |wanted: &Option<String>, value: &Option<String>| wanted.is_none() || wanted == value;
    let says = |text: &str| SearchWords::new(text).are_in(row);
    query.from.is_none_or(|from| row.at() >= from)
        && query.to.is_none_or(|to| row.at() < to)
        && is(&query.tool, &row.tool)
        && is(&query.decision, &row.decision)
        && is(&query.kind, &Some(row.kind.clone()))
        && is(&query.agent, &row.agent)
        && is(&query.approver, &row.approver)
        && query.approval.is_none_or(|approval| row.approval == Some(approval.0))
        && query.text.as_deref().is_none_or(says)
        && (query.checkpoints || query.kind.is_some() || row.kind != RecordKind::Checkpoint.name())
        && query.before.is_none_or(|before| place < before)
        && query.after.is_none_or(|after| place > after)
}

fn purge(state: &mut State, before: Timestamp) -> u64 {
    let before = before.checked_sub(REREAD_WINDOW).unwrap_or(Timestamp::MIN);
    let asked_about: Vec<String> = state.pending().map(|question| question.asked.call.tool.clone()).collect();
    state.schemas.retain(|(tool, _), (_, used)| *used >= before || asked_about.contains(tool));
    forget_unused(state, before);
    let ended = state.ended.iter().filter(|(call, at)| **at < before && !state.purged.contains(call));
    let calls: Vec<CallId> = ended.map(|(call, _)| *call).collect();
    for call in &calls {
        if let Some(row) = state.calls.get_mut(call) {
            row.input = Value::Null;
        }
        let runs = state.ends.iter().filter(|(_, calls)| calls.contains(call)).map(|(run, _)| *run);
        for run in runs.collect::<Vec<_>>() {
            if let Some(row) = state.executions.get_mut(&run) {
                row.input = Value::Null;
                row.ending.iter_mut().for_each(|ending| ending.output = None);
            }
        }
        for question in state.approvals.values_mut().filter(|question| question.asked.call_id == *call) {
            let mut asked = ApprovalRequest::clone(&question.asked);
            asked.call.input = Value::Null;
            asked.shown.json.clear();
            asked.shown.message.clear();
            asked.shown.why.clear();
            asked.proposals.clear();
            asked.verdict.parts.clear();
            asked.verdict.facts = Default::default();
            asked.verdict.reasons = [Reason::ShellUnread].into_iter().collect();
            question.asked = Arc::new(asked);
            if let approval::ApprovalState::Approved(answered) | approval::ApprovalState::Denied(answered) =
                &mut question.fate.state
            {
                answered.answer.updated_input = None;
            }
        }
    }
    state.purged.extend(&calls);
    calls.len() as u64
}
