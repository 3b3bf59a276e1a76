//! A store of pipelines and their runs in memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use sekisho_agent::pipelines::definition::PipelineDefinition;
use sekisho_agent::pipelines::machine::PipelineChunk;
use sekisho_agent::pipelines::stored_pipelines::{Pipeline, PipelineChange};
use sekisho_agent::pipelines::stored_runs::{
    NewStageRun, PipelineRequest, PipelineRunQuery, PipelineStep, StageStart, StoredPipelineChunk,
    StoredPipelineRequest, StoredPipelineRun,
};
use sekisho_agent::runs::RunCreation;
use sekisho_agent::{PipelineRuns, Pipelines, Runs};
use sekisho_gate::ledger::{Ledger, LedgerError, LedgerFuture};
use sekisho_gate::registered_records::CheckedRecord;
use sekisho_gate::{ReplicaId, WriteAccess};
use uuid::Uuid;

use super::{MemoryLedger, MemoryRuns};

/// A store of pipelines and their runs in memory, over the runs of agents. Clones are handles to the same store.
#[derive(Clone)]
pub struct MemoryPipelines {
    tables: Arc<Mutex<Tables>>,
    runs: MemoryRuns,
    log: MemoryLedger,
}

#[derive(Default)]
struct Tables {
    pipelines: BTreeMap<Uuid, Pipeline>,
    runs: BTreeMap<Uuid, StoredPipelineRun>,
    chunks: BTreeMap<Uuid, Vec<PipelineChunk>>,
    requests: Vec<StoredPipelineRequest>,
    made: u64,
}

impl Tables {
    fn is_taken(&self, name: &str, by_other_than: Uuid) -> bool {
        self.pipelines.values().any(|one| one.definition.name == name && one.id != by_other_than)
    }

    fn works(&self, run: &StoredPipelineRun) -> bool {
        run.state.effect().is_some() || self.requests.iter().any(|request| request.run == run.id)
    }

    fn is_current(&self, run: Uuid, owner: ReplicaId, version: u64) -> bool {
        self.runs.get(&run).is_some_and(|run| run.owner == Some(owner) && run.version == version)
    }
}

impl MemoryPipelines {
    /// An empty store. Records are written to the ledger, and the runs of stages to `runs`.
    pub fn new(runs: MemoryRuns, log: MemoryLedger) -> MemoryPipelines {
        MemoryPipelines { tables: Arc::default(), runs, log }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, record: &CheckedRecord) -> Result<(), LedgerError> {
        let records = vec![record.record().clone()];
        crate::block_on(self.log.append_records(WriteAccess::TESTS, records)).map(drop)
    }

    fn change(
        &self,
        record: &CheckedRecord,
        make: impl FnOnce(&mut Tables) -> PipelineChange,
    ) -> Result<PipelineChange, LedgerError> {
        let change = make(&mut self.tables());
        if change == PipelineChange::Stored {
            self.write(record)?;
        }
        Ok(change)
    }
}

impl Pipelines for MemoryPipelines {
    fn create_pipeline(&self, pipeline: Pipeline, record: CheckedRecord) -> LedgerFuture<'_, PipelineChange> {
        let change = self.change(&record, |tables| {
            if tables.is_taken(&pipeline.definition.name, pipeline.id) {
                return PipelineChange::NameTaken;
            }
            tables.pipelines.insert(pipeline.id, pipeline);
            PipelineChange::Stored
        });
        Box::pin(async move { change })
    }

    fn update_pipeline(
        &self,
        id: Uuid,
        definition: PipelineDefinition,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, PipelineChange> {
        let change = self.change(&record, |tables| {
            let is_taken = tables.is_taken(&definition.name, id);
            match tables.pipelines.get_mut(&id) {
                None => PipelineChange::NotFound,
                Some(_) if is_taken => PipelineChange::NameTaken,
                Some(known) => {
                    (known.definition, known.updated_at) = (definition, at);
                    PipelineChange::Stored
                }
            }
        });
        Box::pin(async move { change })
    }

    fn delete_pipeline(&self, id: Uuid, record: CheckedRecord) -> LedgerFuture<'_, bool> {
        let existed = self.tables().pipelines.remove(&id).is_some();
        let written = if existed { self.write(&record) } else { Ok(()) };
        Box::pin(async move { written.map(|()| existed) })
    }

    fn pipeline(&self, id: Uuid) -> LedgerFuture<'_, Option<Pipeline>> {
        let found = self.tables().pipelines.get(&id).cloned();
        Box::pin(async { Ok(found) })
    }

    fn pipelines(&self) -> LedgerFuture<'_, Vec<Pipeline>> {
        let found = self.tables().pipelines.values().cloned().collect();
        Box::pin(async { Ok(found) })
    }
}

