//! What the runs must look like in the end.

use std::collections::BTreeMap;
use std::path::Path;

use sekisho_agent::conversation::{CallResult, Message};
use sekisho_agent::machine::{Chunk, FinishReason, Phase};
use sekisho_agent::runs::StoredRun;
use serde_json::{Value, json};

use super::child::NOTES;
use crate::harness::wait;
use crate::test_database::TestPorts;

/// The calls of each reply: their tools and ids.
const CALLS: [&[(&str, &str)]; 2] = [
    &[("note", "a"), ("risky", "b"), ("slow", "c"), ("forbidden", "d"), ("risky", "e")],
    &[("note", "f"), ("risky", "g")],
];

/// The script of every run.
pub(super) fn script() -> Value {
    let reply = |calls: &&[(&str, &str)]| {
        let call = |(name, id): &(&str, &str)| json!({ "name": name, "id": id, "input": {} });
        json!({ "calls": calls.iter().map(call).collect::<Vec<_>>() })
    };
    let mut replies: Vec<Value> = CALLS.iter().map(reply).collect();
    replies.push(json!({ "text": "Done." }));
    Value::Array(replies)
}

/// How many runs and calls there were, by how they ended.
#[derive(Debug, Default)]
pub(super) struct Sums {
    pub(super) runs: usize,
    pub(super) noted: usize,
    pub(super) unknown: usize,
    /// Of the unknown ones, those that ran.
    pub(super) ran_unseen: usize,
    pub(super) denied: usize,
}

/// Checks every run against its script and the notes.
pub(super) fn check(store: &dyn TestPorts, runs: &[StoredRun], directory: &Path) -> Sums {
    let mut notes: BTreeMap<String, usize> = BTreeMap::new();
    for line in std::fs::read_to_string(directory.join(NOTES)).unwrap().lines() {
        *notes.entry(line.into()).or_default() += 1;
    }
    let twice: Vec<_> = notes.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "tools that ran twice: {twice:?}");
    let mut sums = Sums { runs: runs.len(), ..Sums::default() };
    for run in runs {
        check_run(store, run, &mut notes, &mut sums);
    }
    assert!(notes.is_empty(), "notes that no run asked for: {notes:?}");
    sums
}

fn check_run(store: &dyn TestPorts, run: &StoredRun, notes: &mut BTreeMap<String, usize>, sums: &mut Sums) {
    let id = run.id;
    let ended = Phase::Ended { reason: FinishReason::Stop, withdrawing: Vec::new() };
    assert_eq!(run.state.phase, ended, "{id}");
    let messages = wait(store.messages(id)).unwrap();
    let [user, first, first_results, second, second_results, last] = &messages[..] else {
        panic!("{id}: {messages:?}")
    };
    assert_eq!(*user, Message::User { text: "go".into() }, "{id}");
    for (reply, at, results) in [(first, 0, first_results), (second, 1, second_results)] {
        let Message::Assistant { parts } = reply else { panic!("{id}: {reply:?}") };
        let Message::Tools { results } = results else { panic!("{id}: {results:?}") };
        assert_eq!((parts.len(), results.len()), (CALLS[at].len(), CALLS[at].len()), "{id}");
        for ((tool, call), result) in CALLS[at].iter().zip(results) {
            assert_eq!((result.name.as_str(), result.call_id.as_str()), (*tool, *call), "{id}");
            let key = format!("{}:{call}", at + 1);
            let ran = notes.remove(&format!("{id} {key}")).is_some();
            check_result(result, &key, ran, sums);
        }
    }
    assert!(matches!(last, Message::Assistant { parts } if parts.len() == 1), "{id}: {last:?}");
    let chunks = wait(store.chunks(id, 0, usize::MAX)).unwrap();
    assert!(chunks.iter().map(|chunk| chunk.seq).eq(1..=chunks.len() as u64), "{id}: {chunks:?}");
    let finished = chunks.iter().filter(|chunk| matches!(chunk.chunk, Chunk::Finished { .. })).count();
    let ended = chunks.iter().filter(|chunk| matches!(chunk.chunk, Chunk::ToolEnded { .. })).count();
    assert_eq!((finished, ended), (1, 7), "{id}: {chunks:?}");
}

/// A result says what happened: the tool ran and its end was seen, or it was refused, or nobody knows.
fn check_result(result: &CallResult, key: &str, ran: bool, sums: &mut Sums) {
    match (result.name.as_str(), key) {
        ("forbidden", _) => {
            assert!(!ran && result.content.starts_with("Permission denied: "), "{result:?}");
            sums.denied += 1;
        }
        (_, "1:e") => {
            assert!(!ran && result.content == "Permission denied: not e", "{ran} {result:?}");
            sums.denied += 1;
        }
        _ if result.content.contains("outcome of this call is unknown") => {
            assert!(result.is_error, "{result:?}");
            sums.unknown += 1;
            sums.ran_unseen += usize::from(ran);
        }
        _ => {
            assert!(ran && !result.is_error && result.content == format!("noted {key}"), "{ran} {result:?}");
            sums.noted += 1;
        }
    }
}
