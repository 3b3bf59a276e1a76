//! Runs of the agent: both databases store and find the same.

use sekisho_agent::conversation::{AssistantPart, Message, Provider};
use sekisho_agent::machine::{Chunk, RunEvent, RunLimits, RunState, Step};
use sekisho_agent::model::{ModelReply, StopReason, Usage};
use sekisho_agent::run_settings::RunSettings;
use sekisho_agent::runs::{RunCreation, RunQuery, RunRequest, StoredMessage, StoredRun, StoredStep};
use sekisho_gate::caller::Caller;
use sekisho_gate::registered_records::CheckedRecord;
use sekisho_gate::{ReplicaId, WriteAccess};
use sekisho_policy::{Call, Effect};
use sekisho_testkit::fixtures;
use sekisho_tools::run_storage::RunOutput;
use serde_json::json;
use uuid::Uuid;

use crate::harness::{at, wait};
use crate::test_database::TestDatabase;

const RUN: Uuid = Uuid::from_u128(7);
const NONE: [Uuid; 0] = [];

pub(crate) fn owner(number: u128) -> ReplicaId {
    ReplicaId(Uuid::from_u128(number))
}

pub(crate) fn new_run(id: Uuid, owner: ReplicaId) -> (StoredRun, Step) {
    let settings = RunSettings {
        agent: Uuid::from_u128(3),
        agent_name: "builder".into(),
        credential: "agent:builder".into(),
        provider: Provider::Scripted,
        model: "script".into(),
        system: Some("Be brief.\u{0}".into()),
        temperature: Some(0.7),
        max_tokens: 1000,
        context_tokens: 128_000,
        price: None,
        workspace: Some("/w".into()),
        enabled_tools: Some(vec!["read".into()]),
        requires_approval: false,
        mode: None,
        parent: None,
        stage: None,
        approvals_expire: false,
        tool_config: Default::default(),
    };
    let limits = RunLimits::replies(5);
    let (state, step) = RunState::start(limits, "go\u{0}".into());
    let run = StoredRun {
        id,
        settings,
        state,
        version: 0,
        chunk_count: 0,
        owner: Some(owner),
        created_at: at(1),
        updated_at: at(1),
    };
    (run, step)
}

/// The step in which the model says something and the run ends.
pub(crate) fn last_step(run: &StoredRun, owner: ReplicaId) -> StoredStep {
    let mut state = run.state.clone();
    let parts = vec![sekisho_agent::conversation::AssistantPart::Text { text: "Done.".into() }];
    let reply = ModelReply { parts, stop: StopReason::EndTurn, usage: Usage::default() };
    let step = state.handle(RunEvent::Replied(reply)).unwrap();
    StoredStep {
        run: run.id,
        owner,
        version: run.version,
        state,
        step,
        request: None,
        at: at(2),
        record: None,
    }
}

