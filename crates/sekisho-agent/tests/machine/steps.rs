//! Single steps of the machine, each as a short story.

use sekisho_agent::RunSettings;
use sekisho_agent::conversation::{AssistantPart, CallInput, Message, ToolCall};
use sekisho_agent::machine::{
    CallOutcome, Chunk, Effect, FinishReason, Phase, RunEvent, RunLimits, RunState, Step,
};
use sekisho_agent::model::{ModelError, ModelErrorCode, ModelReply, StopReason, Usage};
use sekisho_agent::spending::ExceededBudget;
use sekisho_gate::ApprovalId;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use serde_json::json;
use uuid::Uuid;

const LIMITS: RunLimits = RunLimits::replies(5);
/// No tokens are left.
const SPENT: FinishReason = FinishReason::Budget { exceeded: ExceededBudget::Tokens { needed: 1, left: 0 } };

fn run() -> RunState {
    RunState::start(LIMITS, "list the files".into()).0
}

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "shell_exec".into(), input: CallInput::Object(json!({ "command": id })) }
}

fn reply(calls: &[&str], stop: StopReason) -> ModelReply {
    let text = AssistantPart::Text { text: "I look.".into() };
    let calls = calls.iter().map(|id| AssistantPart::Call(call(id)));
    let usage = Usage { input: 100, output: 10, ..Usage::default() };
    ModelReply { parts: std::iter::once(text).chain(calls).collect(), stop, usage }
}

fn calls(ids: &[&str]) -> RunEvent {
    RunEvent::Replied(reply(ids, StopReason::ToolCalls))
}

fn approval(number: u128) -> ApprovalId {
    ApprovalId(Uuid::from_u128(number))
}

fn ended(reply: u32, call: usize, content: &str) -> RunEvent {
    let outcome =
        CallOutcome::Completed { content: content.into(), is_error: false, is_final: false, edited: None };
    RunEvent::CallEnded { reply, call, outcome }
}

fn refused(reply: u32, call: usize, interrupt: bool) -> RunEvent {
    let refusal = Refusal { interrupt, ..Refusal::new(RefusalCode::Denied) };
    RunEvent::CallEnded { reply, call, outcome: CallOutcome::Refused { refusal } }
}

fn finish(state: &RunState) -> &FinishReason {
    match &state.phase {
        Phase::Ended { reason, .. } => reason,
        other => panic!("the run goes on: {other:?}"),
    }
}

/// The results of the last message.
fn results(step: &Step) -> Vec<(&str, &str, bool)> {
    let last = step.messages.iter().rev().find_map(|message| match message {
        Message::Tools { results } => Some(results),
        _ => None,
    });
    last.unwrap().iter().map(|result| (&*result.call_id, &*result.content, result.is_error)).collect()
}

#[test]
fn reply_without_calls_ends_the_run() {
    let mut state = run();
    assert_eq!(state.effects(), [Effect::AskModel]);
    let step = state.handle(RunEvent::Replied(reply(&[], StopReason::EndTurn))).unwrap();
    assert_eq!(*finish(&state), FinishReason::Stop);
    assert_eq!(step.messages.len(), 1);
    assert!(state.effects().is_empty());
}

#[test]
fn calls_run_beside_each_other_and_the_model_reads_all_results_in_order() {
    let mut state = run();
    state.handle(calls(&["a", "b"])).unwrap();
    let submit = |call| Effect::Submit { reply: 1, call };
    assert_eq!(state.effects(), [submit(0), submit(1)]);
    assert!(state.handle(ended(1, 1, "second")).unwrap().messages.is_empty());
    assert_eq!(state.effects(), [submit(0)]);
    let step = state.handle(ended(1, 0, "first")).unwrap();
    assert_eq!(results(&step), [("a", "first", false), ("b", "second", false)]);
    assert_eq!(state.effects(), [Effect::AskModel]);
}

