//! Decisions of one credential while another sends large calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Failure;
use crate::http::Connection;
use crate::place::Server;

const DECIDED: &str = r#"{"toolName":"Bash","input":{"command":"git status --short"},"cwd":"/"}"#;

/// The result.
pub struct Beside {
    /// How long each decision took.
    pub times: Vec<Duration>,
    /// How many of the large calls were answered, and how many with a status other than 202.
    pub answered: (usize, usize),
    /// Peak memory of the server, in multiples of one body.
    pub memory: f64,
}

/// Sends decide requests as fast as possible while `bodies` bodies of nearly 4 MB are sent at once.
pub async fn beside(server: &Server, bodies: usize) -> Result<Beside, Failure> {
    let script = "$(a) ".repeat((4 << 20) / 5 - 200);
    let before = server.resident()?;
    let ended = Arc::new(AtomicBool::new(false));
    let mut large = Vec::new();
    for number in 0..bodies {
        let body = format!(
            r#"{{"toolName":"Bash","toolUseId":"large-{number}","conversationId":"c","input":{{"command":"{script}"}}}}"#
        );
        let mut connection = Connection::to(server, &server.agent).await?;
        large.push(tokio::spawn(async move {
            // A server without free memory answers and hangs up before it has read everything.
            let sent = connection.send("POST", "/api/can-use-tool?wait=false", Some(&body)).await;
            let answer = connection.receive().await.map(|(status, _)| status);
            sent.and(answer).unwrap_or(0)
        }));
    }
    let mut connection = Connection::to(server, &server.approver).await?;
    let until = Arc::clone(&ended);
    let deciding = tokio::spawn(async move {
        let mut times = Vec::new();
        while !until.load(Ordering::Relaxed) {
            let asked = Instant::now();
            connection.send("POST", "/api/decide", Some(DECIDED)).await?;
            let (status, said) = connection.receive().await?;
            if status != 200 {
                return Err(format!("decide: {status}: {}", String::from_utf8_lossy(&said)).into());
            }
            times.push(asked.elapsed());
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok::<_, Failure>(times)
    });
    if bodies == 0 {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let mut answered = (0, 0);
    let mut most = before;
    for one in large {
        match one.await? {
            202 => answered.0 += 1,
            _ => answered.1 += 1,
        }
        most = most.max(server.resident()?);
    }
    ended.store(true, Ordering::Relaxed);
    let times = deciding.await??;
    Ok(Beside { times, answered, memory: (most - before) / script.len() as f64 })
}
