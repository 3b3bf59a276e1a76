//! Runs of sub-agents: how a tree of runs grows and ends, and what its runs have reserved.

use sekisho_agent::machine::{RunState, Step};
use sekisho_agent::run_settings::RunSettings;
use sekisho_agent::run_trees::{ReplyNeeds, Reserved, SubAgent, TreeGrowth, TreeLimits, TreeRun, reserve};
use sekisho_agent::runs::{RunCreation, StoredRun};
use uuid::Uuid;

use crate::encoding::{from_micros, micros, parsed, round_trip_json};
use crate::runs::{RunRow, RunsTables, create};
use crate::transaction::TableFuture;
use crate::transaction_error::TransactionResult;

/// A sub-agent as a row.
pub(crate) struct SubAgentRow {
    pub(crate) id: Uuid,
    pub(crate) run: Uuid,
    pub(crate) spec: String,
    pub(crate) created_at: i64,
}

/// Operations on trees of runs.
pub(crate) trait TreeTables: RunsTables {
    /// How many runs a tree has.
    fn tree_size(&self, root: Uuid) -> impl TableFuture<u64>;

    fn set_reserved(&self, run: Uuid, body: &str) -> impl TableFuture<()>;

    fn has_sub_agent(&self, id: Uuid) -> impl TableFuture<bool>;

    /// How many sub-agents a run made.
    fn sub_agent_count(&self, run: Uuid) -> impl TableFuture<u64>;

    fn insert_sub_agent(&self, row: &SubAgentRow) -> impl TableFuture<()>;
}

/// Whether a run exists and has not ended. It is locked until the transaction ends, so it does not end meanwhile.
async fn goes_on(tables: &impl RunsTables, run: Uuid) -> TransactionResult<bool> {
    let Some(row) = tables.run_for_update(run).await? else { return Ok(false) };
    Ok(!state_of(&row)?.has_ended())
}

fn state_of(row: &RunRow) -> TransactionResult<RunState> {
    parsed(&row.state, "the state of the run")
}

fn settings_of(row: &RunRow) -> TransactionResult<RunSettings> {
    parsed(&row.settings, "the settings of the run")
}

/// Stores the run of a sub-agent, unless it exists, its parent has ended, or there are too many.
pub(crate) async fn create_child(
    tables: &mut impl TreeTables,
    run: &StoredRun,
    step: &Step,
    limits: TreeLimits,
) -> TransactionResult<TreeGrowth> {
    let (Some(parent), Some(root)) = (run.settings.parent_run(), run.settings.root_run()) else {
        return Ok(TreeGrowth::ParentEnded);
    };
    if !goes_on(tables, parent).await? {
        return Ok(TreeGrowth::ParentEnded);
    }
    if let Some(found) = tables.run_for_update(run.id).await? {
        let is_same = settings_of(&found)?.is_same_start(&run.settings);
        return Ok(if is_same { TreeGrowth::Exists } else { TreeGrowth::Taken });
    }
    let count = tables.tree_size(root).await?;
    if count >= limits.runs {
        return Ok(TreeGrowth::TooMany { count });
    }
    Ok(match create(tables, run, step, limits.active).await? {
        RunCreation::Stored => TreeGrowth::Stored,
        RunCreation::TooMany { active } => TreeGrowth::TooManyActive { active },
    })
}

/// Stores a sub-agent, unless it exists, its run has ended, or the run has too many.
pub(crate) async fn create_sub_agent(
    tables: &mut impl TreeTables,
    agent: &SubAgent,
    most: u64,
) -> TransactionResult<TreeGrowth> {
    if !goes_on(tables, agent.run).await? {
        return Ok(TreeGrowth::ParentEnded);
    }
    if tables.has_sub_agent(agent.id).await? {
        return Ok(TreeGrowth::Exists);
    }
    let count = tables.sub_agent_count(agent.run).await?;
    if count >= most {
        return Ok(TreeGrowth::TooMany { count });
    }
    let row = SubAgentRow {
        id: agent.id,
        run: agent.run,
        spec: round_trip_json(&agent.spec, "the sub-agent")?,
        created_at: micros(agent.created_at),
    };
    tables.insert_sub_agent(&row).await?;
    Ok(TreeGrowth::Stored)
}

/// Reserves what the next reply of a run can take. Nobody else may do so in the same tree at the same time.
pub(crate) async fn reserve_reply(
    tables: &mut impl TreeTables,
    run: Uuid,
    root: Uuid,
    needs: ReplyNeeds,
) -> TransactionResult<Reserved> {
    let rows = tables.tree_rows(root).await?;
    let tree: Vec<TreeRun> = rows.iter().map(tree_run).collect::<TransactionResult<_>>()?;
    match reserve(&tree, run, needs) {
        Ok(reservation) => {
            tables.set_reserved(run, &round_trip_json(&reservation, "the reservation")?).await?;
            Ok(Reserved::Granted)
        }
        Err(spent) => Ok(Reserved::Spent(spent)),
    }
}

fn tree_run(row: &RunRow) -> TransactionResult<TreeRun> {
    let settings = settings_of(row)?;
    let reserved = row.reserved.as_deref().map(|text| parsed(text, "the reservation")).transpose()?;
    let (state, parent) = (state_of(row)?, settings.parent_run());
    let cost = settings.price.map(|price| price.cost(state.usage)).unwrap_or_default();
    Ok(TreeRun { id: row.id, parent, state, cost, reserved })
}

/// A sub-agent from its row.
pub(crate) fn sub_agent(row: &SubAgentRow) -> TransactionResult<SubAgent> {
    Ok(SubAgent {
        id: row.id,
        run: row.run,
        spec: parsed(&row.spec, "the sub-agent")?,
        created_at: from_micros(row.created_at)?,
    })
}
