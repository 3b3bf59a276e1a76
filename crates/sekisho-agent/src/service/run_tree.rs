//! A run and the runs of its sub-agents, taken together.

use sekisho_gate::ledger::LedgerError;
use uuid::Uuid;

use super::AgentService;
use crate::machine::{CallState, Phase, TrackedCall};
use crate::model::Usage;
use crate::run_summary::{PendingCall, waiting_calls};
use crate::runs::StoredRun;
use crate::spending::UsdAmount;

/// A call of a run, or of one below it, that waits for an approval.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeCall {
    /// The run that made the call.
    pub run: Uuid,
    /// The names of the agents, from the first one down to the one that made the call.
    pub agents: Vec<String>,
    /// The call.
    pub call: PendingCall,
}

/// A run and the runs below it.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTree {
    /// The run.
    pub top: StoredRun,
    /// The runs below it, in order of their ids.
    pub below: Vec<StoredRun>,
}

impl RunTree {
    /// All runs, the top first.
    pub fn runs(&self) -> impl Iterator<Item = &StoredRun> {
        std::iter::once(&self.top).chain(&self.below)
    }

    /// What all runs have used.
    pub fn usage(&self) -> Usage {
        self.runs().fold(Usage::default(), |sum, run| sum.plus(run.state.usage))
    }

    /// What all runs have cost. None if the model of one has no price.
    pub fn cost(&self) -> Option<UsdAmount> {
        self.runs().try_fold(UsdAmount::default(), |sum, run| run.cost().map(|cost| sum.plus(cost)))
    }

    /// Whether all runs have ended, and nothing is left to do.
    pub(super) fn is_over(&self) -> bool {
        self.runs().all(is_over)
    }

    /// Whether nothing happens until a human answers.
    pub(super) fn is_suspended(&self) -> bool {
        let mut open = self.runs().filter(|run| !is_over(run)).peekable();
        let waits = self.runs().any(|run| !waiting_calls(&run.state).is_empty());
        waits && open.peek().is_some() && open.all(|run| self.stands_still(run))
    }

    /// Whether a run only waits, for humans or for runs that have not ended.
    fn stands_still(&self, run: &StoredRun) -> bool {
        let Phase::Tools { calls, .. } = &run.state.phase else { return false };
        calls.iter().all(|TrackedCall { state, .. }| match state {
            CallState::Submitted => false,
            CallState::Waiting { .. } | CallState::Ended { .. } => true,
            CallState::Awaits { run, .. } => {
                self.below.iter().any(|child| child.id == *run && !is_over(child))
            }
        })
    }
}

fn is_over(run: &StoredRun) -> bool {
    run.state.is_over()
}

impl AgentService {
    /// A run and the runs below it. None if there is no such run.
    pub async fn tree(&self, id: Uuid) -> Result<Option<RunTree>, LedgerError> {
        let Some(run) = self.runs.run(id).await? else { return Ok(None) };
        self.tree_below(run).await.map(Some)
    }

    /// A run and the runs below it.
    pub async fn tree_below(&self, run: StoredRun) -> Result<RunTree, LedgerError> {
        let all = self.runs.tree(run.settings.root_run().unwrap_or(run.id)).await?;
        let is_below = |one: &StoredRun| one.settings.chain().iter().any(|link| link.run == run.id);
        // Read together with the others.
        let top = all.iter().find(|one| one.id == run.id).cloned().unwrap_or_else(|| run.clone());
        Ok(RunTree { top, below: all.into_iter().filter(is_below).collect() })
    }

    /// The calls of a tree whose questions are open.
    pub async fn tree_pending(&self, tree: &RunTree) -> Result<Vec<TreeCall>, LedgerError> {
        let mut found = Vec::new();
        for run in tree.runs() {
            let names = run.settings.chain().iter().map(|link| link.agent_name.clone());
            let agents: Vec<String> = names.chain([run.settings.agent_name.clone()]).collect();
            for call in self.pending(run).await? {
                found.push(TreeCall { run: run.id, agents: agents.clone(), call });
            }
        }
        Ok(found)
    }
}
