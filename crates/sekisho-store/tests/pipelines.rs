//! Pipelines and their runs: both databases store and find the same.

use std::collections::BTreeMap;

use sekisho_agent::conversation::Provider;
use sekisho_agent::machine::{RunLimits, RunState, Step};
use sekisho_agent::pipelines::definition::{PipelineDefinition, StageDefinition};
use sekisho_agent::pipelines::machine::{PipelineChunk, PipelineEvent, PipelineState};
use sekisho_agent::pipelines::stored_pipelines::{Pipeline, PipelineChange};
use sekisho_agent::pipelines::stored_runs::{
    NewStageRun, PipelineRequest, PipelineRunQuery, PipelineRunSettings, PipelineStep, StageAgent,
    StageStart, StoredPipelineRun,
};
use sekisho_agent::run_settings::{RunSettings, StageMark};
use sekisho_agent::runs::{RunCreation, StoredRun};
use sekisho_gate::answer::Actor;
use sekisho_gate::registered_records::CheckedRecord;
use sekisho_gate::{ReplicaId, WriteAccess};
use sekisho_testkit::fixtures::rules_changed_record;
use uuid::Uuid;

use crate::harness::{at, verify, wait};
use crate::test_database::TestDatabase;

const RUN: Uuid = Uuid::from_u128(7);
const NONE: [Uuid; 0] = [];

fn owner(number: u128) -> ReplicaId {
    ReplicaId(Uuid::from_u128(number))
}

pub(crate) fn record() -> CheckedRecord {
    CheckedRecord::for_tests(rules_changed_record(at(1), "a pipeline changed"))
}

fn definition(name: &str) -> PipelineDefinition {
    let stage = |prompt: &str| StageDefinition {
        name: None,
        agent: "builder".into(),
        prompt: prompt.into(),
        enabled_tools: Some(vec!["read".into()]),
        tool_config: BTreeMap::new(),
        max_iterations: Some(3),
        token_budget: None,
        time_budget_seconds: Some(u64::MAX),
    };
    PipelineDefinition {
        name: name.into(),
        description: Some("é\u{0}".into()),
        stages: vec![stage("go\u{0}"), stage("{{previous}}")],
        token_budget: Some(u64::MAX),
        time_budget_seconds: None,
    }
}

pub(crate) fn new_run(id: Uuid, owner: ReplicaId) -> (StoredPipelineRun, Vec<PipelineChunk>) {
    let (state, chunks) = PipelineState::start(id, 2, (None, None), at(1));
    let agent = StageAgent { id: Uuid::from_u128(3), name: "builder".into() };
    let settings = PipelineRunSettings {
        pipeline: Some(Uuid::from_u128(5)),
        definition: definition("report"),
        agents: vec![agent.clone(), agent],
        input: "in\u{0}".into(),
        credential: "agent:builder\u{0}".into(),
        roots: vec!["/w".into()],
        started_by: Actor::Rule("a rule".into()),
    };
    let run = StoredPipelineRun {
        id,
        settings,
        state,
        version: 0,
        chunk_count: 1,
        owner: Some(owner),
        created_at: at(1),
        updated_at: at(1),
    };
    (run, chunks)
}

pub(crate) fn created(
    store: &dyn crate::test_database::TestPorts,
    id: Uuid,
    of: ReplicaId,
) -> StoredPipelineRun {
    let (run, chunks) = new_run(id, of);
    let stored = wait(store.create_pipeline_run(run.clone(), chunks, None, record())).unwrap();
    assert_eq!(stored, RunCreation::Stored);
    run
}

/// The step in which the first stage ends.
pub(crate) fn next_step(run: &StoredPipelineRun, owner: ReplicaId) -> PipelineStep {
    let mut state = run.state.clone();
    let stage_run = state.current_run().unwrap();
    let event = PipelineEvent::StageEnded {
        run: stage_run,
        result: Ok("out\u{0}".into()),
        usage: Default::default(),
    };
    let chunks = state.handle(event, at(2)).unwrap();
    PipelineStep { run: run.id, owner, version: run.version, state, chunks, request: None, at: at(2) }
}

