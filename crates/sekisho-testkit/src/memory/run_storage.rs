//! Implements the `RunStorage` port.

use std::collections::BTreeSet;

use jiff::Timestamp;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_tools::RunStorage;
use sekisho_tools::run_storage::{RunOutput, Todo};
use uuid::Uuid;

use super::state::State;
use super::{Access, MemoryLedger};

impl RunStorage for MemoryLedger {
    fn todos(&self, run: Uuid) -> LedgerFuture<'_, Vec<Todo>> {
        self.run(Access::Read, move |state| {
            Ok(state.todos.get(&run).map(|(todos, _)| todos.clone()).unwrap_or_default())
        })
    }

    fn set_todos(&self, run: Uuid, todos: Vec<Todo>, at: Timestamp) -> LedgerFuture<'_, ()> {
        self.run(Access::Write, move |state| {
            state.todos.insert(run, (todos, at));
            Ok(())
        })
    }

    fn keep_output(&self, output: RunOutput, most_bytes: usize) -> LedgerFuture<'_, bool> {
        self.run(Access::Write, move |state| {
            if state.outputs.contains_key(&(output.run, output.id)) {
                return Ok(true);
            }
            let of_run = state.outputs.iter().filter(|((run, _), _)| *run == output.run);
            let stored: usize = of_run.map(|(_, (text, _))| text.len()).sum();
            if stored + output.text.len() > most_bytes {
                return Ok(false);
            }
            state.outputs.insert((output.run, output.id), (output.text, output.at));
            Ok(true)
        })
    }

    fn output(&self, run: Uuid, id: Uuid) -> LedgerFuture<'_, Option<String>> {
        self.run(Access::Read, move |state| Ok(state.outputs.get(&(run, id)).map(|(text, _)| text.clone())))
    }
}

/// Deletes the data of runs that have not used it since a time. A run with an open question keeps it.
pub(super) fn forget_unused(state: &mut State, before: Timestamp) {
    let todos = state.todos.iter().map(|(run, (_, at))| (*run, *at));
    let outputs = state.outputs.iter().map(|((run, _), (_, at))| (*run, *at));
    let used: Vec<(Uuid, Timestamp)> = todos.chain(outputs).collect();
    let mut keep: BTreeSet<Uuid> =
        used.into_iter().filter(|(_, at)| *at >= before).map(|(run, _)| run).collect();
    let waiting = state.pending().filter_map(|question| question.asked.call.run_id.as_deref()?.parse().ok());
    keep.extend(waiting.collect::<Vec<Uuid>>());
    state.todos.retain(|run, _| keep.contains(run));
    state.outputs.retain(|(run, _), _| keep.contains(run));
}
