//! Callers that come back until they are told.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::Endpoint;

/// What takes longer than this hangs. No machine is this slow.
pub(crate) const LONG: Duration = Duration::from_secs(600);

/// What callers were told, by the id of their call.
#[derive(Default)]
pub(crate) struct CallerResults {
    answers: Mutex<BTreeMap<String, Value>>,
    /// How often one had to come back.
    pub(crate) again: AtomicU64,
}

impl CallerResults {
    /// How many were told.
    pub(crate) fn count(&self) -> usize {
        self.answers.lock().unwrap().len()
    }

    /// Waits until so many were told.
    pub(crate) fn wait_for(&self, count: usize) {
        let start = Instant::now();
        while self.count() < count {
            assert!(start.elapsed() < LONG, "{} of {count} were told", self.count());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn answers(&self) -> BTreeMap<String, Value> {
        self.answers.lock().unwrap().clone()
    }
}

/// Asks under one id, at one server after another, until it is told.
pub(crate) fn ask(doors: &[Endpoint], first: usize, id: &str, told: &CallerResults) {
    let body = json!({
        "toolName": "Bash",
        "input": { "command": format!("make deploy TARGET={id}") },
        "toolUseId": id,
        "conversationId": "replicas",
        "timeoutMs": 3_600_000,
    });
    let start = Instant::now();
    for turn in first.. {
        assert!(start.elapsed() < LONG, "`{id}` was never told");
        let door = &doors[turn % doors.len()];
        match door.ask("POST", "/api/can-use-tool", Some(&body)) {
            Ok((200, answer)) => {
                told.answers.lock().unwrap().insert(id.to_owned(), answer);
                return;
            }
            // It is closing, or its ledger is away: another may be there.
            Ok((503, _)) | Err(_) => {}
            Ok((status, said)) => panic!("`{id}`: {status}: {said}"),
        }
        told.again.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(100));
    }
}
