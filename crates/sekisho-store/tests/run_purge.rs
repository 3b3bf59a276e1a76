//! Purging reaches what runs of agents said and did: both databases delete the same.

use sekisho_agent::conversation::Message;
use sekisho_agent::machine::{Chunk, FinishReason, Phase, RunEvent};
use sekisho_agent::pipelines::machine::{
    FailureCode, PipelineChunk, PipelineEnd, PipelineEvent, StageFailure,
};
use sekisho_agent::pipelines::stored_runs::{PipelineStep, StageStart, StoredPipelineRun};
use sekisho_agent::run_trees::{SubAgent, SubAgentSpec, TreeGrowth, TreeLimits};
use sekisho_agent::runs::{RunCreation, StoredRun, StoredStep};
use uuid::Uuid;

use crate::harness::{at, wait};
use crate::pipelines::{created, next_step, stage_run};
use crate::run_trees::child;
use crate::runs::{last_step, new_run, owner};
use crate::test_database::{TestDatabase, TestPorts};

const RUN: Uuid = Uuid::from_u128(7);
const SECRET: &str = "K4tzenklo77";

/// A run whose message contains the secret.
fn started(store: &dyn TestPorts, id: Uuid) -> StoredRun {
    let (run, mut step) = new_run(id, owner(1));
    step.messages = vec![Message::User { text: format!("the password is {SECRET}") }];
    assert_eq!(wait(store.create(run.clone(), step, None)).unwrap(), RunCreation::Stored);
    run
}

/// Ends a run with a reason that contains the secret.
fn aborted(run: &StoredRun) -> StoredStep {
    let mut state = run.state.clone();
    let step = state.handle(RunEvent::Abort { why: format!("it knows {SECRET}") }).unwrap();
    StoredStep { state, step, ..last_step(run, owner(1)) }
}

/// Everything that is stored about runs, as text.
fn stored_texts(site: &TestDatabase) -> String {
    let sql = "SELECT body FROM run_messages UNION ALL SELECT body FROM run_chunks \
        UNION ALL SELECT state FROM runs UNION ALL SELECT settings FROM runs UNION ALL SELECT spec FROM sub_agents \
        UNION ALL SELECT settings FROM pipeline_runs UNION ALL SELECT state FROM pipeline_runs \
        UNION ALL SELECT body FROM pipeline_chunks";
    site.texts(sql).join("\n")
}

fn is_purged(store: &dyn TestPorts, run: Uuid) -> bool {
    let messages = wait(store.messages(run)).unwrap();
    matches!(messages.as_slice(), [Message::User { text }] if text.contains("were purged"))
}

fn ended_runs_are_purged(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (run, working) = (started(&*store, RUN), started(&*store, Uuid::from_u128(8)));
    assert!(wait(store.store(aborted(&run))).unwrap());
    wait(store.purge(at(3))).unwrap();
    assert!(!is_purged(&*store, RUN), "it ended too late");
    wait(store.purge(at(1000))).unwrap();
    assert!(is_purged(&*store, RUN));
    assert!(!is_purged(&*store, working.id), "it has something to do");
    assert!(stored_texts(&site).contains(SECRET), "in the run that goes on");
    assert!(wait(store.store(aborted(&working))).unwrap());
    wait(store.purge(at(1000))).unwrap();
    assert!(is_purged(&*store, working.id));
    let left = stored_texts(&site);
    assert!(!left.contains(SECRET), "{left}");

    // The run and its end stay, and its stream can be read.
    let stored = wait(store.run(RUN)).unwrap().unwrap();
    let end =
        Phase::Ended { reason: FinishReason::Aborted { why: "purged".into() }, withdrawing: Vec::new() };
    assert_eq!((stored.state.phase, stored.version, stored.updated_at), (end, 1, at(2)));
    let chunks = wait(store.chunks(RUN, 0, 100)).unwrap();
    assert!(matches!(chunks[0].chunk, Chunk::UserMessage { .. }), "{chunks:?}");
    assert!(matches!(chunks[1].chunk, Chunk::Finished { .. }), "{chunks:?}");
    assert_eq!((chunks.len(), chunks[1].seq), (2, stored.chunk_count));
    wait(store.purge(at(1000))).unwrap();
    assert_eq!(wait(store.chunks(RUN, 0, 100)).unwrap(), chunks, "it is purged once");
}

