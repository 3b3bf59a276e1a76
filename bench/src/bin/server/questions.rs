//! Approvals: how long each takes, and what waiting calls cost.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::Failure;
use crate::bench_server::BenchServer;
use crate::devices::Devices;
use crate::http::Connection;

/// How many approvals are timed.
const TIMED: usize = 400;
/// How many callers connect at once during setup.
const BATCH: usize = 64;

fn call(id: &str) -> String {
    let input = json!({ "command": "make deploy TARGET=production" });
    json!({ "toolName": "Bash", "input": input, "toolUseId": id, "conversationId": "bench", "timeoutMs": 3_600_000 })
        .to_string()
}

/// How long approvals take, one after another, while others are pending and devices listen.
pub(crate) async fn time(
    server: &BenchServer,
    pending: usize,
    devices: usize,
) -> Result<Vec<Duration>, Failure> {
    let _devices = Devices::connect(server, devices).await?;
    // The one that is timed is pending too.
    let _waiting = wait(server, pending - 1).await?;
    let mut caller = Connection::to(server, &server.agent).await?;
    let mut times = Vec::new();
    for turn in 0..TIMED {
        let body = call(&format!("timed-{turn}"));
        let sent = Instant::now();
        caller.send("POST", "/api/can-use-tool", Some(&body)).await?;
        let (status, response) = caller.receive().await?;
        times.push(sent.elapsed());
        if status != 200 || !String::from_utf8_lossy(&response).contains("\"allow\"") {
            return Err(format!("{status}: {}", String::from_utf8_lossy(&response)).into());
        }
    }
    Ok(times)
}

/// Callers that wait, each on a connection of its own. They use several credentials, because one may not
/// have ten thousand open.
async fn wait(server: &BenchServer, count: usize) -> Result<Vec<Connection>, Failure> {
    let mut waiting = Vec::with_capacity(count);
    for (turn, agent) in server.agents.iter().cycle().take(count).enumerate() {
        let mut caller = Connection::to(server, agent).await?;
        caller.send("POST", "/api/can-use-tool", Some(&call(&format!("waiting-{turn}")))).await?;
        waiting.push(caller);
        if turn % BATCH == BATCH - 1 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    // Waits until the server has accepted all of them.
    if server.approver != "approver" {
        let mut reader = Connection::to(server, &server.approver).await?;
        for _ in 0..600 {
            reader.send("GET", "/metrics", None).await?;
            let (_, response) = reader.receive().await?;
            let metrics = String::from_utf8_lossy(&response).into_owned();
            let open = metrics.lines().find_map(|line| line.strip_prefix("sekisho_questions_open "));
            if open.and_then(|open| open.trim().parse::<f64>().ok()).is_some_and(|open| open >= count as f64)
            {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    Ok(waiting)
}

/// Bytes of the server's memory per waiting caller.
pub(crate) async fn memory(server: &BenchServer, count: usize) -> Result<f64, Failure> {
    // The first few calls load what is loaded only once.
    let _few = wait(server, 100).await?;
    let before = server.resident()?;
    let mut waiting = Vec::new();
    for (turn, agent) in server.agents.iter().cycle().take(count).enumerate() {
        let mut caller = Connection::to(server, agent).await?;
        caller.send("POST", "/api/can-use-tool", Some(&call(&format!("held-{turn}")))).await?;
        waiting.push(caller);
        if turn % BATCH == BATCH - 1 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    Ok((server.resident()? - before) / count as f64)
}
