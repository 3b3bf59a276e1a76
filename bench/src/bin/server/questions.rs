//! Questions: how long one takes, and what those that wait cost.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::Failure;
use crate::devices::Devices;
use crate::http::Connection;
use crate::place::Server;

/// How many questions are timed.
const TIMED: usize = 400;
/// How many callers are let in at once while the scene is set.
const TOGETHER: usize = 64;

fn call(id: &str) -> String {
    let input = json!({ "command": "make deploy TARGET=production" });
    json!({ "toolName": "Bash", "input": input, "toolUseId": id, "conversationId": "bench", "timeoutMs": 3_600_000 })
        .to_string()
}

/// How long questions take, one after another, while others are pending and devices listen.
pub async fn time(server: &Server, pending: usize, devices: usize) -> Result<Vec<Duration>, Failure> {
    let _devices = Devices::connect(server, devices).await?;
    // The one that is timed is pending as well.
    let _waiting = wait(server, pending - 1).await?;
    let mut caller = Connection::to(server, &server.agent).await?;
    let mut times = Vec::new();
    for turn in 0..TIMED {
        let body = call(&format!("timed-{turn}"));
        let asked = Instant::now();
        caller.send("POST", "/api/can-use-tool", Some(&body)).await?;
        let (status, said) = caller.receive().await?;
        times.push(asked.elapsed());
        if status != 200 || !String::from_utf8_lossy(&said).contains("\"allow\"") {
            return Err(format!("{status}: {}", String::from_utf8_lossy(&said)).into());
        }
    }
    Ok(times)
}

/// Callers that wait, each on a connection of its own. Several credentials: one may not have ten thousand open.
async fn wait(server: &Server, count: usize) -> Result<Vec<Connection>, Failure> {
    let mut waiting = Vec::with_capacity(count);
    for (turn, agent) in server.agents.iter().cycle().take(count).enumerate() {
        let mut caller = Connection::to(server, agent).await?;
        caller.send("POST", "/api/can-use-tool", Some(&call(&format!("waiting-{turn}")))).await?;
        waiting.push(caller);
        if turn % TOGETHER == TOGETHER - 1 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    // Until the server has taken them all in.
    if server.approver != "approver" {
        let mut reader = Connection::to(server, &server.approver).await?;
        for _ in 0..600 {
            reader.send("GET", "/metrics", None).await?;
            let (_, said) = reader.receive().await?;
            let said = String::from_utf8_lossy(&said).into_owned();
            let open = said.lines().find_map(|line| line.strip_prefix("sekisho_questions_open "));
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

/// Bytes of the server's memory for each of many callers that wait.
pub async fn memory(server: &Server, count: usize) -> Result<f64, Failure> {
    // The first few have it load what it will not load again.
    let _few = wait(server, 100).await?;
    let before = server.resident()?;
    let mut waiting = Vec::new();
    for (turn, agent) in server.agents.iter().cycle().take(count).enumerate() {
        let mut caller = Connection::to(server, agent).await?;
        caller.send("POST", "/api/can-use-tool", Some(&call(&format!("held-{turn}")))).await?;
        waiting.push(caller);
        if turn % TOGETHER == TOGETHER - 1 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    tokio::time::sleep(Duration::from_secs(3)).await;
    Ok((server.resident()? - before) / count as f64)
}
