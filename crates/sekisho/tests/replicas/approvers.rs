//! People who answer whatever is open, at whichever server is there.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::callers::LONG;
use crate::http::Endpoint;

/// What people answered and were told it counts, by the id of the call: the reasons of the answers that were the first.
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

/// Answers until it is told to stop. Every answer is a no with a reason of its own, so that whoever is told can be known.
pub(crate) fn answer(doors: &[Endpoint], name: &str, answered: &AnswerLog) {
    let mut turn = 0;
    while !answered.stop.load(Ordering::Relaxed) {
        turn += 1;
        let door = &doors[turn % doors.len()];
        let Ok((200, page)) = door.ask("GET", "/api/approvals?state=pending&limit=100", None) else {
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        let questions = page["approvals"].as_array().cloned().unwrap_or_default();
        if questions.is_empty() {
            std::thread::sleep(Duration::from_millis(20));
        }
        for question in questions {
            turn += 1;
            one(&doors[turn % doors.len()], name, turn, &question, answered);
        }
    }
}

fn one(door: &Endpoint, name: &str, turn: usize, question: &Value, answered: &AnswerLog) {
    let (id, call) = (question["id"].as_str().unwrap(), question["toolUseId"].as_str().unwrap());
    let reason = format!("{name} says no for the {turn}th time");
    let body = json!({ "behavior": "deny", "message": reason, "digest": question["digest"] });
    // Said again where nobody knows what became of it: the same answer twice is one answer.
    let start = Instant::now();
    while start.elapsed() < LONG {
        match door.ask("POST", &format!("/api/approvals/{id}/answer"), Some(&body)) {
            Ok((200, _)) => {
                answered.first.lock().unwrap().entry(call.to_owned()).or_default().push(reason);
                return;
            }
            Ok((404 | 409 | 410, _)) => return,
            Ok((503, _)) | Err(_) => std::thread::sleep(Duration::from_millis(50)),
            Ok((status, said)) => panic!("answering `{id}`: {status}: {said}"),
        }
    }
    panic!("nobody knows what became of the answer to `{id}`");
}
