//! Approvers who answer open questions on any server that is up.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::caller_client::LONG;
use crate::http::Endpoint;

/// The accepted answers by call id: the reasons of the answers that were first.
#[derive(Default)]
pub(crate) struct AnswerLog {
    first: Mutex<BTreeMap<String, Vec<String>>>,
    stop: AtomicBool,
}

impl AnswerLog {
    pub(crate) fn first(&self) -> BTreeMap<String, Vec<String>> {
        self.first.lock().unwrap().clone()
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Answers until told to stop. Every answer is a deny with a unique reason, which identifies it to the
/// caller.
pub(crate) fn answer(endpoints: &[Endpoint], name: &str, answered: &AnswerLog) {
    let mut turn = 0;
    while !answered.stop.load(Ordering::Relaxed) {
        turn += 1;
        let endpoint = &endpoints[turn % endpoints.len()];
        let Ok((200, page)) = endpoint.ask("GET", "/api/approvals?state=pending&limit=100", None) else {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        let questions = page["approvals"].as_array().cloned().unwrap_or_default();
        if questions.is_empty() {
            std::thread::sleep(Duration::from_millis(20));
        }
        for question in questions {
            turn += 1;
            one(&endpoints[turn % endpoints.len()], name, turn, &question, answered);
        }
    }
}

fn one(endpoint: &Endpoint, name: &str, turn: usize, question: &Value, answered: &AnswerLog) {
    let (id, call) = (question["id"].as_str().unwrap(), question["toolUseId"].as_str().unwrap());
    let reason = format!("denied by {name}, answer {turn}");
    let body = json!({ "behavior": "deny", "message": reason, "digest": question["digest"] });
    // Repeat if the outcome is unknown: the same answer twice counts once.
    let start = Instant::now();
    while start.elapsed() < LONG {
        match endpoint.ask("POST", &format!("/api/approvals/{id}/answer"), Some(&body)) {
            Ok((200, _)) => {
                answered.first.lock().unwrap().entry(call.to_owned()).or_default().push(reason);
                return;
            }
            Ok((404 | 409 | 410, _)) => return,
            Ok((503, _)) | Err(_) => std::thread::sleep(Duration::from_millis(50)),
            Ok((status, response)) => panic!("answering `{id}`: {status}: {response}"),
        }
    }
    panic!("the outcome of the answer to `{id}` is unknown");
}
