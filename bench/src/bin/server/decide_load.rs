//! Advisory decisions over persistent connections.

use std::time::{Duration, Instant};

use crate::Failure;
use crate::bench_server::BenchServer;
use crate::http::Connection;

/// How long each measurement takes.
const ROUND: Duration = Duration::from_secs(3);
const BODY: &str =
    r#"{"toolName":"Bash","input":{"command":"git status --short && rg -n main src | head"},"cwd":"/"}"#;

/// The result of a round.
pub(crate) struct Round {
    /// Requests per second.
    pub(crate) rate: f64,
    /// How long each took.
    pub(crate) times: Vec<Duration>,
}

/// Sends decide requests as fast as possible.
pub(crate) async fn decide(server: &BenchServer, connections: usize) -> Result<Round, Failure> {
    round(server, connections, "POST", "/api/decide", Some(BODY)).await
}

/// The simplest possible request.
pub(crate) async fn health(server: &BenchServer, connections: usize) -> Result<Round, Failure> {
    round(server, connections, "GET", "/healthz", None).await
}

async fn round(
    server: &BenchServer,
    connections: usize,
    method: &'static str,
    path: &'static str,
    body: Option<&'static str>,
) -> Result<Round, Failure> {
    let start = Instant::now();
    let mut callers = Vec::new();
    for _ in 0..connections {
        let mut connection = Connection::to(server, &server.agent).await?;
        callers.push(tokio::spawn(async move {
            let mut times = Vec::new();
            while start.elapsed() < ROUND {
                let sent = Instant::now();
                connection.send(method, path, body).await?;
                let (status, response) = connection.receive().await?;
                if status != 200 {
                    return Err(format!("{path}: {status}: {}", String::from_utf8_lossy(&response)).into());
                }
                times.push(sent.elapsed());
            }
            Ok::<_, Failure>(times)
        }));
    }
    let mut times = Vec::new();
    for caller in callers {
        times.extend(caller.await??);
    }
    Ok(Round { rate: times.len() as f64 / start.elapsed().as_secs_f64(), times })
}
