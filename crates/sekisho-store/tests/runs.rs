//! Runs of the agent: both databases store and find the same.

use sekisho_agent::conversation::{Message, Provider};
use sekisho_agent::machine::{RunEvent, RunLimits, RunState, Step};
use sekisho_agent::model::{ModelReply, StopReason, Usage};
use sekisho_agent::run_settings::RunSettings;
use sekisho_agent::runs::{RunRequest, StoredRun, StoredStep};
use sekisho_gate::{ReplicaId, WriteAccess};
use uuid::Uuid;

use crate::harness::{at, wait};
use crate::test_database::TestDatabase;

const RUN: Uuid = Uuid::from_u128(7);

fn owner(number: u128) -> ReplicaId {
    ReplicaId(Uuid::from_u128(number))
}

fn new_run(id: Uuid, owner: ReplicaId) -> (StoredRun, Step) {
    let settings = RunSettings {
        agent: Uuid::from_u128(3),
        agent_name: "builder".into(),
        credential: "agent:builder".into(),
        provider: Provider::Scripted,
        model: "script".into(),
        system: Some("Be brief.\u{0}".into()),
        temperature: Some(0.7),
        max_tokens: 1000,
        workspace: Some("/w".into()),
        enabled_tools: Some(vec!["read".into()]),
        tool_config: Default::default(),
    };
    let limits = RunLimits { max_iterations: 5, max_tokens: None };
    let (state, step) = RunState::start(limits, "go\u{0}".into());
    let run = StoredRun {
        id,
        settings,
        state,
        version: 0,
        owner: Some(owner),
        created_at: at(1),
        updated_at: at(1),
    };
    (run, step)
}

/// The step in which the model says something and the run ends.
fn last_step(run: &StoredRun, owner: ReplicaId) -> StoredStep {
    let mut state = run.state.clone();
    let parts = vec![sekisho_agent::conversation::AssistantPart::Text { text: "Done.".into() }];
    let reply = ModelReply { parts, stop: StopReason::EndTurn, usage: Usage::default() };
    let step = state.handle(RunEvent::Replied(reply)).unwrap();
    StoredStep { run: run.id, owner, version: run.version, state, step, request: None, at: at(2) }
}

fn steps_are_stored_once(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (run, step) = new_run(RUN, owner(1));
    wait(store.create(run.clone(), step)).unwrap();
    assert_eq!(wait(store.run(RUN)).unwrap(), Some(run.clone()));
    assert_eq!(wait(store.run(Uuid::nil())).unwrap(), None);
    let last = last_step(&run, owner(1));
    let foreign = StoredStep { owner: owner(2), ..last.clone() };
    let early = StoredStep { version: 5, ..last.clone() };
    let nobody = StoredStep { run: Uuid::nil(), ..last.clone() };
    for refused in [foreign, early, nobody] {
        assert!(!wait(store.store(refused)).unwrap());
    }
    assert!(wait(store.store(last.clone())).unwrap());
    assert!(!wait(store.store(last.clone())).unwrap(), "the same step twice");
    let messages = wait(store.messages(RUN)).unwrap();
    assert_eq!(messages.first(), Some(&Message::User { text: "go\u{0}".into() }));
    assert_eq!(messages.len(), 2);
    let all = wait(store.chunks(RUN, 0, 100)).unwrap();
    assert_eq!(all.iter().map(|chunk| chunk.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(wait(store.chunks(RUN, 2, 1)).unwrap(), all[2..3]);
    let stored = wait(store.run(RUN)).unwrap().unwrap();
    assert_eq!((stored.state, stored.version, stored.updated_at), (last.state, 1, at(2)));
}

fn requests_reach_the_owner(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (run, step) = new_run(RUN, owner(1));
    wait(store.create(run.clone(), step)).unwrap();
    let message = RunRequest::Message { text: "more".into() };
    let abort = RunRequest::Abort { why: "enough".into() };
    assert!(!wait(store.request(Uuid::nil(), message.clone(), at(2))).unwrap());
    assert!(wait(store.request(RUN, message.clone(), at(2))).unwrap());
    assert!(wait(store.request(RUN, abort.clone(), at(3))).unwrap());
    assert!(wait(store.requests(owner(2))).unwrap().is_empty());
    let found = wait(store.requests(owner(1))).unwrap();
    assert_eq!(found.iter().map(|one| one.request.clone()).collect::<Vec<_>>(), [message, abort.clone()]);
    let fulfilled = StoredStep { request: Some(found[0].seq), ..last_step(&run, owner(1)) };
    assert!(wait(store.store(fulfilled)).unwrap());
    let left = wait(store.requests(owner(1))).unwrap();
    assert_eq!(left.into_iter().map(|one| one.request).collect::<Vec<_>>(), [abort]);
}

fn lost_runs_are_claimed_once(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (ended, alive) = (Uuid::from_u128(8), Uuid::from_u128(9));
    for (id, of) in [(RUN, owner(1)), (ended, owner(1)), (alive, owner(3))] {
        let (run, step) = new_run(id, of);
        wait(store.create(run.clone(), step)).unwrap();
        if id == ended {
            assert!(wait(store.store(last_step(&run, of))).unwrap());
        }
    }
    wait(store.sweep(WriteAccess::TESTS, owner(1), at(10))).unwrap();
    wait(store.sweep(WriteAccess::TESTS, owner(3), at(20))).unwrap();
    assert_eq!(wait(store.claim(owner(2), at(10), 10)).unwrap(), [], "its owner was seen");
    assert_eq!(wait(store.claim(owner(2), at(15), 10)).unwrap(), [RUN]);
    assert_eq!(wait(store.claim(owner(2), at(15), 10)).unwrap(), [], "it is its own");
    assert_eq!(wait(store.run(RUN)).unwrap().unwrap().owner, Some(owner(2)));
}

#[test]
fn steps_are_stored_once_in_a_file() {
    steps_are_stored_once(TestDatabase::file);
}

#[test]
fn steps_are_stored_once_in_a_server() {
    steps_are_stored_once(TestDatabase::server);
}

#[test]
fn requests_reach_the_owner_through_a_file() {
    requests_reach_the_owner(TestDatabase::file);
}

#[test]
fn requests_reach_the_owner_through_a_server() {
    requests_reach_the_owner(TestDatabase::server);
}

#[test]
fn lost_runs_in_a_file_are_claimed_once() {
    lost_runs_are_claimed_once(TestDatabase::file);
}

#[test]
fn lost_runs_in_a_server_are_claimed_once() {
    lost_runs_are_claimed_once(TestDatabase::server);
}