#[test]
fn approvals_are_answered_in_any_order() {
    let mut state = run();
    state.handle(calls(&["a", "b", "c"])).unwrap();
    for (call, number) in [(0, 1), (1, 2)] {
        let step = state.handle(RunEvent::Asked { reply: 1, call, approval: approval(number) }).unwrap();
        assert!(matches!(&step.chunks[..], [Chunk::ToolCallApproval { .. }]), "{step:?}");
    }
    assert!(!state.is_suspended(), "the third call is under way");
    state.handle(ended(1, 2, "third")).unwrap();
    assert!(state.is_suspended());
    state.handle(refused(1, 1, false)).unwrap();
    let step = state.handle(ended(1, 0, "first")).unwrap();
    let denied = "Permission denied: User denied tool execution";
    assert_eq!(results(&step), [("a", "first", false), ("b", denied, true), ("c", "third", false)]);
}

#[test]
fn late_and_repeated_events_change_nothing() {
    let mut state = run();
    state.handle(calls(&["a"])).unwrap();
    state.handle(ended(1, 0, "first")).unwrap();
    state.handle(calls(&["a"])).unwrap();
    let before = state.clone();
    for late in
        [ended(1, 0, "again"), calls(&["x"]), RunEvent::Asked { reply: 1, call: 0, approval: approval(9) }]
    {
        assert_eq!(state.handle(late.clone()), None, "{late:?}");
    }
    assert_eq!(state.handle(ended(2, 7, "no such call")), None);
    assert_eq!(state, before);
}

#[test]
fn interrupting_answer_ends_the_run_and_withdraws_the_other_questions() {
    let mut state = run();
    state.handle(calls(&["a", "b"])).unwrap();
    state.handle(RunEvent::Asked { reply: 1, call: 0, approval: approval(1) }).unwrap();
    state.handle(RunEvent::Asked { reply: 1, call: 1, approval: approval(2) }).unwrap();
    let step = state.handle(refused(1, 0, true)).unwrap();
    assert_eq!(*finish(&state), FinishReason::Interrupted);
    assert_eq!(state.effects(), [Effect::Withdraw(approval(2))]);
    assert_eq!(results(&step)[1], ("b", "Not run: a human ended the run.", true));
    state.handle(RunEvent::Withdrawn(approval(2))).unwrap();
    assert!(state.effects().is_empty());
}

#[test]
fn interrupted_run_goes_on_with_a_queued_message_unless_it_is_aborted() {
    let interrupted = || {
        let mut state = run();
        state.handle(calls(&["a", "b"])).unwrap();
        state.handle(RunEvent::Asked { reply: 1, call: 0, approval: approval(1) }).unwrap();
        state.handle(RunEvent::Asked { reply: 1, call: 1, approval: approval(2) }).unwrap();
        state.handle(RunEvent::Message("then this".into())).unwrap();
        state.handle(refused(1, 0, true)).unwrap();
        assert_eq!(state.effects(), [Effect::Withdraw(approval(2))]);
        state
    };
    let mut goes_on = interrupted();
    goes_on.handle(RunEvent::Withdrawn(approval(2))).unwrap();
    assert_eq!(goes_on.effects(), [Effect::AskModel]);

    let mut aborted = interrupted();
    aborted.handle(RunEvent::Abort { why: "by anna".into() }).unwrap();
    assert_eq!(aborted.effects(), [Effect::Withdraw(approval(2))]);
    aborted.handle(RunEvent::Withdrawn(approval(2))).unwrap();
    assert_eq!(*finish(&aborted), FinishReason::Aborted { why: "by anna".into() });
    assert!(aborted.is_over());
    assert_eq!(aborted.handle(RunEvent::Abort { why: "again".into() }), None);
}

#[test]
fn message_that_was_queued_outlives_an_interruption_of_the_only_call() {
    let mut state = run();
    state.handle(calls(&["a"])).unwrap();
    state.handle(RunEvent::Asked { reply: 1, call: 0, approval: approval(1) }).unwrap();
    state.handle(RunEvent::Message("then this".into())).unwrap();
    state.handle(refused(1, 0, true)).unwrap();
    assert_eq!(state.effects(), [Effect::AskModel]);
}

