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
}

/// Whether a run may reserve this many tokens for its next reply. What the run itself reserved before is replaced.
pub fn reserve(tree: &[TreeRun], run: Uuid, needed: u64) -> Reserved {
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
        let left = one.state.limits.max_tokens.map(|most| most.saturating_sub(tokens_below(&others, one)));
        if left.is_some_and(|left| needed > left) {
            return Reserved::Spent(SpentBudget::Tokens);
        }
        at = one.parent.and_then(|(parent, _)| others.iter().find(|other| other.id == parent));
    }
    Reserved::Granted
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
        let limits = RunLimits { max_iterations: limits.0, max_tokens: limits.1, max_seconds: None };
        let (state, _) = RunState::start(limits, "go".into());
        let usage = Usage { input: spent, ..Usage::default() };
        let state = RunState { turn: replies, replies, usage, ..state };
        TreeRun { id: id(number), parent: parent.map(|(run, reply)| (id(run), reply)), state, reserved: None }
    }

    /// Reserves as a store does.
    fn asks(tree: &mut [TreeRun], number: u128, tokens: u64) -> Reserved {
        let reserved = reserve(tree, id(number), tokens);
        if reserved == Reserved::Granted {
            let one = tree.iter_mut().find(|one| one.id == id(number)).unwrap();
            one.reserved = Some(Reservation { reply: one.state.replies + 1, tokens });
        }
        reserved
    }

    const NO_TOKENS: Reserved = Reserved::Spent(SpentBudget::Tokens);
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
        assert_eq!(asks(&mut tree, 3, 301), NO_TOKENS);
        assert_eq!(asks(&mut tree, 3, 300), Reserved::Granted);
        assert_eq!(asks(&mut tree, 4, 1), NO_TOKENS);
        // Asking again for the same reply reserves no more.
        assert_eq!(asks(&mut tree, 2, 600), Reserved::Granted);
        // Once the reply is stored, what it took counts.
        tree[1].state.replies = 1;
        tree[1].state.usage.input = 50;
        assert_eq!(asks(&mut tree, 4, 551), NO_TOKENS);
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
        assert_eq!(asks(&mut tree, 2, 1), NO_TOKENS);
    }
}
