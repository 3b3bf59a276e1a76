//! Several servers on one PostgreSQL database share their questions.

use std::io::{BufRead, BufReader};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use sekisho_testkit::postgres::PgServer;
use serde_json::{Value, json};

use crate::approver_client::{AnswerLog, answer};
use crate::caller_client::{CallerResults, ask};
use crate::http::Endpoint;
use crate::replica_set::{Replica, ReplicaSet};

/// Number of answered calls between two kills.
const TOLD: usize = 40;

/// How many servers are killed.
fn kills() -> usize {
    #[expect(clippy::disallowed_methods, reason = "a variable selects the long form")]
    let results = std::env::var("SEKISHO_CHAOS_KILLS");
    results.ok().and_then(|results| results.parse().ok()).unwrap_or(6)
}

fn database(server: &PgServer) -> String {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(server.database())
}

fn doors(servers: &[Replica], token: &str) -> Vec<Endpoint> {
    servers.iter().map(|server| server.door(token)).collect()
}

#[test]
fn question_is_shown_and_answered_at_another_server() {
    let replicas = ReplicaSet::new(Some(database(PgServer::shared())));
    let (agent, approver) = (replicas.token("agent"), replicas.token("approver"));
    let servers = [replicas.server(0), replicas.server(1)];
    // A subscriber at the second server learns of questions asked at the first.
    let stream = servers[1].door(&approver).send("GET", "/api/events", None).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "event: snapshot"));
    let mut delays = Vec::new();
    for turn in 0..50 {
        let results = CallerResults::default();
        let id = format!("across-{turn}");
        std::thread::scope(|scope| {
            let asked = Instant::now();
            scope.spawn(|| ask(&[servers[0].door(&agent)], 0, &id, &results));
            let question = loop {
                let line = lines.next().expect("the stream ended");
                let Some(data) = line.strip_prefix("data: ") else { continue };
                let data: Value = serde_json::from_str(data).unwrap();
                if data["toolUseId"] == id.as_str() {
                    break data;
                }
            };
            delays.push(asked.elapsed());
            let path = format!("/api/approvals/{}/answer", question["id"].as_str().unwrap());
            let body = json!({ "behavior": "allow", "digest": question["digest"] });
            let (status, response) = servers[1].door(&approver).ask("POST", &path, Some(&body)).unwrap();
            assert_eq!(status, 200, "{response}");
        });
        assert_eq!(results.answers()[&id]["behavior"], "allow");
    }
    delays.sort();
    println!("asked at one, shown at another: p50 {:?}, worst of 50 {:?}", delays[25], delays[49]);
}

#[test]
fn kills_and_database_restart_lose_nothing() {
    let postgres = PgServer::start(&[], |_| {});
    let replicas = ReplicaSet::new(Some(database(&postgres)));
    let (agent, approver) = (replicas.token("agent"), replicas.token("approver"));
    let servers = [replicas.server(0), replicas.server(1), replicas.server(2)];
    let (asks, answers) = (doors(&servers, &agent), doors(&servers, &approver));
    let (results, answered) = (CallerResults::default(), AnswerLog::default());
    let (over, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let people = ["Ann", "Bob", "Eve"].map(|name| {
            let (answers, answered) = (&answers, &answered);
            scope.spawn(move || answer(answers, name, answered))
        });
        let callers: Vec<_> = (0..24)
            .map(|caller| {
                let (asks, results, over, asked) = (&asks, &results, &over, &asked);
                scope.spawn(move || {
                    while !over.load(Ordering::Relaxed) {
                        let number = asked.fetch_add(1, Ordering::Relaxed);
                        ask(asks, caller, &format!("call-{number}"), results);
                    }
                })
            })
            .collect();
        kill_servers(&servers, &postgres, &results);
        over.store(true, Ordering::Relaxed);
        for caller in callers {
            caller.join().unwrap();
        }
        answered.stop();
        for person in people {
            person.join().unwrap();
        }
    });
    let again = results.again.load(Ordering::Relaxed);
    let (results, answered) = (results.answers(), answered.first());
    assert_eq!(results.len(), asked.load(Ordering::Relaxed));
    for (call, answer) in &results {
        let reasons = answered.get(call).map(Vec::as_slice).unwrap_or_default();
        let message = answer["message"].as_str().unwrap_or_default();
        assert_eq!(reasons, [message], "`{call}` received {answer}");
    }
    println!("{} calls asked, {again} retries", results.len());
    drop(servers);
    replicas.verifies();
}

/// Kills one server after another, and restarts the database once.
fn kill_servers(servers: &[Replica], postgres: &PgServer, results: &CallerResults) {
    let kills = kills();
    for turn in 0..kills {
        results.wait_for(results.count() + TOLD);
        let server = &servers[turn % servers.len()];
        server.kill();
        if turn == kills / 2 {
            postgres.crash_and_restart();
        }
        server.start();
    }
    results.wait_for(results.count() + TOLD);
}