fn steps_are_stored_once(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (run, step) = new_run(RUN, owner(1));
    assert_eq!(wait(store.create(run.clone(), step, None)).unwrap(), RunCreation::Stored);
    // The first step has the message as its only chunk.
    assert_eq!(wait(store.run(RUN)).unwrap(), Some(StoredRun { chunk_count: 1, ..run.clone() }));
    assert_eq!(wait(store.run(Uuid::nil())).unwrap(), None);
    let record = CheckedRecord::for_tests(fixtures::rules_changed_record(at(2), "the run ended"));
    let last = StoredStep { record: Some(record), ..last_step(&run, owner(1)) };
    let records = site.count("audit_log");
    let foreign = StoredStep { owner: owner(2), ..last.clone() };
    let early = StoredStep { version: 5, ..last.clone() };
    let nobody = StoredStep { run: Uuid::nil(), ..last.clone() };
    for refused in [foreign, early, nobody] {
        assert!(!wait(store.store(refused)).unwrap());
    }
    assert!(wait(store.store(last.clone())).unwrap());
    assert!(!wait(store.store(last.clone())).unwrap(), "the same step twice");
    assert_eq!(site.count("audit_log"), records + 1, "a record is stored with its step, or not at all");
    let messages = wait(store.messages(RUN)).unwrap();
    assert_eq!(messages.first(), Some(&Message::User { text: "go\u{0}".into() }));
    assert_eq!(messages.len(), 2);
    let all = wait(store.chunks(RUN, 0, 100)).unwrap();
    assert_eq!(all.iter().map(|chunk| chunk.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(wait(store.chunks(RUN, 2, 1)).unwrap(), all[2..3]);
    let stored = wait(store.run(RUN)).unwrap().unwrap();
    assert_eq!((stored.state, stored.version, stored.updated_at), (last.state, 1, at(2)));
}

fn large_chunks_are_read_in_small_pages(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (run, mut step) = new_run(RUN, owner(1));
    let text = "x".repeat(200 << 10);
    step.chunks = (0..5).map(|_| Chunk::Text { text: text.clone() }).collect();
    step.chunks.push(Chunk::Text { text: "y".repeat(1 << 20) });
    assert_eq!(wait(store.create(run, step, None)).unwrap(), RunCreation::Stored);
    let read = |after, limit| -> Vec<u64> {
        wait(store.chunks(RUN, after, limit)).unwrap().iter().map(|chunk| chunk.seq).collect()
    };
    assert_eq!(read(0, 100), [1, 2]);
    assert_eq!(read(0, 1), [1]);
    assert_eq!(read(4, 100), [5, 6]);
    assert_eq!(read(5, 100), [6], "a chunk is read whole");
    assert!(read(6, 100).is_empty());
}

fn large_messages_are_read_in_small_pages(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (run, mut step) = new_run(RUN, owner(1));
    let says = |text: String| Message::Assistant { parts: vec![AssistantPart::Text { text }] };
    step.messages = (0..5).map(|_| says("x".repeat(200 << 10))).collect();
    step.messages.push(says("y".repeat(1 << 20)));
    step.messages.push(Message::User { text: "more".into() });
    let all = step.messages.clone();
    assert_eq!(wait(store.create(run, step, None)).unwrap(), RunCreation::Stored);
    let numbers = |page: Vec<StoredMessage>| -> Vec<u64> {
        assert!(page.iter().all(|stored| stored.message == all[usize::try_from(stored.seq).unwrap() - 1]));
        page.iter().map(|stored| stored.seq).collect()
    };
    let after = |after| numbers(wait(store.messages_after(RUN, after)).unwrap());
    assert_eq!(after(None), [1, 2]);
    assert_eq!(after(Some(5)), [6], "a message is read whole");
    assert!(after(Some(7)).is_empty());
    let before = |before| numbers(wait(store.messages_before(RUN, before)).unwrap());
    assert_eq!(before(None), [7, 6]);
    assert_eq!(before(Some(6)), [5, 4]);
    assert!(before(Some(1)).is_empty());
    assert_eq!(wait(store.messages(RUN)).unwrap(), all);
}

#[test]
fn large_messages_in_a_file_are_read_in_small_pages() {
    large_messages_are_read_in_small_pages(TestDatabase::file);
}

#[test]
fn large_messages_in_a_server_are_read_in_small_pages() {
    large_messages_are_read_in_small_pages(TestDatabase::server);
}

#[test]
fn large_chunks_in_a_file_are_read_in_small_pages() {
    large_chunks_are_read_in_small_pages(TestDatabase::file);
}

#[test]
fn large_chunks_in_a_server_are_read_in_small_pages() {
    large_chunks_are_read_in_small_pages(TestDatabase::server);
}

fn requests_reach_the_owner(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (run, step) = new_run(RUN, owner(1));
    assert_eq!(wait(store.create(run.clone(), step, None)).unwrap(), RunCreation::Stored);
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
        assert_eq!(wait(store.create(run.clone(), step, None)).unwrap(), RunCreation::Stored);
        if id == ended {
            assert!(wait(store.store(last_step(&run, of))).unwrap());
        }
    }
    wait(store.sweep(WriteAccess::TESTS, owner(1), at(10))).unwrap();
    wait(store.sweep(WriteAccess::TESTS, owner(3), at(20))).unwrap();
    assert_eq!(wait(store.claim(owner(2), at(10), 10)).unwrap(), NONE, "its owner was seen");
    assert_eq!(wait(store.claim(owner(2), at(15), 10)).unwrap(), [RUN]);
    assert_eq!(wait(store.claim(owner(2), at(15), 10)).unwrap(), NONE, "it is its own");
    assert_eq!(wait(store.run(RUN)).unwrap().unwrap().owner, Some(owner(2)));
}

/// A run that ended and whose owner is lost is taken up when somebody sends it a message.
fn requests_to_lost_runs_are_taken_up(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (run, step) = new_run(RUN, owner(1));
    assert_eq!(wait(store.create(run.clone(), step, None)).unwrap(), RunCreation::Stored);
    let last = last_step(&run, owner(1));
    assert!(wait(store.store(last.clone())).unwrap());
    assert_eq!(wait(store.claim(owner(2), at(10), 10)).unwrap(), NONE, "it has ended");
    assert!(wait(store.request(RUN, RunRequest::Message { text: "more".into() }, at(3))).unwrap());
    assert!(!wait(store.delete_run(RUN)).unwrap(), "it has a request");
    assert_eq!(wait(store.claim(owner(2), at(10), 10)).unwrap(), [RUN]);
    let found = wait(store.requests(owner(2))).unwrap();
    let fulfilled = StoredStep {
        owner: owner(2),
        version: 1,
        step: Step::default(),
        request: Some(found[0].seq),
        ..last
    };
    assert!(wait(store.store(fulfilled)).unwrap());
    assert_eq!(wait(store.requests(owner(2))).unwrap(), []);
    assert_eq!(wait(store.claim(owner(3), at(10), 10)).unwrap(), NONE, "nothing is left to do");
}

fn runs_are_listed(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let id = Uuid::from_u128;
    for number in 1..=4 {
        let (mut run, step) = new_run(id(number), owner(1));
        if number == 2 {
            run.settings.agent = id(99);
        }
        if number == 3 {
            run.settings.credential = "other\u{0}".into();
        }
        assert_eq!(wait(store.create(run.clone(), step, None)).unwrap(), RunCreation::Stored);
        if number == 4 {
            assert!(wait(store.store(last_step(&run, owner(1)))).unwrap());
        }
    }
    let check = |query: RunQuery, expected: &[u128]| {
        let found = wait(store.runs(query.clone())).unwrap();
        let found: Vec<_> = found.iter().map(|run| run.id.as_u128()).collect();
        assert_eq!(found, expected, "{query:?}");
    };
    let all = RunQuery { limit: 10, ..RunQuery::default() };
    check(all.clone(), &[4, 3, 2, 1]);
    check(RunQuery { limit: 2, ..all.clone() }, &[4, 3]);
    check(RunQuery { before: Some(id(3)), ..all.clone() }, &[2, 1]);
    check(RunQuery { agent: Some(id(99)), ..all.clone() }, &[2]);
    check(RunQuery { credential: Some("other\u{0}".into()), ..all.clone() }, &[3]);
    check(RunQuery { credential: Some("other".into()), ..all.clone() }, &[]);
    check(RunQuery { works: Some(false), ..all.clone() }, &[4]);
    let agent = Some(id(3));
    check(RunQuery { agent, works: Some(true), ..all.clone() }, &[3, 1]);
    check(RunQuery { agent, credential: Some("agent:builder".into()), ..all }, &[4, 1]);
}

fn active_runs_are_limited(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let create = |number, credential: &str| {
        let (mut run, step) = new_run(Uuid::from_u128(number), owner(1));
        run.settings.credential = credential.into();
        (wait(store.create(run.clone(), step, Some(2))).unwrap(), run)
    };
    let (made, first) = create(1, "a\u{0}");
    assert_eq!(made, RunCreation::Stored);
    assert_eq!(create(2, "a\u{0}").0, RunCreation::Stored);
    assert_eq!(create(3, "a\u{0}").0, RunCreation::TooMany { active: 2 });
    assert_eq!(wait(store.run(Uuid::from_u128(3))).unwrap(), None);
    assert_eq!((site.count("run_messages"), site.count("run_chunks")), (2, 2));
    assert_eq!(create(4, "a").0, RunCreation::Stored, "another credential");
    assert!(wait(store.store(last_step(&first, owner(1)))).unwrap());
    assert_eq!(wait(store.active_runs("a\u{0}".into())), Ok(1));
    assert_eq!(create(5, "a\u{0}").0, RunCreation::Stored, "one has ended");
    // A request makes it active again.
    let message = RunRequest::Message { text: "more".into() };
    assert!(wait(store.request(first.id, message, at(3))).unwrap());
    assert_eq!(create(6, "a\u{0}").0, RunCreation::TooMany { active: 3 });
}

#[test]
fn active_runs_in_a_file_are_limited() {
    active_runs_are_limited(TestDatabase::file);
}

#[test]
fn active_runs_in_a_server_are_limited() {
    active_runs_are_limited(TestDatabase::server);
}

fn deleted_runs_leave_their_executions(fresh: fn() -> TestDatabase) {
    let site = fresh();
    let store = site.store();
    let (run, step) = new_run(RUN, owner(1));
    assert_eq!(wait(store.create(run.clone(), step, None)).unwrap(), RunCreation::Stored);
    let call = Call { run_id: Some(RUN.to_string()), ..Call::new("read", json!({})) };
    let admitted = fixtures::admission(call, Caller::in_process("me"), at(1), Effect::Allow);
    wait(store.admit(WriteAccess::TESTS, admitted)).unwrap();
    let of_run = format!("SELECT count(*) FROM tool_executions WHERE execution_id = {}", site.id(RUN));
    assert_eq!(site.one(&of_run), 1);
    let output = RunOutput { run: RUN, id: Uuid::from_u128(1), text: "large".into(), at: at(1) };
    assert!(wait(store.keep_output(output, 100)).unwrap());
    assert!(!wait(store.delete_run(RUN)).unwrap(), "it is at work");
    assert!(wait(store.store(last_step(&run, owner(1)))).unwrap());
    assert!(wait(store.delete_run(RUN)).unwrap());
    assert!(!wait(store.delete_run(RUN)).unwrap(), "it is gone");
    assert_eq!(wait(store.run(RUN)).unwrap(), None);
    for table in ["run_messages", "run_chunks", "run_requests", "run_outputs"] {
        assert_eq!(site.count(table), 0, "{table}");
    }
    assert_eq!((site.count("tool_executions"), site.one(&of_run)), (1, 0));
}

#[test]
fn requests_to_lost_runs_in_a_file_are_taken_up() {
    requests_to_lost_runs_are_taken_up(TestDatabase::file);
}

#[test]
fn requests_to_lost_runs_in_a_server_are_taken_up() {
    requests_to_lost_runs_are_taken_up(TestDatabase::server);
}

#[test]
fn runs_in_a_file_are_listed() {
    runs_are_listed(TestDatabase::file);
}

#[test]
fn runs_in_a_server_are_listed() {
    runs_are_listed(TestDatabase::server);
}

#[test]
fn deleted_runs_in_a_file_leave_their_executions() {
    deleted_runs_leave_their_executions(TestDatabase::file);
}

#[test]
fn deleted_runs_in_a_server_leave_their_executions() {
    deleted_runs_leave_their_executions(TestDatabase::server);
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
