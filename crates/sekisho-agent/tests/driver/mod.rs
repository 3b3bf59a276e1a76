//! The driver with a real gate and real tools, over stores that outlive its processes.

mod budgets;
mod messages;
mod process;
mod sub_agents;

use jiff::SignedDuration;
use sekisho_agent::RunSettings;
use sekisho_agent::driver::RunError;
use sekisho_agent::machine::{FinishReason, Phase, RunLimits};
use sekisho_agent::run_summary::waiting_calls;
use sekisho_agent::runs::RunRequest;
use sekisho_agent::spending::ExceededBudget;
use sekisho_gate::answer::Answer;
use sekisho_gate::refusal::RefusalCode;
use sekisho_testkit::agent_doubles::run_settings;
use serde_json::json;
use uuid::Uuid;

use process::{Process, World};

fn allow() -> Answer {
    Answer::approve()
}

fn deny(reason: &str, interrupt: bool) -> Answer {
    Answer { reason: Some(reason.into()), interrupt, ..Answer::deny() }
}

fn finish(world: &World, run: Uuid) -> FinishReason {
    match world.runs.state(run).state.phase {
        Phase::Ended { reason, .. } => reason,
        other => panic!("the run goes on: {other:?}"),
    }
}

fn call(name: &str, text: &str) -> serde_json::Value {
    json!({ "name": name, "input": { "text": text } })
}

fn send(process: &Process, run: Uuid, request: RunRequest) {
    process.block_on(process.driver.request(run, request)).unwrap();
}

#[test]
fn allowed_calls_run_and_others_are_asked_about() {
    let script = json!([
        { "text": "I begin.", "calls": [call("note", "a"), call("risky", "b"), call("forbidden", "c"),
            call("unknown", "d")] },
        { "text": "Done.", "expect": { "contains": "noted b" } },
    ]);
    let world = World::new(script);
    let process = world.process();
    let run = process.start("go");
    let question = process.wait_for_question();
    process.wait_until("the allowed call", || world.notes() == ["a"]);
    process.answer(&question, allow());
    process.wait_for_end(run);
    assert_eq!(finish(&world, run), FinishReason::Stop);
    assert_eq!(world.notes(), ["a", "b"]);
    let results = process.results(run);
    assert_eq!(results[0], "noted a");
    assert_eq!(results[1], "noted b");
    assert!(results[2].starts_with("Permission denied: "), "{results:?}");
    assert_eq!(results[3], "Unknown tool: unknown");
    process.wait_until("the task ends", || process.driver.active_count() == 0);
}

#[test]
fn model_reads_why_a_human_refused() {
    let script =
        json!([{ "calls": [call("risky", "a")] }, { "expect": { "contains": "use the other branch" } }]);
    let world = World::new(script);
    let process = world.process();
    let run = process.start("go");
    process.answer(&process.wait_for_question(), deny("use the other branch", false));
    process.wait_for_end(run);
    assert_eq!(process.results(run), ["Permission denied: use the other branch"]);
    assert_eq!((world.notes(), finish(&world, run)), (vec![], FinishReason::Stop));
}