/// The run of the stage that is under way.
pub(crate) fn stage_run(run: &StoredPipelineRun, owner: ReplicaId) -> NewStageRun {
    let settings = RunSettings {
        agent: Uuid::from_u128(3),
        agent_name: "builder".into(),
        credential: run.settings.credential.clone(),
        provider: Provider::Scripted,
        model: "script".into(),
        system: None,
        temperature: None,
        max_tokens: 1000,
        context_tokens: 128_000,
        price: None,
        workspace: None,
        enabled_tools: None,
        requires_approval: false,
        mode: None,
        parent: None,
        stage: Some(StageMark { pipeline_run: run.id, stage: 0, attempt: 1 }),
        approvals_expire: false,
        tool_config: BTreeMap::new(),
    };
    let limits = RunLimits::replies(5);
    let (state, step): (RunState, Step) = RunState::start(limits, "go".into());
    let stored = StoredRun {
        id: run.state.current_run().unwrap(),
        settings,
        state,
        version: 0,
        chunk_count: 0,
        owner: Some(owner),
        created_at: at(1),
        updated_at: at(1),
    };
    let version = run.version;
    NewStageRun { pipeline_run: run.id, owner, version, run: stored, step, record: record() }
}

fn definitions_are_stored(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (first, second) = (Uuid::from_u128(1), Uuid::from_u128(2));
    let pipeline =
        |id, name: &str| Pipeline { id, definition: definition(name), created_at: at(1), updated_at: at(1) };
    let create = |pipeline| wait(store.create_pipeline(pipeline, record())).unwrap();
    assert_eq!(create(pipeline(first, "a\u{0}")), PipelineChange::Stored);
    assert_eq!(create(pipeline(second, "a\u{0}")), PipelineChange::NameTaken);
    assert_eq!(create(pipeline(second, "b")), PipelineChange::Stored);
    assert_eq!(wait(store.pipeline(first)).unwrap(), Some(pipeline(first, "a\u{0}")));
    let update = |id, name| wait(store.update_pipeline(id, definition(name), at(5), record())).unwrap();
    assert_eq!(update(second, "a\u{0}"), PipelineChange::NameTaken);
    assert_eq!(update(Uuid::nil(), "c"), PipelineChange::NotFound);
    assert_eq!(update(second, "c"), PipelineChange::Stored);
    let all = wait(store.pipelines()).unwrap();
    assert_eq!(all.iter().map(|one| one.definition.name.as_str()).collect::<Vec<_>>(), ["a\u{0}", "c"]);
    assert_eq!((all[1].created_at, all[1].updated_at), (at(1), at(5)));
    assert!(wait(store.delete_pipeline(first, record())).unwrap());
    assert!(!wait(store.delete_pipeline(first, record())).unwrap());
    assert_eq!(wait(store.pipeline(first)).unwrap(), None);
    assert_eq!(site.count("audit_log"), 4, "a record for each change, and none for what changed nothing");
    verify(&*store, &[]).unwrap();
}