#[test]
fn aborted_run_withdraws_what_the_gate_asks_later() {
    let mut state = run();
    state.handle(calls(&["a", "b"])).unwrap();
    state.handle(RunEvent::Asked { reply: 1, call: 0, approval: approval(1) }).unwrap();
    let step = state.handle(RunEvent::Abort { why: "by anna".into() }).unwrap();
    assert!(results(&step)[1].1.starts_with("The outcome of this call is unknown"), "{step:?}");
    state.handle(RunEvent::Asked { reply: 1, call: 1, approval: approval(2) }).unwrap();
    assert_eq!(state.effects(), [Effect::Withdraw(approval(1)), Effect::Withdraw(approval(2))]);
    assert_eq!(state.handle(RunEvent::Message("go on".into())), None, "an aborted run takes no message");
}

#[test]
fn message_is_queued_and_never_an_answer() {
    let mut state = run();
    state.handle(calls(&["a"])).unwrap();
    state.handle(RunEvent::Asked { reply: 1, call: 0, approval: approval(1) }).unwrap();
    let step = state.handle(RunEvent::Message("yes, do it".into())).unwrap();
    assert_eq!(step, Step::default());
    assert!(state.is_suspended());
    let step = state.handle(ended(1, 0, "done")).unwrap();
    assert!(
        matches!(&step.messages[..], [Message::Tools { .. }, Message::User { text }] if text == "yes, do it")
    );
}

#[test]
fn message_continues_an_ended_run() {
    let mut state = run();
    state.handle(RunEvent::Replied(reply(&[], StopReason::EndTurn))).unwrap();
    state.handle(RunEvent::Message("and now?".into())).unwrap();
    assert_eq!(state.effects(), [Effect::AskModel]);
    assert_eq!((state.turn, state.replies), (0, 1));
}

#[test]
fn calls_of_a_cut_reply_never_run() {
    for (stop, expected) in [
        (StopReason::Length, FinishReason::Length),
        (StopReason::Refusal, FinishReason::Refusal),
        (StopReason::Other("odd".into()), FinishReason::Other { reason: "odd".into() }),
        (StopReason::EndTurn, FinishReason::UnfinishedCalls),
        (StopReason::Paused, FinishReason::UnfinishedCalls),
    ] {
        let mut state = run();
        let step = state.handle(RunEvent::Replied(reply(&["a"], stop))).unwrap();
        assert_eq!(*finish(&state), expected);
        assert!(state.effects().is_empty());
        let [(id, why, true)] = results(&step)[..] else { panic!("{step:?}") };
        assert_eq!((id, why), ("a", "Not run: the reply that made this call did not end properly."));
    }
}

#[test]
fn unreadable_input_never_reaches_a_tool() {
    let mut state = run();
    let call =
        ToolCall { id: "a".into(), name: "read".into(), input: CallInput::Unreadable("{\"path\": ".into()) };
    let parts = vec![AssistantPart::Call(call)];
    let reply = ModelReply { parts, stop: StopReason::ToolCalls, usage: Usage::default() };
    let step = state.handle(RunEvent::Replied(reply)).unwrap();
    assert_eq!(state.effects(), [Effect::AskModel]);
    assert_eq!(results(&step), [("a", "Not run: the input is not a JSON object: {\"path\": ", true)]);
}

#[test]
fn limits_end_the_run_after_the_results() {
    let limits = RunLimits::replies(2);
    let mut state = RunState::start(limits, "x".into()).0;
    for turn in 1..=2 {
        state.handle(calls(&["a"])).unwrap();
        state.handle(ended(turn, 0, "ok")).unwrap();
    }
    assert_eq!(*finish(&state), FinishReason::MaxIterations);
    let limits = RunLimits { max_tokens: Some(110), ..RunLimits::replies(9) };
    let mut state = RunState::start(limits, "x".into()).0;
    state.handle(calls(&["a"])).unwrap();
    state.handle(ended(1, 0, "ok")).unwrap();
    assert_eq!(*finish(&state), SPENT);
}

#[test]
fn spent_budget_ends_the_run_before_the_model_is_asked_again() {
    let limits = RunLimits { max_tokens: Some(110), ..RunLimits::replies(9) };
    let mut state = RunState::start(limits, "x".into()).0;
    assert_eq!(state.tokens_left(), Some(110));
    state.handle(RunEvent::Message("queued".into())).unwrap();
    let step = state.handle(RunEvent::Replied(reply(&[], StopReason::EndTurn))).unwrap();
    assert_eq!((finish(&state), state.tokens_left()), (&SPENT, Some(0)));
    assert!(step.chunks.iter().any(|chunk| matches!(chunk, Chunk::StepFinished { continues: false, .. })));
    state.handle(RunEvent::Message("more".into())).unwrap();
    assert_eq!((finish(&state), state.effects()), (&SPENT, vec![]));
}

