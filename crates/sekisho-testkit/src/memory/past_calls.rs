//! Lists approvals of any state, and past calls as they were judged.

use std::collections::BTreeSet;

use sekisho_gate::approval::Approval;
use sekisho_gate::audit::ChainRow;
use sekisho_gate::ledger::{ApprovalQuery, PastCall};
use sekisho_gate::record::RecordKind;
use sekisho_gate::{ApprovalId, CallId};
use sekisho_policy::{Call, Decision, IdClaim};

use super::state::State;

/// Matching approvals, newest first: by time, then by the order of opening.
pub(super) fn listed(state: &State, query: &ApprovalQuery) -> Vec<Approval> {
    let place = |id: &ApprovalId| state.asked.iter().position(|asked| asked == id);
    let newness = |approval: &Approval| (approval.asked.at, place(&approval.id));
    let before = query.before.map(|id| state.approvals.get(&id).map(newness));
    let fits = |approval: &&Approval| {
        query.state.as_deref().is_none_or(|state| approval.fate.state.name() == state)
            && query.credential.as_ref().is_none_or(|wanted| approval.asked.asker.credential == *wanted)
            && query.since.is_none_or(|since| approval.asked.at >= since)
            && before.as_ref().is_none_or(|before| before.is_some_and(|before| newness(approval) < before))
    };
    let mut found: Vec<Approval> = state.approvals.values().filter(fits).cloned().collect();
    found.sort_by_key(|approval| std::cmp::Reverse(newness(approval)));
    found.truncate(if query.limit == 0 { 100 } else { query.limit });
    let mut scale = query.memory_allowance();
    let light = found.iter().take_while(|approval| scale.consume(approval)).count();
    found.truncate(light.saturating_add(1));
    found
}

/// The newest calls whose input is still stored, as they were judged.
pub(super) fn past(state: &mut State, limit: usize) -> Vec<PastCall> {
    let judged = [RecordKind::Verdict.name(), RecordKind::Question.name()];
    let mut rows: Vec<ChainRow> =
        state.log().rows.iter().filter(|row| judged.contains(&row.kind.as_str())).cloned().collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.at_us, row.writer, row.seq)));
    let mut seen = BTreeSet::new();
    rows.iter()
        .filter_map(|row| past_call(state, row))
        .filter(|past| seen.insert(past.id))
        .take(limit)
        .collect()
}

fn past_call(state: &State, row: &ChainRow) -> Option<PastCall> {
    let id = row.call.map(CallId).filter(|id| !state.purged.contains(id))?;
    let approval = row.approval.map(ApprovalId);
    let (call, credential, facts) = match approval.and_then(|id| state.approvals.get(&id)) {
        Some(approval) => {
            let asked = &approval.asked;
            (asked.call.clone(), asked.asker.credential.clone(), asked.verdict.facts.clone())
        }
        None => {
            let kept = state.admitted.get(&id)?;
            (claimed(&kept.call), kept.asker.credential.clone(), kept.facts.clone())
        }
    };
    Some(PastCall {
        id,
        at: row.at(),
        call,
        credential,
        decision: decision(row.decision.as_deref()?)?,
        facts,
        approval,
    })
}

/// Calls are stored without their descriptors, and without which ids were proven.
fn claimed(call: &Call) -> Call {
    let claimed = |named: &Option<IdClaim>| named.as_ref().map(|named| IdClaim::claimed(&named.id));
    Call { server: claimed(&call.server), agent: claimed(&call.agent), descriptor: None, ..call.clone() }
}

fn decision(name: &str) -> Option<Decision> {
    [Decision::Allow, Decision::Confirm, Decision::Deny].into_iter().find(|decision| decision.name() == name)
}
