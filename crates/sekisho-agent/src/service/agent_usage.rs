//! What the runs of an agent have used, those of its sub-agents included.

use sekisho_gate::ledger::LedgerError;
use uuid::Uuid;

use crate::model::Usage;
use crate::runs::{RunQuery, Runs, StoredRun};
use crate::spending::UsdAmount;

/// How many runs are read at a time.
const PAGE: usize = 256;

/// What the stored runs of an agent and of its sub-agents have used, those that go on included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentUsage {
    /// How many runs there are, those of sub-agents included.
    pub runs: u64,
    /// How many replies their models gave.
    pub replies: u64,
    /// The tokens.
    pub usage: Usage,
    /// What the runs cost whose models have a price.
    pub cost: UsdAmount,
    /// How many runs have no price, and are not in the cost.
    pub runs_without_price: u64,
}

impl AgentUsage {
    /// Reads the runs of an agent, page by page.
    pub(super) async fn read(runs: &dyn Runs, agent: Uuid) -> Result<AgentUsage, LedgerError> {
        let (mut total, mut before) = (AgentUsage::default(), None);
        loop {
            let query = RunQuery { agent: Some(agent), before, limit: PAGE, ..RunQuery::default() };
            let page = runs.runs(query).await?;
            let roots = page.iter().map(|run| run.id).collect();
            let below = runs.delegated_runs(roots).await?;
            page.iter().chain(&below).for_each(|run| total.add(run));
            before = page.last().map(|run| run.id);
            if page.len() < PAGE {
                return Ok(total);
            }
        }
    }

    fn add(&mut self, run: &StoredRun) {
        self.runs = self.runs.saturating_add(1);
        self.replies = self.replies.saturating_add(u64::from(run.state.replies));
        self.usage = self.usage.plus(run.state.usage);
        match run.cost() {
            Some(cost) => self.cost = self.cost.plus(cost),
            None => self.runs_without_price = self.runs_without_price.saturating_add(1),
        }
    }
}
