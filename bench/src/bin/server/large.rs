//! The memory of the server for one large call: while it is handled, while it waits for an answer, and after it
//! was withdrawn.

use std::time::Duration;

use sekisho_bench::table::{Table, format_number};
use serde_json::Value;

use crate::Failure;
use crate::bench_server::{BenchServer, ServerDirectory};
use crate::bodies::{SHAPES, body};
use crate::http::Connection;

/// How long the server may take to return freed memory.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// Growth of the server's memory, as a multiple of the body.
#[derive(Clone, Copy)]
pub(crate) struct LargeCallMemory {
    pub(crate) handled: f64,
    pub(crate) waiting: f64,
    pub(crate) after: f64,
}

/// Prints the memory for a call of each shape, each on a server of its own, and returns the maxima.
pub(crate) async fn print() -> Result<LargeCallMemory, Failure> {
    let columns = ["", "bytes", "handled", "waiting", "withdrawn"].map(String::from);
    let mut table = Table::new("memory for one large call, as a multiple of its body", columns);
    let mut most = LargeCallMemory { handled: 0.0, waiting: 0.0, after: 0.0 };
    for shape in SHAPES {
        let body = body(shape, 1);
        let server = BenchServer::sekisho(&ServerDirectory::memory()?).await?;
        let memory = measure(&server, &body).await?;
        server.stop().await?;
        let times = |times: f64| format!("{times:.1}");
        table.row([
            shape.into(),
            format_number(body.len() as f64),
            times(memory.handled),
            times(memory.waiting),
            times(memory.after),
        ]);
        most.handled = most.handled.max(memory.handled);
        most.waiting = most.waiting.max(memory.waiting);
        most.after = most.after.max(memory.after);
    }
    table.print();
    Ok(most)
}

async fn measure(server: &BenchServer, body: &str) -> Result<LargeCallMemory, Failure> {
    let mut caller = Connection::to(server, &server.agent).await?;
    // The first call loads what every call needs, so it is not measured.
    let small =
        r#"{"toolName":"Bash","toolUseId":"small","conversationId":"c","input":{"command":"unknown"}}"#;
    caller.send("POST", "/api/can-use-tool?wait=false", Some(small)).await?;
    caller.receive().await?;
    tokio::time::sleep(SETTLE_TIME).await;
    let before = server.resident()?;
    server.reset_peak()?;
    caller.send("POST", "/api/can-use-tool?wait=false", Some(body)).await?;
    let (status, response) = caller.receive().await?;
    if status != 202 {
        return Err(format!("{status}: {}", String::from_utf8_lossy(&response)).into());
    }
    let times = |bytes: f64| (bytes - before).max(0.0) / body.len() as f64;
    let handled = times(server.peak()?);
    tokio::time::sleep(SETTLE_TIME).await;
    let waiting = times(server.resident()?);
    let approval: Value = serde_json::from_slice(&response)?;
    let id = approval["id"].as_str().ok_or("no id")?;
    caller.send("DELETE", &format!("/api/approvals/{id}"), None).await?;
    let (status, _) = caller.receive().await?;
    if status >= 300 {
        return Err(format!("withdrawing: {status}").into());
    }
    tokio::time::sleep(SETTLE_TIME).await;
    Ok(LargeCallMemory { handled, waiting, after: times(server.resident()?) })
}