/// Who sends a message to a purged run continues it without the earlier messages.
fn purged_runs_can_be_continued(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let run = started(&*store, RUN);
    let last = last_step(&run, owner(1));
    assert!(wait(store.store(last.clone())).unwrap());
    wait(store.purge(at(1000))).unwrap();
    let mut state = last.state.clone();
    let step = state.handle(RunEvent::Message("more".into())).unwrap();
    let next = StoredStep { version: 1, state, step, at: at(2000), ..last };
    assert!(wait(store.store(next)).unwrap());
    wait(store.purge(at(3000))).unwrap();
    let messages = wait(store.messages(RUN)).unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1], Message::User { text: "more".into() });
}

fn runs_that_others_need_are_kept(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let root = started(&*store, RUN);
    let mut below = child(8, &root);
    below.settings.system = Some(SECRET.into());
    let (_, step) = new_run(below.id, owner(2));
    let limits = TreeLimits { runs: 10, active: None };
    assert_eq!(wait(store.create_child(below.clone(), step, limits)).unwrap(), TreeGrowth::Stored);
    let spec = SubAgentSpec {
        name: "builder/r".into(),
        system_prompt: SECRET.into(),
        model: "m".into(),
        tools: Default::default(),
    };
    let agent = SubAgent { id: Uuid::from_u128(9), run: RUN, spec, created_at: at(1) };
    assert_eq!(wait(store.create_sub_agent(agent, 10)).unwrap(), TreeGrowth::Stored);
    assert!(wait(store.store(last_step(&below, owner(2)))).unwrap());
    wait(store.purge(at(1000))).unwrap();
    assert!(!is_purged(&*store, below.id), "its parent is at work");
    assert!(wait(store.store(aborted(&root))).unwrap());
    wait(store.purge(at(1000))).unwrap();
    assert!(is_purged(&*store, RUN) && is_purged(&*store, below.id));
    let left = stored_texts(&site);
    assert!(!left.contains(SECRET), "{left}");
}

fn runs_of_a_working_pipeline_are_kept(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let pipeline = created(&*store, Uuid::from_u128(20), owner(1));
    let new = stage_run(&pipeline, owner(1));
    let stage = new.run.clone();
    assert_eq!(wait(store.start_stage(new)).unwrap(), StageStart::Started);
    assert!(wait(store.store(last_step(&stage, owner(1)))).unwrap());
    wait(store.purge(at(1000))).unwrap();
    assert!(!is_purged(&*store, stage.id), "its output was not taken");
    let first = next_step(&pipeline, owner(1));
    let second = StoredPipelineRun { state: first.state.clone(), version: 1, ..pipeline };
    assert!(wait(store.store_pipeline_step(first)).unwrap());
    assert!(wait(store.store_pipeline_step(next_step(&second, owner(1)))).unwrap());
    wait(store.purge(at(1000))).unwrap();
    assert!(is_purged(&*store, stage.id), "the pipeline has ended");
}

/// A run of a pipeline whose input, prompt, first output and end contain the secret.
fn secret_pipeline(store: &dyn TestPorts, id: u128, how: Ending) -> Uuid {
    let (mut run, chunks) = crate::pipelines::new_run(Uuid::from_u128(id), owner(1));
    run.settings.input = SECRET.into();
    run.settings.definition.description = Some(SECRET.into());
    run.settings.definition.stages[0].prompt = format!("{SECRET} {{{{input}}}}");
    let record = crate::pipelines::record();
    assert_eq!(
        wait(store.create_pipeline_run(run.clone(), chunks, None, record)).unwrap(),
        RunCreation::Stored
    );
    let failure = StageFailure::new(FailureCode::Error, format!("the provider said {SECRET}"));
    let (done, failed) = (Some(Ok(SECRET.to_owned())), Some(Err(failure)));
    // None: somebody aborts it.
    let events = match how {
        Ending::Completed => vec![done.clone(), done],
        Ending::Failed => vec![done, failed],
        Ending::Aborted => vec![done, None, failed],
        Ending::None => vec![done],
    };
    for (version, event) in (0..).zip(events) {
        let stage_run = run.state.current_run().unwrap();
        let event = match event {
            Some(result) => PipelineEvent::StageEnded { run: stage_run, result, usage: Default::default() },
            None => PipelineEvent::Abort { why: SECRET.into() },
        };
        let chunks = run.state.handle(event, at(2)).unwrap();
        let step = PipelineStep {
            run: run.id,
            owner: owner(1),
            version,
            state: run.state.clone(),
            chunks,
            request: None,
            at: at(2),
        };
        assert!(wait(store.store_pipeline_step(step)).unwrap());
    }
    run.id
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    Completed,
    Failed,
    Aborted,
    None,
}

