//! Runs of sub-agents: what is stored about them, and what the runs of a tree may still spend.
//!
//! What a run spends, the runs above it spend too. Before a model is asked, its reply and its tokens are reserved in the
//! whole tree, so that runs beside each other do not together spend more than one above them has. A reservation belongs
//! to one reply: once that reply is stored, what it really took counts instead.
//!
//! A further message gives a run its replies anew. With the first reply to it, the run stores how many replies the runs
//! below it had given until then, so that those of sub-agents that go on count from there. Until that reply, they count
//! as if there were no new message.

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
    /// The message that the run answers, counted as in [`RunState::said`].
    #[serde(default)]
    pub message: u32,
    /// How many replies the runs below it had given when it first answered that message.
    #[serde(default)]
    pub replies_before: u32,
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
    /// Its parent.
    pub parent: Option<Uuid>,
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

    /// Its replies, with one that it has reserved.
    fn begun_replies(&self) -> u32 {
        self.state.replies.saturating_add(u32::from(self.open_reservation().is_some()))
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

/// What a run reserves for its next reply, which replaces what it reserved before, or the budget that has not enough left:
/// its own, or that of a run above it.
pub fn reserve(tree: &[TreeRun], run: Uuid, needs: ReplyNeeds) -> Result<Reservation, SpentBudget> {
    let mut others = tree.to_vec();
    let mut reservation = Reservation {
        reply: 0,
        tokens: needs.tokens,
        cost: needs.cost.unwrap_or_default(),
        message: 0,
        replies_before: 0,
    };
    if let Some(own) = others.iter_mut().find(|one| one.id == run) {
        reservation.message = own.state.said;
        reservation.replies_before = match own.reserved {
            Some(before) if before.message == own.state.said => before.replies_before,
            _ if own.state.turn == 0 => replies_below(tree, own, |one| one.state.replies),
            // It reserves for the first time since it has sub-agents, which all were started since the message.
            _ => 0,
        };
        // No reply has the number 0, so this reserves nothing yet.
        own.reserved = Some(reservation);
        reservation.reply = own.state.replies.saturating_add(1);
    }
    let mut at = others.iter().find(|one| one.id == run);
    // A tree has no circles; the limit only makes that plain.
    for _ in 0..others.len() {
        let Some(one) = at else { break };
        if iterations(&others, one) >= one.state.limits.max_iterations {
            return Err(SpentBudget::Iterations);
        }
        if let Some(exceeded) = exceeded(&others, one, needs) {
            return Err(SpentBudget::Exceeded(exceeded));
        }
        at = one.parent.and_then(|parent| others.iter().find(|other| other.id == parent));
    }
    Ok(reservation)
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

/// The replies since the last message to a run: its own, and those of the runs below it, whenever they were started.
fn iterations(tree: &[TreeRun], run: &TreeRun) -> u32 {
    let own = run.state.turn.saturating_add(u32::from(run.open_reservation().is_some()));
    let before = run.reserved.map_or(0, |reserved| reserved.replies_before);
    own.saturating_add(replies_below(tree, run, TreeRun::begun_replies).saturating_sub(before))
}

/// All replies of the runs below a run.
fn replies_below(tree: &[TreeRun], run: &TreeRun, of: fn(&TreeRun) -> u32) -> u32 {
    children(tree, run)
        .fold(0, |sum, child| sum.saturating_add(of(child)).saturating_add(replies_below(tree, child, of)))
}

/// The tokens of a run and of those below it, with what they have reserved.
fn tokens_below(tree: &[TreeRun], run: &TreeRun) -> u64 {
    children(tree, run).fold(run.tokens(), |sum, child| sum.saturating_add(tokens_below(tree, child)))
}

fn children<'a>(tree: &'a [TreeRun], run: &TreeRun) -> impl Iterator<Item = &'a TreeRun> {
    let id = run.id;
    tree.iter().filter(move |one| one.parent == Some(id) && one.id != id)
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
        parent: Option<u128>,
        replies: u32,
        spent: u64,
        limits: (u32, Option<u64>),
    ) -> TreeRun {
        let limits = RunLimits { max_tokens: limits.1, ..RunLimits::replies(limits.0) };
        let (state, _) = RunState::start(limits, "go".into());
        let usage = Usage { input: spent, ..Usage::default() };
        let state = RunState { turn: replies, replies, usage, ..state };
        TreeRun { id: id(number), parent: parent.map(id), state, cost: UsdAmount::default(), reserved: None }
    }

    /// Reserves as a store does.
    fn asks(tree: &mut [TreeRun], number: u128, tokens: u64) -> Reserved {
        match reserve(tree, id(number), ReplyNeeds { tokens, cost: None }) {
            Ok(reservation) => {
                let one = tree.iter_mut().find(|one| one.id == id(number)).unwrap();
                one.reserved = Some(reservation);
                Reserved::Granted
            }
            Err(spent) => Reserved::Spent(spent),
        }
    }

    fn no_tokens(needed: u64, left: u64) -> Reserved {
        Reserved::Spent(SpentBudget::Exceeded(ExceededBudget::Tokens { needed, left }))
    }

    const NO_REPLIES: Reserved = Reserved::Spent(SpentBudget::Iterations);

    #[test]
    fn runs_beside_each_other_share_what_the_one_above_has() {
        let mut tree = [
            run(1, None, 1, 100, (50, Some(1000))),
            run(2, Some(1), 0, 0, (50, Some(1000))),
            run(3, Some(1), 0, 0, (50, Some(1000))),
            run(4, Some(2), 0, 0, (50, None)),
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
            run(2, Some(1), 1, 0, (5, None)),
            run(3, Some(2), 0, 0, (5, None)),
        ];
        assert_eq!(asks(&mut tree, 3, 10), Reserved::Granted);
        assert_eq!(asks(&mut tree, 2, 10), Reserved::Granted);
        assert_eq!(asks(&mut tree, 1, 10), NO_REPLIES);
        // A further message to the first run counts anew, without what was before it.
        says(&mut tree[0]);
        assert_eq!(asks(&mut tree, 1, 10), Reserved::Granted);
    }

    /// A further message to a run.
    fn says(run: &mut TreeRun) {
        run.state.turn = 0;
        run.state.said += 1;
    }

    /// A reply, from the reservation to its end.
    fn replies(tree: &mut [TreeRun], number: u128) -> Reserved {
        let reserved = asks(tree, number, 1);
        let one = tree.iter_mut().find(|one| one.id == id(number)).unwrap();
        if reserved == Reserved::Granted {
            one.state.replies += 1;
            one.state.turn += 1;
        }
        reserved
    }

    #[test]
    fn sub_agents_that_go_on_count_after_a_further_message() {
        let limits = (4, None);
        let mut tree = [run(1, None, 1, 0, limits), run(2, Some(1), 0, 0, (50, None))];
        assert_eq!([(); 3].map(|()| replies(&mut tree, 2)), [Reserved::Granted; 3]);
        assert_eq!(replies(&mut tree, 2), NO_REPLIES);
        says(&mut tree[0]);
        // Until the first run answers the message, its sub-agents have what they had before: one reply, which was its own.
        assert_eq!(replies(&mut tree, 2), Reserved::Granted);
        assert_eq!(replies(&mut tree, 2), NO_REPLIES);
        // Its answer counts, and each reply of the sub-agent since.
        assert_eq!(replies(&mut tree, 1), Reserved::Granted);
        assert_eq!([(); 2].map(|()| replies(&mut tree, 2)), [Reserved::Granted; 2]);
        assert_eq!(replies(&mut tree, 1), Reserved::Granted);
        assert_eq!((replies(&mut tree, 2), replies(&mut tree, 1)), (NO_REPLIES, NO_REPLIES));
        // The same for a message that comes when nothing is left.
        says(&mut tree[0]);
        assert_eq!([(); 4].map(|()| replies(&mut tree, 1)), [Reserved::Granted; 4]);
        assert_eq!((replies(&mut tree, 2), replies(&mut tree, 1)), (NO_REPLIES, NO_REPLIES));
    }

    /// A process is lost after it reserved, and another one reserves again for the same reply.
    #[test]
    fn reserving_again_does_not_count_anew() {
        let mut tree = [run(1, None, 1, 0, (3, None)), run(2, Some(1), 5, 0, (50, None))];
        says(&mut tree[0]);
        assert_eq!(asks(&mut tree, 1, 1), Reserved::Granted);
        assert_eq!([(); 2].map(|()| replies(&mut tree, 2)), [Reserved::Granted; 2]);
        assert_eq!(asks(&mut tree, 1, 1), Reserved::Granted);
        assert_eq!(replies(&mut tree, 2), NO_REPLIES);
    }

    #[test]
    fn reservations_of_older_versions_are_read() {
        let old: Reservation = serde_json::from_str(r#"{ "reply": 2, "tokens": 5 }"#).unwrap();
        assert_eq!((old.reply, old.message, old.replies_before), (2, 0, 0));
    }

    #[test]
    fn each_limit_of_the_chain_counts() {
        let mut tree = [run(1, None, 0, 0, (9, None)), run(2, Some(1), 3, 0, (3, None))];
        assert_eq!(asks(&mut tree, 2, 10), NO_REPLIES);
        let mut tree = [run(1, None, 0, 10, (9, Some(10))), run(2, Some(1), 0, 0, (9, None))];
        assert_eq!(asks(&mut tree, 2, 1), no_tokens(1, 0));
    }

    #[test]
    fn money_is_shared_too() {
        let usd = |text: &str| text.parse::<UsdAmount>().unwrap();
        let mut tree = [run(1, None, 0, 0, (9, None)), run(2, Some(1), 0, 0, (9, None))];
        tree[0].state.limits.max_cost = Some(usd("1"));
        tree[0].cost = usd("0.4");
        tree[1].cost = usd("0.1");
        let asks = |cost| reserve(&tree, id(2), ReplyNeeds { tokens: 1, cost }).map(|reserved| reserved.cost);
        assert_eq!(asks(Some(usd("0.5"))), Ok(usd("0.5")));
        let exceeded = ExceededBudget::Cost { needed: usd("0.51"), left: usd("0.5") };
        assert_eq!(asks(Some(usd("0.51"))), Err(SpentBudget::Exceeded(exceeded)));
        assert_eq!(asks(None), Err(SpentBudget::Exceeded(ExceededBudget::NoPrice)));
    }
}