#[test]
fn model_reads_that_the_input_was_changed() {
    let world = World::new(json!([{ "calls": [call("risky", "a")] }]));
    let process = world.process();
    let run = process.start("go");
    let edited = Answer { updated_input: Some(json!({ "text": "b" })), ..allow() };
    process.answer(&process.wait_for_question(), edited);
    process.wait_for_end(run);
    assert_eq!(world.notes(), ["b"]);
    let [result] = &process.results(run)[..] else { panic!() };
    assert!(result.contains(r#"It ran with: {"text":"b"}"#) && result.ends_with("noted b"), "{result}");
}

#[test]
fn questions_expire_if_the_run_is_started_so() {
    let script =
        json!([{ "calls": [call("risky", "a")] }, { "calls": [call("risky", "b")] }, { "text": "Enough." }]);
    let world = World::new(script);
    let process = world.process();
    let settings = RunSettings { approvals_expire: true, ..run_settings() };
    let limits = RunLimits::replies(5);
    let run = process.block_on(process.driver.start(settings, limits, "go".into())).unwrap();
    for _ in 0..2 {
        let question = process.wait_for_question();
        let deadline = question.asked.at + SignedDuration::from_secs(120);
        assert_eq!(question.fate.deadline, Some(deadline));
        world.clock.advance(SignedDuration::from_secs(119));
        assert!(!process.pending().is_empty());
        world.clock.advance(SignedDuration::from_secs(1));
        process
            .wait_until("the expiry", || process.pending().first().is_none_or(|open| open.id != question.id));
    }
    process.wait_for_end(run);
    let expired = RefusalCode::Expired.sentence();
    assert!(
        process.results(run).iter().all(|result| result.ends_with(&*expired)),
        "{:?}",
        process.results(run)
    );
    assert_eq!((world.notes(), finish(&world, run)), (vec![], FinishReason::Stop));

    // By default they wait.
    let run = process.start("go");
    assert_eq!(process.wait_for_question().fate.deadline, None);
    send(&process, run, RunRequest::Abort { why: "enough".into() });
    process.wait_for_end(run);
}

#[test]
fn interrupting_answer_ends_the_run_and_withdraws_other_questions() {
    let world = World::new(json!([{ "calls": [call("risky", "a"), call("risky", "b")] }]));
    let process = world.process();
    let run = process.start("go");
    process.wait_until("two questions", || process.pending().len() == 2);
    process.answer(&process.pending()[0].clone(), deny("stop", true));
    process.wait_for_end(run);
    assert_eq!(finish(&world, run), FinishReason::Interrupted);
    assert!(process.pending().is_empty());
    assert!(world.notes().is_empty());
}

#[test]
fn abort_ends_tools_and_questions() {
    let world = World::new(json!([{ "calls": [call("slow", "a"), call("risky", "b")] }]));
    let process = world.process();
    let run = process.start("go");
    process.wait_for_question();
    process.wait_until("the tool runs", || world.notes() == ["a"]);
    send(&process, run, RunRequest::Abort { why: "enough".into() });
    process.wait_for_end(run);
    assert_eq!(finish(&world, run), FinishReason::Aborted { why: "enough".into() });
    process.wait_until("no task is left", || process.driver.active_count() == 0);
    assert!(process.pending().is_empty());
}

#[test]
fn interrupt_ends_the_tools_and_the_run_goes_on() {
    let script = json!([
        { "calls": [call("slow", "a"), call("risky", "b")] },
        { "text": "Stopped.", "expect": { "contains": "A human interrupted this call" } },
    ]);
    let world = World::new(script);
    let process = world.process();
    let run = process.start("go");
    let question = process.wait_for_question();
    process.wait_until("the tool runs", || world.notes() == ["a"]);
    send(&process, run, RunRequest::Interrupt);
    process.wait_until("the tool ends", || world.runs.state(run).state.is_suspended());
    assert_eq!(process.pending()[0].id, question.id, "what waits goes on waiting");
    process.answer(&question, allow());
    process.wait_for_end(run);
    assert_eq!(finish(&world, run), FinishReason::Stop);
    assert!(
        process.results(run)[0].starts_with("[A human interrupted this call"),
        "{:?}",
        process.results(run)
    );
    assert_eq!(world.notes(), ["a", "b"]);
}

#[test]
fn message_continues_an_ended_run() {
    let world =
        World::new(json!([{ "text": "Hello." }, { "text": "Again.", "expect": { "contains": "and now?" } }]));
    let process = world.process();
    let run = process.start("go");
    process.wait_for_end(run);
    send(&process, run, RunRequest::Message { text: "and now?".into() });
    process.wait_until("the second reply", || world.runs.all_messages(run).len() == 4);
    process.wait_for_end(run);
    assert_eq!(finish(&world, run), FinishReason::Stop);
    let nobody = Uuid::nil();
    let error = process.block_on(process.driver.request(nobody, RunRequest::Message { text: "x".into() }));
    assert_eq!(error, Err(RunError::NotFound(nobody)));
}

#[test]
fn done_ends_the_run() {
    let world = World::new(json!([{ "calls": [{ "name": "done", "input": { "result": "ready" } }] }]));
    let process = world.process();
    let run = process.start("go");
    process.wait_for_end(run);
    assert_eq!((process.results(run), finish(&world, run)), (vec!["ready".into()], FinishReason::Stop));
}

const TIME_UP: FinishReason = FinishReason::Budget { exceeded: ExceededBudget::Time };

/// One minute.
const MINUTE: RunLimits = RunLimits { max_seconds: Some(60), ..RunLimits::replies(5) };

#[test]
fn run_ends_when_its_time_is_over() {
    let world =
        World::new(json!([{ "calls": [call("slow", "a"), call("risky", "b")] }, { "text": "Done." }]));
    let process = world.process();
    let run = process.start_limited("go", MINUTE);
    process.wait_until("the question", || waiting_calls(&world.runs.state(run).state).len() == 1);
    process.wait_until("the tool runs", || world.notes() == ["a"]);
    world.clock.advance(SignedDuration::from_secs(59));
    assert!(!world.runs.state(run).state.has_ended());
    world.clock.advance(SignedDuration::from_secs(1));
    process.wait_for_end(run);
    assert_eq!(finish(&world, run), TIME_UP);
    assert_eq!(process.results(run)[1], "Not run: the time of the run is over.");
    process.wait_until("no task is left", || process.driver.active_count() == 0);
    assert!(process.pending().is_empty());

    let replies = world.runs.state(run).state.replies;
    let messages = world.runs.all_messages(run).len();
    send(&process, run, RunRequest::Message { text: "go on".into() });
    process.wait_until("the message counts", || world.runs.all_messages(run).len() > messages);
    process.wait_for_end(run);
    assert_eq!((finish(&world, run), world.runs.state(run).state.replies), (TIME_UP, replies));
}

#[test]
fn time_goes_on_while_no_process_drives_the_run() {
    let world = World::new(json!([{ "calls": [call("risky", "a")] }, { "text": "Done." }]));
    let first = world.process();
    let run = first.start_limited("go", MINUTE);
    first.wait_until("the question is stored with the run", || world.runs.state(run).state.is_suspended());
    drop(first);
    world.clock.advance(SignedDuration::from_secs(61));
    let second = world.process();
    assert_eq!(second.block_on(second.driver.take_up(jiff::Timestamp::MAX, 10)), Ok(1));
    second.wait_for_end(run);
    assert_eq!((world.notes(), finish(&world, run)), (vec![], TIME_UP));
    assert!(second.pending().is_empty());
}

#[test]
fn question_outlives_its_process() {
    let world = World::new(json!([{ "calls": [call("risky", "a")] }, { "text": "Done." }]));
    let first = world.process();
    let run = first.start("go");
    first.wait_for_question();
    first.wait_until("the question is stored with the run", || world.runs.state(run).state.is_suspended());
    drop(first);
    let second = world.process();
    assert_eq!(second.block_on(second.driver.take_up(jiff::Timestamp::MAX, 10)), Ok(1));
    second.answer(&second.wait_for_question(), allow());
    second.wait_for_end(run);
    assert_eq!((world.notes(), finish(&world, run)), (vec!["a".into()], FinishReason::Stop));
}

#[test]
fn tool_of_a_killed_process_is_not_run_again() {
    let world =
        World::new(json!([{ "calls": [call("slow", "a")] }, { "expect": { "contains": "is unknown" } }]));
    let first = world.process();
    let run = first.start("go");
    first.wait_until("the tool runs", || world.notes() == ["a"]);
    drop(first);
    let second = world.process();
    second.block_on(second.driver.take_up(jiff::Timestamp::MAX, 10)).unwrap();
    second.wait_for_end(run);
    assert_eq!((world.notes(), finish(&world, run)), (vec!["a".into()], FinishReason::Stop));
}

#[test]
fn process_that_lost_its_run_changes_nothing() {
    let world = World::new(json!([{ "calls": [call("slow", "a")] }, { "text": "Done." }]));
    let (first, second) = (world.process(), world.process());
    let run = first.start("go");
    first.wait_until("the tool runs", || world.notes() == ["a"]);
    second.block_on(second.driver.take_up(jiff::Timestamp::MAX, 10)).unwrap();
    second.wait_for_end(run);
    let before = world.runs.all_messages(run);
    world.may_end.add_permits(1);
    first.wait_until("the first process gives the run up", || first.driver.active_count() == 0);
    assert_eq!(world.runs.all_messages(run), before);
    assert_eq!(world.notes(), ["a"]);
}
