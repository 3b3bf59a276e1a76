//! What runs keep for their tools.

use sekisho_tools::run_storage::{RunOutput, Todo, TodoStatus};
use uuid::Uuid;

use super::Backend;
use super::harness::StoreHarness;
use crate::fixtures::{call, caller, pending_approval, seconds_after_start};

const RUN: Uuid = Uuid::from_u128(1);
const OTHER: Uuid = Uuid::from_u128(2);

fn todo(content: &str, status: TodoStatus) -> Todo {
    Todo { content: content.into(), status, id: None, active_form: None }
}

fn output(run: Uuid, id: u128, text: &str, second: i64) -> RunOutput {
    RunOutput { run, id: Uuid::from_u128(id), text: text.into(), at: seconds_after_start(second) }
}

/// More than any test stores.
const ROOM: usize = 1 << 20;

pub(super) async fn todos_are_replaced_and_survive_reopening(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    assert_eq!(harness.0.runs.todos(RUN).await, Ok(Vec::new()));
    let first = vec![todo("a\0\u{1}é", TodoStatus::Pending), todo("b", TodoStatus::InProgress)];
    let mut second = vec![todo("c", TodoStatus::Completed)];
    second[0].id = Some("7".into());
    second[0].active_form = Some("doing c".into());
    for (todos, at) in [(&first, 1), (&second, 2)] {
        harness.0.runs.set_todos(RUN, todos.clone(), seconds_after_start(at)).await.expect("writing works");
        assert_eq!(harness.0.runs.todos(RUN).await.as_ref(), Ok(todos));
    }
    harness.0.runs.set_todos(OTHER, first.clone(), seconds_after_start(3)).await.expect("writing works");
    let harness = StoreHarness(backend.reopen(harness.0).await);
    assert_eq!(harness.0.runs.todos(RUN).await, Ok(second));
    assert_eq!(harness.0.runs.todos(OTHER).await, Ok(first), "each run has its own");
    harness.0.runs.set_todos(RUN, Vec::new(), seconds_after_start(4)).await.expect("writing works");
    assert_eq!(harness.0.runs.todos(RUN).await, Ok(Vec::new()));
}

pub(super) async fn outputs_belong_to_one_run(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let text = "one\0\u{1}\ntwo é\n";
    assert_eq!(harness.0.runs.keep_output(output(RUN, 5, text, 1), ROOM).await, Ok(true));
    let harness = StoreHarness(backend.reopen(harness.0).await);
    let id = Uuid::from_u128(5);
    assert_eq!(harness.0.runs.output(RUN, id).await, Ok(Some(text.into())));
    assert_eq!(harness.0.runs.output(OTHER, id).await, Ok(None), "another run does not find it");
    assert_eq!(harness.0.runs.output(RUN, Uuid::from_u128(6)).await, Ok(None));
    assert_eq!(harness.0.runs.keep_output(output(OTHER, 5, "theirs", 2), ROOM).await, Ok(true));
    assert_eq!(harness.0.runs.output(OTHER, id).await, Ok(Some("theirs".into())));
    assert_eq!(harness.0.runs.output(RUN, id).await, Ok(Some(text.into())));
}

pub(super) async fn output_is_stored_once_and_within_the_limit(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let keep = |output| harness.0.runs.keep_output(output, 10);
    assert_eq!(keep(output(RUN, 1, "123456", 1)).await, Ok(true));
    assert_eq!(keep(output(RUN, 2, "12345", 1)).await, Ok(false), "there is no room for it");
    assert_eq!(harness.0.runs.output(RUN, Uuid::from_u128(2)).await, Ok(None));
    assert_eq!(keep(output(RUN, 1, "other", 2)).await, Ok(true), "it is stored already");
    assert_eq!(harness.0.runs.output(RUN, Uuid::from_u128(1)).await, Ok(Some("123456".into())));
    assert_eq!(keep(output(RUN, 3, "1234", 2)).await, Ok(true));
    assert_eq!(keep(output(OTHER, 3, "1234567890", 2)).await, Ok(true), "each run has its own limit");
}

/// How many items the to-do list of a run has, and whether its first output is there.
async fn left(harness: &StoreHarness, run: Uuid) -> (usize, bool) {
    let todos = harness.0.runs.todos(run).await.expect("reading works").len();
    let output = harness.0.runs.output(run, Uuid::from_u128(1)).await.expect("reading works");
    (todos, output.is_some())
}

pub(super) async fn unused_data_is_deleted_unless_a_question_is_open(backend: &dyn Backend) {
    let harness = StoreHarness::fresh(backend).await;
    let (old, waiting, mixed) = (RUN, OTHER, Uuid::from_u128(3));
    for run in [old, waiting, mixed] {
        let todos = vec![todo("a", TodoStatus::Pending)];
        harness.0.runs.set_todos(run, todos, seconds_after_start(10)).await.expect("writing works");
        assert_eq!(harness.0.runs.keep_output(output(run, 1, "text", 10), ROOM).await, Ok(true));
    }
    assert_eq!(harness.0.runs.keep_output(output(mixed, 2, "newer", 5_000), ROOM).await, Ok(true));
    let mut asking = call("1");
    asking.run_id = Some(waiting.to_string());
    harness.ask(&pending_approval(asking, caller(), seconds_after_start(11), None), 1).await;
    harness.0.audit.purge(seconds_after_start(1_000)).await.expect("purging works");
    assert_eq!(left(&harness, old).await, (0, false));
    assert_eq!(left(&harness, waiting).await, (1, true), "its run is not over");
    assert_eq!(left(&harness, mixed).await, (1, true), "it was used since");
}