impl PipelineRuns for MemoryPipelines {
    fn create_pipeline_run(
        &self,
        run: StoredPipelineRun,
        chunks: Vec<PipelineChunk>,
        most_active: Option<u64>,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, RunCreation> {
        Box::pin(async move {
            let credential = run.settings.credential.clone();
            let of_agents = self.runs.active_runs(credential.clone()).await?;
            let mut tables = self.tables();
            let own = tables.runs.values().filter(|run| run.settings.credential == credential);
            let active = of_agents + own.filter(|run| tables.works(run)).count() as u64;
            if most_active.is_some_and(|most| active >= most) {
                return Ok(RunCreation::TooMany { active });
            }
            tables.chunks.insert(run.id, chunks);
            tables.runs.insert(run.id, run);
            self.write(&record)?;
            Ok(RunCreation::Stored)
        })
    }

    fn pipeline_run(&self, id: Uuid) -> LedgerFuture<'_, Option<StoredPipelineRun>> {
        let found = self.tables().runs.get(&id).cloned();
        Box::pin(async { Ok(found) })
    }

    fn pipeline_runs(&self, query: PipelineRunQuery) -> LedgerFuture<'_, Vec<StoredPipelineRun>> {
        let tables = self.tables();
        let fits = |run: &&StoredPipelineRun| {
            query.pipeline.is_none_or(|pipeline| run.settings.pipeline == Some(pipeline))
                && query.credential.as_ref().is_none_or(|one| run.settings.credential == *one)
                && query.works.is_none_or(|works| tables.works(run) == works)
                && query.before.is_none_or(|before| run.id < before)
        };
        let found = tables.runs.values().rev().filter(fits).take(query.limit).cloned().collect();
        Box::pin(async { Ok(found) })
    }

    fn pipeline_chunks(
        &self,
        id: Uuid,
        after: u64,
        limit: usize,
    ) -> LedgerFuture<'_, Vec<StoredPipelineChunk>> {
        let tables = self.tables();
        let all = tables.chunks.get(&id).into_iter().flatten().cloned();
        let numbered = all.zip(1..).map(|(chunk, seq)| StoredPipelineChunk { seq, chunk });
        let found = numbered.filter(|chunk| chunk.seq > after).take(limit).collect();
        Box::pin(async { Ok(found) })
    }

    fn store_pipeline_step(&self, step: PipelineStep) -> LedgerFuture<'_, bool> {
        let mut tables = self.tables();
        let fits = tables.is_current(step.run, step.owner, step.version);
        if fits {
            tables.chunks.entry(step.run).or_default().extend(step.chunks);
            let count = tables.chunks.get(&step.run).map_or(0, Vec::len) as u64;
            if let Some(run) = tables.runs.get_mut(&step.run) {
                (run.state, run.version, run.updated_at) = (step.state, step.version + 1, step.at);
                run.chunk_count = count;
            }
            tables.requests.retain(|request| Some(request.seq) != step.request);
        }
        Box::pin(async move { Ok(fits) })
    }

    fn start_stage(&self, new: NewStageRun) -> LedgerFuture<'_, StageStart> {
        Box::pin(async move {
            // Held while the run is created, so that both are one transaction.
            let tables = self.tables();
            if !tables.is_current(new.pipeline_run, new.owner, new.version) {
                return Ok(StageStart::Lost);
            }
            if let Some(found) = crate::block_on(self.runs.run(new.run.id))? {
                let is_same = found.settings.is_same_start(&new.run.settings);
                return Ok(if is_same { StageStart::Exists } else { StageStart::Taken });
            }
            let created = crate::block_on(self.runs.create(new.run, new.step, None))?;
            assert_eq!(created, RunCreation::Stored, "without a limit");
            self.write(&new.record)?;
            Ok(StageStart::Started)
        })
    }

    /// Every other owner counts as lost: tests know when a process is dead.
    fn claim_pipeline_runs(
        &self,
        owner: ReplicaId,
        _: Timestamp,
        limit: usize,
    ) -> LedgerFuture<'_, Vec<Uuid>> {
        let mut tables = self.tables();
        let lost = tables.runs.values().filter(|run| run.owner != Some(owner) && tables.works(run));
        let claimed: Vec<Uuid> = lost.take(limit).map(|run| run.id).collect();
        for id in &claimed {
            if let Some(run) = tables.runs.get_mut(id) {
                run.owner = Some(owner);
            }
        }
        Box::pin(async { Ok(claimed) })
    }

    fn request_of_pipeline_run(
        &self,
        id: Uuid,
        request: PipelineRequest,
        _: Timestamp,
    ) -> LedgerFuture<'_, bool> {
        let mut tables = self.tables();
        tables.made += 1;
        let seq = tables.made;
        let exists = tables.runs.contains_key(&id);
        if exists {
            tables.requests.push(StoredPipelineRequest { seq, run: id, request });
        }
        Box::pin(async move { Ok(exists) })
    }

    fn pipeline_requests(&self, owner: ReplicaId) -> LedgerFuture<'_, Vec<StoredPipelineRequest>> {
        let tables = self.tables();
        let has_owner = |request: &&StoredPipelineRequest| {
            tables.runs.get(&request.run).is_some_and(|run| run.owner == Some(owner))
        };
        let found = tables.requests.iter().filter(has_owner).cloned().collect();
        Box::pin(async { Ok(found) })
    }
}
