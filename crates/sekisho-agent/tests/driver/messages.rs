//! Messages that come while a run is busy, and several at once.

use sekisho_agent::conversation::Message;
use sekisho_agent::machine::FinishReason;
use sekisho_agent::runs::RunRequest;
use serde_json::json;
use uuid::Uuid;

use super::process::World;
use super::{call, finish, send};

fn message(text: &str) -> RunRequest {
    RunRequest::Message { text: text.into() }
}

/// Who said what in a run, in order. Results of tools are left out.
fn said(world: &World, run: Uuid) -> Vec<String> {
    let messages = world.runs.all_messages(run);
    let said = messages.into_iter().filter_map(|message| match message {
        Message::User { text } => Some(text),
        Message::Assistant { .. } => Some("reply".into()),
        Message::Tools { .. } => None,
    });
    said.collect()
}

#[test]
fn messages_wait_while_a_tool_runs() {
    let world =
        World::new(json!([{ "calls": [call("slow", "a")] }, { "text": "Done." }, { "text": "More." }]));
    let process = world.process();
    let run = process.start("go");
    process.wait_until("the tool runs", || world.notes() == ["a"]);
    send(&process, run, message("first"));
    send(&process, run, message("second"));
    process.wait_until("both are queued", || world.runs.state(run).state.queued == ["first", "second"]);
    assert_eq!((world.runs.state(run).state.replies, process.driver.active_count()), (1, 1));
    world.may_end.add_permits(1);
    process.wait_for_end(run);
    assert_eq!(finish(&world, run), FinishReason::Stop);
    assert_eq!(said(&world, run), ["go", "reply", "first", "second", "reply"]);
    assert_eq!(world.notes(), ["a"], "the call ran once");
}

/// Two messages to an ended run arrive at the same time. One loop goes on: every message is read by exactly one next
/// request, and no reply comes twice.
#[test]
fn messages_at_once_start_one_loop() {
    let texts: Vec<_> = (0..9).map(|number| json!({ "text": format!("Reply {number}.") })).collect();
    let world = World::new(json!(texts));
    let process = world.process();
    let run = process.start("go");
    process.wait_for_end(run);
    let accepted = process.block_on(async {
        tokio::join!(
            process.driver.request(run, message("first")),
            process.driver.request(run, message("second"))
        )
    });
    assert_eq!(accepted, (Ok(()), Ok(())));
    process.wait_until("both messages are read", || {
        let said = said(&world, run);
        said.contains(&"first".to_owned())
            && said.contains(&"second".to_owned())
            && said.last().is_some_and(|last| last == "reply")
    });
    process.wait_for_end(run);
    process.wait_until("no task is left", || process.driver.active_count() == 0);
    let said = said(&world, run);
    let replies = said.iter().filter(|text| *text == "reply").count();
    assert_eq!(u32::try_from(replies).unwrap(), world.runs.state(run).state.replies, "{said:?}");
    assert!(!said.windows(2).any(|pair| pair == ["reply", "reply"]), "{said:?}");
    assert_eq!(said.len() - replies, 3, "no message counts twice: {said:?}");
}

/// A run that another process takes up is one more way into the loop.
#[test]
fn run_that_is_taken_up_is_gated() {
    let script = json!([
        { "calls": [call("risky", "approved")] },
        { "calls": [call("risky", "asked"), call("forbidden", "denied"), call("unknown", "off"), call("note", "b")] },
        { "text": "Done." },
    ]);
    let world = World::new(script);
    let first = world.process();
    let run = first.start("go");
    first.wait_until("the question is stored with the run", || world.runs.state(run).state.is_suspended());
    drop(first);
    let second = world.process();
    assert_eq!(second.block_on(second.driver.take_up(jiff::Timestamp::MAX, 10)), Ok(1));
    let earlier = second.wait_for_question();
    second.answer(&earlier, super::allow());
    second.wait_until("the second reply waits", || {
        let state = world.runs.state(run).state;
        state.replies == 2 && state.is_suspended()
    });
    assert_eq!(world.notes(), ["approved", "b"]);
    assert_eq!(second.pending().len(), 1, "only one call is asked about");
    second.answer(&second.wait_for_question(), super::deny("no", false));
    second.wait_for_end(run);
    let results = second.results(run);
    assert_eq!(results[1], "Permission denied: no");
    assert!(results[2].starts_with("Permission denied: "), "{results:?}");
    assert_eq!(results[3], "Unknown tool: unknown");
    assert_eq!(world.notes(), ["approved", "b"]);
}