fn ended_pipelines_are_purged(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let ends = [(1, Ending::Completed), (2, Ending::Failed), (3, Ending::Aborted)];
    let runs = ends.map(|(id, how)| (secret_pipeline(&*store, id, how), how));
    wait(store.purge(at(3))).unwrap();
    for (run, how) in runs {
        let run = wait(store.pipeline_run(run)).unwrap().unwrap();
        assert_eq!((run.settings.input.as_str(), run.state.is_purged), (SECRET, false), "{how:?} too late");
    }
    wait(store.purge(at(1000))).unwrap();
    let left = stored_texts(&site);
    assert!(!left.contains(SECRET), "{left}");
    for (id, how) in runs {
        let run = wait(store.pipeline_run(id)).unwrap().unwrap();
        assert!(run.state.is_purged && run.state.retryable_stage().is_none(), "{how:?}");
        assert_eq!(run.settings.definition.name, "report");
        // The end stays, under the number of the last chunk.
        let chunks = wait(store.pipeline_chunks(id, 0, 100)).unwrap();
        assert_eq!((chunks.len(), chunks[0].seq), (1, run.chunk_count), "{how:?}");
        let end = run.state.end().unwrap();
        assert!(
            matches!(&chunks[0].chunk, PipelineChunk::Finished { end: told, .. } if told == end),
            "{how:?}"
        );
        let expected = match how {
            Ending::Completed => matches!(end, PipelineEnd::Completed),
            Ending::Failed => matches!(end, PipelineEnd::Failed { stage: 1, .. }),
            Ending::Aborted | Ending::None => matches!(end, PipelineEnd::Aborted { .. }),
        };
        assert!(expected, "{how:?}: {end:?}");
        wait(store.purge(at(1000))).unwrap();
        assert_eq!(wait(store.pipeline_chunks(id, 0, 100)).unwrap(), chunks, "it is purged once");
    }
    let working = secret_pipeline(&*store, 4, Ending::None);
    wait(store.purge(at(1000))).unwrap();
    assert_eq!(wait(store.pipeline_run(working)).unwrap().unwrap().settings.input, SECRET);
}

#[test]
fn ended_pipelines_in_a_file_are_purged() {
    ended_pipelines_are_purged(TestDatabase::file);
}

#[test]
fn ended_pipelines_in_a_server_are_purged() {
    ended_pipelines_are_purged(TestDatabase::server);
}

/// Deleted rows are overwritten, in the file and in its log.
#[test]
fn file_has_no_bytes_of_what_was_purged() {
    let site = TestDatabase::file();
    let store = site.store();
    let run = started(&*store, RUN);
    secret_pipeline(&*store, 1, Ending::Failed);
    let bytes = || {
        let path = site.address();
        let files =
            [path.to_owned(), format!("{path}-wal")].map(|path| std::fs::read(path).unwrap_or_default());
        files.iter().any(|bytes| bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()))
    };
    assert!(wait(store.store(aborted(&run))).unwrap());
    assert!(bytes(), "it was stored");
    wait(store.purge(at(1000))).unwrap();
    assert!(!bytes(), "it was purged");
}

#[test]
fn ended_runs_in_a_file_are_purged() {
    ended_runs_are_purged(TestDatabase::file);
}

#[test]
fn ended_runs_in_a_server_are_purged() {
    ended_runs_are_purged(TestDatabase::server);
}

#[test]
fn purged_runs_in_a_file_can_be_continued() {
    purged_runs_can_be_continued(TestDatabase::file);
}

#[test]
fn purged_runs_in_a_server_can_be_continued() {
    purged_runs_can_be_continued(TestDatabase::server);
}

#[test]
fn runs_in_a_file_that_others_need_are_kept() {
    runs_that_others_need_are_kept(TestDatabase::file);
}

#[test]
fn runs_in_a_server_that_others_need_are_kept() {
    runs_that_others_need_are_kept(TestDatabase::server);
}

#[test]
fn runs_of_a_working_pipeline_in_a_file_are_kept() {
    runs_of_a_working_pipeline_are_kept(TestDatabase::file);
}

#[test]
fn runs_of_a_working_pipeline_in_a_server_are_kept() {
    runs_of_a_working_pipeline_are_kept(TestDatabase::server);
}
