//! Runs of sub-agents: what is stored about them, and what the runs of a tree may still spend.
//!
//! What a run spends, the runs above it spend too. Before a model is asked, its reply and its tokens are reserved in the
//! whole tree, so that runs beside each other do not together spend more than one above them has. A reservation belongs
//! to one reply: once that reply is stored, what it really took counts instead.

use std::collections::BTreeMap;

use jiff::Timestamp;
use sekisho_tools::ToolConfig;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::machine::{Phase, RunState, SpentBudget};
use crate::spending::{ExceededBudget, UsdAmount};

/// Why runs of sub-agents are ended together with the run that started them.
pub const PARENT_ENDED: &str = "the run that started it has ended";

/// A sub-agent. It belongs to the run that made it, and does not change.
#[derive(Clone, Debug, PartialEq)]
pub struct SubAgent {
    /// Its id.
    pub id: Uuid,
    /// The run that made it.
    pub run: Uuid,
    /// What it is.
    pub spec: SubAgentSpec,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What a sub-agent is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubAgentSpec {
    /// Its name, below that of its parent.
    pub name: String,
    /// Its system prompt.
    pub system_prompt: String,
    /// Its model.
    pub model: String,
    /// The tools that it was granted, and their settings.
    pub tools: BTreeMap<String, ToolConfig>,
}

/// What became of something that a run adds to its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum TreeGrowth {
    /// It is stored.
    Stored,
    /// The same was stored before. Nothing changed.
    Exists,
    /// Something else has its id. Nothing changed.
    Taken,
    /// The run that adds it has ended, or does not exist.
    ParentEnded,
    /// There are as many as there may be.
    TooMany {
        /// How many there are.
        count: u64,
    },
    /// The credential has as many active runs as it may have.
    TooManyActive {
        /// How many it has.
        active: u64,
    },
}

/// How many runs there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLimits {
    /// In the tree, the first one included.
    pub runs: u64,
    /// Active runs of the credential. None for no limit.
    pub active: Option<u64>,
}

/// What a reply may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// The reply, counted as in [`RunState::replies`].
    pub reply: u32,
    /// The most tokens, input and output.
    pub tokens: u64,
    /// The most that they can cost.
    #[serde(default)]
    pub cost: UsdAmount,
}

/// What a reply can take at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyNeeds {
    /// Tokens, input and output.
    pub tokens: u64,
    /// What they can cost. None if the model has no price.
    pub cost: Option<UsdAmount>,
}

/// What became of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Reserved {
    /// The reply may take what was asked for.
    Granted,
    /// The run, or one above it, has less than that left.
    Spent(SpentBudget),
}

/// A run of a tree, as far as budgets need it.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeRun {
    /// Its id.
    pub id: Uuid,
    /// Its parent, and the reply of the parent that started it.
    pub parent: Option<(Uuid, u32)>,
    /// Its state.
    pub state: RunState,
    /// What its replies have cost.
    pub cost: UsdAmount,
    /// What it reserved last.
    pub reserved: Option<Reservation>,
}

impl TreeRun {
    /// What it has reserved and not spent yet.
    fn open_reservation(&self) -> Option<Reservation> {
        let next = self.state.replies.saturating_add(1);
        self.reserved.filter(|reserved| self.state.phase == Phase::Model && reserved.reply == next)
    }

    fn tokens(&self) -> u64 {
        let reserved = self.open_reservation().map_or(0, |reserved| reserved.tokens);
        self.state.usage.input.saturating_add(self.state.usage.output).saturating_add(reserved)
    }

    fn cost(&self) -> UsdAmount {
        let reserved = self.open_reservation().map(|reserved| reserved.cost).unwrap_or_default();
        self.cost.plus(reserved)
    }
}

