//! Three servers on one PostgreSQL database, many pipelines of three stages, and servers that are killed: all pipelines end
//! right, and nothing runs twice.

use std::time::{Duration, Instant};

use sekisho_testkit::postgres::PgServer;
use serde_json::{Value, json};

use crate::http::Endpoint;
use crate::replica_set::{Replica, ReplicaSet};

/// Anything slower than this hangs.
const LONG: Duration = Duration::from_secs(600);

/// How many pipelines are run.
fn pipelines() -> usize {
    #[expect(clippy::disallowed_methods, reason = "a variable selects the long form")]
    let number = std::env::var("SEKISHO_PIPELINES");
    number.ok().and_then(|number| number.parse().ok()).unwrap_or(24)
}

fn job(number: usize) -> String {
    format!("job-{number:04}")
}

/// What the agents say. The second writes a file of its own for each job, which must not exist.
fn scripts(jobs: usize) -> [(&'static str, Value); 3] {
    let find = |number| {
        let job = job(number);
        json!({ "when": { "last_contains": job }, "text": format!("found {job}"), "delay_ms": 20 })
    };
    let write = |number| {
        let job = job(number);
        let input = json!({ "path": format!("doc/{job}.txt"), "content": job, "mode": "create" });
        json!({ "when": { "last_contains": format!("found {job}") }, "text": format!("I write {job}."),
            "calls": [{ "name": "file_write", "input": input }] })
    };
    let written = json!([
        { "when": { "last_contains": "The outcome of this call is unknown" }, "text": "unknown" },
        { "when": { "last_contains": "\"success\":true" }, "text": "written", "delay_ms": 20 },
    ]);
    let told = json!([
        { "when": { "last_contains": "It is written" }, "text": "done" },
        { "when": { "last_contains": "It is unknown" }, "text": "done, unknown" },
    ]);
    let each = |step: &dyn Fn(usize) -> Value| (0..jobs).map(step).collect::<Vec<_>>();
    [("finder", json!([each(&find)])), ("writer", json!([each(&write), written])), ("teller", json!([told]))]
}

fn ok(door: &Endpoint, method: &str, path: &str, body: Option<&Value>) -> Value {
    let (status, answer) = door.ask(method, path, body).unwrap();
    assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
    answer
}

#[test]
fn killed_servers_lose_and_repeat_no_stage() {
    let jobs = pipelines();
    let kills = (jobs / 20).max(1);
    println!("{jobs} pipelines, {kills} kills: SEKISHO_PIPELINES changes them");
    let postgres = PgServer::shared();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let database = runtime.block_on(postgres.database());
    let rules = json!({ "version": 1, "permissions": { "allow": [{ "tool": "file_write" }] } });
    let replicas = ReplicaSet::with_agents(database, &rules);
    for (name, script) in scripts(jobs) {
        std::fs::write(replicas.path("scripts").join(format!("{name}.json")), script.to_string()).unwrap();
    }
    let (admin, approver) = (replicas.token("admin"), replicas.token("approver"));
    let servers = [replicas.server(0), replicas.server(1), replicas.server(2)];
    let pipeline = define(&servers[0].door(&admin));
    let mut runs = Vec::new();
    for number in 0..jobs {
        let door = servers[number % servers.len()].door(&approver);
        let path = format!("/api/pipelines/{pipeline}/run?wait=false");
        let run = ok(&door, "POST", &path, Some(&json!({ "input": job(number) })));
        runs.push(run["id"].as_str().unwrap().to_owned());
        // The first server is killed while its pipelines are under way, and so on.
        if (number + 1) % (jobs / kills).max(1) == 0 {
            let victim = &servers[(number / 3) % servers.len()];
            victim.kill();
            victim.start();
        }
    }
    let unknown = check_all(&servers, &approver, &runs, &replicas);
    println!("{} pipelines ended right; in {unknown} the outcome of the call was unknown", runs.len());
    drop(servers);
    replicas.verifies();
}

/// Creates the agents and the pipeline. Returns its id.
fn define(door: &Endpoint) -> String {
    for (name, tools) in [("finder", json!([])), ("writer", json!(["file_write"])), ("teller", json!([]))] {
        let body = json!({ "name": name, "provider": "scripted", "model": name });
        let agent = ok(door, "POST", "/api/agents", Some(&body));
        let tools: Vec<Value> = tools
            .as_array()
            .unwrap()
            .iter()
            .map(|tool| json!({ "tool_name": tool, "is_enabled": true }))
            .collect();
        let body = json!({ "agent_id": agent["id"], "tools": tools });
        ok(door, "POST", "/api/tools/config", Some(&body));
    }
    let body = json!({ "name": "jobs", "stages": [
        { "agent": "finder", "prompt": "Find {{input}}." },
        { "agent": "writer", "prompt": "Write what was found: {{previous}}." },
        { "agent": "teller", "prompt": "It is {{previous}}." },
    ] });
    ok(door, "POST", "/api/pipelines", Some(&body))["id"].as_str().unwrap().to_owned()
}

/// Waits until all runs have ended, and checks each. Returns in how many the outcome of the call is unknown.
fn check_all(servers: &[Replica], token: &str, runs: &[String], replicas: &ReplicaSet) -> usize {
    let (began, mut unknown) = (Instant::now(), 0);
    for (number, id) in runs.iter().enumerate() {
        let door = servers[number % servers.len()].door(token);
        let run = loop {
            let run = ok(&door, "GET", &format!("/api/pipeline-runs/{id}"), None);
            if run["status"] != "running" {
                break run;
            }
            assert!(began.elapsed() < LONG, "pipeline {number} goes on: {run}");
            std::thread::sleep(Duration::from_millis(50));
        };
        let job = job(number);
        assert_eq!(run["status"], "completed", "{job}: {run}");
        let stages = run["stages"].as_array().unwrap();
        assert!(stages.iter().all(|stage| stage["attempts"].as_array().unwrap().len() == 1), "{run}");
        assert_eq!(stages[0]["output"], format!("found {job}"));
        let file = std::fs::read_to_string(replicas.path("project").join(format!("doc/{job}.txt")));
        match run["output"].as_str().unwrap() {
            "done" => assert_eq!(file.unwrap(), job),
            "done, unknown" => unknown += 1,
            other => panic!("{job}: {other}"),
        }
        let messages = format!("/api/runs/{}/messages", stages[1]["attempts"][0]["runId"].as_str().unwrap());
        let messages = ok(&door, "GET", &messages, None)["messages"].clone();
        let results: Vec<&Value> =
            messages.as_array().unwrap().iter().filter_map(|message| message.get("results")).collect();
        assert_eq!(results.len(), 1, "{job} was written once: {messages}");
    }
    unknown
}