fn steps_are_stored_once(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let run = created(&*store, RUN, owner(1));
    assert_eq!(wait(store.pipeline_run(RUN)).unwrap(), Some(run.clone()));
    let step = next_step(&run, owner(1));
    let foreign = PipelineStep { owner: owner(2), ..step.clone() };
    let early = PipelineStep { version: 5, ..step.clone() };
    let nobody = PipelineStep { run: Uuid::nil(), ..step.clone() };
    for refused in [foreign, early, nobody] {
        assert!(!wait(store.store_pipeline_step(refused)).unwrap());
    }
    assert!(wait(store.store_pipeline_step(step.clone())).unwrap());
    assert!(!wait(store.store_pipeline_step(step.clone())).unwrap(), "the same step twice");
    let stored = wait(store.pipeline_run(RUN)).unwrap().unwrap();
    assert_eq!((stored.state, stored.version, stored.chunk_count), (step.state, 1, 3));
    let all = wait(store.pipeline_chunks(RUN, 0, 100)).unwrap();
    assert_eq!(all.iter().map(|chunk| chunk.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(wait(store.pipeline_chunks(RUN, 1, 1)).unwrap(), all[1..2]);
    let query = PipelineRunQuery { works: Some(true), limit: 10, ..PipelineRunQuery::default() };
    assert_eq!(wait(store.pipeline_runs(query.clone())).unwrap().len(), 1);
    let other = PipelineRunQuery { credential: Some("another".into()), ..query };
    assert_eq!(wait(store.pipeline_runs(other)).unwrap(), []);
}

/// A process that lost the run of the pipeline, or is behind, starts nothing.
fn stage_is_started_once_and_by_the_owner(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let run = created(&*store, RUN, owner(1));
    let new = stage_run(&run, owner(1));
    let start = |new| wait(store.start_stage(new)).unwrap();
    assert_eq!(start(NewStageRun { owner: owner(2), ..new.clone() }), StageStart::Lost);
    assert_eq!(start(NewStageRun { version: 1, ..new.clone() }), StageStart::Lost);
    assert_eq!(start(NewStageRun { pipeline_run: Uuid::nil(), ..new.clone() }), StageStart::Lost);
    assert_eq!(wait(store.run(new.run.id)).unwrap(), None);
    assert_eq!(start(new.clone()), StageStart::Started);
    assert_eq!(start(new.clone()), StageStart::Exists);
    assert_eq!(wait(store.messages(new.run.id)).unwrap().len(), 1, "nothing was appended twice");
    assert_eq!(site.count("audit_log"), 2, "the start of the pipeline, and of the stage");
    assert!(wait(store.store_pipeline_step(next_step(&run, owner(1)))).unwrap());
    assert_eq!(start(new), StageStart::Lost, "the stage is over");
}

/// Clients may choose the ids of their runs, and that of a stage's run is no secret.
fn run_of_somebody_else_is_not_that_of_a_stage(fresh: fn() -> TestDatabase) {
    let check = |change: fn(&mut RunSettings), expected: StageStart| {
        let site = fresh();
        let store = site.store();
        let run = created(&*store, RUN, owner(1));
        let new = stage_run(&run, owner(1));
        let mut foreign = new.run.clone();
        change(&mut foreign.settings);
        let stored = wait(store.create(foreign.clone(), new.step.clone(), None)).unwrap();
        assert_eq!(stored, RunCreation::Stored);
        assert_eq!(wait(store.start_stage(new.clone())).unwrap(), expected);
        let kept = wait(store.run(new.run.id)).unwrap().unwrap();
        assert_eq!(kept.settings, foreign.settings, "nothing was changed");
    };
    check(|_| {}, StageStart::Exists);
    check(|settings| settings.stage = None, StageStart::Taken);
    check(|settings| settings.agent = Uuid::nil(), StageStart::Taken);
    check(|settings| settings.credential = "another".into(), StageStart::Taken);
    check(|settings| settings.stage.as_mut().unwrap().attempt = 2, StageStart::Taken);
}

fn requests_and_claims_reach_the_owner(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let alive = Uuid::from_u128(9);
    let run = created(&*store, RUN, owner(1));
    created(&*store, alive, owner(3));
    let abort = PipelineRequest::Abort { why: "enough".into() };
    let request = |id, request| wait(store.request_of_pipeline_run(id, request, at(2))).unwrap();
    assert!(!request(Uuid::nil(), PipelineRequest::Retry));
    assert!(request(RUN, PipelineRequest::Retry) && request(RUN, abort.clone()));
    assert_eq!(wait(store.pipeline_requests(owner(2))).unwrap(), []);
    let found = wait(store.pipeline_requests(owner(1))).unwrap();
    assert_eq!(found.iter().map(|one| &one.request).collect::<Vec<_>>(), [&PipelineRequest::Retry, &abort]);
    let fulfilled = PipelineStep { request: Some(found[0].seq), ..next_step(&run, owner(1)) };
    assert!(wait(store.store_pipeline_step(fulfilled)).unwrap());
    wait(store.sweep(WriteAccess::TESTS, owner(1), at(10))).unwrap();
    wait(store.sweep(WriteAccess::TESTS, owner(3), at(20))).unwrap();
    let claim = |seen| wait(store.claim_pipeline_runs(owner(2), at(seen), 10)).unwrap();
    assert_eq!(claim(10), NONE, "its owner was seen");
    assert_eq!(claim(15), [RUN]);
    assert_eq!(claim(15), NONE, "it is its own");
    let left = wait(store.pipeline_requests(owner(2))).unwrap();
    assert_eq!(left.into_iter().map(|one| one.request).collect::<Vec<_>>(), [abort]);
    assert!(
        !wait(store.store_pipeline_step(next_step(&run, owner(1)))).unwrap(),
        "the first owner is too late"
    );
}

fn active_runs_are_limited(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let run = created(&*store, RUN, owner(1));
    assert_eq!(wait(store.start_stage(stage_run(&run, owner(1)))).unwrap(), StageStart::Started);
    let (second, chunks) = new_run(Uuid::from_u128(8), owner(1));
    let create =
        |most| wait(store.create_pipeline_run(second.clone(), chunks.clone(), most, record())).unwrap();
    assert_eq!(create(Some(2)), RunCreation::TooMany { active: 2 });
    assert_eq!(create(Some(3)), RunCreation::Stored);
}

macro_rules! on_both {
    ($($name:ident)*) => {
        mod file {
            $(#[test]
            fn $name() {
                super::$name(crate::test_database::TestDatabase::file);
            })*
        }

        mod server {
            $(#[test]
            fn $name() {
                super::$name(crate::test_database::TestDatabase::server);
            })*
        }
    };
}

on_both! {
    definitions_are_stored
    steps_are_stored_once
    stage_is_started_once_and_by_the_owner
    run_of_somebody_else_is_not_that_of_a_stage
    requests_and_claims_reach_the_owner
    active_runs_are_limited
}
