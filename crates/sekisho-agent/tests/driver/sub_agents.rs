//! Sub-agents, over processes that crash.

use sekisho_agent::Runs;
use sekisho_agent::machine::{FinishReason, RunLimits};
use sekisho_agent::runs::{RunRequest, StoredRun};
use serde_json::{Value, json};
use uuid::Uuid;

use super::process::{Process, World};
use super::{allow, call, finish, send};

const MANY: RunLimits = RunLimits::replies(50);

/// Makes, starts and awaits one sub-agent.
fn script() -> Value {
    let made =
        json!({ "name": "helper", "system_prompt": "Help.", "enabled_tools": ["note", "risky", "slow"] });
    json!([
        { "calls": [{ "name": "create_sub_agent", "input": made }] },
        { "calls": [{ "name": "execute_sub_agent", "input": { "agent_id": "{{call_1_1.agent_id}}", "input": "go" } }] },
        { "calls": [{ "name": "get_sub_agent_result", "input": { "execution_id": "{{call_2_1.execution_id}}" } }] },
        { "text": "Done.", "expect": { "contains": "I have helped." } },
    ])
}

fn children(world: &World, run: Uuid) -> Vec<StoredRun> {
    let tree = sekisho_testkit::block_on(world.runs.tree(run)).unwrap();
    tree.into_iter().filter(|one| one.id != run).collect()
}

fn take_up(process: &Process) {
    process.block_on(process.driver.take_up(jiff::Timestamp::MAX, 100)).unwrap();
}

#[test]
fn sub_agent_works_and_its_parent_reads_the_result() {
    let child = json!([{ "calls": [call("note", "a"), call("risky", "b")] }, { "text": "I have helped." }]);
    let world = World::with_sub_agents(script(), child);
    let process = world.process();
    let run = process.start_limited("go", MANY);
    let question = process.wait_for_question();
    let chain: Vec<&str> = question.asked.around.chain.iter().map(|link| link.agent.as_str()).collect();
    assert_eq!(chain, ["builder"]);
    assert_eq!(question.asked.call.agent.as_ref().unwrap().id, "builder/helper");
    process.answer(&question, allow());
    process.wait_for_end(run);
    assert_eq!((finish(&world, run), world.notes()), (FinishReason::Stop, vec!["a".into(), "b".into()]));
    assert_eq!(children(&world, run).len(), 1);
    process.wait_until("no task is left", || process.driver.active_count() == 0);
}

/// A process is lost again and again, after every few steps. No sub-agent is lost or doubled.
#[test]
fn sub_agents_survive_crashes() {
    let child = json!([{ "calls": [call("note", "a")] }, { "calls": [call("risky", "b")] }, { "text": "I have helped." }]);
    let world = World::with_sub_agents(script(), child);
    let first = world.process();
    let run = first.start_limited("go", MANY);
    drop(first);
    for _ in 0..200 {
        let process = world.process();
        take_up(&process);
        let before = steps(&world, run);
        process.wait_until("a step, or a question", || {
            steps(&world, run) > before
                || !process.pending().is_empty()
                || world.runs.state(run).state.has_ended()
        });
        if let Some(question) = process.pending().first() {
            process.answer(question, allow());
        }
        if world.runs.state(run).state.has_ended() {
            break;
        }
    }
    assert_eq!(finish(&world, run), FinishReason::Stop, "{:#?}", world.runs.all_messages(run));
    assert_eq!(children(&world, run).len(), 1);
    // A note whose end nobody saw is not written again.
    let mut notes = world.notes();
    notes.sort();
    let times = |text: &str| notes.iter().filter(|note| *note == text).count();
    assert!(times("a") <= 1 && times("b") <= 1, "{notes:?}");
}

fn steps(world: &World, run: Uuid) -> u64 {
    let tree = sekisho_testkit::block_on(world.runs.tree(run)).unwrap();
    tree.iter().map(|one| one.version).sum()
}

/// The process dies right after the parent was aborted. The next one ends the sub-agent.
#[test]
fn orphans_are_ended_after_a_crash() {
    let world = World::with_sub_agents(script(), json!([{ "calls": [call("slow", "a")] }]));
    let first = world.process();
    let run = first.start_limited("go", MANY);
    first.wait_until("the sub-agent works", || world.notes() == ["a"]);
    drop(first);
    let second = world.process();
    // The request is stored, and nobody drives the runs yet.
    send(&second, run, RunRequest::Abort { why: "enough".into() });
    drop(second);
    let third = world.process();
    take_up(&third);
    third.wait_for_end(run);
    third.wait_until("the sub-agent ends", || {
        children(&world, run).iter().all(|child| child.state.has_ended())
    });
    assert!(matches!(finish(&world, run), FinishReason::Aborted { .. }));
    third.wait_until("no task is left", || third.driver.active_count() == 0);
    assert_eq!(world.notes(), ["a"]);
}

#[test]
fn sub_agent_ends_with_its_parent_whatever_ends_it() {
    let mut ends_early = script();
    ends_early[2] = json!({ "text": "Done." });
    let world =
        World::with_sub_agents(ends_early, json!([{ "calls": [call("slow", "a"), call("risky", "b")] }]));
    let process = world.process();
    let run = process.start_limited("go", MANY);
    process.wait_for_end(run);
    process.wait_until("the sub-agent ends", || {
        children(&world, run).iter().all(|child| child.state.effects().is_empty())
    });
    process.wait_until("no task is left", || process.driver.active_count() == 0);
    assert!(process.pending().is_empty());
}
