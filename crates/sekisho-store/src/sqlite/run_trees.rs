//! Runs of sub-agents.

use rusqlite::{Connection, params};
use sekisho_agent::run_trees::SubAgent;
use uuid::Uuid;

use super::open_transaction::OpenTransaction;
use super::statement::run as run_statement;
use super::transaction_impl::operations;
use crate::encoding::count_from_column;
use crate::run_trees::{SubAgentRow, TreeTables, sub_agent};
use crate::transaction_error::TransactionResult;

const SIZE: &str = "SELECT count(*) FROM runs WHERE root = ?1";

fn tree_size(db: &Connection, root: Uuid) -> TransactionResult<u64> {
    count_from_column(db.prepare_cached(SIZE)?.query_row([root], |row| row.get(0))?)
}

const RESERVE: &str = "UPDATE runs SET reserved = ?2 WHERE id = ?1";

fn set_reserved(db: &Connection, run: Uuid, body: &str) -> TransactionResult<()> {
    run_statement(db, RESERVE, params![run, body]).map(drop)
}

const HAS_AGENT: &str = "SELECT EXISTS (SELECT 1 FROM sub_agents WHERE id = ?1)";

fn has_sub_agent(db: &Connection, id: Uuid) -> TransactionResult<bool> {
    Ok(db.prepare_cached(HAS_AGENT)?.query_row([id], |row| row.get(0))?)
}

const COUNT: &str = "SELECT count(*) FROM sub_agents WHERE run = ?1";

fn sub_agent_count(db: &Connection, run: Uuid) -> TransactionResult<u64> {
    count_from_column(db.prepare_cached(COUNT)?.query_row([run], |row| row.get(0))?)
}

const INSERT: &str = "INSERT INTO sub_agents (id, run, spec, created_at) VALUES (?1, ?2, ?3, ?4)";

fn insert_sub_agent(db: &Connection, row: &SubAgentRow) -> TransactionResult<()> {
    run_statement(db, INSERT, params![row.id, row.run, row.spec, row.created_at]).map(drop)
}

const OF_RUN: &str =
    "SELECT id, run, spec, created_at FROM sub_agents WHERE run = ?1 ORDER BY created_at, id";

/// The sub-agents that a run made.
pub(super) fn sub_agents(db: &Connection, run: Uuid) -> TransactionResult<Vec<SubAgent>> {
    let mut statement = db.prepare_cached(OF_RUN)?;
    let rows = statement.query_map([run], |row| {
        Ok(SubAgentRow { id: row.get(0)?, run: row.get(1)?, spec: row.get(2)?, created_at: row.get(3)? })
    })?;
    rows.map(|row| sub_agent(&row?)).collect()
}

operations! {
    impl TreeTables for &OpenTransaction<'_> {
        tree_size(root: Uuid) -> u64 = tree_size;
        set_reserved(run: Uuid, body: &str) -> () = set_reserved;
        has_sub_agent(id: Uuid) -> bool = has_sub_agent;
        sub_agent_count(run: Uuid) -> u64 = sub_agent_count;
        insert_sub_agent(row: &SubAgentRow) -> () = insert_sub_agent;
    }
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn statements_use_an_index() {
        assert_by_index(&[
            (SIZE, "runs_by_root"),
            (COUNT, "sub_agents_by_run"),
            (OF_RUN, "sub_agents_by_run"),
        ]);
    }
}