/// Whether a run may reserve what its next reply can take. What the run itself reserved before is replaced.
pub fn reserve(tree: &[TreeRun], run: Uuid, needs: ReplyNeeds) -> Reserved {
    let others: Vec<TreeRun> = tree
        .iter()
        .map(|one| TreeRun { reserved: one.reserved.filter(|_| one.id != run), ..one.clone() })
        .collect();
    let mut at = others.iter().find(|one| one.id == run);
    // A tree has no circles; the limit only makes that plain.
    for _ in 0..others.len() {
        let Some(one) = at else { break };
        if iterations(&others, one) >= one.state.limits.max_iterations {
            return Reserved::Spent(SpentBudget::Iterations);
        }
        if let Some(exceeded) = exceeded(&others, one, needs) {
            return Reserved::Spent(SpentBudget::Exceeded(exceeded));
        }
        at = one.parent.and_then(|(parent, _)| others.iter().find(|other| other.id == parent));
    }
    Reserved::Granted
}

/// The budget of a run that a reply of it, or of one below it, could exceed.
fn exceeded(tree: &[TreeRun], run: &TreeRun, needs: ReplyNeeds) -> Option<ExceededBudget> {
    let limits = run.state.limits;
    if let Some(left) = limits.max_tokens.map(|most| most.saturating_sub(tokens_below(tree, run)))
        && needs.tokens > left
    {
        return Some(ExceededBudget::Tokens { needed: needs.tokens, left });
    }
    let left = limits.max_cost?.minus(cost_below(tree, run));
    let Some(needed) = needs.cost else { return Some(ExceededBudget::NoPrice) };
    (needed > left).then_some(ExceededBudget::Cost { needed, left })
}

/// What a run and those below it have cost, with what they have reserved.
fn cost_below(tree: &[TreeRun], run: &TreeRun) -> UsdAmount {
    children(tree, run).fold(run.cost(), |sum, child| sum.plus(cost_below(tree, child)))
}

/// The replies to the last message of a run: its own, and those of the sub-agents that it started since.
fn iterations(tree: &[TreeRun], run: &TreeRun) -> u32 {
    let before = run.state.replies.saturating_sub(run.state.turn);
    let own = run.state.turn.saturating_add(u32::from(run.open_reservation().is_some()));
    let children = tree
        .iter()
        .filter(|one| one.parent.is_some_and(|(parent, reply)| parent == run.id && reply > before));
    children.fold(own, |sum, child| sum.saturating_add(replies_below(tree, child)))
}

/// All replies of a run and of those below it.
fn replies_below(tree: &[TreeRun], run: &TreeRun) -> u32 {
    let own = run.state.replies.saturating_add(u32::from(run.open_reservation().is_some()));
    children(tree, run).fold(own, |sum, child| sum.saturating_add(replies_below(tree, child)))
}

/// The tokens of a run and of those below it, with what they have reserved.
fn tokens_below(tree: &[TreeRun], run: &TreeRun) -> u64 {
    children(tree, run).fold(run.tokens(), |sum, child| sum.saturating_add(tokens_below(tree, child)))
}

