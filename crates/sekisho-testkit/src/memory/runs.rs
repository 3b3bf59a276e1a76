//! A store of agents' runs in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use sekisho_agent::Runs;
use sekisho_agent::conversation::Message;
use sekisho_agent::machine::{Chunk, Step};
use sekisho_agent::runs::{
    RunCreation, RunQuery, RunRequest, StoredChunk, StoredRequest, StoredRun, StoredStep,
};
use sekisho_gate::ReplicaId;
use sekisho_gate::ledger::LedgerFuture;
use uuid::Uuid;

/// A store of runs in memory. Clones are handles to the same store.
#[derive(Clone, Default)]
pub struct MemoryRuns {
    tables: Arc<Mutex<Tables>>,
}

#[derive(Default)]
struct Tables {
    runs: BTreeMap<Uuid, StoredRun>,
    messages: BTreeMap<Uuid, Vec<Message>>,
    chunks: BTreeMap<Uuid, Vec<Chunk>>,
    requests: Vec<StoredRequest>,
    made: u64,
}

impl MemoryRuns {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run, which must exist.
    pub fn state(&self, id: Uuid) -> StoredRun {
        self.tables().runs[&id].clone()
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
                && query.before.is_none_or(|before| run.id < before)
        };
        let found = tables.runs.values().rev().filter(fits).take(query.limit).cloned().collect();
        Box::pin(async { Ok(found) })
    }

    fn delete_run(&self, id: Uuid) -> LedgerFuture<'_, bool> {
        let mut tables = self.tables();
        let is_idle = tables.runs.get(&id).is_some_and(|run| run.state.effects().is_empty());
        if is_idle {
            tables.runs.remove(&id);
            tables.messages.remove(&id);
            tables.chunks.remove(&id);
            tables.requests.retain(|request| request.run != id);
        }
        Box::pin(async move { Ok(is_idle) })
    }

    fn messages(&self, id: Uuid) -> LedgerFuture<'_, Vec<Message>> {
        let found = self.tables().messages.get(&id).cloned().unwrap_or_default();
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
        let fits = match tables.runs.get_mut(&step.run) {
            Some(run) if run.owner == Some(step.owner) && run.version == step.version => {
                (run.state, run.version, run.updated_at) = (step.state, step.version + 1, step.at);
                true
            }
            _ => false,
        };
        if fits {
            tables.append(step.run, step.step);
            tables.requests.retain(|request| Some(request.seq) != step.request);
        }
        Box::pin(async move { Ok(fits) })
    }

    /// Every other owner counts as lost: tests know when a process is dead.
    fn claim(&self, owner: ReplicaId, _: Timestamp, limit: usize) -> LedgerFuture<'_, Vec<Uuid>> {
        let mut tables = self.tables();
        let lost = tables.runs.values_mut();
        let lost = lost.filter(|run| run.owner != Some(owner) && !run.state.effects().is_empty());
        let claimed = lost.take(limit).map(|run| {
            run.owner = Some(owner);
            run.id
        });
        let claimed = claimed.collect();
        Box::pin(async { Ok(claimed) })
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
