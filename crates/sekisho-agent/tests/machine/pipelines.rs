//! Runs of pipelines: the machine by itself, and with crashes at any point.

use std::collections::BTreeMap;

use jiff::Timestamp;
use sekisho_agent::model::Usage;
use sekisho_agent::pipelines::machine::{
    FailureCode, MAX_ATTEMPTS, PipelineChunk, PipelineEffect, PipelineEnd, PipelineEvent, PipelineState,
    StageFailure,
};
use uuid::Uuid;

const ID: Uuid = Uuid::from_u128(7);

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

fn tokens(input: u64) -> Usage {
    Usage { input, ..Usage::default() }
}

fn ended(run: Uuid, result: Result<&str, FailureCode>, used: u64) -> PipelineEvent {
    let result = result.map(str::to_owned).map_err(|code| StageFailure { code, detail: None });
    PipelineEvent::StageEnded { run, result, usage: tokens(used) }
}

fn start(stages: usize, max_tokens: Option<u64>) -> PipelineState {
    let (state, chunks) = PipelineState::start(ID, stages, (max_tokens, None), at(0));
    assert!(matches!(chunks[..], [PipelineChunk::StageStarted { stage: 0, attempt: 1, .. }]));
    state
}

/// The run of the stage that is under way.
fn run_of(state: &PipelineState, stage: usize) -> Uuid {
    match state.effect() {
        Some(PipelineEffect::RunStage { stage: found, run }) if found == stage => run,
        other => panic!("{other:?}"),
    }
}

#[test]
fn stages_run_one_after_the_other() {
    let mut state = start(2, None);
    let first = run_of(&state, 0);
    assert!(state.handle(ended(first, Ok("found"), 3), at(1)).is_some());
    let second = run_of(&state, 1);
    assert_ne!(first, second);
    assert_eq!(state.previous_output(1), "found");
    assert!(state.handle(ended(first, Ok("again"), 3), at(2)).is_none(), "it came twice");
    let chunks = state.handle(ended(second, Ok("written"), 4), at(3)).unwrap();
    assert!(matches!(chunks[..], [PipelineChunk::StageCompleted { .. }, PipelineChunk::Finished { .. }]));
    assert_eq!((state.end(), state.output()), (Some(&PipelineEnd::Completed), Some("written")));
    assert_eq!((state.usage, state.effect()), (tokens(7), None));
    assert!(state.handle(PipelineEvent::Retry, at(4)).is_none());
    assert!(state.handle(PipelineEvent::Abort { why: "late".into() }, at(4)).is_none());
}

