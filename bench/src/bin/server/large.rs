//! The memory of the server for one large call: while it is handled, while it waits for an answer, and after it was withdrawn.

use std::time::Duration;

use sekisho_bench::table::{Table, grouped};
use serde_json::Value;

use crate::Failure;
use crate::bodies::{SHAPES, body};
use crate::http::Connection;
use crate::place::{Place, Server};

/// How long memory that was freed may take to be given back.
const SETTLED: Duration = Duration::from_secs(2);

/// Memory that the server took more than before, in times of the body.
#[derive(Clone, Copy)]
pub struct Large {
    pub handled: f64,
    pub waiting: f64,
    pub after: f64,
}

/// Prints what a call of each shape takes, each on a server of its own, and gives the most of them.
pub async fn print() -> Result<Large, Failure> {
    let columns = ["", "bytes", "handled", "waiting", "withdrawn"].map(String::from);
    let mut table = Table::new("memory for one large call, in times of its body", columns);
    let mut most = Large { handled: 0.0, waiting: 0.0, after: 0.0 };
    for shape in SHAPES {
        let body = body(shape, 1);
        let server = Server::sekisho(&Place::memory()?).await?;
        let large = measure(&server, &body).await?;
        server.stop().await?;
        let times = |times: f64| format!("{times:.1}");
        table.row([
            shape.into(),
            grouped(body.len() as f64),
            times(large.handled),
            times(large.waiting),
            times(large.after),
        ]);
        most.handled = most.handled.max(large.handled);
        most.waiting = most.waiting.max(large.waiting);
        most.after = most.after.max(large.after);
    }
    table.print();
    Ok(most)
}

async fn measure(server: &Server, body: &str) -> Result<Large, Failure> {
    let mut caller = Connection::to(server, &server.agent).await?;
    // What the first call of any size needs is there before anything is measured.
    let small =
        r#"{"toolName":"Bash","toolUseId":"small","conversationId":"c","input":{"command":"unknown"}}"#;
    caller.send("POST", "/api/can-use-tool?wait=false", Some(small)).await?;
    caller.receive().await?;
    tokio::time::sleep(SETTLED).await;
    let before = server.resident()?;
    server.forget_peak()?;
    caller.send("POST", "/api/can-use-tool?wait=false", Some(body)).await?;
    let (status, said) = caller.receive().await?;
    if status != 202 {
        return Err(format!("{status}: {}", String::from_utf8_lossy(&said)).into());
    }
    let times = |bytes: f64| (bytes - before).max(0.0) / body.len() as f64;
    let handled = times(server.peak()?);
    tokio::time::sleep(SETTLED).await;
    let waiting = times(server.resident()?);
    let question: Value = serde_json::from_slice(&said)?;
    let id = question["id"].as_str().ok_or("no id")?;
    caller.send("DELETE", &format!("/api/approvals/{id}"), None).await?;
    let (status, _) = caller.receive().await?;
    if status >= 300 {
        return Err(format!("withdrawing: {status}").into());
    }
    tokio::time::sleep(SETTLED).await;
    Ok(Large { handled, waiting, after: times(server.resident()?) })
}