fn children<'a>(tree: &'a [TreeRun], run: &TreeRun) -> impl Iterator<Item = &'a TreeRun> {
    let id = run.id;
    tree.iter().filter(move |one| one.parent.is_some_and(|(parent, _)| parent == id && one.id != id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::RunLimits;
    use crate::model::Usage;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    /// A run that is about to ask its model.
    fn run(
        number: u128,
        parent: Option<(u128, u32)>,
        replies: u32,
        spent: u64,
        limits: (u32, Option<u64>),
    ) -> TreeRun {
        let limits = RunLimits { max_tokens: limits.1, ..RunLimits::replies(limits.0) };
        let (state, _) = RunState::start(limits, "go".into());
        let usage = Usage { input: spent, ..Usage::default() };
        let state = RunState { turn: replies, replies, usage, ..state };
        TreeRun {
            id: id(number),
            parent: parent.map(|(run, reply)| (id(run), reply)),
            state,
            cost: UsdAmount::default(),
            reserved: None,
        }
    }

    /// Reserves as a store does.
    fn asks(tree: &mut [TreeRun], number: u128, tokens: u64) -> Reserved {
        let reserved = reserve(tree, id(number), ReplyNeeds { tokens, cost: None });
        if reserved == Reserved::Granted {
            let one = tree.iter_mut().find(|one| one.id == id(number)).unwrap();
            let reply = one.state.replies + 1;
            one.reserved = Some(Reservation { reply, tokens, cost: UsdAmount::default() });
        }
        reserved
    }

    fn no_tokens(needed: u64, left: u64) -> Reserved {
        Reserved::Spent(SpentBudget::Exceeded(ExceededBudget::Tokens { needed, left }))
    }

    const NO_REPLIES: Reserved = Reserved::Spent(SpentBudget::Iterations);

    #[test]
    fn runs_beside_each_other_share_what_the_one_above_has() {
        let mut tree = [
            run(1, None, 1, 100, (50, Some(1000))),
            run(2, Some((1, 1)), 0, 0, (50, Some(1000))),
            run(3, Some((1, 1)), 0, 0, (50, Some(1000))),
            run(4, Some((2, 1)), 0, 0, (50, None)),
        ];
        assert_eq!(asks(&mut tree, 2, 600), Reserved::Granted);
        assert_eq!(asks(&mut tree, 3, 301), no_tokens(301, 300));
        assert_eq!(asks(&mut tree, 3, 300), Reserved::Granted);
        assert_eq!(asks(&mut tree, 4, 1), no_tokens(1, 0));
        // Asking again for the same reply reserves no more.
        assert_eq!(asks(&mut tree, 2, 600), Reserved::Granted);
        // Once the reply is stored, what it took counts.
        tree[1].state.replies = 1;
        tree[1].state.usage.input = 50;
        assert_eq!(asks(&mut tree, 4, 551), no_tokens(551, 550));
        assert_eq!(asks(&mut tree, 4, 550), Reserved::Granted);
    }

    #[test]
    fn replies_of_sub_agents_are_those_of_the_ones_above() {
        let mut tree = [
            run(1, None, 2, 0, (5, None)),
            run(2, Some((1, 2)), 1, 0, (5, None)),
            run(3, Some((2, 1)), 0, 0, (5, None)),
        ];
        assert_eq!(asks(&mut tree, 3, 10), Reserved::Granted);
        assert_eq!(asks(&mut tree, 2, 10), Reserved::Granted);
        assert_eq!(asks(&mut tree, 1, 10), NO_REPLIES);
        // A further message of the first run counts anew, without the sub-agents of the one before.
        tree[0].state.turn = 0;
        assert_eq!(asks(&mut tree, 1, 10), Reserved::Granted);
    }

    #[test]
    fn each_limit_of_the_chain_counts() {
        let mut tree = [run(1, None, 0, 0, (9, None)), run(2, Some((1, 1)), 3, 0, (3, None))];
        assert_eq!(asks(&mut tree, 2, 10), NO_REPLIES);
        let mut tree = [run(1, None, 0, 10, (9, Some(10))), run(2, Some((1, 1)), 0, 0, (9, None))];
        assert_eq!(asks(&mut tree, 2, 1), no_tokens(1, 0));
    }

    #[test]
    fn money_is_shared_too() {
        let usd = |text: &str| text.parse::<UsdAmount>().unwrap();
        let mut tree = [run(1, None, 0, 0, (9, None)), run(2, Some((1, 1)), 0, 0, (9, None))];
        tree[0].state.limits.max_cost = Some(usd("1"));
        tree[0].cost = usd("0.4");
        tree[1].cost = usd("0.1");
        let asks = |cost| reserve(&tree, id(2), ReplyNeeds { tokens: 1, cost });
        assert_eq!(asks(Some(usd("0.5"))), Reserved::Granted);
        let exceeded = ExceededBudget::Cost { needed: usd("0.51"), left: usd("0.5") };
        assert_eq!(asks(Some(usd("0.51"))), Reserved::Spent(SpentBudget::Exceeded(exceeded)));
        assert_eq!(asks(None), Reserved::Spent(SpentBudget::Exceeded(ExceededBudget::NoPrice)));
    }
}
