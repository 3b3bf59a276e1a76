//! Callers that retry until they get an answer.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::http::Endpoint;

/// Anything slower than this hangs.
pub(crate) const LONG: Duration = Duration::from_secs(600);

/// The answers that callers received, by call id.
#[derive(Default)]
pub(crate) struct CallerResults {
    answers: Mutex<BTreeMap<String, Value>>,
    /// Number of retries.
    pub(crate) again: AtomicU64,
}

impl CallerResults {
    /// Number of answered calls.
    pub(crate) fn count(&self) -> usize {
        self.answers.lock().unwrap().len()
    }

    /// Waits until this many calls are answered.
    pub(crate) fn wait_for(&self, count: usize) {
        let start = Instant::now();
        while self.count() < count {
            assert!(start.elapsed() < LONG, "{} of {count} calls were answered", self.count());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn answers(&self) -> BTreeMap<String, Value> {
        self.answers.lock().unwrap().clone()
    }
}

/// Asks with one call id, at one server after another, until it gets an answer.
pub(crate) fn ask(endpoints: &[Endpoint], first: usize, id: &str, results: &CallerResults) {
    let body = json!({
        "toolName": "Bash",
        "input": { "command": format!("make deploy TARGET={id}") },
        "toolUseId": id,
        "conversationId": "replicas",
        "timeoutMs": 3_600_000,
    });
    let start = Instant::now();
    for turn in first.. {
        assert!(start.elapsed() < LONG, "`{id}` was never answered");
        let endpoint = &endpoints[turn % endpoints.len()];
        match endpoint.ask("POST", "/api/can-use-tool", Some(&body)) {
            Ok((200, answer)) => {
                results.answers.lock().unwrap().insert(id.to_owned(), answer);
                return;
            }
            // The server is stopping, or its ledger is unavailable. Try another one.
            Ok((503, _)) | Err(_) => {}
            Ok((status, body_text)) => panic!("`{id}`: {status}: {body_text}"),
        }
        results.again.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(100));
    }
}