#[test]
fn failed_stage_is_tried_again_without_those_before() {
    let mut state = start(2, None);
    let first = run_of(&state, 0);
    assert!(state.handle(ended(first, Ok("found"), 1), at(1)).is_some());
    let failed = run_of(&state, 1);
    assert!(state.handle(ended(failed, Err(FailureCode::MaxIterations), 1), at(2)).is_some());
    assert_eq!(state.retryable_stage(), Some(1));
    assert!(state.handle(PipelineEvent::Retry, at(3)).is_some());
    let again = run_of(&state, 1);
    assert_ne!(again, failed);
    assert!(state.handle(ended(failed, Ok("late"), 1), at(4)).is_none(), "of the earlier attempt");
    assert_eq!(state.previous_output(1), "found");
    assert!(state.handle(ended(again, Ok("written"), 1), at(5)).is_some());
    assert_eq!(state.end(), Some(&PipelineEnd::Completed));
    assert_eq!(state.stages.iter().map(|stage| stage.attempts.len()).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn attempts_are_limited() {
    let mut state = start(1, None);
    for attempt in 1..=MAX_ATTEMPTS {
        let run = run_of(&state, 0);
        assert!(state.handle(ended(run, Err(FailureCode::Error), 0), at(1)).is_some());
        assert_eq!(state.handle(PipelineEvent::Retry, at(2)).is_some(), attempt < MAX_ATTEMPTS);
    }
}

#[test]
fn abort_waits_for_the_run_of_the_stage() {
    let mut state = start(2, None);
    let run = run_of(&state, 0);
    assert!(state.handle(PipelineEvent::TimeUp, at(1)).is_some());
    assert_eq!(state.effect(), Some(PipelineEffect::EndStage { run }));
    assert!(state.handle(PipelineEvent::Abort { why: "enough".into() }, at(1)).is_some());
    assert!(state.handle(PipelineEvent::TimeUp, at(1)).is_none(), "an abort counts more");
    // The run may have been done just before it was ended: the next stage does not begin.
    assert!(state.handle(ended(run, Ok("found"), 1), at(2)).is_some());
    assert_eq!(state.end(), Some(&PipelineEnd::Aborted { why: "enough".into() }));
    assert_eq!(state.retryable_stage(), None);
}

#[test]
fn no_stage_begins_without_tokens() {
    let mut state = start(2, Some(10));
    let run = run_of(&state, 0);
    assert_eq!(state.tokens_left(), Some(10));
    assert!(state.handle(ended(run, Ok("found"), 12), at(1)).is_some());
    let Some(PipelineEnd::Failed { stage: 1, failure }) = state.end() else { panic!("{:?}", state.end()) };
    assert_eq!(failure.code, FailureCode::Budget);
    assert!(state.handle(PipelineEvent::Retry, at(2)).is_some());
    assert!(matches!(state.end(), Some(PipelineEnd::Failed { stage: 1, .. })));
}

/// Small and fast, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Drives a pipeline as the real driver does. After a crash it knows only what was stored.
fn explore(seed: u64) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let stages = 1 + usize::try_from(random.below(4)).unwrap();
    let (mut state, first) = PipelineState::start(ID, stages, (None, None), at(0));
    let (mut stored, mut chunks) = (serde_json::to_string(&state).unwrap(), first);
    // The runs of stages that exist, and how each ends.
    let mut runs: BTreeMap<Uuid, Result<String, StageFailure>> = BTreeMap::new();
    for turn in 0..10_000 {
        if random.below(4) == 0 {
            state = serde_json::from_str(&stored).unwrap();
        }
        let event = match (random.below(40), state.effect()) {
            (0, _) => PipelineEvent::Abort { why: "enough".into() },
            (1, _) => PipelineEvent::TimeUp,
            (_, None) if random.below(3) == 0 => break,
            (_, None) => PipelineEvent::Retry,
            (_, Some(PipelineEffect::RunStage { stage, run })) => {
                assert!(stage == 0 || state.stages[stage - 1].output.is_some(), "seed {seed}");
                let fails = random.below(3) == 0;
                let result = runs.entry(run).or_insert_with(|| match fails {
                    true => Err(StageFailure { code: FailureCode::Error, detail: None }),
                    false => Ok(format!("output {stage}")),
                });
                PipelineEvent::StageEnded { run, result: result.clone(), usage: tokens(1) }
            }
            (_, Some(PipelineEffect::EndStage { run })) => {
                let result = runs.get(&run).cloned();
                let never = Err(StageFailure { code: FailureCode::Aborted, detail: None });
                PipelineEvent::StageEnded { run, result: result.unwrap_or(never), usage: tokens(1) }
            }
        };
        let Some(more) = state.handle(event, at(turn)) else { continue };
        // The process may crash before the step is stored.
        if random.below(4) == 0 {
            state = serde_json::from_str(&stored).unwrap();
            continue;
        }
        stored = serde_json::to_string(&state).unwrap();
        chunks.extend(more);
    }
    let state: PipelineState = serde_json::from_str(&stored).unwrap();
    let begun: Vec<Uuid> =
        state.stages.iter().flat_map(|stage| &stage.attempts).map(|attempt| attempt.run).collect();
    let told = |chunk: &PipelineChunk| match chunk {
        PipelineChunk::StageStarted { run_id, .. } => Some(*run_id),
        _ => None,
    };
    let mut told: Vec<Uuid> = chunks.iter().filter_map(told).collect();
    let mut all = begun.clone();
    told.sort_unstable();
    all.sort_unstable();
    assert_eq!(told, all, "seed {seed}: each attempt is told once");
    all.dedup();
    assert_eq!(all.len(), begun.len(), "seed {seed}: each attempt has its own run");
    if state.end() == Some(&PipelineEnd::Completed) {
        for (at, stage) in state.stages.iter().enumerate() {
            assert_eq!(stage.output, Some(format!("output {at}")), "seed {seed}");
        }
    }
}

#[test]
fn crashes_lose_and_repeat_nothing() {
    for seed in 1..2000 {
        explore(seed);
    }
}
