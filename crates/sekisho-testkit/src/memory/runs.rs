//! A store of agents' runs in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use jiff::Timestamp;
use sekisho_agent::Runs;
use sekisho_agent::conversation::Message;
use sekisho_agent::machine::{Chunk, Step};
use sekisho_agent::run_trees::{
    PARENT_ENDED, ReplyNeeds, Reservation, Reserved, SubAgent, TreeGrowth, TreeLimits, TreeRun, reserve,
};
use sekisho_agent::runs::{
    RunCreation, RunQuery, RunRequest, StoredChunk, StoredMessage, StoredRequest, StoredRun, StoredStep,
};
use sekisho_gate::ledger::{Ledger, LedgerFuture};
use sekisho_gate::{ReplicaId, WriteAccess};
use uuid::Uuid;

use super::MemoryLedger;

/// A store of runs in memory. Clones are handles to the same store.
#[derive(Clone, Default)]
pub struct MemoryRuns {
    tables: Arc<Mutex<Tables>>,
    log: Arc<OnceLock<MemoryLedger>>,
}

#[derive(Default)]
struct Tables {
    runs: BTreeMap<Uuid, StoredRun>,
    messages: BTreeMap<Uuid, Vec<Message>>,
    chunks: BTreeMap<Uuid, Vec<Chunk>>,
    requests: Vec<StoredRequest>,
    made: u64,
    reserved: BTreeMap<Uuid, Reservation>,
    sub_agents: Vec<SubAgent>,
}

impl MemoryRuns {
    /// Writes the records of steps to this ledger from now on. Until then they are dropped.
    pub fn record_in(&self, ledger: &MemoryLedger) {
        // The first one stays.
        let _ = self.log.set(ledger.clone());
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run, which must exist.
    pub fn state(&self, id: Uuid) -> StoredRun {
        self.tables().runs[&id].clone()
    }

    fn numbered_messages(&self, id: Uuid) -> Vec<StoredMessage> {
        let all = self.tables().messages.get(&id).cloned().unwrap_or_default();
        all.into_iter().zip(1..).map(|(message, seq)| StoredMessage { seq, message }).collect()
    }

    /// The messages of a run, which must exist.
    pub fn all_messages(&self, id: Uuid) -> Vec<Message> {
        self.tables().messages[&id].clone()
    }
}

impl Tables {
    fn active(&self, credential: &str) -> u64 {
        let works = |run: &&StoredRun| {
            let has_requests = self.requests.iter().any(|request| request.run == run.id);
            run.settings.credential == credential && (has_requests || !run.state.effects().is_empty())
        };
        self.runs.values().filter(works).count() as u64
    }

    fn append(&mut self, run: Uuid, step: Step) {
        self.messages.entry(run).or_default().extend(step.messages);
        let chunks = self.chunks.entry(run).or_default();
        chunks.extend(step.chunks);
        if let Some(run) = self.runs.get_mut(&run) {
            run.chunk_count = chunks.len() as u64;
        }
    }

    fn tree(&self, root: Uuid) -> Vec<StoredRun> {
        let is_in = |run: &&StoredRun| run.settings.root_run().unwrap_or(run.id) == root;
        self.runs.values().filter(is_in).cloned().collect()
    }

    fn goes_on(&self, run: Uuid) -> bool {
        self.runs.get(&run).is_some_and(|run| !run.state.has_ended())
    }

    fn tree_run(&self, run: &StoredRun) -> TreeRun {
        TreeRun {
            id: run.id,
            parent: run.settings.parent_run(),
            state: run.state.clone(),
            cost: run.cost().unwrap_or_default(),
            reserved: self.reserved.get(&run.id).copied(),
        }
    }

    fn create_child(&mut self, run: StoredRun, step: Step, limits: TreeLimits) -> TreeGrowth {
        if let Some(found) = self.runs.get(&run.id) {
            let is_same = found.settings.is_same_start(&run.settings);
            return if is_same { TreeGrowth::Exists } else { TreeGrowth::Taken };
        }
        let (parent, root) = (run.settings.parent_run(), run.settings.root_run());
        if !parent.is_some_and(|parent| self.goes_on(parent)) {
            return TreeGrowth::ParentEnded;
        }
        let count = root.map_or(0, |root| self.tree(root).len() as u64);
        if count >= limits.runs {
            return TreeGrowth::TooMany { count };
        }
        let active = self.active(&run.settings.credential);
        if limits.active.is_some_and(|most| active >= most) {
            return TreeGrowth::TooManyActive { active };
        }
        let id = run.id;
        self.runs.insert(id, run);
        self.append(id, step);
        TreeGrowth::Stored
    }