#[test]
fn request_over_the_budget_ends_the_run_and_a_message_asks_again() {
    let mut state = run();
    let exceeded = ExceededBudget::Tokens { needed: 5, left: 3 };
    state.handle(calls(&["a"])).unwrap();
    assert!(state.handle(RunEvent::OverBudget(exceeded)).is_none(), "the model is not asked now");
    state.handle(ended(1, 0, "ok")).unwrap();
    let step = state.handle(RunEvent::OverBudget(exceeded)).unwrap();
    assert!(matches!(&step.chunks[..], [Chunk::Finished { .. }]), "{step:?}");
    assert_eq!((finish(&state), state.effects()), (&FinishReason::Budget { exceeded }, vec![]));
    state.handle(RunEvent::Message("more".into())).unwrap();
    assert_eq!(state.effects(), [Effect::AskModel]);
}

#[test]
fn runs_of_earlier_versions_can_be_read() {
    let ended = r#"{"limits":{"max_iterations":5},"phase":{"phase":"ended","reason":{"code":"budget"}},"turn":1,
        "replies":1,"usage":{"input":1,"output":2,"cache_read":0,"cache_write":0}}"#;
    let state: RunState = serde_json::from_str(ended).unwrap();
    assert_eq!(*finish(&state), FinishReason::Budget { exceeded: ExceededBudget::Unknown });
    assert_eq!(state.limits, LIMITS);
    let settings = r#"{"agent":"00000000-0000-0000-0000-000000000000","agent_name":"a","credential":"c",
        "provider":"scripted","model":"m","max_tokens":5}"#;
    let settings: RunSettings = serde_json::from_str(settings).unwrap();
    assert_eq!((settings.price, settings.context_tokens), (None, 128_000));
}

#[test]
fn end_of_the_time_ends_the_run_once() {
    let mut state = run();
    state.handle(calls(&["a"])).unwrap();
    state.handle(RunEvent::Message("queued".into())).unwrap();
    let step = state.handle(RunEvent::TimeUp).unwrap();
    let reason = FinishReason::Budget { exceeded: ExceededBudget::Time };
    assert_eq!((finish(&state), state.effects()), (&reason, vec![]));
    assert_eq!(results(&step).len(), 1);
    assert!(state.queued.is_empty() && state.handle(RunEvent::TimeUp).is_none());
}

#[test]
fn final_result_ends_the_run() {
    let mut state = run();
    state.handle(calls(&["a"])).unwrap();
    let outcome =
        CallOutcome::Completed { content: "bye".into(), is_error: false, is_final: true, edited: None };
    state.handle(RunEvent::CallEnded { reply: 1, call: 0, outcome }).unwrap();
    assert_eq!(*finish(&state), FinishReason::Stop);
}

#[test]
fn failed_model_ends_the_run_and_a_message_retries() {
    let error = ModelError {
        code: ModelErrorCode::Overloaded,
        message: "overloaded".into(),
        request_id: None,
        retry_after: None,
    };
    let mut state = run();
    state.handle(RunEvent::ModelFailed(error.clone())).unwrap();
    assert_eq!(*finish(&state), FinishReason::Error { error });
    assert!(state.handle(RunEvent::Message("try again".into())).is_some());
}

#[test]
fn paused_reply_is_continued() {
    let mut state = run();
    let step = state.handle(RunEvent::Replied(reply(&[], StopReason::Paused))).unwrap();
    assert_eq!(state.effects(), [Effect::AskModel]);
    assert!(matches!(&step.messages[..], [Message::Assistant { .. }]));
}

#[test]
fn model_reads_that_a_human_changed_the_input() {
    let outcome = CallOutcome::Completed {
        content: "a.txt".into(),
        is_error: false,
        is_final: false,
        edited: Some(json!({ "command": "ls" })),
    };
    let expected =
        "[A human changed the input of this call before it ran. It ran with: {\"command\":\"ls\"}]\na.txt";
    assert_eq!(outcome.content(), expected);
}
