//! Decisions of one credential while others send large calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sekisho_bench::percentiles::Percentiles;
use sekisho_bench::table::{Table, format_duration};
use tokio::task::JoinHandle;

use crate::Failure;
use crate::bench_server::{BenchServer, ServerDirectory};
use crate::bodies::{SHAPES, body};
use crate::http::Connection;

const DECIDE_BODY: &str = r#"{"toolName":"Bash","input":{"command":"git status --short"},"cwd":"/"}"#;
/// How many large bodies are sent at once.
const BODIES: usize = 100;
/// The pause between two decisions.
const PAUSE: Duration = Duration::from_millis(2);

/// The result of one measurement.
struct LargeCallLoad {
    /// How long each decision took.
    times: Percentiles<Duration>,
    /// How many decisions there were.
    count: usize,
    /// How many of the large calls became approvals.
    opened: usize,
    /// How long it took until the last large call was answered.
    took: Duration,
    /// Peak memory of the server, as a multiple of one body.
    memory: f64,
}

/// Prints how long decisions take alone and during large calls of each shape, each on a server of its own, and
/// returns the worst p99.
pub(crate) async fn print() -> Result<Duration, Failure> {
    let columns = ["", "credentials", "opened", "took", "decisions", "p50", "p99", "worst", "memory, bodies"];
    let title = format!("decide during {BODIES} large calls at once");
    let mut table = Table::new(title, columns.map(String::from));
    let mut worst = Duration::ZERO;
    let loads = [("alone", 0), (SHAPES[0], 1)].into_iter().chain(SHAPES.map(|shape| (shape, 4)));
    for (shape, credentials) in loads {
        let server = BenchServer::sekisho(&ServerDirectory::memory()?).await?;
        let load = measure_large_calls(&server, shape, credentials).await?;
        server.stop().await?;
        worst = worst.max(load.times.at(0.99));
        table.row([
            shape.into(),
            credentials.to_string(),
            load.opened.to_string(),
            format_duration(load.took),
            load.count.to_string(),
            format_duration(load.times.at(0.5)),
            format_duration(load.times.at(0.99)),
            format_duration(load.times.at(1.0)),
            if credentials == 0 { "-".into() } else { format!("{:.0}", load.memory) },
        ]);
    }
    table.print();
    Ok(worst)
}

/// Decides steadily while large calls of this many credentials arrive. With 0 credentials there are none.
async fn measure_large_calls(
    server: &BenchServer,
    shape: &str,
    credentials: usize,
) -> Result<LargeCallLoad, Failure> {
    let agents = server.agents.get(..credentials).ok_or("too few tokens")?;
    let mut callers = Vec::new();
    for (number, agent) in agents.iter().cycle().take(BODIES).enumerate() {
        callers.push((Connection::to(server, agent).await?, body(shape, number)));
    }
    let size = callers.first().map_or(1, |(_, body)| body.len());
    let before = server.resident()?;
    server.reset_peak()?;
    let ended = Arc::new(AtomicBool::new(false));
    let deciding = decide(server, &ended)?;
    let start = Instant::now();
    let sent: Vec<JoinHandle<u16>> = callers.into_iter().map(|(caller, body)| send(caller, body)).collect();
    if sent.is_empty() {
        tokio::time::sleep(Duration::from_secs(3)).await;
    }
    let mut opened = 0;
    for status in sent {
        opened += usize::from(status.await? == 202);
    }
    let took = start.elapsed();
    ended.store(true, Ordering::Relaxed);
    let times = deciding.join().map_err(|_| "the deciding thread panicked")??;
    let memory = (server.peak()? - before) / size as f64;
    Ok(LargeCallLoad { count: times.len(), times: Percentiles::of(times), opened, took, memory })
}

/// Sends a large call. A server without room says so and closes the connection before it has read all.
fn send(mut caller: Connection, body: String) -> JoinHandle<u16> {
    tokio::spawn(async move {
        let sent = caller.send("POST", "/api/can-use-tool?wait=false", Some(&body)).await;
        let answer = caller.receive().await.map(|(status, _)| status);
        sent.and(answer).unwrap_or(0)
    })
}

/// Sends one decide request after another from a separate thread, so that load in this process does not affect
/// the times.
fn decide(
    server: &BenchServer,
    ended: &Arc<AtomicBool>,
) -> Result<std::thread::JoinHandle<Result<Vec<Duration>, Failure>>, Failure> {
    let (address, approver) = (server.address.clone(), server.approver.clone());
    let ended = Arc::clone(ended);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(std::thread::spawn(move || {
        runtime.block_on(async {
            let mut connection = Connection::open(&address, &approver).await?;
            let mut times = Vec::new();
            while !ended.load(Ordering::Relaxed) || times.is_empty() {
                let sent_at = Instant::now();
                connection.send("POST", "/api/decide", Some(DECIDE_BODY)).await?;
                let (status, response) = connection.receive().await?;
                if status != 200 {
                    return Err(format!("decide: {status}: {}", String::from_utf8_lossy(&response)).into());
                }
                times.push(sent_at.elapsed());
                tokio::time::sleep(PAUSE).await;
            }
            Ok(times)
        })
    }))
}