    fn end_children(&mut self, parent: Uuid) {
        let is_child = |run: &&StoredRun| run.settings.parent_run() == Some(parent) && !run.state.is_over();
        let children: Vec<Uuid> = self.runs.values().filter(is_child).map(|run| run.id).collect();
        for run in children {
            self.made += 1;
            let request = RunRequest::Abort { why: PARENT_ENDED.into() };
            self.requests.push(StoredRequest { seq: self.made, run, request });
        }
    }

    fn has_owner(&self, request: &StoredRequest, owner: ReplicaId) -> bool {
        self.runs.get(&request.run).is_some_and(|run| run.owner == Some(owner))
    }
}

impl Runs for MemoryRuns {
    fn create(&self, run: StoredRun, step: Step, most_active: Option<u64>) -> LedgerFuture<'_, RunCreation> {
        let mut tables = self.tables();
        let active = tables.active(&run.settings.credential);
        if most_active.is_some_and(|most| active >= most) {
            return Box::pin(async move { Ok(RunCreation::TooMany { active }) });
        }
        let id = run.id;
        tables.runs.insert(id, run);
        tables.append(id, step);
        Box::pin(async { Ok(RunCreation::Stored) })
    }

    fn active_runs(&self, credential: String) -> LedgerFuture<'_, u64> {
        let active = self.tables().active(&credential);
        Box::pin(async move { Ok(active) })
    }

    fn run(&self, id: Uuid) -> LedgerFuture<'_, Option<StoredRun>> {
        let found = self.tables().runs.get(&id).cloned();
        Box::pin(async { Ok(found) })
    }

    fn runs(&self, query: RunQuery) -> LedgerFuture<'_, Vec<StoredRun>> {
        let tables = self.tables();
        let fits = |run: &&StoredRun| {
            query.agent.is_none_or(|agent| run.settings.agent == agent)
                && query.credential.as_ref().is_none_or(|one| run.settings.credential == *one)
                && query.works.is_none_or(|works| run.state.effects().is_empty() != works)
                && (!query.roots || run.settings.parent.is_none())
                && query.before.is_none_or(|before| run.id < before)
        };
        let found = tables.runs.values().rev().filter(fits).take(query.limit).cloned().collect();
        Box::pin(async { Ok(found) })
    }

    fn delete_run(&self, id: Uuid) -> LedgerFuture<'_, bool> {
        let mut tables = self.tables();
        let tree = tables.tree(id);
        let idle = |run: &StoredRun| run.state.effects().is_empty();
        let is_idle =
            tables.runs.get(&id).is_some_and(|run| run.settings.parent.is_none()) && tree.iter().all(idle);
        for run in tree.into_iter().filter(|_| is_idle) {
            tables.runs.remove(&run.id);
            tables.messages.remove(&run.id);
            tables.chunks.remove(&run.id);
            tables.requests.retain(|request| request.run != run.id);
            tables.sub_agents.retain(|agent| agent.run != run.id);
        }
        Box::pin(async move { Ok(is_idle) })
    }

    fn messages_after(&self, id: Uuid, after: Option<u64>) -> LedgerFuture<'_, Vec<StoredMessage>> {
        let after = after.unwrap_or(0);
        let found = self.numbered_messages(id).into_iter().filter(|stored| stored.seq > after).collect();
        Box::pin(async { Ok(found) })
    }

    fn messages_before(&self, id: Uuid, before: Option<u64>) -> LedgerFuture<'_, Vec<StoredMessage>> {
        let before = before.unwrap_or(u64::MAX);
        let all = self.numbered_messages(id).into_iter().rev();
        let found = all.filter(|stored| stored.seq < before).collect();
        Box::pin(async { Ok(found) })
    }

    fn chunks(&self, id: Uuid, after: u64, limit: usize) -> LedgerFuture<'_, Vec<StoredChunk>> {
        let tables = self.tables();
        let all = tables.chunks.get(&id).into_iter().flatten().cloned();
        let numbered = all.zip(1..).map(|(chunk, seq)| StoredChunk { seq, chunk });
        let found = numbered.filter(|chunk| chunk.seq > after).take(limit).collect();
        Box::pin(async { Ok(found) })
    }

    fn store(&self, step: StoredStep) -> LedgerFuture<'_, bool> {
        let mut tables = self.tables();
        let ends = step.state.has_ended();
        let mut ended_now = false;
        let is_current = |run: &StoredRun| run.owner == Some(step.owner) && run.version == step.version;
        if let (Some(record), Some(ledger)) = (&step.record, self.log.get())
            && tables.runs.get(&step.run).is_some_and(is_current)
        {
            let records = vec![record.record().clone()];
            if let Err(error) = crate::block_on(ledger.append_records(WriteAccess::TESTS, records)) {
                return Box::pin(async { Err(error) });
            }
        }
        let fits = match tables.runs.get_mut(&step.run) {
            Some(run) if is_current(run) => {
                ended_now = ends && !run.state.has_ended();
                (run.state, run.version, run.updated_at) = (step.state, step.version + 1, step.at);
                true
            }
            _ => false,
        };
        if fits {
            tables.append(step.run, step.step);
            tables.requests.retain(|request| Some(request.seq) != step.request);
        }
        if ended_now {
            tables.end_children(step.run);
        }
        Box::pin(async move { Ok(fits) })
    }

    /// Every other owner counts as lost: tests know when a process is dead.
    fn claim(&self, owner: ReplicaId, _: Timestamp, limit: usize) -> LedgerFuture<'_, Vec<Uuid>> {
        let mut tables = self.tables();
        let asked: Vec<Uuid> = tables.requests.iter().map(|request| request.run).collect();
        let lost = tables.runs.values_mut();
        let lost = lost.filter(|run| {
            let works = !run.state.effects().is_empty() || asked.contains(&run.id);
            run.owner != Some(owner) && works
        });
        let claimed = lost.take(limit).map(|run| {
            run.owner = Some(owner);
            run.id
        });
        let claimed = claimed.collect();
        Box::pin(async { Ok(claimed) })
    }

    fn create_child(&self, run: StoredRun, step: Step, limits: TreeLimits) -> LedgerFuture<'_, TreeGrowth> {
        let mut tables = self.tables();
        let growth = tables.create_child(run, step, limits);
        Box::pin(async move { Ok(growth) })
    }

    fn tree(&self, root: Uuid) -> LedgerFuture<'_, Vec<StoredRun>> {
        let found = self.tables().tree(root);
        Box::pin(async { Ok(found) })
    }

    fn delegated_runs(&self, roots: Vec<Uuid>) -> LedgerFuture<'_, Vec<StoredRun>> {
        let is_below = |run: &&StoredRun| run.settings.root_run().is_some_and(|root| roots.contains(&root));
        let found = self.tables().runs.values().filter(is_below).cloned().collect();
        Box::pin(async { Ok(found) })
    }

    fn reserve(&self, run: Uuid, root: Uuid, needs: ReplyNeeds) -> LedgerFuture<'_, Reserved> {
        let mut tables = self.tables();
        let tree: Vec<TreeRun> = tables.tree(root).iter().map(|run| tables.tree_run(run)).collect();
        let reserved = match reserve(&tree, run, needs) {
            Ok(reservation) => {
                tables.reserved.insert(run, reservation);
                Reserved::Granted
            }
            Err(spent) => Reserved::Spent(spent),
        };
        Box::pin(async move { Ok(reserved) })
    }

    fn create_sub_agent(&self, agent: SubAgent, most: u64) -> LedgerFuture<'_, TreeGrowth> {
        let mut tables = self.tables();
        let count = tables.sub_agents.iter().filter(|other| other.run == agent.run).count() as u64;
        let growth = if tables.sub_agents.iter().any(|other| other.id == agent.id) {
            TreeGrowth::Exists
        } else if !tables.goes_on(agent.run) {
            TreeGrowth::ParentEnded
        } else if count >= most {
            TreeGrowth::TooMany { count }
        } else {
            tables.sub_agents.push(agent);
            TreeGrowth::Stored
        };
        Box::pin(async move { Ok(growth) })
    }

    fn sub_agents(&self, run: Uuid) -> LedgerFuture<'_, Vec<SubAgent>> {
        let found = self.tables().sub_agents.iter().filter(|agent| agent.run == run).cloned().collect();
        Box::pin(async { Ok(found) })
    }

    fn request(&self, id: Uuid, request: RunRequest, _: Timestamp) -> LedgerFuture<'_, bool> {
        let mut tables = self.tables();
        tables.made += 1;
        let seq = tables.made;
        let exists = tables.runs.contains_key(&id);
        if exists {
            tables.requests.push(StoredRequest { seq, run: id, request });
        }
        Box::pin(async move { Ok(exists) })
    }

    fn requests(&self, owner: ReplicaId) -> LedgerFuture<'_, Vec<StoredRequest>> {
        let tables = self.tables();
        let own = tables.requests.iter().filter(|request| tables.has_owner(request, owner));
        let found = own.cloned().collect();
        Box::pin(async { Ok(found) })
    }
}
