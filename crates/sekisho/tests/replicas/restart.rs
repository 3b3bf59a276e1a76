//! One server, killed while a thousand callers wait.

use std::time::{Duration, Instant};

use crate::approver_client::{AnswerLog, answer};
use crate::caller_client::{CallerResults, LONG, ask};
use crate::replica_set::ReplicaSet;

const CALLERS: usize = 1_000;

#[test]
fn thousand_callers_survive_a_kill() {
    let replicas = ReplicaSet::new(None);
    let (agent, approver) = (replicas.token("agent"), replicas.token("approver"));
    let server = replicas.server(0);
    let (asks, answers) = ([server.door(&agent)], [server.door(&approver)]);
    let (results, answered) = (CallerResults::default(), AnswerLog::default());
    std::thread::scope(|scope| {
        for caller in 0..CALLERS {
            let (asks, results) = (&asks, &results);
            let thread = std::thread::Builder::new().stack_size(256 << 10);
            thread.spawn_scoped(scope, move || ask(asks, 0, &format!("call-{caller}"), results)).unwrap();
        }
        wait_until_open(&answers[0], CALLERS);
        server.kill();
        server.start();
        let people = scope.spawn(|| answer(&answers, "Ann", &answered));
        results.wait_for(CALLERS);
        answered.stop();
        people.join().unwrap();
    });
    let (results, answered) = (results.answers(), answered.first());
    assert_eq!(results.len(), CALLERS);
    for (call, answer) in &results {
        assert_eq!(answered[call].len(), 1, "`{call}` was answered more than once: {:?}", answered[call]);
        assert_eq!(answer["message"], answered[call][0], "{call}");
    }
    drop(server);
    replicas.verifies();
}

/// Waits until this many questions are open.
fn wait_until_open(door: &crate::http::Endpoint, count: usize) {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < LONG, "the questions were never all open");
        let (status, page) = door.ask("GET", "/api/approvals?state=pending&limit=500", None).unwrap();
        assert_eq!(status, 200, "{page}");
        let mut open = page["approvals"].as_array().unwrap().len();
        let mut next = page["next"].as_str().map(str::to_owned);
        while let Some(before) = next {
            let path = format!("/api/approvals?state=pending&limit=500&before={before}");
            let (_, page) = door.ask("GET", &path, None).unwrap();
            open += page["approvals"].as_array().unwrap().len();
            next = page["next"].as_str().map(str::to_owned);
        }
        if open >= count {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}
